// SPDX-License-Identifier: AGPL-3.0-or-later
// The envelope of an EPS: what is accepted lies inside the file and has a box.
#include "opi/eps_probe.h"

#include <cmath>

#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using opispool::fuzz::require;
    const auto info = opispool::opi::probe_eps(opispool::fuzz::memory_file(data, size));
    if (!info) {
        require(info.error().code != opispool::Code::internal, "an input never is a bug");
        opispool::fuzz::look_at(opispool::describe(info.error()));
        return 0;
    }
    require(info->kind == opispool::opi::ImageKind::eps, "an EPS is an EPS");
    require(info->eps_begin_bytes < info->eps_end_bytes && info->eps_end_bytes <= size,
            "the PostScript lies inside the file");
    require(info->bounding_box.has_value(), "an accepted EPS has a box");
    const auto& box = *info->bounding_box;
    require(box.width() > 0 && box.height() > 0, "the box has an area");
    for (const double edge : {box.llx, box.lly, box.urx, box.ury}) require(std::isfinite(edge), "the box is finite");
    return 0;
}

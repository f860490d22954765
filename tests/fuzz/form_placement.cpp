// SPDX-License-Identifier: AGPL-3.0-or-later
// The code in front of a distilled image: a placement, or a reason.
#include "opi/form_placement.h"

#include <cmath>

#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using opispool::fuzz::require;
    const auto form = opispool::opi::read_form_placement(opispool::fuzz::as_text(data, size));
    if (!form) {
        require(form.error().code == opispool::Code::unsupported, "what is not understood is unsupported");
        require(!form.error().text.empty(), "a refusal has a reason");
        return 0;
    }
    const auto& m = form->unit_to_outer;
    for (const double each : {m.a, m.b, m.c, m.d, m.e, m.f}) require(std::isfinite(each), "a placement is finite");
    for (const auto& clip : form->clips)
        for (const auto& corner : clip) require(std::isfinite(corner.x) && std::isfinite(corner.y), "a clip is finite");
    return 0;
}

// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/reference_file.h"

#include "opi/image_probe.h"

namespace opispool::opi {

Result<FoundImage> find_reference_image(const ImageIndex& index, const OpiComments& comments) {
    const auto original = [](const FoundImage& candidate) {
        auto info = probe_image(candidate.file);
        return !info || !info->is_layout;  // a damaged file is reported as such later, not passed over
    };
    Result<FoundImage> answer = fail(Code::not_found, Operation::resolve, "the block names no image");
    for (const std::string* name : {&comments.image_id, &comments.main_image, &comments.filename}) {
        if (name->empty()) continue;
        answer = index.find(*name, original);
        if (answer || answer.error().code != Code::not_found) return answer;
    }
    return answer;
}

}  // namespace opispool::opi

// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/job_header.h"

#include "base/text.h"

namespace opispool::opi {

std::vector<HeaderEdit> correct_header(const ThinDocument& document, const UsedFeatures& used) {
    std::vector<HeaderEdit> edits;
    if (document.document_data && used.binary_data && !equals_ignoring_case(document.document_data_value, "Binary"))
        edits.push_back({*document.document_data, "%%DocumentData: Binary"});
    const auto level = parse_u64(document.language_level_value);
    if (document.language_level && level && static_cast<std::uint64_t>(used.language_level) > *level)
        edits.push_back({*document.language_level, "%%LanguageLevel: " + std::to_string(used.language_level)});
    return edits;
}

}  // namespace opispool::opi

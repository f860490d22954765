// SPDX-License-Identifier: AGPL-3.0-or-later
// Keeps a job's header comments true after pictures were put in (ref 4.1, 5.2).
#pragma once

#include <string>
#include <vector>

#include "opi/thin_document.h"

namespace opispool::opi {

struct HeaderEdit {
    ByteRange line;    // of the document, without its line end
    std::string text;  // what takes its place
};

std::vector<HeaderEdit> correct_header(const ThinDocument& document, const UsedFeatures& used);

}  // namespace opispool::opi

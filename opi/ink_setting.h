// SPDX-License-Identifier: AGPL-3.0-or-later
// An ink of a queue as people write it: "PANTONE 185 C 0 0.91 0.76 0", or "PANTONE 185 C=0,0.91,0.76,0".
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "opi/image_request.h"

namespace opispool::opi {

// The name and the CMYK equivalent of its full ink, four numbers from 0 to 1.
//   errors  bad_syntax, with what is wanted
Result<InkColour> parse_ink_setting(std::string_view text);

// The first form, readable by parse_ink_setting.
std::string to_string(const InkColour& ink);

}  // namespace opispool::opi

// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/ink_setting.h"

#include "base/text.h"
#include "opi/plate.h"

namespace opispool::opi {

namespace {

tl::unexpected<Error> wrong() {
    return fail(Code::bad_syntax, Operation::configure,
                "want the name of a spot ink and its CMYK equivalent, four numbers from 0 to 1, e.g. PANTONE 185 C 0 "
                "0.91 0.76 0");
}

}  // namespace

Result<InkColour> parse_ink_setting(std::string_view text) {
    // From the right, because a name may hold blanks, digits and every sign.
    InkColour ink;
    std::string_view rest = trim(text);
    for (std::size_t i = ink.cmyk.size(); i-- > 0;) {
        const std::size_t before = rest.find_last_of(" \t,=");
        if (before == std::string_view::npos) return wrong();
        const auto value = parse_real(rest.substr(before + 1));
        if (!value || *value < 0 || *value > 1) return wrong();
        ink.cmyk[i] = *value;
        rest = trim(rest.substr(0, before + 1));
        if (rest.ends_with(',') || (i == 0 && rest.ends_with('='))) rest = trim(rest.substr(0, rest.size() - 1));
    }
    ink.name = rest;
    if (rest.empty() || rest == "All" || rest == "None" || process_ink_index(canonical_ink(rest))) return wrong();
    return ink;
}

std::string to_string(const InkColour& ink) {
    std::string out = ink.name;
    for (double value : ink.cmyk) out += " " + format_real(value);
    return out;
}

}  // namespace opispool::opi

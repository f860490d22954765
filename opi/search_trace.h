// SPDX-License-Identifier: AGPL-3.0-or-later
// What a search for a picture did, step by step, for `opispool explain`: written by the search itself, never by a
// second one, so that what is told is what happened.
#pragma once

#include <string>
#include <vector>

namespace opispool::opi {

struct SearchStep {
    enum class Kind : unsigned char {
        name,       // a comment's name is taken up; `text` says how it was read
        rule,       // a map or a layout rule was applied
        look_up,    // these spellings are looked for
        candidate,  // a file of the stores (`subject`), and why it was taken or not
        result,     // how the search for this name ended
    };
    Kind kind = Kind::name;
    std::string subject;  // raw bytes; may be empty
    std::string text;
};

using SearchTrace = std::vector<SearchStep>;

}  // namespace opispool::opi

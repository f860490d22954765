// SPDX-License-Identifier: AGPL-3.0-or-later
// What an LPD control file asks for. Names in it are labels of files sent on the same connection, never paths.
//   source  RFC 1179 section 7; ref 7.1
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opispool::spooler {

struct LpdPrint {
    std::string file;   // label of the data file
    int copies = 1;     // print lines that name it, whatever their letter
    char format = 'f';  // of the first line
};

struct LpdControl {
    std::string host, user, title;  // printable UTF-8, shortened; empty if absent
    std::vector<LpdPrint> prints;   // in order of the first line of each file
};

constexpr int lpd_max_copies = 100;

// Takes LF, CR and CR LF lines; lines it does not know are left out.   errors  none      thread  any
LpdControl parse_lpd_control(std::string_view text);

}  // namespace opispool::spooler

// SPDX-License-Identifier: AGPL-3.0-or-later
// What LPD tells a RIP about a job: the control file and the names of the two files (RFC 1179, ref 7.1 and 7.3).
// Everything in it is ASCII, without control characters, and within the RFC's lengths, whatever the job's title was.
#pragma once

#include <string>
#include <string_view>

#include "rip_out/sender.h"

namespace opispool::rip_out {

struct LpdNames {
    std::string control;  // "cfA042host"
    std::string data;     // "dfA042host"
};

//   own_host  this machine's name; RIPs compare it with the one they look up for our address
LpdNames make_lpd_names(const JobTicket& ticket, std::string_view own_host);

//   format  the line that prints the data file: 'o' PostScript, 'l' raw, 'f' text
std::string make_control_file(const JobTicket& ticket, std::string_view own_host, char format);

// Nearest ASCII: "Jürgen Sørensen" -> "Juergen Soerensen"; what has no neighbour becomes '_'. Bytes that are not UTF-8
// are taken as Latin-1.
std::string transliterate(std::string_view text);

// This machine's name, or "localhost".
std::string own_host_name();

}  // namespace opispool::rip_out

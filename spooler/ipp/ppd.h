// SPDX-License-Identifier: AGPL-3.0-or-later
// The printer description that a workstation's PostScript driver needs to print to a queue. Pure.
//   source  Adobe PPD 4.3; valid for cupstestppd
#pragma once

#include <string>

namespace opispool::ipp {

// Level 3, colour, DSC kept: what the driver writes leaves the queue as it came but for the pictures.
std::string make_ppd(const std::string& queue);

}  // namespace opispool::ipp

// SPDX-License-Identifier: AGPL-3.0-or-later
// Whether a proxy's code can be taken out without a trace on what follows (ref 1.4): what it saves it restores, what it
// begins it ends.
#pragma once

#include <cstdint>

#include "opi/byte_source.h"

namespace opispool::opi {

// Counts gsave/grestore, save/restore and begin/end between the offsets, outside strings, comments and procedure
// bodies.
//   cost  at most the first and last 256 KiB are read: inline data in between leaves no such words
bool is_balanced_object(ByteSource& source, std::uint64_t begin_bytes, std::uint64_t end_bytes);

}  // namespace opispool::opi

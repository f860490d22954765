// SPDX-License-Identifier: AGPL-3.0-or-later
// The PostScript that measures: it takes the place of the image operators before the job's first byte is read, so that
// no `bind` of a prolog reaches the real ones.
#pragma once

#include <string>

namespace opispool::opi {

// nonce  stands before every record; a job that prints whatever it likes can't guess it
//   format of the records, a line each:
//     NONCE B id ctm6 default6 | path      a mark is passed (`id .opispoolBegin`)
//     NONCE I kind w h matrix6 ctm6 | path an image operator ran between marks; kind 1 = mask, 0 = image
//     NONCE E id                           (`id .opispoolEnd`)
//   number "rounded:rest", their sum counts
//   path   the clip in default user space: "m x y", "l x y", "c x1 y1 x2 y2 x3 y3", "h"; "?" if it is longer or hidden
std::string measure_program(const std::string& nonce);

}  // namespace opispool::opi

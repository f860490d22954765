// SPDX-License-Identifier: AGPL-3.0-or-later
// Does this document end like a whole one? Asked when a door could not count the bytes, before anything is printed.
//   source  ref 7.2 rule 2, 7.4
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace opispool::spooler {

struct TailVerdict {
    enum class Tail {
        complete,     // ends with %%EOF, UEL or ^D and every bracket is closed
        no_end_mark,  // plain PostScript or something else that need not have one: nothing can be said
        cut_off,      // a bracket is open, or a document that promises DSC has no %%EOF
    };
    Tail tail = Tail::no_end_mark;
    std::string reason;  // for the operator; empty when complete
};

//   passed  told now and then that the bytes before an offset are done with, so that the pages of a large map can go
//   thread  any, reads the whole document once (it is called on a map of our own spool file)
//   from    a line before which everything is known to be closed
TailVerdict check_tail(std::span<const std::byte> document, const std::function<void(std::size_t)>& passed = {},
                       std::size_t from = 0);

}  // namespace opispool::spooler

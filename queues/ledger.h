// SPDX-License-Identifier: AGPL-3.0-or-later
// What became of each picture a job asked for: plain records, kept with the job each time it is planned.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace opispool::queues {

struct LedgerEntry {
    int page = 0;            // ordinal, from 1; 0 before the first page
    std::uint64_t line = 0;  // in the document, from 1
    std::string asked;       // the picture as the comment wrote it
    std::string search;      // candidates, and why they were refused; one on a line; may be empty
    std::string file;        // chosen; empty if none was
    std::uint64_t size_bytes = 0, device = 0, inode = 0;
    std::int64_t mtime_ns = 0;
    std::uint32_t width_px = 0, height_px = 0;  // 0: not made of pixels
    double ppi = 0;                             // the lower of both directions at the printed size; 0: not known
    std::string colour;                         // "CMYK", "RGB", "gray", ...; empty: not known
    std::string crop;                           // "left top right bottom", parts of the picture from 0 to 1; empty: all
    std::uint64_t bytes = 0;                    // of the press-ready result that are this picture
    std::string problem;                        // why it could not be placed; empty if it could
};

struct Ledger {
    std::vector<LedgerEntry> now, before;  // before: of the printing before the last redo
};

// What is not as it was at the last printing, one line for each picture; nothing if there was none.
std::vector<std::string> differences(const Ledger& ledger);

}  // namespace opispool::queues

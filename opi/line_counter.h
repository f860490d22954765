// SPDX-License-Identifier: AGPL-3.0-or-later
// Byte offset -> line number for messages. Offsets ascend, so every byte is looked at once.
#pragma once

#include <cstdint>

#include "base/byte_search.h"
#include "opi/byte_source.h"

namespace opispool::opi {

class LineCounter {
  public:
    //   lines_before  of a document whose beginning the source does not hold
    explicit LineCounter(ByteSource& source, std::uint64_t lines_before = 0) : source_(source), lines_(lines_before) {}

    // Number, from 1, of the line that holds the byte. Lines end with CR, LF or CR LF.
    std::uint64_t line_at(std::uint64_t offset_bytes) {
        while (counted_to_ < offset_bytes) {
            std::string_view window = source_.window(counted_to_);
            if (window.empty()) break;
            window = window.substr(
                0, static_cast<std::size_t>(std::min<std::uint64_t>(window.size(), offset_bytes - counted_to_)));
            lines_ += count_byte(window, '\n') + count_byte(window, '\r');
            // CR LF is one end.
            lines_ -= last_ == '\r' && window.front() == '\n';
            for (std::size_t i = window.find("\r\n"); i != std::string_view::npos; i = window.find("\r\n", i + 2))
                --lines_;
            last_ = window.back();
            counted_to_ += window.size();
        }
        return lines_ + 1;
    }

  private:
    ByteSource& source_;
    std::uint64_t counted_to_ = 0, lines_;
    char last_ = 0;
};

}  // namespace opispool::opi

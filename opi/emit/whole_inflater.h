// SPDX-License-Identifier: AGPL-3.0-or-later
// A zlib stream that lies in memory as a whole, decoded at once: two to three times as fast as zlib does it piece by
// piece.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

struct libdeflate_decompressor;

namespace opispool::opi {

class WholeInflater {
  public:
    // returns  the bytes that the stream holds, its end mark and checksum being right; nothing when there are more than
    //          `out` has room for, or when something is wrong: zlib then has to say what      thread  one at a time
    std::optional<std::size_t> run(std::span<const std::byte> in, std::span<std::byte> out);

  private:
    struct Free {
        void operator()(libdeflate_decompressor* state) const;
    };
    std::unique_ptr<libdeflate_decompressor, Free> state_;  // made when it is first needed
};

}  // namespace opispool::opi

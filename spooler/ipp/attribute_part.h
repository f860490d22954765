// SPDX-License-Identifier: AGPL-3.0-or-later
// Finds where the attributes of an IPP request end and its document begins, in any split, and holds them to the grammar
// before libcups sees them: what is nested too deep, too long, or contradicts its own lengths never gets there.
//   source  RFC 8010 3
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace opispool::ipp {

// owner  one request      cost  one pass, keeps the attributes (never the document)
class AttributePart {
  public:
    static constexpr std::size_t header_bytes = 8;
    static constexpr std::size_t max_bytes = 256U << 10U;  // real requests have 1 to 16 KB
    static constexpr std::size_t max_values = 4096;
    static constexpr std::size_t max_depth = 8;  // collections in collections

    //   returns  how many of `piece` belong to the attributes: all until they are complete
    //   errors   bad_syntax with the offset, too_large; final
    Result<std::size_t> take(std::span<const std::byte> piece);
    bool complete() const { return complete_; }
    std::span<const std::byte> bytes() const { return bytes_; }
    // The request's number, as soon as it is there; 0 before.
    std::uint32_t request_id() const;

  private:
    Result<void> scan();
    // returns  bytes of the item at next_; 0 if it is not whole yet
    Result<std::size_t> scan_item();
    Result<void> check_value(std::uint8_t tag, std::size_t name_bytes, std::span<const std::byte> value);
    Result<void> check_nesting(std::uint8_t tag, std::size_t name_bytes);
    std::uint8_t byte_at(std::size_t offset) const { return std::to_integer<std::uint8_t>(bytes_[offset]); }
    std::size_t length_at(std::size_t offset) const {
        return (std::size_t{byte_at(offset)} << 8U) | byte_at(offset + 1);
    }
    tl::unexpected<Error> wrong(const char* text) const;

    std::vector<std::byte> bytes_;
    std::size_t next_ = header_bytes;
    std::size_t values_ = 0;
    bool in_group_ = false, has_attribute_ = false, complete_ = false;
    std::vector<bool> member_named_;  // one for each open collection: a member's name stands before its value
};

}  // namespace opispool::ipp

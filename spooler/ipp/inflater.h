// SPDX-License-Identifier: AGPL-3.0-or-later
// Unpacks gzip as it arrives, a window at a time, so that a small upload that grows enormously never stands in memory.
//   source  RFC 1952
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "base/result.h"

namespace opispool::ipp {

//   thread  any, one at a time (it is work for the pool)
class Inflater {
  public:
    Inflater();
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
    ~Inflater();

    // What is unpacked next; it must stay valid until produce() answers 0.
    void feed(std::span<const std::byte> packed);
    //   returns  bytes written into `room`; 0: more input is needed, or the end is reached
    //   errors   bad_syntax (damaged, or something follows the end)
    Result<std::size_t> produce(std::span<std::byte> room);
    // The last member was whole, nothing is missing.
    bool at_end() const;

  private:
    struct Stream;
    std::unique_ptr<Stream> stream_;
};

}  // namespace opispool::ipp

// SPDX-License-Identifier: AGPL-3.0-or-later
// Numbered lots of bytes, each made of parts that don't depend on each other. A crew and the caller make the parts at
// the same time; the lots come out in order, and so does the first error. Memory is a ring of a few lots.
//
//   make(lot, part) on any thread --> ring of lots --next()--> the caller, in order
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>

#include "base/result.h"
#include "base/work_crew.h"

namespace opispool {

// Makes parts, one at a time; there are as many makers as threads that work at the same time, and each owns or shares
// what it needs, but never the crew: it may outlive the OrderedWork by the part it is at, on a thread of the crew.
class PartMaker {
  public:
    virtual ~PartMaker() = default;
    // lot  the whole lot's bytes, shared by the makers of its parts: a part fills its own share only
    virtual Result<void> make(std::uint64_t lot_number, std::uint32_t part, std::span<std::byte> lot) = 0;
};

struct WorkShape {
    std::uint64_t lots = 0;
    std::uint32_t parts = 1;    // of a lot
    std::size_t lot_bytes = 0;  // 0: the parts keep their results themselves
};

class OrderedWork {
  public:
    // crew       may be null: everything is made inside next()
    // new_maker  called on any thread, one call at a time
    OrderedWork(std::shared_ptr<WorkCrew> crew, WorkShape shape, std::function<std::unique_ptr<PartMaker>()> new_maker);
    // Doesn't wait: a part that is being made is dropped when it is done.
    ~OrderedWork();
    OrderedWork(const OrderedWork&) = delete;
    OrderedWork& operator=(const OrderedWork&) = delete;

    // The next lot, valid until the next call. Not to be called behind the last lot or an error.
    //   errors  that of the first part that failed, by number, whoever made it; exceptions of makers come out here
    //   thread  one at a time; makes parts itself as long as the lot is not complete
    Result<std::span<const std::byte>> next();

  private:
    struct State;
    std::shared_ptr<WorkCrew> crew_;
    std::shared_ptr<State> state_;
    std::size_t taken_bytes_ = 0;
};

}  // namespace opispool

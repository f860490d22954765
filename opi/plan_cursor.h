// SPDX-License-Identifier: AGPL-3.0-or-later
// Walks a plan from a byte position and fills the caller's buffer: what goes to a socket or a file next. Memory stays
// flat: one buffer a transfer, nothing of a source stays mapped.
//
// Sources are read, not mapped: the copy through a buffer that stays in cache costs less than the page faults of a map
// (figures in rip_out/README.md), and a source that shrinks is a short read with a name and an offset.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "opi/splice_plan.h"

namespace opispool::opi {

class PlanCursor {
  public:
    // A good size of the caller's buffer: below it the calls cost, above it the cache is left.
    static constexpr std::size_t window_bytes = 1U << 20U;

    // plan  checked by check_plan; kept alive by the cursor
    explicit PlanCursor(std::shared_ptr<const SplicePlan> plan, std::uint64_t start_bytes = 0);

    std::uint64_t position_bytes() const { return position_; }
    bool done() const { return position_ == plan_->total_bytes(); }
    const SplicePlan& plan() const { return *plan_; }

    // Fills `out` from the position on and moves behind it. Full unless the plan ends first.
    //   returns  bytes written; 0 only when done() or `out` is empty
    //   thread   blocks on disk and computes: call it on the pool
    //   errors   changed (a source became shorter), bad_image, io; the cursor is of no use then
    Result<std::size_t> read(std::span<std::byte> out);

    // The rest of the file range the position is in, for a destination that the kernel can copy to by itself; nothing
    // elsewhere. Whoever copied says so by skip().
    struct FileStretch {
        const MappedFile& source;
        std::uint64_t offset_bytes, length_bytes;
    };
    std::optional<FileStretch> file_stretch() const;
    void skip(std::uint64_t bytes);  // within the stretch

  private:
    Result<std::size_t> read_span(const Span& span, std::uint64_t within, std::span<std::byte> out);
    Result<std::size_t> read_generated(const Span& span, std::uint64_t within, std::span<std::byte> out);

    std::shared_ptr<const SplicePlan> plan_;
    std::uint64_t position_ = 0;
    std::size_t span_ = 0;
    std::unique_ptr<Encoder> encoder_;  // of the generated span the position is in
};

}  // namespace opispool::opi

// SPDX-License-Identifier: AGPL-3.0-or-later
// One document's measurement, made when the first block needs it and once for all of them.
#pragma once

#include <memory>
#include <optional>

#include "opi/measurement.h"

namespace opispool::opi {

enum class MeasureMode : std::uint8_t {
    never,
    when_needed,  // a place that can't be known from the text, or from a producer known for wrong places
    always,       // every place that the proxy shows is compared with what the block says
};

struct Measuring {
    Measurer* measurer = nullptr;  // outlives the planning; null: nothing can be measured
    MeasureMode mode = MeasureMode::when_needed;
};

class MeasuredDocument {
  public:
    // document, source  outlive this
    MeasuredDocument(const ThinDocument& document, ByteSource& source, std::shared_ptr<const MappedFile> file,
                     std::uint64_t begin_bytes, std::uint64_t end_bytes, Measuring measuring)
        : document_(document),
          source_(source),
          request_{std::move(file), begin_bytes, end_bytes, {}},
          measuring_(measuring) {}

    ByteSource& source() { return source_; }
    // Whether this block's place is to be compared with its proxy.
    bool is_checked(bool doubtful) const {
        return measuring_.mode == MeasureMode::always || (doubtful && measuring_.mode != MeasureMode::never);
    }
    // Empty: the block was never reached.
    //   errors  unsupported and whatever kept the run from being made; the text says why nothing is known
    Result<std::vector<MeasuredPass>> passes(const Reference& reference);

  private:
    const ThinDocument& document_;
    ByteSource& source_;
    MeasureRequest request_;
    Measuring measuring_;
    std::optional<Result<Measurements>> answer_;
};

}  // namespace opispool::opi

// SPDX-License-Identifier: AGPL-3.0-or-later
// Whether a document ends like a whole one: a verdict with a reason, and progress that never goes back.
#include "spooler/intake/tail_check.h"

#include <algorithm>

#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using opispool::fuzz::require;
    using opispool::spooler::check_tail;
    using Tail = opispool::spooler::TailVerdict::Tail;
    const auto bytes = std::as_bytes(std::span(data, size));
    std::size_t behind = 0;
    const auto verdict = check_tail(bytes, [&](std::size_t passed) {
        require(passed >= behind && passed <= size, "progress goes forward and ends with the document");
        behind = passed;
    });
    require((verdict.tail == Tail::complete) == verdict.reason.empty(), "only a complete document needs no reason");
    const auto silent = check_tail(bytes);
    require(silent.tail == verdict.tail && silent.reason == verdict.reason, "being told of progress changes nothing");
    return 0;
}

// SPDX-License-Identifier: AGPL-3.0-or-later
// The back channel of a RIP gives the same messages whole, byte by byte and in odd pieces, and never longer ones than a
// line may be.
#include "rip_out/rip_messages.h"

#include <algorithm>
#include <iterator>
#include <memory>

#include "base/text.h"
#include "tests/fuzz/require.h"

namespace opispool::rip_out {
namespace {

using fuzz::require;

std::vector<RipMessage> parsed(std::string_view bytes, std::size_t step) {
    RipMessageParser parser;
    std::vector<RipMessage> all;
    const auto take = [&all](std::vector<RipMessage> some) {
        std::move(some.begin(), some.end(), std::back_inserter(all));
    };
    for (std::size_t at = 0; at < bytes.size(); at += step) {
        const std::string_view piece = bytes.substr(at, step);
        const auto block = std::make_unique<char[]>(piece.size());
        std::copy(piece.begin(), piece.end(), block.get());
        take(parser.feed({block.get(), piece.size()}));
    }
    take(parser.finish());
    return all;
}

void check(const std::vector<RipMessage>& messages) {
    RipMessageLog log;
    bool fails = false;
    for (const RipMessage& message : messages) {
        require(opispool::is_valid_utf8(message.text), "a message can be shown");
        // Every byte can become \xNN.
        require(message.text.size() <= 2 * 4 * RipMessageParser::line_limit_bytes, "a message has a limit");
        fails = fails || message.fails_job();
        log.add(message);
    }
    require(log.kept().size() <= RipMessageLog::limit + RipMessageLog::error_limit, "what is kept has a limit");
    require((log.failure() != nullptr) == fails, "a failure is never dropped");
    if (const RipMessage* failure = log.failure()) require(!describe_failure(*failure).empty(), "a failure has words");
}

}  // namespace
}  // namespace opispool::rip_out

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using opispool::rip_out::parsed;
    const std::string_view bytes = opispool::fuzz::as_text(data, size);
    const auto whole = parsed(bytes, std::max<std::size_t>(size, 1));
    opispool::rip_out::check(whole);
    for (const std::size_t step : {std::size_t{1}, std::size_t{5}})
        opispool::fuzz::require(parsed(bytes, step) == whole, "every split gives the same messages");
    return 0;
}

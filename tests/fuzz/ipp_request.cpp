// SPDX-License-Identifier: AGPL-3.0-or-later
// An IPP request: every split finds the same end of the attributes or the same error, what is accepted stays within the
// limits, and libcups takes it or says no.
#include <algorithm>
#include <string>

#include "spooler/ipp/attribute_part.h"
#include "spooler/ipp/ipp_message.h"
#include "spooler/ipp/job_ticket.h"
#include "tests/fuzz/require.h"

namespace {

using opispool::ipp::AttributePart;

struct Outcome {
    std::size_t used = 0;
    bool complete = false;
    std::string problem;
    friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome feed(AttributePart& part, std::span<const std::byte> bytes, std::size_t piece_bytes) {
    Outcome outcome;
    while (!bytes.empty() && !part.complete()) {
        const auto piece = bytes.first(std::min(piece_bytes, bytes.size()));
        bytes = bytes.subspan(piece.size());
        const auto used = part.take(piece);
        if (!used) {
            // How much of the piece had been read is of no interest any more.
            outcome.used = 0;
            outcome.problem = opispool::describe(used.error());
            return outcome;
        }
        outcome.used += *used;
    }
    outcome.complete = part.complete();
    return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using opispool::fuzz::require;
    const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
    AttributePart whole;
    const Outcome outcome = feed(whole, bytes, std::max<std::size_t>(size, 1));
    for (const std::size_t piece_bytes : {std::size_t{1}, std::size_t{13}, std::size_t{4096}}) {
        AttributePart part;
        require(feed(part, bytes, piece_bytes) == outcome, "the split makes no difference");
    }
    if (!outcome.complete) return 0;
    require(outcome.used <= AttributePart::max_bytes, "the attributes have a limit");
    require(whole.bytes().size() == outcome.used, "what was taken is kept");
    const auto request = opispool::ipp::Request::parse(whole.bytes());
    if (!request) {
        require(!request.error().text.empty(), "a refusal has a text");
        return 0;
    }
    const auto ticket = opispool::ipp::read_job_ticket(*request, "127.0.0.1");
    if (ticket) require(ticket->copies >= 1 && ticket->copies <= 99, "copies have a limit");
    const auto document = opispool::ipp::read_document_ticket(*request);
    require(document || !document.error().text.empty(), "a refusal has a text");
    opispool::ipp::Reply reply(IPP_STATUS_ERROR_ATTRIBUTES_OR_VALUES, request->id(), request->major_version(),
                               request->minor_version());
    if (!ticket && ticket.error().attribute != nullptr) reply.copy(IPP_TAG_UNSUPPORTED_GROUP, ticket.error().attribute);
    require(reply.bytes().has_value(), "what was wrong can be told");
    return 0;
}

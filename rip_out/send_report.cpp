// SPDX-License-Identifier: AGPL-3.0-or-later
#include "rip_out/send_report.h"

#include <utility>

#include "base/text.h"

namespace opispool::rip_out {

namespace {

std::string base_name(const std::string& path) {
    const auto slash = path.rfind('/');
    return printable(slash == std::string::npos ? path : path.substr(slash + 1));
}

}  // namespace

SendResult report(Outcome outcome, std::uint64_t sent_bytes, std::string text) {
    SendResult result;
    result.outcome = outcome;
    result.sent_bytes = sent_bytes;
    result.text = std::move(text);
    return result;
}

SendResult report_later_part(SendResult result, std::uint64_t before_bytes) {
    result.sent_bytes += before_bytes;
    if (result.outcome == Outcome::not_started) result.outcome = Outcome::interrupted;
    result.text +=
        "; " + std::to_string(before_bytes) + " bytes of earlier pages had been sent: check before sending again";
    return result;
}

std::string describe_position(const opi::SplicePlan& plan, std::uint64_t sent_bytes) {
    std::string text = std::to_string(sent_bytes) + " of " + std::to_string(plan.total_bytes()) + " bytes";
    const opi::PlacedImage* image = plan.image_at(sent_bytes);
    if (image == nullptr) return text;
    text += " (inside image '" + printable(image->name) + "'";
    if (image->page > 0) text += " on page " + std::to_string(image->page);
    return text + ")";
}

SendResult report_broken(const opi::SplicePlan& plan, const PlanWritten& written, const std::string& peer,
                         const std::string& peer_error) {
    using End = Connection::End;
    const std::uint64_t sent = written.sent_bytes;
    const std::string after = describe_position(plan, sent);
    if (written.end == End::canceled) {
        return report(Outcome::canceled, sent,
                      sent == 0 ? "canceled before a byte was sent"
                                : "canceled after " + after + "; the RIP may print part of it");
    }
    if (written.source_error) return report_source(plan, sent, *written.source_error);
    const bool stalled = written.end == End::stalled;
    if (sent == 0) {
        return report(Outcome::not_started, 0,
                      stalled ? peer + " took no byte of the job in time; it may be busy, it will be tried again"
                              : peer + " ended the connection before it took a byte of the job: " + peer_error);
    }
    return report(Outcome::interrupted, sent,
                  (stalled ? "the RIP stopped taking data after " + after : "connection lost after " + after) +
                      "; the RIP may have printed part of it: check before sending again" +
                      (stalled || peer_error.empty() ? "" : " (" + peer_error + ")"));
}

SendResult report_rip_error(const opi::SplicePlan& plan, std::uint64_t sent_bytes, const RipMessage& failure) {
    const bool complete = sent_bytes == plan.total_bytes();
    return report(
        Outcome::rip_error, sent_bytes,
        "the RIP reports a PostScript error: " + describe_failure(failure) + "; " +
            (complete ? "the whole job had been sent" : describe_position(plan, sent_bytes) + " had been sent"));
}

SendResult report_source(const opi::SplicePlan& plan, std::uint64_t sent_bytes, const Error& error) {
    const std::string name = error.where.empty() ? "a source file" : base_name(error.where);
    if (error.code != Code::changed) {
        return report(
            Outcome::source_failed, sent_bytes,
            name + " could not be read: " + error.text + "; " +
                (sent_bytes == 0 ? "nothing was sent" : describe_position(plan, sent_bytes) + " had been sent"));
    }
    if (sent_bytes == 0)
        return report(Outcome::source_failed, 0, name + " was changed after the job was prepared; nothing was sent");
    return report(Outcome::source_failed, sent_bytes,
                  name + " was changed while it was being sent; the RIP got a mixture: do not use what it printed");
}

}  // namespace opispool::rip_out

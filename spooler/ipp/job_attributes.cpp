// SPDX-License-Identifier: AGPL-3.0-or-later
#include <algorithm>

#include "base/percent_code.h"
#include "spooler/ipp/object_attributes.h"

namespace opispool::ipp {

using queues::JobSnapshot;
using queues::JobState;

namespace {

constexpr std::uint64_t k_octet = 1024;

std::int64_t k_octets(std::uint64_t bytes) {
    return static_cast<std::int64_t>((bytes + k_octet - 1) / k_octet);
}

const char* state_reason(const JobSnapshot& job) {
    switch (job.state) {
        case JobState::pending:
            return job.not_before_ms > 0 ? "resources-are-not-ready" : "none";
        case JobState::pending_held:
            return job.spool_file.empty() ? "job-incoming" : "job-hold-until-specified";
        case JobState::processing:
            return job.sending_begun ? "job-outgoing" : "job-transforming";
        case JobState::processing_stopped:
            return "printer-stopped";
        case JobState::canceled:
            return "job-canceled-by-user";
        case JobState::aborted:
            return "aborted-by-system";
        case JobState::completed:
            return "job-completed-successfully";
    }
    return "none";
}

}  // namespace

std::string Place::printer_uri(const std::string& queue) const {
    return "ipp://" + authority + "/printers/" + percent_encoded(queue);
}

std::string Place::job_uri(queues::JobId id) const {
    return "ipp://" + authority + "/jobs/" + std::to_string(id.value);
}

std::string Place::ppd_uri(const std::string& queue) const {
    return "http://" + authority + "/printers/" + percent_encoded(queue) + ".ppd";
}

std::int64_t Place::up_time_s() const {
    return std::max<std::int64_t>(1, now_ms / 1000);
}

void write_job(AttributeWriter& out, const JobSnapshot& job, const Place& place) {
    out.begin_set("job-description");
    out.number(IPP_TAG_INTEGER, "job-id", job.id.value);
    out.text(IPP_TAG_URI, "job-uri", place.job_uri(job.id));
    out.text(IPP_TAG_URI, "job-printer-uri", place.printer_uri(job.queue));
    out.text(IPP_TAG_NAME, "job-name", job.title);
    out.text(IPP_TAG_NAME, "job-originating-user-name", job.user);
    out.text(IPP_TAG_NAME, "job-originating-host-name", job.host);
    out.number(IPP_TAG_ENUM, "job-state", static_cast<int>(job.state));
    out.text(IPP_TAG_KEYWORD, "job-state-reasons", state_reason(job));
    out.text(IPP_TAG_TEXT, "job-state-message", job.reason);
    out.number(IPP_TAG_INTEGER, "number-of-documents", job.spool_file.empty() ? 0 : 1);
    out.number(IPP_TAG_INTEGER, "job-k-octets", k_octets(job.size_bytes));
    out.number(IPP_TAG_INTEGER, "job-k-octets-processed", k_octets(job.sent_bytes));
    out.number(IPP_TAG_INTEGER, "job-printer-up-time", place.up_time_s());
    out.number(IPP_TAG_INTEGER, "time-at-creation", job.created_ms / 1000);
    // The record keeps the time of the last change only.
    if (job.state == JobState::processing)
        out.number(IPP_TAG_INTEGER, "time-at-processing", job.changed_ms / 1000);
    else
        out.nothing("time-at-processing");
    if (queues::is_finished(job.state))
        out.number(IPP_TAG_INTEGER, "time-at-completed", job.changed_ms / 1000);
    else
        out.nothing("time-at-completed");
}

}  // namespace opispool::ipp

// SPDX-License-Identifier: AGPL-3.0-or-later
// What a queue and its jobs say about themselves in IPP. Pure.
//   source  RFC 8011 5.3, 5.4
#pragma once

#include <span>
#include <string>

#include "base/clock.h"
#include "queues/job.h"
#include "queues/queue.h"
#include "spooler/ipp/attribute_writer.h"

namespace opispool::ipp {

// How the client reached us, and when.
struct Place {
    std::string authority;  // "press-1:8632", from the request: addresses in replies must work for that client
    UnixMs now_ms = 0;

    std::string printer_uri(const std::string& queue) const;
    std::string job_uri(queues::JobId id) const;
    std::string ppd_uri(const std::string& queue) const;
    // Times of printers and jobs in IPP have one scale, whose beginning is the server's choice; 1970, as CUPS has it,
    // lets them survive a restart and clients show dates.     source  RFC 8011 5.3.14, 5.4.29
    std::int64_t up_time_s() const;
};

//   jobs  all unfinished ones, of any queue
void write_printer(AttributeWriter& out, const queues::Queue& queue, std::span<const queues::JobSnapshot> jobs,
                   const Place& place);
void write_job(AttributeWriter& out, const queues::JobSnapshot& job, const Place& place);

}  // namespace opispool::ipp

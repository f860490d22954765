// SPDX-License-Identifier: AGPL-3.0-or-later
// What a request asks to be printed, and how: from its attributes to a job record, or to the refusal. Pure.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "queues/job.h"
#include "spooler/ipp/ipp_message.h"

namespace opispool::ipp {

// A request that can't be met. `attribute`, if there is one, belongs to the request and goes into the reply.
struct Refusal {
    ipp_status_t status = IPP_STATUS_ERROR_BAD_REQUEST;
    std::string text;
    ipp_attribute_t* attribute = nullptr;
};

struct JobTicket {
    queues::NewJob job;  // without queue and spool file
    int copies = 1;
    // Wishes that are not met because the document decides or nobody offers them; told in the reply.
    std::vector<ipp_attribute_t*> ignored;
};

//   request  Print-Job, Validate-Job, Create-Job     peer  kept as the job's host if the client names none
tl::expected<JobTicket, Refusal> read_job_ticket(const Request& request, const std::string& peer);

// How the document comes: Print-Job, Validate-Job, Send-Document.
struct DocumentTicket {
    bool gzip = false;
    std::string name;
};
tl::expected<DocumentTicket, Refusal> read_document_ticket(const Request& request);

// For the job's history.
std::string user_of(const Request& request);

}  // namespace opispool::ipp

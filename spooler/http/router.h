// SPDX-License-Identifier: AGPL-3.0-or-later
// From a request line to what is asked for. Pure; the table of the whole API:
//
//   GET  /api/queues
//   POST /api/queues/NAME/jobs      [?title= &user= &host=]        body: the document
//   GET  /api/jobs                  [?queue= &state= &finished=1]
//   GET  /api/jobs/ID
//   GET  /api/jobs/ID/explain
//   POST /api/jobs/ID/VERB          [?by=]      hold release cancel redo stop-and-hold
//   GET  /printers/NAME.ppd
//   POST /printers/NAME, /ipp/print/NAME, /ipp/print, /jobs/ID, /      body: an IPP request, which names the rest
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "queues/job.h"

namespace opispool::http {

enum class Endpoint : std::uint8_t { list_queues, submit_job, list_jobs, show_job, explain_job, change_job, ppd, ipp };
enum class Verb : std::uint8_t { hold, release, cancel, redo, stop_and_hold };

struct Route {
    Endpoint endpoint = Endpoint::list_queues;
    std::string queue;                         // submit_job, ppd; ipp if the path names one
    queues::JobId job;                         // show_job, explain_job, change_job
    Verb verb = Verb::hold;                    // change_job
    std::map<std::string, std::string> query;  // decoded; only parameters the endpoint knows
};

struct RouteError {
    unsigned status = 404;  // 400, 404 or 405
    std::string text;
    std::string allow;  // 405: the method that would do
};

//   method  "GET", "POST", ...      target  path and query as in the request line
tl::expected<Route, RouteError> find_route(std::string_view method, std::string_view target);

}  // namespace opispool::http

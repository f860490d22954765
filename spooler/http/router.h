// SPDX-License-Identifier: AGPL-3.0-or-later
// From a request line to what is asked for. Pure; the table of the whole API is at the top of router.cpp, and
// openapi.json describes it to programs.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "queues/job.h"
#include "queues/queue.h"

namespace opispool::http {

enum class Endpoint : std::uint8_t {
    list_queues,
    submit_job,
    order_queue,
    redirect_queue,
    list_jobs,
    show_job,
    why_job,
    job_log,
    explain_job,
    job_ledger,
    job_ledger_csv,
    metrics,
    change_job,
    copy_job,
    change_matching,
    ppd,
    ipp
};

struct RouteRow {
    std::string_view method;
    std::string pattern;  // "/api/jobs/{id}/hold"
    Endpoint endpoint = Endpoint::list_queues;
    std::string parameters;  // of the query, separated by blanks
    queues::Event verb = queues::Event::hold;
    queues::QueueWord order = queues::QueueWord::paused;
    bool on = false;
};

std::span<const RouteRow> all_routes();

struct Route {
    Endpoint endpoint = Endpoint::list_queues;
    std::string queue;                                    // if the address names one
    queues::JobId job;                                    // if the address names one
    queues::Event verb = queues::Event::hold;             // change_job, copy_job, change_matching
    queues::QueueWord order = queues::QueueWord::paused;  // order_queue, with `on`
    bool on = false;
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

// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/http/router.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/percent_code.h"
#include "base/text.h"

namespace opispool::http {

namespace {

using queues::Event;
using queues::QueueWord;

// What a verb needs besides the job.
std::string_view parameters_of(Event verb) {
    switch (verb) {
        case Event::schedule:
            return "by at";
        case Event::priority:
            return "by priority";
        case Event::move:
        case Event::copy:
            return "by queue";
        case Event::note:
            return "by note";
        default:
            return "by";
    }
}

RouteRow queue_row(std::string_view word, QueueWord order, bool on) {
    RouteRow row{"POST", "/api/queues/{queue}/" + std::string(word), Endpoint::order_queue, "by"};
    row.order = order;
    row.on = on;
    return row;
}

std::vector<RouteRow> make_rows() {
    std::vector<RouteRow> rows{
        {"GET", "/api/queues", Endpoint::list_queues, ""},
        {"POST", "/api/queues/{queue}/jobs", Endpoint::submit_job, "title user host at priority note"},
        queue_row("pause", QueueWord::paused, true),
        queue_row("resume", QueueWord::paused, false),
        queue_row("accept", QueueWord::accepting, true),
        queue_row("reject", QueueWord::accepting, false),
        queue_row("holdall", QueueWord::hold_new, true),
        queue_row("noholdall", QueueWord::hold_new, false),
        {"POST", "/api/queues/{queue}/redirect", Endpoint::redirect_queue, "by to"},
        {"GET", "/api/jobs", Endpoint::list_jobs, "queue state finished"},
        {"GET", "/api/jobs/{id}", Endpoint::show_job, ""},
        {"GET", "/api/jobs/{id}/why", Endpoint::why_job, ""},
        {"GET", "/api/jobs/{id}/log", Endpoint::job_log, ""},
        {"GET", "/api/jobs/{id}/explain", Endpoint::explain_job, ""},
        {"GET", "/api/jobs/{id}/ledger", Endpoint::job_ledger, ""},
        {"GET", "/api/jobs/{id}/ledger.csv", Endpoint::job_ledger_csv, ""},
        {"GET", "/metrics", Endpoint::metrics, ""},
        {"GET", "/printers/{queue}.ppd", Endpoint::ppd, ""},
        {"POST", "/printers/{queue}", Endpoint::ipp, ""},
        {"POST", "/ipp/print/{queue}", Endpoint::ipp, ""},
        {"POST", "/ipp/print", Endpoint::ipp, ""},
        {"POST", "/jobs/{any}", Endpoint::ipp, ""},  // says nothing that the IPP request does not
        {"POST", "/", Endpoint::ipp, ""},
    };
    for (const Event verb : {Event::hold, Event::release, Event::stop_and_hold, Event::cancel}) {
        RouteRow row{"POST", "/api/jobs/" + std::string(name_of(verb)), Endpoint::change_matching,
                     "by title user queue"};
        row.verb = verb;
        rows.push_back(std::move(row));
    }
    for (int number = 0; number < queues::event_count; ++number) {
        const auto verb = static_cast<Event>(number);
        if (!is_operator_verb(verb)) continue;
        const Endpoint endpoint = verb == Event::copy ? Endpoint::copy_job : Endpoint::change_job;
        RouteRow row{"POST", "/api/jobs/{id}/" + std::string(name_of(verb)), endpoint,
                     std::string(parameters_of(verb))};
        row.verb = verb;
        rows.push_back(std::move(row));
    }
    return rows;
}

RouteError no_such_page() {
    return {404, "there is no such page", {}};
}

// The decoded segments of "/api/..."; a segment is split before it is decoded, so that %2F stays part of a name.
std::optional<std::vector<std::string>> split_path(std::string_view path) {
    if (path.empty() || path.front() != '/') return std::nullopt;
    std::vector<std::string> segments;
    while (!path.empty()) {
        path.remove_prefix(1);
        const auto slash = std::min(path.find('/'), path.size());
        auto segment = percent_decoded(path.substr(0, slash), false);
        if (!segment) return std::nullopt;
        segments.push_back(std::move(*segment));
        path.remove_prefix(slash);
    }
    return segments;
}

// Whether one segment of an address fits one of a row; what a {name} stands for goes into `route`.
bool fits(std::string_view wanted, const std::string& given, Route& route) {
    const std::size_t close = wanted.find('}');
    if (wanted.empty() || wanted.front() != '{' || close == std::string_view::npos) return wanted == given;
    const std::string_view suffix = wanted.substr(close + 1);
    if (!given.ends_with(suffix)) return false;
    const std::string value = given.substr(0, given.size() - suffix.size());
    const std::string_view name = wanted.substr(1, close - 1);
    if (name == "queue") route.queue = value;
    if (name != "id") return true;
    const auto id = parse_i64(value);
    route.job = queues::JobId{id.value_or(0)};
    return id && *id > 0;
}

std::optional<Route> match(const RouteRow& row, const std::vector<std::string>& path) {
    Route route;
    std::string_view pattern = row.pattern;
    for (const std::string& given : path) {
        if (pattern.empty()) return std::nullopt;
        pattern.remove_prefix(1);
        const auto slash = std::min(pattern.find('/'), pattern.size());
        if (!fits(pattern.substr(0, slash), given, route)) return std::nullopt;
        pattern.remove_prefix(slash);
    }
    if (!pattern.empty()) return std::nullopt;
    route.endpoint = row.endpoint;
    route.verb = row.verb;
    route.order = row.order;
    route.on = row.on;
    return route;
}

RouteError not_found(const std::vector<std::string>& path) {
    if (path.size() < 3 || path[0] != "api") return no_such_page();
    const auto id = parse_i64(path[2]);
    if (path[1] == "jobs" && (!id || *id <= 0)) return {404, "'" + printable(path[2]) + "' is not a job number", {}};
    if (path.size() != 4) return no_such_page();
    return {404, "'" + printable(path[3]) + "' can't be done to a " + (path[1] == "jobs" ? "job" : "queue"), {}};
}

bool knows(const RouteRow& row, std::string_view parameter) {
    const auto words = split_blank(row.parameters);
    return std::find(words.begin(), words.end(), parameter) != words.end();
}

std::optional<RouteError> read_query(std::string_view text, const RouteRow& row, Route& route) {
    while (!text.empty()) {
        const auto end = std::min(text.find('&'), text.size());
        const std::string_view pair = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (pair.empty()) continue;
        const auto equals = std::min(pair.find('='), pair.size());
        const auto name = percent_decoded(pair.substr(0, equals), true);
        const auto value = percent_decoded(pair.substr(std::min(equals + 1, pair.size())), true);
        if (!name || !value) return RouteError{400, "the address holds a broken %-escape", {}};
        // A misspelt filter that is silently ignored would answer another question than was asked.
        if (!knows(row, *name)) return RouteError{400, "unknown parameter '" + printable(*name) + "'", {}};
        if (!route.query.emplace(*name, *value).second)
            return RouteError{400, "the parameter '" + printable(*name) + "' is given twice", {}};
    }
    return std::nullopt;
}

}  // namespace

std::span<const RouteRow> all_routes() {
    static const std::vector<RouteRow> rows = make_rows();
    return rows;
}

tl::expected<Route, RouteError> find_route(std::string_view method, std::string_view target) {
    const auto question = std::min(target.find('?'), target.size());
    const auto path = split_path(target.substr(0, question));
    if (!path) return tl::unexpected(RouteError{400, "the address can't be read", {}});
    RouteError error = not_found(*path);
    for (const RouteRow& row : all_routes()) {
        auto route = match(row, *path);
        if (!route) continue;
        if (row.method == method) {
            auto wrong = read_query(target.substr(std::min(question + 1, target.size())), row, *route);
            if (wrong) return tl::unexpected(std::move(*wrong));
            return std::move(*route);
        }
        // "/printers/cover.ppd" also fits "/printers/{queue}": the first row that fits says what is possible. To a
        // browser "/" is a page that is not there.
        if (error.status == 404 && row.pattern != "/")
            error = {405, "only " + std::string(row.method) + " is possible here", std::string(row.method)};
        if (row.endpoint == Endpoint::ppd) break;
    }
    return tl::unexpected(std::move(error));
}

}  // namespace opispool::http

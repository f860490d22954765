// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/http/router.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/percent_code.h"
#include "base/text.h"

namespace opispool::http {

namespace {

constexpr std::array<std::pair<std::string_view, Verb>, 5> verbs{{{"hold", Verb::hold},
                                                                  {"release", Verb::release},
                                                                  {"cancel", Verb::cancel},
                                                                  {"redo", Verb::redo},
                                                                  {"stop-and-hold", Verb::stop_and_hold}}};

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

// Addresses of the IPP door; a job's address says nothing that the request does not.
std::optional<Route> match_ipp(const std::vector<std::string>& path, bool posted) {
    static constexpr std::string_view suffix = ".ppd";
    Route route;
    route.endpoint = Endpoint::ipp;
    const bool root = posted && path.size() == 1 && path[0].empty();  // a page, to everybody else
    const bool job = path.size() == 2 && path[0] == "jobs";
    const bool folder = path.size() >= 2 && path.size() <= 3 && path[0] == "ipp" && path[1] == "print";
    if (folder && path.size() == 3) route.queue = path[2];
    if (root || job || folder) return route;
    if (path.size() != 2 || path[0] != "printers") return std::nullopt;
    route.queue = path[1];
    if (!route.queue.ends_with(suffix)) return route;
    route.endpoint = Endpoint::ppd;
    route.queue.resize(route.queue.size() - suffix.size());
    return route;
}

tl::expected<Route, RouteError> match(const std::vector<std::string>& path, bool posted) {
    if (auto found = match_ipp(path, posted)) return std::move(*found);
    Route route;
    if (path.size() < 2 || path[0] != "api") return tl::unexpected(no_such_page());
    if (path[1] == "queues" && path.size() == 2) return route;
    if (path[1] == "queues" && path.size() == 4 && path[3] == "jobs") {
        route.endpoint = Endpoint::submit_job;
        route.queue = path[2];
        return route;
    }
    if (path[1] != "jobs" || path.size() > 4) return tl::unexpected(no_such_page());
    route.endpoint = Endpoint::list_jobs;
    if (path.size() == 2) return route;
    const auto id = parse_i64(path[2]);
    if (!id || *id <= 0) return tl::unexpected(RouteError{404, "'" + printable(path[2]) + "' is not a job number", {}});
    route.job = queues::JobId{*id};
    route.endpoint = Endpoint::show_job;
    if (path.size() == 3) return route;
    if (path[3] == "explain") {
        route.endpoint = Endpoint::explain_job;
        return route;
    }
    const auto verb =
        std::find_if(verbs.begin(), verbs.end(), [&](const auto& known) { return known.first == path[3]; });
    if (verb == verbs.end())
        return tl::unexpected(RouteError{404, "'" + printable(path[3]) + "' can't be done to a job", {}});
    route.endpoint = Endpoint::change_job;
    route.verb = verb->second;
    return route;
}

std::string_view method_of(Endpoint endpoint) {
    const bool by_post =
        endpoint == Endpoint::submit_job || endpoint == Endpoint::change_job || endpoint == Endpoint::ipp;
    return by_post ? "POST" : "GET";
}

bool knows(Endpoint endpoint, std::string_view parameter) {
    switch (endpoint) {
        case Endpoint::submit_job:
            return parameter == "title" || parameter == "user" || parameter == "host";
        case Endpoint::list_jobs:
            return parameter == "queue" || parameter == "state" || parameter == "finished";
        case Endpoint::change_job:
            return parameter == "by";
        case Endpoint::list_queues:
        case Endpoint::show_job:
        case Endpoint::explain_job:
        case Endpoint::ppd:
        case Endpoint::ipp:
            return false;
    }
    return false;
}

std::optional<RouteError> read_query(std::string_view text, Route& route) {
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
        if (!knows(route.endpoint, *name)) return RouteError{400, "unknown parameter '" + printable(*name) + "'", {}};
        if (!route.query.emplace(*name, *value).second)
            return RouteError{400, "the parameter '" + printable(*name) + "' is given twice", {}};
    }
    return std::nullopt;
}

}  // namespace

tl::expected<Route, RouteError> find_route(std::string_view method, std::string_view target) {
    const auto question = std::min(target.find('?'), target.size());
    const auto path = split_path(target.substr(0, question));
    if (!path) return tl::unexpected(RouteError{400, "the address can't be read", {}});
    auto route = match(*path, method == "POST");
    if (!route) return route;
    if (const std::string_view wanted = method_of(route->endpoint); method != wanted)
        return tl::unexpected(
            RouteError{405, "only " + std::string(wanted) + " is possible here", std::string(wanted)});
    if (auto wrong = read_query(target.substr(std::min(question + 1, target.size())), *route))
        return tl::unexpected(std::move(*wrong));
    return route;
}

}  // namespace opispool::http

// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/http/request_guard.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace opispool::http {

namespace {

bool is_address(std::string_view host) {
    std::array<unsigned char, sizeof(in6_addr)> binary{};
    if (host.size() > 2 && host.front() == '[' && host.back() == ']')
        return ::inet_pton(AF_INET6, std::string(host.substr(1, host.size() - 2)).c_str(), binary.data()) == 1;
    return ::inet_pton(AF_INET, std::string(host).c_str(), binary.data()) == 1;
}

bool is_ours(std::string_view host, std::string_view own_name) {
    const std::string_view name = host_without_port(host);
    if (is_address(name) || equals_ignoring_case(name, "localhost")) return true;
    if (own_name.empty()) return false;
    // "press-1" is reached as "press-1.example.org" too, and the other way round.
    const std::string_view short_own = own_name.substr(0, own_name.find('.'));
    return equals_ignoring_case(name, own_name) || equals_ignoring_case(name, short_own);
}

// What a page can send without asking first is a form's content type or none at all (Fetch standard,
// "CORS-safelisted").
bool only_for_programs(std::string_view content_type) {
    static constexpr std::array<std::string_view, 5> types{"application/json", "application/ipp",
                                                           "application/postscript", "application/octet-stream",
                                                           "application/vnd.cups-postscript"};
    const std::string_view type = trim(content_type.substr(0, content_type.find(';')));
    return std::any_of(types.begin(), types.end(),
                       [&](std::string_view known) { return equals_ignoring_case(type, known); });
}

}  // namespace

std::string_view host_without_port(std::string_view host) {
    if (!host.empty() && host.front() == '[') return host.substr(0, std::min(host.find(']'), host.size() - 1) + 1);
    return host.substr(0, host.find(':'));
}

std::optional<Refusal> refuse_request(const RequestFacts& facts, std::string_view own_name) {
    if (!facts.host && facts.http_1_1) return Refusal{400, "the Host header is missing"};
    if (facts.host && !is_ours(*facts.host, own_name))
        return Refusal{403, "this server is not called '" + printable(host_without_port(*facts.host)) +
                                "'; use its address or its own name"};
    if (!facts.changes_something) return std::nullopt;
    if (facts.origin && (!facts.host || *facts.origin != "http://" + std::string(*facts.host)))
        return Refusal{403, "requests from other web pages are not accepted"};
    if (facts.opispool_header) return std::nullopt;
    if (facts.content_type && only_for_programs(*facts.content_type)) return std::nullopt;
    return Refusal{403,
                   "send the header 'X-Opispool: 1', or the content type application/json or application/postscript"};
}

}  // namespace opispool::http

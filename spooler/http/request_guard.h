// SPDX-License-Identifier: AGPL-3.0-or-later
// Keeps web pages away from the API. A page in the operator's browser can send requests to this machine; it must be
// able to neither print nor cancel. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace opispool::http {

// The header fields that matter; absent ones are nothing.
struct RequestFacts {
    bool changes_something = false;  // POST
    std::optional<std::string_view> host, origin, content_type, opispool_header;
    bool http_1_1 = true;
};

struct Refusal {
    unsigned status = 403;
    std::string text;
};

// Nothing if the request may go on. The rules:
//   Host     must be an address, "localhost" or this machine's own name: a foreign name that resolves to us is a page's
//            attempt to get round the browser's same-origin rule (DNS rebinding)
//   Origin   must be ourselves, if a browser sends one with a POST
//   POST     must carry `X-Opispool: 1`, or a content type that no form and no simple fetch() can send
//   own_name  of this machine, may be empty
std::optional<Refusal> refuse_request(const RequestFacts& facts, std::string_view own_name);

// "name:80", "[::1]:80", "name" -> the part without the port.
std::string_view host_without_port(std::string_view host);

}  // namespace opispool::http

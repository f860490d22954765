// SPDX-License-Identifier: AGPL-3.0-or-later
// Talks to a daemon's HTTP API, one request per connection, blocking, with a limit on silence.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"

namespace opispool::cli {

struct ServerAddress {
    std::string host = "127.0.0.1";
    std::string port = "8632";
    std::string text() const;  // "127.0.0.1:8632", "[::1]:8632"
};

// "host:port", "host", "[::1]:port".      errors  bad_syntax
Result<ServerAddress> parse_server_address(const std::string& text);

struct HttpReply {
    unsigned status = 0;
    std::string body;
    bool ok() const { return status >= 200 && status < 300; }
};

// Where an upload's bytes come from.
struct UploadSource {
    int fd = -1;                                // read from its present position to the end
    std::optional<std::uint64_t> length_bytes;  // exact if known; otherwise the body goes out in chunks
    std::string name;                           // for messages
    std::function<void(std::uint64_t sent_bytes)> progress;
};

// Both answer with an error only if there is no reply: refused or timeout before a connection stands ("no opispoold at
// HOST:PORT; start it or give --server"), disconnected, timeout, or read for the upload's own source.
Result<HttpReply> send_request(const ServerAddress& server, const std::string& method, const std::string& target);
// A refusal is read before a byte of the document leaves (Expect: 100-continue), and at any time later.
Result<HttpReply> send_upload(const ServerAddress& server, const std::string& target, const UploadSource& source);

}  // namespace opispool::cli

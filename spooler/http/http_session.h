// SPDX-License-Identifier: AGPL-3.0-or-later
// One HTTP connection: reads requests, streams a submitted document into the spool, writes JSON answers; keep-alive.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "spooler/http/api_handlers.h"

namespace opispool::http {

struct HttpLimits {
    std::uint32_t header_bytes = 16U << 10U;
    std::uint64_t json_body_bytes = 64U << 10U;
    std::chrono::milliseconds idle{30'000};  // without a byte in either direction
    std::size_t connections = 200;
};

//   thread  loop      owner  the coroutine that runs it
class HttpSession {
  public:
    // handlers, own_name, limits  outlive the session
    HttpSession(boost::asio::ip::tcp::socket socket, ApiHandlers& handlers, const std::string& own_name,
                const HttpLimits& limits);

    // Ends when the client goes, breaks the protocol, or stop() is called.
    boost::asio::awaitable<void> run();
    // Ends every wait of run() now; an upload that is not whole is discarded.
    void stop();

  private:
    using Parser = boost::beast::http::request_parser<boost::beast::http::buffer_body>;

    boost::asio::awaitable<bool> serve_one();
    boost::asio::awaitable<ApiReply> answer(Parser& parser);
    boost::asio::awaitable<ApiReply> submit(Parser& parser, Route route);
    boost::asio::awaitable<ApiReply> serve_ipp(Parser& parser, Route route);
    ApiReply discarded(std::string_view door, const Error& error) const;
    boost::asio::awaitable<std::optional<ApiReply>> skip_small_body(Parser& parser);
    boost::asio::awaitable<Result<std::size_t>> read_body(Parser& parser, std::vector<std::byte>& window);
    boost::asio::awaitable<bool> invite_body(Parser& parser);
    boost::asio::awaitable<bool> write(ApiReply reply, unsigned version, bool keep_alive);
    boost::asio::awaitable<void> linger();

    boost::beast::tcp_stream stream_;
    boost::beast::flat_buffer buffer_;
    ApiHandlers& handlers_;
    const std::string& own_name_;
    const HttpLimits& limits_;
    std::string peer_;
    bool stopped_ = false;
};

}  // namespace opispool::http

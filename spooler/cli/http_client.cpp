// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/cli/http_client.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <cerrno>
#include <chrono>
#include <exception>
#include <vector>

#include "base/text.h"

namespace opispool::cli {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace bhttp = boost::beast::http;

namespace {

using asio::ip::tcp;
using Request = bhttp::request<bhttp::empty_body>;

constexpr auto with_error = asio::as_tuple(asio::use_awaitable);
constexpr std::chrono::seconds connect_limit{10};
constexpr std::chrono::seconds silence_limit{60};
// The last answer to an upload waits for the server's disk.
constexpr std::chrono::seconds durable_limit{600};
constexpr std::size_t piece_bytes = 256U << 10U;
constexpr std::uint64_t longest_reply_bytes = 64U << 20U;

class Exchange {
  public:
    Exchange(asio::io_context& loop, ServerAddress server)
        : stream_(loop), resolver_(loop), server_(std::move(server)) {}

    asio::awaitable<Result<HttpReply>> request(std::string method, std::string target) {
        Result<void> connected = co_await connect();
        if (!connected) co_return broken(std::move(connected.error()));
        Request head = make_head(method, target);
        // A body of no bytes still has a length, or the server could not tell.
        head.set(bhttp::field::content_length, "0");
        stream_.expires_after(silence_limit);
        auto [error, sent] = co_await bhttp::async_write(stream_, head, with_error);
        if (error) co_return broken(lost(error));
        co_return co_await read_reply(silence_limit);
    }

    asio::awaitable<Result<HttpReply>> upload(std::string target, const UploadSource& source) {
        Result<void> connected = co_await connect();
        if (!connected) co_return broken(std::move(connected.error()));
        Request head = make_head("POST", target);
        head.set(bhttp::field::content_type, "application/postscript");
        head.set(bhttp::field::expect, "100-continue");
        if (source.length_bytes)
            head.content_length(*source.length_bytes);
        else
            head.chunked(true);
        bhttp::request_serializer<bhttp::empty_body> serializer(head);
        stream_.expires_after(silence_limit);
        auto [error, sent] = co_await bhttp::async_write_header(stream_, serializer, with_error);
        if (error) co_return broken(lost(error));
        Result<HttpReply> invitation = co_await read_reply(silence_limit);
        if (!invitation || invitation->status != 100) co_return invitation;
        Result<void> body = co_await send_body(source);
        // A server that has had enough says why; that is worth more than "connection reset".
        if (!body && body.error().code != Code::disconnected) co_return broken(std::move(body.error()));
        co_return co_await read_reply(durable_limit);
    }

  private:
    static Result<HttpReply> broken(Error error) { return fail(std::move(error)); }

    Error lost(const beast::error_code& error) const {
        const bool slow = error == beast::error::timeout;
        return Error{slow ? Code::timeout : Code::disconnected,
                     Operation::send,
                     slow ? "the server does not answer" : "the server broke off: " + error.message(),
                     server_.text(),
                     {}};
    }

    Request make_head(const std::string& method, const std::string& target) const {
        Request head;
        head.version(11);
        head.method_string(method);
        head.target(target);
        head.set(bhttp::field::host, server_.text());
        head.set(bhttp::field::user_agent, "opispool");
        head.set(bhttp::field::connection, "close");
        head.set("X-Opispool", "1");
        return head;
    }

    asio::awaitable<Result<void>> connect() {
        const std::string text = "no opispoold at " + server_.text() + "; start it or give --server";
        Result<void> nobody = fail(Code::refused, Operation::connect, text);
        auto [unknown, endpoints] = co_await resolver_.async_resolve(server_.host, server_.port, with_error);
        if (unknown) co_return nobody;
        stream_.expires_after(connect_limit);
        auto [error, endpoint] = co_await stream_.async_connect(endpoints, with_error);
        if (error) co_return nobody;
        Result<void> done;
        co_return done;
    }

    asio::awaitable<Result<HttpReply>> read_reply(std::chrono::seconds limit) {
        bhttp::response_parser<bhttp::string_body> parser;
        parser.body_limit(longest_reply_bytes);
        stream_.expires_after(limit);
        auto [error, got] = co_await bhttp::async_read(stream_, buffer_, parser, with_error);
        if (error) co_return broken(lost(error));
        HttpReply reply;
        reply.status = parser.get().result_int();
        reply.body = std::move(parser.get().body());
        Result<HttpReply> answer = std::move(reply);
        co_return answer;
    }

    asio::awaitable<Result<void>> send_piece(std::string_view piece) {
        Result<void> done;
        beast::error_code ignored;
        // An answer in the middle of the document can only be a refusal.
        if (stream_.socket().available(ignored) > 0) {
            done = fail(Code::disconnected, Operation::send, "the server answers early", server_.text());
            co_return done;
        }
        stream_.expires_after(silence_limit);
        const auto bytes = asio::buffer(piece);
        auto [error, sent] = co_await asio::async_write(stream_, bytes, with_error);
        if (error) done = fail(lost(error));
        co_return done;
    }

    asio::awaitable<Result<void>> send_body(const UploadSource& source);

    beast::tcp_stream stream_;
    tcp::resolver resolver_;
    ServerAddress server_;
    beast::flat_buffer buffer_;
};

Result<std::size_t> read_source(const UploadSource& source, std::string& buffer, std::size_t room) {
    for (;;) {
        const ssize_t got = ::read(source.fd, buffer.data(), std::min(buffer.size(), room));
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EINTR) return fail(error_from_errno(errno, Operation::read, source.name));
    }
}

std::string chunk_head(std::size_t bytes) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "%zx\r\n", bytes);
    return text.data();
}

asio::awaitable<Result<void>> Exchange::send_body(const UploadSource& source) {
    std::string buffer(piece_bytes, '\0');
    std::uint64_t done = 0;
    Result<void> status;
    for (;;) {
        const std::uint64_t left = source.length_bytes ? *source.length_bytes - done : buffer.size();
        if (left == 0) break;
        const Result<std::size_t> got =
            read_source(source, buffer, static_cast<std::size_t>(std::min<std::uint64_t>(left, buffer.size())));
        if (!got) {
            status = fail(got.error());
            co_return status;
        }
        if (*got == 0) {
            // Closing now leaves the server with less than was announced, which is no job.
            if (source.length_bytes)
                status = fail(Code::changed, Operation::read, "the file became shorter while it was sent", source.name);
            if (!status) co_return status;
            break;
        }
        std::string piece = source.length_bytes ? "" : chunk_head(*got);
        piece.append(buffer, 0, *got);
        if (!source.length_bytes) piece += "\r\n";
        status = co_await send_piece(piece);
        if (!status) co_return status;
        done += *got;
        if (source.progress) source.progress(done);
    }
    if (source.length_bytes) co_return status;
    static constexpr std::string_view last_chunk = "0\r\n\r\n";
    status = co_await send_piece(last_chunk);
    co_return status;
}

Result<HttpReply> run(asio::io_context& loop, asio::awaitable<Result<HttpReply>> exchange) {
    Result<HttpReply> outcome = fail(Code::internal, Operation::send, "the request never ended");
    auto keep = [&outcome](std::exception_ptr thrown, Result<HttpReply> answer) {
        if (thrown) std::rethrow_exception(thrown);
        outcome = std::move(answer);
    };
    asio::co_spawn(loop, std::move(exchange), std::move(keep));
    loop.run();
    return outcome;
}

}  // namespace

std::string ServerAddress::text() const {
    return (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + port;
}

Result<ServerAddress> parse_server_address(const std::string& text) {
    ServerAddress server;
    std::string_view rest = text;
    if (!rest.empty() && rest.front() == '[') {
        const auto close = rest.find(']');
        if (close == std::string_view::npos)
            return fail(Code::bad_syntax, Operation::configure, "'" + printable(text) + "' lacks a ']'");
        server.host = rest.substr(1, close - 1);
        rest.remove_prefix(close + 1);
    } else {
        const auto colon = std::min(rest.find(':'), rest.size());
        server.host = rest.substr(0, colon);
        rest.remove_prefix(colon);
    }
    if (!rest.empty()) server.port = rest.substr(1);
    const auto port = parse_u64(server.port);
    if (server.host.empty() || (!rest.empty() && rest.front() != ':') || !port || *port == 0 || *port > 65535)
        return fail(Code::bad_syntax, Operation::configure, "'" + printable(text) + "' is not HOST:PORT");
    return server;
}

Result<HttpReply> send_request(const ServerAddress& server, const std::string& method, const std::string& target) {
    asio::io_context loop(1);
    Exchange exchange(loop, server);
    return run(loop, exchange.request(method, target));
}

Result<HttpReply> send_upload(const ServerAddress& server, const std::string& target, const UploadSource& source) {
    asio::io_context loop(1);
    Exchange exchange(loop, server);
    return run(loop, exchange.upload(target, source));
}

}  // namespace opispool::cli

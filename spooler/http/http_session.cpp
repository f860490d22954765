// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/http/http_session.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/json/parse.hpp>

#include "base/log.h"
#include "base/text.h"
#include "spooler/http/request_guard.h"
#include "spooler/ipp/ipp_exchange.h"
#include "spooler/log_events.h"

namespace opispool::http {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace bhttp = boost::beast::http;

namespace {

constexpr auto with_error = asio::as_tuple(asio::use_awaitable);
constexpr const char* ipp_type = "application/ipp";
constexpr std::size_t upload_window_bytes = 256U << 10U;
// What a refused client may still send before it is cut off, so that it gets to read the refusal.
constexpr std::size_t linger_bytes = 4U << 20U;
constexpr std::chrono::milliseconds linger_time{2'000};

std::string_view view(beast::string_view text) {
    return {text.data(), text.size()};
}

template <typename Fields>
std::optional<std::string_view> field(const Fields& fields, beast::string_view name) {
    const auto found = fields.find(name);
    if (found == fields.end()) return std::nullopt;
    return view(found->value());
}

template <typename Request>
RequestFacts facts_of(const Request& request) {
    RequestFacts facts;
    facts.changes_something = request.method() != bhttp::verb::get;
    facts.host = field(request, "Host");
    facts.origin = field(request, "Origin");
    facts.content_type = field(request, "Content-Type");
    facts.opispool_header = field(request, "X-Opispool");
    facts.http_1_1 = request.version() >= 11;
    return facts;
}

// The status for a request that could not be read; nothing if there is nobody to tell.
std::optional<ApiReply> reply_to(const beast::error_code& error) {
    if (error == bhttp::error::header_limit || error == bhttp::error::buffer_overflow)
        return error_reply(431, "the request's header is too long");
    if (error == bhttp::error::end_of_stream || error == bhttp::error::partial_message ||
        error.category() != bhttp::make_error_code(bhttp::error::bad_method).category())
        return std::nullopt;
    if (error == bhttp::error::bad_version) return error_reply(505, "HTTP 1.0 and 1.1 are understood");
    return error_reply(400, "the request can't be read: " + error.message());
}

}  // namespace

HttpSession::HttpSession(asio::ip::tcp::socket socket, ApiHandlers& handlers, const std::string& own_name,
                         const HttpLimits& limits)
    : stream_(std::move(socket)),
      buffer_(2 * limits.header_bytes + (64U << 10U)),
      handlers_(handlers),
      own_name_(own_name),
      limits_(limits) {
    beast::error_code ignored;
    const auto endpoint = stream_.socket().remote_endpoint(ignored);
    if (!ignored) peer_ = endpoint.address().to_string();
}

void HttpSession::stop() {
    stopped_ = true;
    beast::error_code ignored;
    stream_.socket().close(ignored);
}

asio::awaitable<void> HttpSession::run() {
    bool more = true;
    while (more && !stopped_) more = co_await serve_one();
    beast::error_code ignored;
    stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
    stream_.socket().close(ignored);
}

// One request and its answer.   returns  whether the connection can carry another
asio::awaitable<bool> HttpSession::serve_one() {
    Parser parser;
    parser.header_limit(limits_.header_bytes);
    // A document may be as long as the disk has room; small bodies are limited where they are read.
    parser.body_limit(boost::none);
    stream_.expires_after(limits_.idle);
    auto [error, taken] = co_await bhttp::async_read_header(stream_, buffer_, parser, with_error);
    if (error) {
        std::optional<ApiReply> refusal = reply_to(error);
        if (!refusal) co_return false;
        const bool told = co_await write(std::move(*refusal), 11, false);
        if (told) co_await linger();
        co_return false;
    }
    const unsigned version = parser.get().version();
    ApiReply reply = co_await answer(parser);
    if (stopped_) co_return false;
    const bool keep_alive = parser.is_done() && parser.get().keep_alive();
    const bool told = co_await write(std::move(reply), version, keep_alive);
    if (told && !keep_alive) co_await linger();
    co_return told&& keep_alive;
}

asio::awaitable<ApiReply> HttpSession::answer(Parser& parser) {
    const auto& request = parser.get();
    if (auto refusal = refuse_request(facts_of(request), own_name_))
        co_return error_reply(refusal->status, refusal->text);
    auto route = find_route(view(request.method_string()), view(request.target()));
    if (!route) {
        ApiReply reply = error_reply(route.error().status, route.error().text);
        reply.allow = route.error().allow;
        co_return reply;
    }
    const auto expect = field(request, "Expect");
    if (expect && !beast::iequals(beast::string_view(expect->data(), expect->size()), "100-continue"))
        co_return error_reply(417, "only 100-continue can be expected");
    if (route->endpoint == Endpoint::ipp) co_return co_await serve_ipp(parser, std::move(*route));
    if (route->endpoint == Endpoint::submit_job) co_return co_await submit(parser, std::move(*route));
    std::optional<ApiReply> refusal = co_await skip_small_body(parser);
    if (refusal) co_return std::move(*refusal);
    co_return co_await handlers_.handle(std::move(*route));
}

// A body that broke off: nothing of it stays. If the line is only half closed the client may still read why.
ApiReply HttpSession::discarded(std::string_view door, const Error& error) const {
    log_event(LogLevel::warning, spooler::log_id::intake_discarded,
              {{"door", std::string(door)}, {"peer", peer_}, {"reason", error.text}});
    return error_reply(400, "the document is incomplete: " + error.text);
}

asio::awaitable<ApiReply> HttpSession::serve_ipp(Parser& parser, Route route) {
    const auto type = field(parser.get(), "Content-Type");
    if (!type || !equals_ignoring_case(trim(type->substr(0, type->find(';'))), ipp_type))
        co_return error_reply(415, "IPP requests have the content type application/ipp");
    const auto encoding = field(parser.get(), "Content-Encoding").value_or("identity");
    const bool gzip = encoding == "gzip" || encoding == "x-gzip";
    if (!gzip && encoding != "identity") co_return error_reply(415, "only gzip is understood as content encoding");
    ipp::Caller caller;
    caller.queue = std::move(route.queue);
    caller.authority = field(parser.get(), "Host").value_or("localhost");
    caller.peer = peer_;
    const auto declared = parser.content_length();
    ipp::IppExchange exchange(handlers_.ipp(), std::move(caller), gzip, declared ? *declared : 0);
    const bool invited = co_await invite_body(parser);
    if (!invited) co_return ApiReply();
    std::vector<std::byte> window(upload_window_bytes);
    while (!parser.is_done() && !exchange.refused()) {
        Result<std::size_t> got = co_await read_body(parser, window);
        if (!got) co_return discarded("ipp", got.error());
        const std::span<const std::byte> piece = std::span<const std::byte>(window).first(*got);
        co_await exchange.take(piece);
    }
    ApiReply reply;
    reply.content_type = ipp_type;
    reply.body = co_await exchange.finish();
    co_return reply;
}

asio::awaitable<ApiReply> HttpSession::submit(Parser& parser, Route route) {
    std::optional<std::uint64_t> length;
    if (!parser.chunked()) {
        const auto declared = parser.content_length();
        // Without a length HTTP/1.x means an empty body; an end by closing can't be told from a broken line.
        length = declared ? *declared : 0;
    }
    auto begun = co_await handlers_.begin_upload(std::move(route), peer_, length);
    if (!begun) co_return std::move(begun.error());
    std::unique_ptr<Upload> upload = std::move(*begun);
    const bool invited = co_await invite_body(parser);
    if (!invited) co_return ApiReply();
    std::vector<std::byte> window(upload_window_bytes);
    while (!parser.is_done()) {
        Result<std::size_t> got = co_await read_body(parser, window);
        if (!got) co_return discarded("http", got.error());
        const std::span<const std::byte> piece = std::span<const std::byte>(window).first(*got);
        if (piece.empty()) continue;
        Result<void> kept = co_await upload->append(piece);
        if (!kept) co_return error_reply(kept.error());
    }
    co_return co_await handlers_.finish_upload(std::move(upload));
}

// Reads until the window is full or the body ends; the limit is on silence, not on the whole transfer.
asio::awaitable<Result<std::size_t>> HttpSession::read_body(Parser& parser, std::vector<std::byte>& window) {
    auto& body = parser.get().body();
    body.data = window.data();
    body.size = window.size();
    body.more = true;
    while (!parser.is_done() && body.size > 0) {
        stream_.expires_after(limits_.idle);
        auto [error, taken] = co_await bhttp::async_read_some(stream_, buffer_, parser, with_error);
        if (error == bhttp::error::need_buffer) break;
        if (error) {
            const bool slow = error == beast::error::timeout;
            Result<std::size_t> cut =
                fail(slow ? Code::timeout : Code::disconnected, Operation::receive, error.message(), peer_);
            co_return cut;
        }
    }
    Result<std::size_t> used = window.size() - body.size;
    co_return used;
}

// "Expect: 100-continue": the client waits for this before it sends the body.
asio::awaitable<bool> HttpSession::invite_body(Parser& parser) {
    if (!field(parser.get(), "Expect") || parser.get().version() < 11) co_return true;
    static constexpr std::string_view text = "HTTP/1.1 100 Continue\r\n\r\n";
    stream_.expires_after(limits_.idle);
    const auto bytes = asio::buffer(text);
    auto [error, sent] = co_await asio::async_write(stream_, bytes, with_error);
    co_return !error;
}

// Bodies of everything but submissions: nothing, or a small JSON text, which no verb needs today.
asio::awaitable<std::optional<ApiReply>> HttpSession::skip_small_body(Parser& parser) {
    std::optional<ApiReply> refusal;
    const auto declared = parser.content_length();
    if (declared && *declared > limits_.json_body_bytes) {
        refusal = error_reply(413, "the body is too long");
        co_return refusal;
    }
    if (parser.is_done()) co_return refusal;
    const bool invited = co_await invite_body(parser);
    if (!invited) {
        refusal = ApiReply();
        co_return refusal;
    }
    std::vector<std::byte> window(limits_.json_body_bytes + 1);
    Result<std::size_t> got = co_await read_body(parser, window);
    if (!got) {
        refusal = error_reply(400, "the body is incomplete");
    } else if (*got > limits_.json_body_bytes) {
        refusal = error_reply(413, "the body is too long");
    } else if (*got > 0) {
        boost::json::error_code wrong;
        boost::json::parse(boost::json::string_view(reinterpret_cast<const char*>(window.data()), *got), wrong);
        if (wrong) refusal = error_reply(400, "the body is not JSON");
    }
    co_return refusal;
}

asio::awaitable<bool> HttpSession::write(ApiReply reply, unsigned version, bool keep_alive) {
    bhttp::response<bhttp::string_body> response;
    response.version(version);
    response.result(reply.status);
    response.set(bhttp::field::server, "opispool");
    response.set(bhttp::field::content_type, reply.content_type);
    response.set(bhttp::field::cache_control, "no-store");
    response.set("X-Content-Type-Options", "nosniff");
    if (!reply.allow.empty()) response.set(bhttp::field::allow, reply.allow);
    response.keep_alive(keep_alive);
    response.body() = std::move(reply.body);
    response.prepare_payload();
    stream_.expires_after(limits_.idle);
    auto [error, sent] = co_await bhttp::async_write(stream_, response, with_error);
    co_return !error;
}

// Closing with unread bytes in the socket makes the kernel send a reset, which can overtake the answer.
asio::awaitable<void> HttpSession::linger() {
    beast::error_code ignored;
    stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    stream_.expires_after(linger_time);
    std::vector<std::byte> sink(64U << 10U);
    const auto bytes = asio::buffer(sink);
    std::size_t total = 0;
    while (total < linger_bytes) {
        auto [error, got] = co_await stream_.async_read_some(bytes, with_error);
        if (error) co_return;
        total += got;
    }
}

}  // namespace opispool::http

// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/ipp/ipp_exchange.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "spooler/intake/first_bytes.h"
#include "spooler/log_events.h"
#include "spooler/workers.h"

namespace opispool::ipp {

namespace asio = boost::asio;

namespace {

constexpr std::size_t unpacked_window_bytes = 256U << 10U;

}  // namespace

IppExchange::IppExchange(IppDoor& door, Caller caller, bool gzip, std::uint64_t expected_bytes)
    : door_(door), caller_(std::move(caller)), expected_bytes_(expected_bytes) {
    if (gzip) body_inflater_ = std::make_unique<Inflater>();
}

IppExchange::~IppExchange() {
    if (document_) door_.forget_document(*document_);
}

void IppExchange::refuse(ipp_status_t status, std::string text) {
    Refusal refusal{status, std::move(text), nullptr};
    log_event(LogLevel::info, spooler::log_id::intake_refused,
              {{"door", "ipp"}, {"queue", caller_.queue}, {"peer", caller_.peer}, {"why", refusal.text}});
    reply_.emplace(request_ ? door_.refuse(*request_, refusal) : Reply(status, attributes_.request_id()));
    if (!request_) reply_->say(refusal.text);
}

void IppExchange::refuse(const Error& error) {
    ipp_status_t status = IPP_STATUS_ERROR_INTERNAL;
    if (error.code == Code::bad_syntax) status = IPP_STATUS_ERROR_BAD_REQUEST;
    if (error.code == Code::too_large) status = IPP_STATUS_ERROR_REQUEST_ENTITY;
    if (error.code == Code::no_space) status = IPP_STATUS_ERROR_TEMPORARY;
    refuse(status, describe(error));
}

bool IppExchange::takes_document() const {
    return request_ && (request_->operation() == IPP_OP_PRINT_JOB || request_->operation() == IPP_OP_SEND_DOCUMENT);
}

asio::awaitable<void> IppExchange::take(std::span<const std::byte> piece) {
    if (!body_inflater_) co_return co_await take_plain(piece);
    const Sink sink = [this](std::span<const std::byte> plain) { return take_plain(plain); };
    co_await unpack(*body_inflater_, piece, sink);
}

asio::awaitable<void> IppExchange::unpack(Inflater& inflater, std::span<const std::byte> packed, Sink sink) {
    std::vector<std::byte> window(unpacked_window_bytes);
    inflater.feed(packed);
    for (;;) {
        // A kilobyte may become a megabyte: not on the loop.
        auto work = [&inflater, &window] { return inflater.produce(window); };
        const Result<std::size_t> got = co_await spooler::on_pool(door_.submission().pool, work);
        if (!got) co_return refuse(got.error());
        if (*got == 0 || refused()) co_return;
        const std::span<const std::byte> plain = std::span<const std::byte>(window).first(*got);
        co_await sink(plain);
    }
}

asio::awaitable<void> IppExchange::take_plain(std::span<const std::byte> piece) {
    if (refused()) co_return;
    if (!attributes_.complete()) {
        const Result<std::size_t> used = attributes_.take(piece);
        if (!used) co_return refuse(used.error());
        if (!attributes_.complete()) co_return;
        begin();
        piece = piece.subspan(*used);
    }
    if (refused() || !document_ || piece.empty()) co_return;
    if (!document_inflater_) co_return co_await take_document(piece);
    const Sink sink = [this](std::span<const std::byte> plain) { return take_document(plain); };
    co_await unpack(*document_inflater_, piece, sink);
}

// The attributes are there: what is wanted, and may it be?
void IppExchange::begin() {
    Result<Request> request = Request::parse(attributes_.bytes());
    if (!request) return refuse(request.error());
    request_.emplace(std::move(*request));
    auto target = door_.find_target(*request_, caller_);
    if (!target) {
        reply_.emplace(door_.refuse(*request_, target.error()));
        return;
    }
    target_ = *target;
    if (!takes_document()) return;
    auto document = door_.expect_document(*request_, target_, caller_);
    if (!document) {
        reply_.emplace(door_.refuse(*request_, document.error()));
        return;
    }
    document_.emplace(std::move(*document));
    if (document_->how.gzip) document_inflater_ = std::make_unique<Inflater>();
}

asio::awaitable<void> IppExchange::take_document(std::span<const std::byte> piece) {
    if (refused() || piece.empty()) co_return;
    if (document_->has_one)
        co_return refuse(IPP_STATUS_ERROR_MULTIPLE_JOBS_NOT_SUPPORTED, "a job has one document here");
    if (writer_) co_return co_await keep(piece);
    const std::size_t some = std::min(piece.size(), spooler::header_bytes - beginning_.size());
    beginning_.insert(beginning_.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(some));
    if (beginning_.size() < spooler::header_bytes) co_return;
    co_await begin_document();
    piece = piece.subspan(some);
    if (!refused() && !piece.empty()) co_await keep(piece);
}

bool IppExchange::is_postscript() const {
    const std::span<const std::byte> first(beginning_);
    if (spooler::sniff(first.first(std::min(first.size(), spooler::sniff_bytes))) != spooler::Sniffed::document)
        return false;
    std::string_view text(reinterpret_cast<const char*>(beginning_.data()), beginning_.size());
    text = trim(text);
    if (text.starts_with("%PDF-")) return false;
    // Printer languages of every kind come wrapped in PJL.
    const bool wrapped = text.starts_with("\x1b") || text.starts_with("@PJL");
    return !wrapped || text.find("%!") != std::string_view::npos;
}

asio::awaitable<void> IppExchange::begin_document() {
    if (!is_postscript())
        co_return refuse(IPP_STATUS_ERROR_DOCUMENT_FORMAT_NOT_SUPPORTED,
                         "the document is not PostScript; print with a PostScript driver");
    std::string& title = document_->ticket.job.title;
    if (title.empty()) title = spooler::find_header_comment(beginning_, "%%Title:");
    if (title.empty()) title = "IPP job";
    const spooler::Submission to = door_.submission();
    writer_ = std::make_unique<spooler::SpoolWriter>(to.spool, to.pool);
    const Result<void> opened = co_await writer_->open(expected_bytes_);
    if (!opened) co_return refuse(opened.error());
    co_await keep(beginning_);
}

asio::awaitable<void> IppExchange::keep(std::span<const std::byte> piece) {
    const Result<void> kept = co_await writer_->append(piece);
    if (!kept) refuse(kept.error());
}

asio::awaitable<std::string> IppExchange::finish() {
    if (!refused()) {
        const bool cut_off = (body_inflater_ && !body_inflater_->at_end()) ||
                             (document_inflater_ && !beginning_.empty() && !document_inflater_->at_end());
        if (!attributes_.complete() || cut_off) refuse(IPP_STATUS_ERROR_BAD_REQUEST, "the request ends too early");
    }
    // A short document has not been looked at yet.
    if (!refused() && document_ && !writer_ && !beginning_.empty()) co_await begin_document();
    if (!refused()) {
        Reply reply = co_await complete();
        reply_.emplace(std::move(reply));
    }
    Result<std::string> bytes = reply_->bytes();
    co_return bytes ? std::move(*bytes) : std::string();
}

asio::awaitable<Reply> IppExchange::complete() {
    if (!document_) co_return co_await door_.operate(*request_, target_, caller_);
    if (!writer_ && document_->job) {
        IppDoor::Document document = std::move(*document_);
        document_.reset();
        co_return co_await door_.take_no_document(*request_, std::move(document), caller_);
    }
    if (!writer_) {
        refuse(IPP_STATUS_ERROR_BAD_REQUEST, "the document is empty");
        co_return std::move(*reply_);
    }
    const std::uint64_t size_bytes = writer_->size_bytes();
    Result<std::string> name = co_await writer_->commit();
    if (!name) {
        refuse(name.error());
        co_return std::move(*reply_);
    }
    IppDoor::Document document = std::move(*document_);
    document_.reset();
    co_return co_await door_.take_document(*request_, std::move(document), std::move(*name), size_bytes, caller_);
}

}  // namespace opispool::ipp

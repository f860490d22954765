// SPDX-License-Identifier: AGPL-3.0-or-later
// What the HTTP API does: every answer comes from QueueService, the same door the other ways in use.
//   thread  loop
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "queues/queue_service.h"
#include "spooler/http/metrics.h"
#include "spooler/http/router.h"
#include "spooler/http/upload.h"
#include "spooler/intake/spool_writer.h"
#include "spooler/ipp/ipp_door.h"

namespace opispool::http {

struct ApiReply {
    unsigned status = 200;
    std::string body;   // JSON with a closing line feed
    std::string allow;  // 405 only
    std::string content_type = "application/json";
};

ApiReply json_reply(const boost::json::value& value, unsigned status = 200);
ApiReply error_reply(unsigned status, std::string_view text);
// 404 not_found, 409 not_permitted and conflict, 400 bad_syntax, 413 too_large, 507 no_space, else 500.
ApiReply error_reply(const Error& error);

// The JSON that tells how the pictures of a job were looked for.    thread  pool, blocks on disk
using Explainer = std::function<Result<std::string>(const queues::JobSnapshot&)>;

class ApiHandlers {
  public:
    // all outlive the handlers and every request that is running      pool  for file work
    ApiHandlers(queues::QueueService& service, const spooler::Spool& spool, boost::asio::any_io_executor pool,
                Explainer explainer)
        : service_(service),
          spool_(spool),
          pool_(std::move(pool)),
          explainer_(std::move(explainer)),
          metrics_(std::make_shared<Metrics>()),
          ipp_(spooler::Submission{service_, spool_, pool_}) {
        service_.on_change(
            [metrics = metrics_](const queues::JobSnapshot& job, queues::Event what) { metrics->note(job, what); });
    }

    // Everything but a submission and IPP. Always answers; errors are replies.
    boost::asio::awaitable<ApiReply> handle(Route route);

    // IPP requests, in their own words.
    ipp::IppDoor& ipp() { return ipp_; }

    // ---- a submission: begin, append the body to the upload, finish. An upload that is dropped was never there.
    //   peer          "127.0.0.1", kept as the job's host if the client names none
    //   length_bytes  from Content-Length, nothing if chunked
    //   returns       the upload, or the refusal to send before any byte of the body is read
    boost::asio::awaitable<tl::expected<std::unique_ptr<Upload>, ApiReply>> begin_upload(
        Route route, std::string peer, std::optional<std::uint64_t> length_bytes);
    // 201 and the job only after file and record are durable.
    boost::asio::awaitable<ApiReply> finish_upload(std::unique_ptr<Upload> upload);

  private:
    ApiReply list_queues() const;
    boost::asio::awaitable<ApiReply> list_jobs(Route route);
    boost::asio::awaitable<Result<queues::JobSnapshot>> find_job(queues::JobId id);
    boost::asio::awaitable<ApiReply> show_job(queues::JobId id, unsigned status);
    boost::asio::awaitable<ApiReply> explain_job(queues::JobId id);
    boost::asio::awaitable<ApiReply> why_job(queues::JobId id);
    boost::asio::awaitable<ApiReply> job_log(queues::JobId id);
    boost::asio::awaitable<ApiReply> job_ledger(Route route);
    boost::asio::awaitable<ApiReply> show_metrics();
    // ---- changes: api_changes.cpp
    boost::asio::awaitable<ApiReply> change_job(Route route);
    boost::asio::awaitable<ApiReply> copy_job(Route route);
    boost::asio::awaitable<ApiReply> change_matching(Route route);
    boost::asio::awaitable<ApiReply> order_queue(Route route);
    ApiReply show_ppd(const Route& route) const;

    queues::QueueService& service_;
    const spooler::Spool& spool_;
    boost::asio::any_io_executor pool_;
    Explainer explainer_;
    std::shared_ptr<Metrics> metrics_;  // shared with the service's listener
    ipp::IppDoor ipp_;
};

}  // namespace opispool::http

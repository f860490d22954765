// SPDX-License-Identifier: AGPL-3.0-or-later
// The IPP door: what each operation does. Every change goes through QueueService, as from any other door.
//
//   HTTP body ─IppExchange─> AttributePart ─> Request ─> IppDoor ─> QueueService
//                    └───── document ─> SpoolWriter ────────┘
//   source  RFC 8011, PWG 5100.11 (Cancel-My-Jobs, Close-Job)       thread  loop
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>

#include "spooler/intake/intake.h"
#include "spooler/ipp/job_ticket.h"
#include "spooler/ipp/object_attributes.h"
#include "spooler/ipp/open_jobs.h"

namespace opispool::ipp {

// What the HTTP request around an IPP request told.
struct Caller {
    std::string queue;      // from the path, empty if it names none
    std::string authority;  // the Host header
    std::string peer;       // "127.0.0.1"
};

// What a request is about, once it is known to be well-formed and of an operation we have.
struct Target {
    const queues::Queue* queue = nullptr;  // set for operations on one printer
    std::optional<queues::JobId> job;      // always set for operations on jobs
};

class IppDoor {
  public:
    // all outlive the door and every request that is running
    explicit IppDoor(spooler::Submission to);

    // Nobody is waited for any more; requests that are running may end.
    void close() {
        closed_ = true;
        open_.clear();
    }

    spooler::Submission submission() const { return to_; }

    // ---- a request, in this order
    // The rules that hold for all operations.    source  RFC 8011 4.1
    tl::expected<Target, Refusal> find_target(const Request& request, const Caller& caller) const;
    // Operations without a document; always answers.
    boost::asio::awaitable<Reply> operate(const Request& request, Target target, Caller caller);

    // ---- Print-Job and Send-Document: may it come, and what becomes of it
    struct Document {
        DocumentTicket how;
        JobTicket ticket;                  // Print-Job
        std::optional<queues::JobId> job;  // Send-Document
        bool last = true;
        bool has_one = false;  // the job got its document before: only an end may come
        std::string queue;
    };
    tl::expected<Document, Refusal> expect_document(const Request& request, const Target& target, const Caller& caller);
    //   spool_file  committed; it belongs to the jobs or is removed when this returns
    boost::asio::awaitable<Reply> take_document(const Request& request, Document document, std::string spool_file,
                                                std::uint64_t size_bytes, Caller caller);
    // Send-Document without a byte: the client only closes the job.
    boost::asio::awaitable<Reply> take_no_document(const Request& request, Document document, Caller caller);
    // An expected document is not coming after all.
    void forget_document(const Document& document);

    Reply refuse(const Request& request, const Refusal& refusal) const;

  private:
    using JobResult = Result<queues::JobSnapshot>;
    Place place(const Caller& caller) const;
    Reply answer(const Request& request, ipp_status_t status = IPP_STATUS_OK) const;
    Reply answer(const Request& request, const Error& error) const;
    Reply show_printers(const Request& request, std::span<const queues::Queue> shown, const Caller& caller) const;
    Reply validate(const Request& request, const Target& target, const Caller& caller) const;
    void show_new_job(Reply& reply, const queues::JobSnapshot& job, const Caller& caller) const;
    boost::asio::awaitable<JobResult> find_job(queues::JobId id);
    boost::asio::awaitable<Reply> show_job(const Request& request, Target target, Caller caller);
    boost::asio::awaitable<Reply> list_jobs(const Request& request, Target target, Caller caller);
    boost::asio::awaitable<Reply> change_job(const Request& request, Target target);
    boost::asio::awaitable<Reply> change_queue(const Request& request, Target target);
    boost::asio::awaitable<Reply> cancel_my_jobs(const Request& request, Target target);
    boost::asio::awaitable<Reply> create_job(const Request& request, Target target, Caller caller);
    boost::asio::awaitable<Reply> close_job(const Request& request, queues::JobId id, Caller caller);
    boost::asio::awaitable<Reply> answer_new_job(const Request& request, Result<queues::JobId> id, JobTicket ticket,
                                                 Caller caller);
    boost::asio::awaitable<Result<queues::JobId>> submit_copies(queues::NewJob job, int copies);
    boost::asio::awaitable<Result<void>> attach(Document document, std::string spool_file, std::uint64_t size_bytes);
    boost::asio::awaitable<Result<void>> tell(std::function<void(queues::Done)> verb);
    void end_open_job(queues::JobId id, const OpenJob& job);

    spooler::Submission to_;
    OpenJobs open_;
    bool closed_ = false;
};

}  // namespace opispool::ipp

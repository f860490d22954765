// SPDX-License-Identifier: AGPL-3.0-or-later
// IppDoor: from a request for printing to jobs with a document.
#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <utility>

#include "base/text.h"
#include "spooler/ipp/ipp_door.h"
#include "spooler/ipp/ipp_limits.h"
#include "spooler/workers.h"

namespace opispool::ipp {

namespace asio = boost::asio;
using queues::JobId;
using queues::JobSnapshot;

namespace {

const std::string& not_closed_reason() {
    static const std::string reason = "its sender has not closed the job yet; release it to print it as it is";
    return reason;
}

std::optional<Refusal> refuse_queue(const queues::Queue& queue) {
    if (queue.accepting) return std::nullopt;
    return Refusal{IPP_STATUS_ERROR_NOT_ACCEPTING_JOBS,
                   "the queue '" + printable(queue.name) + "' does not accept jobs", nullptr};
}

}  // namespace

Reply IppDoor::validate(const Request& request, const Target& target, const Caller& caller) const {
    if (auto refused = refuse_queue(*target.queue)) return refuse(request, *refused);
    const auto document = read_document_ticket(request);
    if (!document) return refuse(request, document.error());
    const auto ticket = read_job_ticket(request, caller.peer);
    if (!ticket) return refuse(request, ticket.error());
    Reply reply = answer(request, ticket->ignored.empty() ? IPP_STATUS_OK : IPP_STATUS_OK_IGNORED_OR_SUBSTITUTED);
    for (ipp_attribute_t* attribute : ticket->ignored) reply.copy(IPP_TAG_UNSUPPORTED_GROUP, attribute);
    return reply;
}

void IppDoor::show_new_job(Reply& reply, const JobSnapshot& job, const Caller& caller) const {
    const Wanted wanted({"job-id", "job-uri", "job-state", "job-state-reasons", "job-state-message"}, {});
    AttributeWriter out(reply, wanted, IPP_TAG_JOB);
    write_job(out, job, place(caller));
}

asio::awaitable<Reply> IppDoor::answer_new_job(const Request& request, Result<JobId> id, JobTicket ticket,
                                               Caller caller) {
    if (!id) co_return answer(request, id.error());
    const JobResult job = co_await find_job(*id);
    if (!job) co_return answer(request, job.error());
    Reply reply = answer(request, ticket.ignored.empty() ? IPP_STATUS_OK : IPP_STATUS_OK_IGNORED_OR_SUBSTITUTED);
    for (ipp_attribute_t* attribute : ticket.ignored) reply.copy(IPP_TAG_UNSUPPORTED_GROUP, attribute);
    show_new_job(reply, *job, caller);
    co_return reply;
}

asio::awaitable<Reply> IppDoor::create_job(const Request& request, Target target, Caller caller) {
    std::optional<Refusal> refused = refuse_queue(*target.queue);
    auto ticket = read_job_ticket(request, caller.peer);
    if (!refused && !ticket) refused = ticket.error();
    if (!refused && open_.full())
        refused = Refusal{IPP_STATUS_ERROR_BUSY, "too many jobs wait for their documents; try again later", nullptr};
    if (refused) co_return refuse(request, *refused);
    OpenJob open;
    open.copies = ticket->copies;
    open.hold_reason = ticket->job.hold_reason;
    ticket->job.queue = target.queue->name;
    const queues::NewJob job = ticket->job;
    const Result<JobId> id = co_await spooler::submit_job(to_, job);
    const asio::any_io_executor loop = co_await asio::this_coro::executor;
    // A timer that began now would keep a server from ending; the restart ends the job.
    if (id && !closed_) open_.add(loop, *id, std::move(open));
    co_return co_await answer_new_job(request, id, std::move(*ticket), std::move(caller));
}

tl::expected<IppDoor::Document, Refusal> IppDoor::expect_document(const Request& request, const Target& target,
                                                                  const Caller& caller) {
    Document document;
    auto how = read_document_ticket(request);
    if (request.operation() == IPP_OP_PRINT_JOB) {
        if (auto refused = refuse_queue(*target.queue)) return tl::unexpected(std::move(*refused));
        if (!how) return tl::unexpected(std::move(how.error()));
        auto ticket = read_job_ticket(request, caller.peer);
        if (!ticket) return tl::unexpected(std::move(ticket.error()));
        document.how = std::move(*how);
        document.ticket = std::move(*ticket);
        document.queue = target.queue->name;
        return document;
    }
    const auto refused = [](ipp_status_t status, const char* text) {
        return tl::unexpected(Refusal{status, text, nullptr});
    };
    const auto last = request.flag("last-document");
    if (!last) return refused(IPP_STATUS_ERROR_BAD_REQUEST, "last-document is missing");
    if (!how) return tl::unexpected(std::move(how.error()));
    const auto job = to_.queues.find(*target.job);
    if (!job || (target.queue != nullptr && job->queue != target.queue->name))
        return refused(IPP_STATUS_ERROR_NOT_FOUND, "there is no such job");
    OpenJob* open = open_.find(*target.job);
    if (queues::is_finished(job->state)) return refused(IPP_STATUS_ERROR_NOT_POSSIBLE, "the job has ended");
    if (open == nullptr) return refused(IPP_STATUS_ERROR_NOT_POSSIBLE, "the job is closed, it takes no document");
    if (open->receiving) return refused(IPP_STATUS_ERROR_BUSY, "the job's document is being received already");
    open->receiving = true;
    document.how = std::move(*how);
    document.job = target.job;
    document.last = *last;
    document.has_one = open->has_document;
    document.queue = job->queue;
    return document;
}

void IppDoor::forget_document(const Document& document) {
    if (!document.job) return;
    if (OpenJob* open = open_.find(*document.job)) open->receiving = false;
    open_.touch(*document.job);
}

// The first job has the number that the client is told.
asio::awaitable<Result<JobId>> IppDoor::submit_copies(queues::NewJob job, int copies) {
    Result<JobId> first = fail(Code::internal, Operation::execute, "no copy was asked for");
    const spooler::Spool& spool = to_.spool;
    for (int copy = 1; copy <= copies; ++copy) {
        std::string next;
        if (copy < copies) {
            auto work = [&spool, &job] { return spool.link_job(job.spool_file); };
            Result<std::string> linked = co_await spooler::on_pool(to_.pool, work);
            if (!linked) {
                co_await spooler::remove_document(to_, job.spool_file);
                co_return fail(std::move(linked.error()));
            }
            next = std::move(*linked);
        }
        const queues::NewJob one = job;
        Result<JobId> id = co_await spooler::submit_job(to_, one);
        if (!id && !next.empty()) co_await spooler::remove_document(to_, next);
        if (!id) co_return id;
        if (copy == 1) first = id;
        job.spool_file = std::move(next);
    }
    co_return first;
}

asio::awaitable<Reply> IppDoor::take_document(const Request& request, Document document, std::string spool_file,
                                              std::uint64_t size_bytes, Caller caller) {
    if (document.job) {
        const JobId id = *document.job;
        const Result<void> attached = co_await attach(document, std::move(spool_file), size_bytes);
        forget_document(document);
        if (attached && document.last) open_.remove(id);
        Result<JobId> outcome = id;
        if (!attached) outcome = fail(attached.error());
        const JobTicket nothing_ignored;
        co_return co_await answer_new_job(request, outcome, nothing_ignored, std::move(caller));
    }
    queues::NewJob job = document.ticket.job;
    job.queue = document.queue;
    job.spool_file = std::move(spool_file);
    job.size_bytes = size_bytes;
    const Result<JobId> id = co_await submit_copies(std::move(job), document.ticket.copies);
    co_return co_await answer_new_job(request, id, std::move(document.ticket), std::move(caller));
}

asio::awaitable<Result<void>> IppDoor::attach(Document document, std::string spool_file, std::uint64_t size_bytes) {
    const JobId id = *document.job;
    const OpenJob* found = open_.find(id);
    const OpenJob open = found != nullptr ? *found : OpenJob();
    std::string hold_reason = open.hold_reason;
    if (hold_reason.empty() && !document.last) hold_reason = not_closed_reason();
    std::string second;
    if (open.copies > 1) {
        const spooler::Spool& spool = to_.spool;
        auto work = [&spool, &spool_file] { return spool.link_job(spool_file); };
        Result<std::string> linked = co_await spooler::on_pool(to_.pool, work);
        if (!linked) {
            co_await spooler::remove_document(to_, spool_file);
            co_return fail(std::move(linked.error()));
        }
        second = std::move(*linked);
    }
    std::function<void(queues::Done)> verb = [&](queues::Done done) {
        to_.queues.attach_document(id, spool_file, size_bytes, hold_reason, std::move(done));
    };
    Result<void> attached = co_await tell(std::move(verb));
    if (!attached) {
        co_await spooler::remove_document(to_, spool_file);
        if (!second.empty()) co_await spooler::remove_document(to_, second);
        co_return attached;
    }
    if (OpenJob* still = open_.find(id)) still->has_document = true;
    const auto job = to_.queues.find(id);
    if (second.empty() || !job) co_return attached;
    queues::NewJob copy = *job;
    copy.spool_file = std::move(second);
    copy.hold = !hold_reason.empty();
    copy.hold_reason = hold_reason;
    Result<JobId> others = co_await submit_copies(std::move(copy), open.copies - 1);
    if (!others) attached = fail(std::move(others.error()));
    co_return attached;
}

asio::awaitable<Reply> IppDoor::take_no_document(const Request& request, Document document, Caller caller) {
    forget_document(document);
    if (!document.last)
        co_return refuse(request, Refusal{IPP_STATUS_ERROR_BAD_REQUEST, "the document is empty", nullptr});
    co_return co_await close_job(request, *document.job, std::move(caller));
}

asio::awaitable<Reply> IppDoor::close_job(const Request& request, JobId id, Caller caller) {
    const OpenJob* found = open_.find(id);
    // Closing twice is closing.
    if (found != nullptr) {
        if (found->receiving)
            co_return refuse(request,
                             Refusal{IPP_STATUS_ERROR_NOT_POSSIBLE, "its document is still arriving", nullptr});
        const OpenJob open = *found;
        open_.remove(id);
        const auto job = to_.queues.find(id);
        const std::string user = user_of(request);
        std::function<void(queues::Done)> verb = [&](queues::Done done) {
            if (!open.has_document)
                return to_.queues.abort(id, "its sender closed it without a document", std::move(done));
            // Held for another reason by now, by a person say: that stands.
            if (!job || job->reason != not_closed_reason()) return done(Result<void>());
            to_.queues.release(id, user, std::move(done));
        };
        const Result<void> closed = co_await tell(std::move(verb));
        if (!closed) co_return answer(request, closed.error());
    }
    const Result<JobId> outcome = id;
    const JobTicket nothing_ignored;
    co_return co_await answer_new_job(request, outcome, nothing_ignored, std::move(caller));
}

void IppDoor::end_open_job(JobId id, const OpenJob& job) {
    // With a document it stays held, and says why; somebody has to look at it.
    if (job.has_document) return;
    to_.queues.abort(
        id, "its sender began it and sent no document within " + std::to_string(open_job_time_out_s) + " seconds",
        [](const Result<void>&) {});
}

}  // namespace opispool::ipp

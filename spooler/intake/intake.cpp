// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/intake/intake.h"

#include "base/log.h"
#include "base/mapped_file.h"
#include "spooler/log_events.h"
#include "spooler/workers.h"

namespace opispool::spooler {

boost::asio::awaitable<Result<queues::JobId>> submit_job(Submission to, queues::NewJob job) {
    const std::string queue = job.queue;
    const std::string spool_file = job.spool_file;
    auto begin = [&to, &job](queues::DoneWithId done) { to.queues.submit(job, std::move(done)); };
    std::function<void(queues::DoneWithId)> submit = begin;
    const Result<queues::JobId> id = co_await wait_for<queues::JobId>(submit);
    if (!id) {
        log_event(LogLevel::error, log_id::job_record_failed,
                  {{"queue", queue}, {"door", job.door}, {"text", describe(id.error())}});
        co_await remove_document(to, spool_file);
    }
    co_return id;
}

boost::asio::awaitable<Result<queues::JobId>> submit_job(Intake& intake, queues::NewJob job) {
    return submit_job(Submission{intake.queues, intake.spool, intake.pool}, std::move(job));
}

boost::asio::awaitable<Result<TailVerdict>> check_tail_of(Intake& intake, std::string path, std::uint64_t from_bytes) {
    auto work = [path, from_bytes]() -> Result<TailVerdict> {
        const auto file = MappedFile::open(path);
        if (!file) return fail(file.error());
        // Otherwise a large document would count as our memory, page by page.
        return check_tail((*file)->bytes(), [&file](std::size_t offset) { (*file)->release(0, offset); }, from_bytes);
    };
    co_return co_await on_pool(intake.pool, work);
}

boost::asio::awaitable<void> remove_document(Submission to, std::string spool_file) {
    const Spool& spool = to.spool;
    auto work = [&spool, spool_file] { return spool.remove_job(spool_file); };
    const Result<void> removed = co_await on_pool(to.pool, work);
    // Not lost: the next start finds it without a record and removes it.
    if (!removed) log_event(LogLevel::warning, log_id::spool_failed, {{"text", describe(removed.error())}});
}

boost::asio::awaitable<void> remove_document(Intake& intake, std::string spool_file) {
    return remove_document(Submission{intake.queues, intake.spool, intake.pool}, std::move(spool_file));
}

}  // namespace opispool::spooler

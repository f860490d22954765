// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/intake/early_job.h"

#include <functional>
#include <utility>

#include "base/log.h"
#include "spooler/log_events.h"
#include "spooler/workers.h"

namespace opispool::spooler {

namespace asio = boost::asio;

EarlyJob::~EarlyJob() {
    if (!ended_) arrivals_.end(spool_file_, Arrival::State::broken_off);
}

asio::awaitable<Result<void>> EarlyJob::begin(queues::NewJob job) {
    const Result<std::string> name = co_await writer_.publish();
    if (!name) co_return fail(name.error());
    spool_file_ = job.spool_file = *name;
    job.size_bytes = 0;
    arrival_ = arrivals_.begin(spool_file_);
    ended_ = false;
    std::function<void(queues::DoneWithId)> submit = [this, &job](queues::DoneWithId done) {
        queues_.submit(job, std::move(done));
    };
    const Result<queues::JobId> id = co_await wait_for<queues::JobId>(submit);
    if (!id) {
        ended_ = true;
        arrivals_.end(spool_file_, Arrival::State::broken_off);
        writer_.discard();  // there is no record that it belongs to
        co_return fail(id.error());
    }
    id_ = *id;
    grew();
    co_return Result<void>();
}

asio::awaitable<Result<queues::JobId>> EarlyJob::complete() {
    const Result<std::string> durable = co_await writer_.commit();
    Result<void> recorded;
    if (durable) {
        std::function<void(queues::Done)> arrived = [this](queues::Done done) {
            queues_.document_arrived(id_, writer_.size_bytes(), std::move(done));
        };
        recorded = co_await wait_for<void>(arrived);
    }
    if (!durable || !recorded) {
        const Error error = durable ? recorded.error() : durable.error();
        const std::string why = "it could not be stored: " + error.text;
        co_await break_off(why);
        co_return fail(error);
    }
    ended_ = true;
    arrivals_.end(spool_file_, Arrival::State::whole);
    co_return id_;
}

asio::awaitable<void> EarlyJob::break_off(std::string why) {
    ended_ = true;
    arrivals_.end(spool_file_, Arrival::State::broken_off);
    std::function<void(queues::Done)> broke_off = [this, &why](queues::Done done) {
        queues_.document_broke_off(id_, writer_.size_bytes(), why, std::move(done));
    };
    const Result<void> held = co_await wait_for<void>(broke_off);
    // An operator canceled it meanwhile, or the store fails: the next start holds it then.
    if (!held && held.error().code != Code::conflict && held.error().code != Code::not_permitted)
        log_event(LogLevel::error, log_id::job_record_failed,
                  {{"id", std::to_string(id_.value)}, {"text", describe(held.error())}});
}

}  // namespace opispool::spooler

// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/job_runner.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "base/log.h"
#include "base/mapped_file.h"
#include "base/text.h"
#include "rip_out/retry_policy.h"
#include "spooler/job_ledger.h"
#include "spooler/log_events.h"
#include "spooler/workers.h"

namespace opispool::spooler {

namespace asio = boost::asio;
using queues::Done;
using queues::JobId;

namespace {

// Also without any event: the wall clock may have been set.
constexpr std::int64_t longest_sleep_ms = 60'000;
constexpr std::int64_t store_retry_ms = 1'000;

// A picture that is being saved is there in a moment.
constexpr std::int64_t still_written_retry_ms = 5'000;

Result<opi::PlanOutcome> plan_document(const std::string& path, const QueueConfig& queue, UnixMs now_ms,
                                       StoreIndexes& stores, opi::Measurer& measurer) {
    auto thin = MappedFile::open(path);
    if (!thin) return fail(thin.error());
    auto index = stores.open(queue, now_ms);
    if (!index) return fail(index.error());
    opi::PlanRequest request;
    request.thin = *thin;
    request.index = &*index;
    request.profile = queue.profile;
    request.on_missing = queue.on_missing;
    request.measuring = {&measurer, queue.measure};
    auto outcome = opi::make_plan(request);
    if (!outcome || !outcome->picture_missing || !stores.look_again(queue)) return outcome;
    index = stores.open(queue, now_ms);
    if (!index) return fail(index.error());
    return opi::make_plan(request);
}

std::string job_name(JobId id) {
    return "job " + std::to_string(id.value);
}

}  // namespace

JobRunner::JobRunner(RunnerServices services, QueueConfig queue)
    : services_(std::move(services)), queue_(std::move(queue)), timer_(services_.loop) {
    queue_.profile.proofs = services_.proofs;
    queue_.profile.crew = services_.crew;
}

void JobRunner::start() {
    asio::co_spawn(services_.loop, run(), log_exception("job runner"));
}

std::optional<JobId> JobRunner::next_job() const {
    const auto id = services_.queues.next_job(queue_.name);
    if (!id) return std::nullopt;
    const auto job = services_.queues.find(*id);
    if (!job || !services_.gate.is_open(job->spool_file)) return std::nullopt;
    // It may have come from another queue while it arrives.
    if (!queue_.early_start && services_.arrivals.find(job->spool_file)) return std::nullopt;
    return id;
}

bool JobRunner::is_ours(JobId id) const {
    const auto job = services_.queues.find(id);
    return job && job->state == queues::JobState::processing;
}

asio::awaitable<void> JobRunner::run() {
    while (!finishing_) {
        const std::optional<JobId> id = next_job();
        if (!id) {
            const auto wake_ms = services_.queues.next_wake_ms(queue_.name);
            const std::int64_t now_ms = services_.clock.now_ms();
            co_await pause(wake_ms && *wake_ms > now_ms ? *wake_ms - now_ms : longest_sleep_ms);
            continue;
        }
        current_ = id;
        std::string broken;
        try {
            co_await run_job(*id);
        } catch (const std::exception& error) {
            broken = error.what();
        }
        sender_.reset();
        feed_.reset();
        if (!broken.empty()) {
            log_event(LogLevel::error, log_id::internal_exception, {{"in", job_name(*id)}, {"text", broken}});
            co_await hold(*id, "internal error: " + broken + "; the other jobs go on");
        }
        current_.reset();
        if (on_idle_) on_idle_();
    }
}

asio::awaitable<void> JobRunner::run_job(JobId id) {
    queues::QueueService& queues = services_.queues;
    Verb start = [&queues, id](Done done) { queues.start(id, std::move(done)); };
    const Result<void> started = co_await wait_for<void>(start);
    if (!started) {
        if (started.error().code == Code::conflict) co_return;
        log_event(LogLevel::error, log_id::job_record_failed,
                  {{"id", std::to_string(id.value)}, {"text", describe(started.error())}});
        co_return co_await pause(store_retry_ms);
    }
    const auto job = queues.find(id);
    if (!job) co_return;

    if (const auto arrival = services_.arrivals.find(job->spool_file)) {
        const bool ended = co_await run_arriving(*job, arrival);
        if (ended) co_return;
    }
    Result<opi::PlanOutcome> outcome = co_await plan(job->spool_file);
    if (!is_ours(id)) co_return;
    if (!outcome) co_return co_await hold(id, describe(outcome.error()));
    for (const std::string& warning : outcome->warnings) queues.add_message(id, "warning: " + warning);
    std::vector<queues::LedgerEntry> entries = ledger_of(outcome->references);
    if (!entries.empty()) co_await keep_ledger(id, std::move(entries));
    if (!is_ours(id)) co_return;
    if (!outcome->plan) co_return co_await hold_unplanned(id, *outcome);

    const std::uint64_t total_bytes = outcome->plan->total_bytes();
    if (finishing_) co_return co_await settle_stopped(id, 0, total_bytes);
    const rip_out::SendResult result = co_await send(*job, outcome->plan, nullptr);
    co_await settle(id, result, total_bytes);
}

asio::awaitable<bool> JobRunner::run_arriving(queues::JobSnapshot job, std::shared_ptr<Arrival> arrival) {
    const JobId id = job.id;
    EarlyFeed::Job from;
    from.path = services_.spool.job_path(job.spool_file);
    from.name = job_name(id);
    from.profile = queue_.profile;
    from.on_missing = queue_.on_missing;
    const QueueConfig& queue = queue_;
    StoreIndexes& stores = services_.stores;
    from.open_index = [&stores, &queue, now_ms = services_.clock.now_ms()] { return stores.open(queue, now_ms); };
    from.tell = [this, id](std::string message) { services_.queues.add_message(id, std::move(message)); };
    feed_ = std::make_shared<EarlyFeed>(std::move(arrival), std::move(from), services_.pool);
    const auto first = co_await feed_->next();
    if (!is_ours(id)) co_return true;
    if (finishing_ && !first) {
        co_await settle_stopped(id, 0, 0);
    } else if (!first) {
        co_await hold(id, first.error().text);
    } else if (!*first) {
        co_return false;
    } else {
        const rip_out::SendResult result = co_await send(job, *first, feed_);
        co_await settle(id, result, 0);
    }
    co_return true;
}

asio::awaitable<Result<opi::PlanOutcome>> JobRunner::plan(std::string spool_file) {
    const std::string path = services_.spool.job_path(spool_file);
    const QueueConfig& queue = queue_;
    const UnixMs now_ms = services_.clock.now_ms();
    opi::Measurer& measurer = measurer_;
    StoreIndexes& stores = services_.stores;
    auto work = [path, &queue, now_ms, &stores, &measurer] {
        return plan_document(path, queue, now_ms, stores, measurer);
    };
    co_return co_await on_pool(services_.pool, work);
}

asio::awaitable<void> JobRunner::keep_ledger(JobId id, std::vector<queues::LedgerEntry> entries) {
    queues::QueueService& queues = services_.queues;
    for (const std::string& warning : quality_warnings(entries, queue_)) queues.add_message(id, warning);
    std::function<void(queues::DoneWithLedger)> keep = [&queues, id, &entries](queues::DoneWithLedger done) {
        queues.keep_ledger(id, std::move(entries), std::move(done));
    };
    const Result<queues::Ledger> ledger = co_await wait_for<queues::Ledger>(keep);
    if (!ledger) {
        // The job is worth more than the record of its pictures.
        log_event(LogLevel::error, log_id::job_record_failed,
                  {{"id", std::to_string(id.value)}, {"text", describe(ledger.error())}});
        co_return;
    }
    for (const std::string& line : differences(*ledger)) queues.add_message(id, line);
}

asio::awaitable<void> JobRunner::hold_unplanned(JobId id, opi::PlanOutcome outcome) {
    const auto may_go_away = [](const opi::Problem& problem) { return problem.code == Code::changed; };
    if (!outcome.problems.empty() && std::all_of(outcome.problems.begin(), outcome.problems.end(), may_go_away)) {
        const std::string reason = opi::problem_line(job_name(id), outcome.problems.front());
        co_return co_await retry(id, std::max(queue_.settle_ms, still_written_retry_ms), reason);
    }
    for (const opi::Problem& problem : outcome.problems)
        services_.queues.add_message(id, opi::problem_line(job_name(id), problem));
    const std::string reason = opi::problem_reason(job_name(id), outcome.problems);
    co_await hold(id, reason);
}

asio::awaitable<rip_out::SendResult> JobRunner::send(queues::JobSnapshot job,
                                                     std::shared_ptr<const opi::SplicePlan> plan,
                                                     std::shared_ptr<EarlyFeed> feed) {
    const JobId id = job.id;
    const std::uint64_t total_bytes = feed ? 0 : plan->total_bytes();  // 0: not known yet
    auto made = rip_out::make_sender(queue_.sender, services_.loop, services_.pool);
    rip_out::SendResult result;
    if (!made) {
        result.text = describe(made.error());
        result.stop_queue = true;
        co_return result;
    }
    sender_ = std::move(*made);
    begin_error_.clear();
    rip_out::JobTicket ticket;
    ticket.job_name = std::to_string(id.value);
    ticket.title = job.title;
    ticket.user = job.user;
    ticket.host = job.host;
    rip_out::Sender::Hooks hooks;
    hooks.before_first_byte = [this, id, total_bytes] { return begin_sending(id, total_bytes); };
    hooks.progress = [this, id](std::uint64_t sent_bytes) { services_.queues.progress(id, sent_bytes); };
    if (feed) hooks.next_plan = [feed] { return feed->next(); };
    result = co_await sender_->send(plan, ticket, hooks);
    sender_.reset();
    co_return result;
}

asio::awaitable<bool> JobRunner::begin_sending(JobId id, std::uint64_t total_bytes) {
    queues::QueueService& queues = services_.queues;
    Verb begin = [&queues, id, total_bytes](Done done) { queues.begin_sending(id, total_bytes, std::move(done)); };
    const Result<void> begun = co_await wait_for<void>(begin);
    if (!begun) begin_error_ = describe(begun.error());
    co_return begun.has_value() && is_ours(id);
}

asio::awaitable<void> JobRunner::settle(JobId id, rip_out::SendResult result, std::uint64_t total_bytes) {
    using rip_out::Outcome;
    queues::QueueService& queues = services_.queues;
    for (const rip_out::RipMessage& message : result.messages) queues.add_message(id, "RIP: " + message.text);
    if (!is_ours(id)) co_return;
    queues.progress(id, result.sent_bytes);
    switch (result.outcome) {
        case Outcome::delivered: {
            if (!result.text.empty()) queues.add_message(id, result.text);
            Verb delivered = [&queues, id](Done done) { queues.delivered(id, std::move(done)); };
            co_await report(id, delivered);
            break;
        }
        case Outcome::canceled:
            if (begin_error_.empty()) co_return co_await settle_stopped(id, result.sent_bytes, total_bytes);
            co_return co_await retry(id, store_retry_ms, "the sending mark could not be stored: " + begin_error_);
        default: {
            const auto job = queues.find(id);
            const unsigned attempt = static_cast<unsigned>(job ? std::max(job->attempts, 1) : 1);
            const auto delay_ms = rip_out::pick_retry_delay_ms(result, attempt);
            if (delay_ms) co_return co_await retry(id, *delay_ms, result.text);
            co_return co_await hold(id, result.text);
        }
    }
}

asio::awaitable<void> JobRunner::settle_stopped(JobId id, std::uint64_t sent_bytes, std::uint64_t total_bytes) {
    if (sent_bytes == 0) co_return co_await retry(id, 0, "the server was stopped before a byte was sent");
    const std::string of_all = total_bytes > 0 ? " of " + format_bytes(total_bytes) : std::string();
    co_await hold(id, "the server was stopped while sending: " + format_bytes(sent_bytes) + of_all +
                          " were already sent, the RIP may have printed part of it. Release it to send it again from "
                          "the start, or cancel it");
}

asio::awaitable<void> JobRunner::hold(JobId id, std::string reason) {
    queues::QueueService& queues = services_.queues;
    Verb verb = [&queues, id, reason](Done done) { queues.hold_for_problem(id, reason, std::move(done)); };
    co_await report(id, verb);
}

asio::awaitable<void> JobRunner::retry(JobId id, std::int64_t delay_ms, std::string reason) {
    queues::QueueService& queues = services_.queues;
    const UnixMs not_before_ms = services_.clock.now_ms() + delay_ms;
    Verb verb = [&queues, id, not_before_ms, reason](Done done) {
        queues.retry_later(id, not_before_ms, reason, std::move(done));
    };
    co_await report(id, verb);
}

asio::awaitable<void> JobRunner::report(JobId id, Verb verb) {
    for (;;) {
        const Result<void> stored = co_await wait_for<void>(verb);
        if (stored) co_return;
        const Code code = stored.error().code;
        // A person changed the job meanwhile: their word stands.
        if (code == Code::conflict && !is_ours(id)) co_return;
        log_event(LogLevel::error, log_id::job_record_failed,
                  {{"id", std::to_string(id.value)}, {"text", describe(stored.error())}});
        // At shutdown the next start settles it: the sending mark is durable.
        if (!is_ours(id) || stopping_ || code == Code::not_permitted) co_return;
        co_await pause(store_retry_ms);
    }
}

asio::awaitable<void> JobRunner::pause(std::int64_t longest_ms) {
    timer_.expires_after(std::chrono::milliseconds(std::clamp<std::int64_t>(longest_ms, 1, longest_sleep_ms)));
    const auto token = asio::as_tuple(asio::use_awaitable);
    co_await timer_.async_wait(token);
}

void JobRunner::stop_job(JobId id) {
    if (current_ == id) stop_sending();
}

void JobRunner::stop_sending() {
    if (sender_) sender_->stop();
    if (feed_) feed_->stop();
}

void JobRunner::finish_current() {
    finishing_ = true;
    wake();
}

void JobRunner::stop_current() {
    stopping_ = true;
    finish_current();
    stop_sending();
}

}  // namespace opispool::spooler

// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/early_feed.h"

#include <utility>

#include "spooler/workers.h"

namespace opispool::spooler {

namespace asio = boost::asio;
using Plan = std::shared_ptr<const opi::SplicePlan>;

namespace {

Result<Plan> no_plan(Code code, const char* text) {
    return fail(code, Operation::receive, text);
}

}  // namespace

void EarlyFeed::stop() {
    stopped_ = true;
    arrival_->wake();
}

asio::awaitable<Result<EarlyFeed::Step>> EarlyFeed::advance() {
    const std::uint64_t size_bytes = arrival_->size_bytes();
    const bool whole = arrival_->state() == Arrival::State::whole;
    auto work = [this, size_bytes, whole]() -> Result<Step> {
        if (!planner_) {
            auto index = job_.open_index();
            if (!index) return fail(std::move(index.error()));
            index_.emplace(std::move(*index));
            planner_ = std::make_unique<opi::GrowingPlanner>(
                opi::GrowingPlanner::Job{job_.path, &*index_, job_.profile, job_.on_missing});
        }
        return planner_->advance(size_bytes, whole);
    };
    co_return co_await on_pool(pool_, work);
}

asio::awaitable<Result<Plan>> EarlyFeed::next() {
    for (;;) {
        if (stopped_) co_return no_plan(Code::canceled, "stopped");
        if (arrival_->state() == Arrival::State::broken_off)
            co_return no_plan(Code::disconnected, "the rest of its document never came");
        // What the document has become by the time it was looked at is seen in the next round.
        const bool whole = arrival_->state() == Arrival::State::whole;
        const Result<Step> step = co_await advance();
        if (!step) co_return fail(step.error());
        if (*step == Step::done) co_return Plan();
        if (*step == Step::planned) {
            opi::PlanOutcome& outcome = planner_->outcome();
            for (const std::string& warning : outcome.warnings) job_.tell("warning: " + warning);
            if (!outcome.plan) co_return fail(problems_of(outcome));
            gave_pages_ = true;
            arrival_->set_closed(planner_->planned_bytes());
            co_return std::move(outcome.plan);
        }
        if (*step == Step::whole_needed && whole) co_return Plan();
        const bool wait_for_end = *step == Step::whole_needed;
        // It may have been stopped while the pages were looked at.
        if (!stopped_) co_await arrival_->wait(wait_for_end ? UINT64_MAX : planner_->wanted_bytes());
    }
}

Error EarlyFeed::problems_of(const opi::PlanOutcome& outcome) const {
    for (const opi::Problem& problem : outcome.problems) job_.tell(opi::problem_line(job_.name, problem));
    std::string reason = opi::problem_reason(job_.name, outcome.problems);
    if (gave_pages_)
        reason += "; the pages before were sent and the RIP may have printed them: check before sending again";
    return Error{Code::bad_syntax, Operation::parse, reason, {}, std::nullopt};
}

}  // namespace opispool::spooler

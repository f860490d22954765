// SPDX-License-Identifier: AGPL-3.0-or-later
// What operators ask for beyond hold and release: order, other queues, times, notes, copies, patterns, whole queues.
#include <gmock/gmock.h>

#include "tests/queues/service_fixture.h"

namespace opispool::queues {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class QueueVerbs : public ServiceTest {
  protected:
    Answer topq(JobId id) {
        return now([&](Done d) { service_.topq(id, "ben", std::move(d)); });
    }
    Answer priority(JobId id, int value) {
        return now([&](Done d) { service_.set_priority(id, value, "ben", std::move(d)); });
    }
    Answer move(JobId id, const std::string& queue) {
        return now([&](Done d) { service_.move(id, queue, "ben", std::move(d)); });
    }
    Answer redirect(const std::string& queue, const std::string& to) {
        return now([&](Done d) { service_.redirect(queue, to, "ben", std::move(d)); });
    }
    std::vector<std::int64_t> order(const std::string& queue = "plates") const {
        std::vector<std::int64_t> ids;
        for (const Job& job : service_.list(queue)) ids.push_back(job.id.value);
        return ids;
    }
    std::vector<std::string> details(JobId id) {
        std::vector<std::string> lines;
        const auto records = store_.load_events(id);
        for (const EventRecord& record : *records) lines.push_back(record.detail);
        return lines;
    }
    JobId submit_to(const std::string& queue) { return submit(new_job(queue)); }
};

TEST_F(QueueVerbs, PriorityAndTopDecideWhatPrintsNext) {
    const JobId first = submit(), second = submit(), third = submit();
    EXPECT_THAT(order(), ElementsAre(1, 2, 3));
    EXPECT_TRUE(priority(second, 80).ok());
    EXPECT_EQ(service_.next_job("plates"), second);
    EXPECT_TRUE(topq(third).ok());
    EXPECT_EQ(service_.next_job("plates"), third);
    EXPECT_TRUE(topq(first).ok());
    EXPECT_THAT(order(), ElementsAre(1, 3, 2)) << "the latest word goes first";
    EXPECT_TRUE(priority(first, 10).ok());
    EXPECT_THAT(order(), ElementsAre(3, 2, 1)) << "a priority undoes topq";
    EXPECT_THAT(details(second), ElementsAre("", "50 -> 80"));
    EXPECT_TRUE(priority(first, 0).failed_with(Code::bad_syntax));
    EXPECT_TRUE(priority(first, 101).failed_with(Code::bad_syntax));
}

TEST_F(QueueVerbs, AMovedJobPrintsOnTheOtherQueue) {
    const JobId id = submit_and_start();
    EXPECT_TRUE(now([&](Done d) { service_.retry_later(id, 9'000'000, "no route", std::move(d)); }).ok());
    EXPECT_TRUE(move(id, "proofs").ok());
    EXPECT_EQ(stored(id).queue, "proofs");
    EXPECT_EQ(service_.next_job("proofs"), id) << "the wait for the old queue's RIP is over";
    EXPECT_EQ(details(id).back(), "plates -> proofs");
    EXPECT_TRUE(move(id, "closed").failed_with(Code::not_permitted));
    EXPECT_TRUE(move(id, "nowhere").failed_with(Code::not_found));
    EXPECT_EQ(stored(id).queue, "proofs");
}

TEST_F(QueueVerbs, AScheduledJobWaitsForItsTime) {
    const JobId id = submit();
    EXPECT_TRUE(now([&](Done d) { service_.schedule(id, 5'000'000, "ben", std::move(d)); }).ok());
    EXPECT_EQ(service_.next_job("plates"), std::nullopt);
    EXPECT_EQ(service_.next_wake_ms("plates"), 5'000'000);
    EXPECT_THAT(reason(id), HasSubstr("scheduled by ben for 1970-01-01"));
    clock_.advance(4'000'000);
    EXPECT_EQ(service_.next_job("plates"), id);
    EXPECT_TRUE(now([&](Done d) { service_.release(id, "ben", std::move(d)); }).ok());
    EXPECT_EQ(stored(id).not_before_ms, 0);

    NewJob timed = new_job();
    timed.not_before_ms = 9'000'000;
    timed.priority = 90;
    const JobId later = submit(timed);
    EXPECT_EQ(service_.next_job("plates"), id);
    EXPECT_EQ(stored(later).not_before_ms, 9'000'000);
}

TEST_F(QueueVerbs, ANoteStaysWithTheJob) {
    const JobId id = submit_and_send(100, 40);
    EXPECT_TRUE(now([&](Done d) { service_.set_note(id, "for Tuesday", "ben", std::move(d)); }).ok());
    EXPECT_TRUE(now([&](Done d) { service_.delivered(id, std::move(d)); }).ok());
    EXPECT_EQ(stored(id).note, "for Tuesday");
    EXPECT_EQ(stored(id).state, JobState::completed);
    EXPECT_EQ(stored(id).cause, Event::delivered) << "a note is no reason for a state";
    EXPECT_TRUE(now([&](Done d) {
                    service_.set_note(id, std::string(1001, 'x'), "ben", std::move(d));
                }).failed_with(Code::too_large));
}

TEST_F(QueueVerbs, ACopyIsAJobOfItsOwn) {
    const JobId id = submit();
    EXPECT_TRUE(now([&](Done d) { service_.cancel(id, "anna", std::move(d)); }).ok());
    std::optional<Result<JobId>> made;
    service_.copy(id, "proofs", "000009.ps", "ben", [&](Result<JobId> r) { made = std::move(r); });
    runner_.run_all();
    ASSERT_TRUE(made && *made);
    const Job copy = stored(**made);
    EXPECT_EQ(copy.queue, "proofs");
    EXPECT_EQ(copy.title, "cover");
    EXPECT_EQ(copy.spool_file, "000009.ps");
    EXPECT_EQ(copy.size_bytes, 40'000U);
    EXPECT_EQ(stored(id).state, JobState::canceled);
    EXPECT_THAT(details(**made).front(), HasSubstr("copy of job 1 by ben"));
    EXPECT_EQ(details(id).back(), "job 2");

    made.reset();
    service_.copy(id, "closed", "000010.ps", "ben", [&](Result<JobId> r) { made = std::move(r); });
    runner_.run_all();
    EXPECT_EQ(made.value().error().code, Code::not_permitted);
}

TEST_F(QueueVerbs, PatternsTouchWhatFitsAndSayWhatRefused) {
    submit_and_send(100, 1);
    NewJob other = new_job();
    other.title = "Inside 7";
    const JobId inside = submit(other);
    submit();
    VerbRequest request;
    request.verb = Event::hold;
    request.actor = "ben";
    std::vector<std::string> lines;
    const auto tell = [&](const std::vector<VerbOutcome>& outcomes) {
        for (const VerbOutcome& one : outcomes)
            lines.push_back(std::to_string(one.id.value) + (one.result ? " done" : " " + one.result.error().text));
    };
    service_.operate_matching({"cov*", "anna", ""}, request, tell);
    runner_.run_all();
    EXPECT_THAT(lines, ElementsAre(HasSubstr("1 job 1 is being sent"), "3 done"));
    EXPECT_EQ(state(inside), JobState::pending);
    lines.clear();
    request.verb = Event::release;
    service_.operate_matching({"", "", "pl*"}, request, tell);
    runner_.run_all();
    EXPECT_THAT(lines, ElementsAre(HasSubstr("1 job 1 is already being printed"), "3 done")) << "2 is as wanted";
    lines.clear();
    service_.operate_matching({"nothing", "", ""}, request, tell);
    EXPECT_THAT(lines, IsEmpty());
}

TEST_F(QueueVerbs, ARedirectedQueueGivesItsJobsAway) {
    const JobId printing = submit_and_send(100, 1), waiting = submit(), held = submit();
    EXPECT_TRUE(now([&](Done d) { service_.hold(held, "anna", std::move(d)); }).ok());
    EXPECT_TRUE(redirect("plates", "proofs").ok());
    EXPECT_EQ(stored(printing).queue, "plates");
    EXPECT_EQ(stored(waiting).queue, "proofs");
    EXPECT_EQ(stored(held).queue, "proofs");
    EXPECT_EQ(stored(held).state, JobState::pending_held);
    const JobId late = submit();
    EXPECT_EQ(stored(late).queue, "proofs");
    EXPECT_THAT(details(late).front(), HasSubstr("sent to plates, which is redirected to proofs"));

    QueueService again(runner_, clock_, {Queue{"plates"}, Queue{"proofs"}});
    ASSERT_TRUE(again.recover(store_, [](const std::string&) { return std::optional<std::uint64_t>(1); }));
    EXPECT_EQ(again.queue("plates")->redirect, "proofs");
    EXPECT_EQ(again.queue("plates")->orders.at(QueueWord::redirect).actor, "ben");

    EXPECT_TRUE(redirect("plates", "").ok());
    EXPECT_EQ(stored(submit()).queue, "plates");
}

TEST_F(QueueVerbs, RedirectionsMakeNoChains) {
    EXPECT_TRUE(redirect("plates", "plates").failed_with(Code::not_permitted));
    EXPECT_TRUE(redirect("plates", "closed").failed_with(Code::not_permitted));
    EXPECT_TRUE(redirect("plates", "nowhere").failed_with(Code::not_found));
    EXPECT_TRUE(redirect("nowhere", "plates").failed_with(Code::not_found));
    EXPECT_TRUE(redirect("plates", "proofs").ok());
    EXPECT_TRUE(redirect("proofs", "plates").failed_with(Code::not_permitted));
    EXPECT_TRUE(redirect("closed", "plates").failed_with(Code::not_permitted));
}

TEST_F(QueueVerbs, ARedirectionToAQueueThatIsGoneIsForgotten) {
    EXPECT_TRUE(redirect("plates", "proofs").ok());
    QueueService again(runner_, clock_, {Queue{"plates"}});
    ASSERT_TRUE(again.recover(store_, [](const std::string&) { return std::optional<std::uint64_t>(1); }));
    EXPECT_EQ(again.queue("plates")->redirect, "");
    EXPECT_TRUE(store_.load_orders().value().empty());
}

TEST_F(QueueVerbs, AQueueStopsAcceptingAndHoldsNewJobs) {
    const auto order_queue = [&](QueueWord word, bool on) {
        return now([&](Done d) { service_.set_switch("plates", word, on, "ben", std::move(d)); });
    };
    EXPECT_TRUE(order_queue(QueueWord::hold_new, true).ok());
    EXPECT_EQ(state(submit()), JobState::pending_held);
    EXPECT_TRUE(order_queue(QueueWord::accepting, false).ok());
    std::optional<Result<JobId>> refused;
    service_.submit(new_job(), [&](Result<JobId> id) { refused = std::move(id); });
    EXPECT_EQ(refused.value().error().code, Code::not_permitted);
    EXPECT_TRUE(order_queue(QueueWord::accepting, true).ok());
    EXPECT_TRUE(order_queue(QueueWord::hold_new, false).ok());
    EXPECT_EQ(state(submit()), JobState::pending);
    EXPECT_TRUE(store_.load_orders().value().empty());
}

TEST_F(QueueVerbs, ARedoRemembersThePicturesOfThePrintingBefore) {
    const auto keep = [&](JobId id, std::uint64_t size_bytes) {
        LedgerEntry entry;
        entry.asked = "a.tif";
        entry.size_bytes = size_bytes;
        std::optional<Result<Ledger>> kept;
        service_.keep_ledger(id, {entry}, [&](Result<Ledger> ledger) { kept = std::move(ledger); });
        runner_.run_all();
        return differences(kept.value().value()).size();
    };
    const JobId id = submit_and_start();
    EXPECT_EQ(keep(id, 5), 0U);
    EXPECT_TRUE(now([&](Done d) { service_.retry_later(id, 0, "refused", std::move(d)); }).ok());
    EXPECT_TRUE(now([&](Done d) { service_.start(id, std::move(d)); }).ok());
    EXPECT_EQ(keep(id, 6), 0U) << "another try is the same printing";
    EXPECT_TRUE(now([&](Done d) { service_.delivered(id, std::move(d)); }).ok());
    EXPECT_TRUE(now([&](Done d) { service_.redo(id, "ben", std::move(d)); }).ok());
    EXPECT_TRUE(now([&](Done d) { service_.start(id, std::move(d)); }).ok());
    EXPECT_EQ(keep(id, 7), 1U);
}

TEST_F(QueueVerbs, WhatIsNoLongerKeptIsInTheLog) {
    const JobId id = submit();
    EXPECT_TRUE(now([&](Done d) { service_.forget(id, "too old", std::move(d)); }).failed_with(Code::conflict));
    EXPECT_TRUE(now([&](Done d) { service_.cancel(id, "ben", std::move(d)); }).ok());
    EXPECT_TRUE(now([&](Done d) { service_.forget(id, "too old", std::move(d)); }).ok());
    EXPECT_EQ(history(id).back(), "forget by system");
    EXPECT_EQ(details(id).back(), "too old");
    EXPECT_EQ(stored(id).cause, Event::cancel);
}

TEST_F(QueueVerbs, TheLogSaysWhyAndHowFar) {
    const JobId id = submit_and_send(120'000'000, 38'000'000);
    EXPECT_TRUE(now([&](Done d) { service_.stop_and_hold(id, "ben", std::move(d)); }).ok());
    EXPECT_THAT(details(id), ElementsAre("", "attempt 1", "120 MB to send",
                                         HasSubstr("held by ben; 38.0 MB of 120 MB were already sent")));
}

}  // namespace
}  // namespace opispool::queues

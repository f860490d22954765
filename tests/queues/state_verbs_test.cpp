// SPDX-License-Identifier: AGPL-3.0-or-later
// Every operator verb on a job in every state, asked through QueueService: the answers are those of job_state's table,
// and the table people read in queues/README.md is that one.
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "tests/queues/service_fixture.h"

namespace opispool::queues {
namespace {

using testing::HasSubstr;

constexpr JobState all_states[] = {
    JobState::pending,  JobState::pending_held, JobState::processing, JobState::processing_stopped,
    JobState::canceled, JobState::aborted,      JobState::completed};

class StateVerbs : public ServiceTest {
  protected:
    // As a restart finds it in the store: any state may be there.
    JobId stored_in(JobState state) {
        Job job;
        static_cast<NewJob&>(job) = new_job();
        job.state = state;
        return store_.insert(job).value();
    }
    static VerbRequest request(Event verb) {
        VerbRequest asked;
        asked.verb = verb;
        asked.actor = "ben";
        asked.queue = "proofs";
        asked.note = "twice, please";
        asked.priority = 70;
        asked.not_before_ms = 2'000'000;
        return asked;
    }
    Answer ask(JobId id, Event verb) {
        if (verb != Event::copy) return now([&](Done d) { service_.operate(id, request(verb), std::move(d)); });
        return now([&](const Done& d) {
            service_.copy(id, "proofs", "000002.ps", "ben",
                          [d](const Result<JobId>& made) { d(made ? Result<void>() : fail(made.error())); });
        });
    }
};

TEST_F(StateVerbs, AnswerAsTheTableSays) {
    for (const JobState state : all_states)
        for (int number = 0; number < event_count; ++number) {
            const auto verb = static_cast<Event>(number);
            if (!is_operator_verb(verb)) continue;
            const std::string what = std::string(name_of(verb)) + " on " + std::string(name_of(state));
            const JobId id = stored_in(state);
            const Answer answer = ask(id, verb);
            const auto expected = next_state(state, verb);
            ASSERT_TRUE(answer.result) << what;
            EXPECT_EQ(stored(id).state, expected.value_or(state)) << what;
            if (expected) {
                EXPECT_TRUE(answer.ok()) << what << ": " << answer.text();
                ASSERT_FALSE(history(id).empty()) << what;
                EXPECT_EQ(history(id).back(), std::string(name_of(verb)) + " by ben") << what;
            } else {
                EXPECT_TRUE(answer.failed_with(Code::not_permitted)) << what << ": " << answer.text();
                EXPECT_THAT(answer.text(), HasSubstr("job " + std::to_string(id.value))) << what;
                EXPECT_TRUE(history(id).empty()) << what;
            }
        }
}

std::string cell(Event event, JobState state) {
    const auto next = next_state(state, event);
    if (!next) return "";
    if (*next == JobState::pending_held) return "held";
    if (*next == JobState::processing_stopped) return "stopped";
    return std::string(name_of(*next));
}

TEST(StateTable, ThePagePeopleReadIsTheTable) {
    std::ifstream page(OPISPOOL_QUEUES_PAGE);
    std::ostringstream read;
    read << page.rdbuf();
    std::string table =
        "| | pending | held | processing | stopped | canceled | aborted | completed "
        "|\n|---|---|---|---|---|---|---|---|\n";
    for (int number = 0; number < event_count; ++number) {
        const auto event = static_cast<Event>(number);
        std::string row = "| " + std::string(name_of(event)) + " |";
        bool any = false;
        for (const JobState state : all_states) {
            const std::string text = cell(event, state);
            any = any || !text.empty();
            row += text.empty() ? " |" : " " + text + " |";
        }
        if (any) table += row + "\n";
    }
    EXPECT_THAT(read.str(), HasSubstr(table)) << "put this into queues/README.md:\n" << table;
}

}  // namespace
}  // namespace opispool::queues

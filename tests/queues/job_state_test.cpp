// SPDX-License-Identifier: AGPL-3.0-or-later
#include "queues/job_state.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace opispool::queues {
namespace {

// Rows: events. Columns: the state before. Cells: the state after, `-` where the event must be refused.
// P pending   H pending-held   R processing (running)   S processing-stopped   C canceled   A aborted   D completed
// (done)
constexpr const char* expected_table = R"(
                    P H R S C A D
    start           R - - - - - -
    begin-sending   - - R - - - -
    retry-later     - - P - - - -
    problem         - - H - - - -
    delivered       - - D - - - -
    abort           A A A A - - -
    hold            H H - H - - -
    stop-and-hold   H H H H - - -
    release         P P - P - - -
    cancel          C C C C - - -
    redo            - - - - P P P
    recover-idle    - - P P - - -
    recover-sending - - H H - - -
    submit          - - - - - - -
    document        - P - - - - -
    schedule        P P - P - - -
    topq            P H - S - - -
    priority        P H - S - - -
    move            P H - S - - -
    note            P H R S C A D
    copy            P H R S C A D
    forget          - - - - C A D
    arrived         P H R S C A -
)";

const std::map<std::string, JobState> letters{{"P", JobState::pending},    {"H", JobState::pending_held},
                                              {"R", JobState::processing}, {"S", JobState::processing_stopped},
                                              {"C", JobState::canceled},   {"A", JobState::aborted},
                                              {"D", JobState::completed}};

std::vector<std::string> words_of(const std::string& line) {
    std::istringstream in(line);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

TEST(JobState, EveryStateAndEventDoesWhatTheTableSays) {
    std::istringstream lines(expected_table);
    std::string line;
    std::getline(lines, line);
    std::getline(lines, line);
    const auto columns = words_of(line);
    ASSERT_EQ(columns.size(), letters.size());

    int rows = 0;
    while (std::getline(lines, line)) {
        const auto words = words_of(line);
        ASSERT_EQ(words.size(), columns.size() + 1) << line;
        const auto event = parse_event(words.front());
        ASSERT_TRUE(event) << words.front();
        ++rows;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const JobState before = letters.at(columns[i]);
            const std::string& cell = words[i + 1];
            const auto after = next_state(before, *event);
            const std::string what = words.front() + " on " + std::string(name_of(before));
            if (cell == "-")
                EXPECT_FALSE(after) << what;
            else
                EXPECT_EQ(after, letters.at(cell)) << what;
        }
    }
    EXPECT_EQ(rows, event_count) << "an event is missing in this test's table";
}

TEST(JobState, NothingButRedoLeavesAFinishedState) {
    for (const auto& [letter, state] : letters) {
        if (!is_finished(state)) continue;
        for (int event = 0; event < event_count; ++event) {
            const auto next = next_state(state, static_cast<Event>(event));
            if (next && *next != state) {
                EXPECT_EQ(static_cast<Event>(event), Event::redo);
            }
        }
    }
}

TEST(JobState, NumbersAndWordsAreThoseOfIpp) {
    const std::vector<std::pair<int, std::string>> ipp{
        {3, "pending"},  {4, "pending-held"}, {5, "processing"}, {6, "processing-stopped"},
        {7, "canceled"}, {8, "aborted"},      {9, "completed"}};
    for (const auto& [number, keyword] : ipp) {
        EXPECT_EQ(name_of(static_cast<JobState>(number)), keyword);
        EXPECT_EQ(parse_job_state(keyword), static_cast<JobState>(number));
    }
    EXPECT_FALSE(parse_job_state("held"));
    EXPECT_FALSE(parse_job_state(""));
    EXPECT_FALSE(parse_event("explode"));
}

}  // namespace
}  // namespace opispool::queues

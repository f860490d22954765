// SPDX-License-Identifier: AGPL-3.0-or-later
// What the API says, seen through its own door.
#include "spooler/http/api_handlers.h"

#include <gmock/gmock.h>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "tests/spooler/http_test_server.h"

namespace opispool::http {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct Answer {
    int status = 0;
    boost::json::object body;
    std::string text(const char* name) const {
        const boost::json::value* value = body.if_contains(name);
        return value != nullptr && value->is_string() ? std::string(value->get_string().c_str()) : "";
    }
    std::int64_t number(const char* name) const { return body.at(name).as_int64(); }
    std::size_t count(const char* name) const { return body.at(name).as_array().size(); }
};

Answer ask(const TestServer& server, const std::string& request) {
    const std::string raw = exchange(server.port(), request);
    Answer answer;
    const auto end = raw.find("\r\n\r\n");
    if (raw.size() < 12 || end == std::string::npos) {
        ADD_FAILURE() << "no answer: " << raw;
        return answer;
    }
    answer.status = std::stoi(raw.substr(9, 3));
    answer.body = boost::json::parse(raw.substr(end + 4)).as_object();
    return answer;
}

Answer submit(const TestServer& server, const std::string& queue = "cover") {
    return ask(server, post("/api/queues/" + queue + "/jobs?title=Cover%20page&user=anna&host=press-1", "%!PS\n"));
}

TEST(ApiHandlers, AJobIsThereAfterItsAnswer) {
    TestServer server;
    const Answer answer = submit(server);
    EXPECT_EQ(answer.status, 201);
    EXPECT_EQ(answer.number("id"), 1);
    EXPECT_EQ(answer.text("queue"), "cover");
    EXPECT_EQ(answer.text("title"), "Cover page");
    EXPECT_EQ(answer.text("user"), "anna");
    EXPECT_EQ(answer.text("host"), "press-1");
    EXPECT_EQ(answer.text("door"), "http");
    EXPECT_EQ(answer.text("state"), "pending");
    EXPECT_EQ(answer.number("size_bytes"), 5);
    server.shut_down();
    ASSERT_THAT(server.store().jobs(), SizeIs(1));
    EXPECT_THAT(server.spool_files("jobs"), SizeIs(1));
    EXPECT_THAT(server.spool_files("jobs")[0], testing::EndsWith(server.store().jobs().begin()->second.spool_file));
}

TEST(ApiHandlers, NamesOnTheirWayInArePrintable) {
    TestServer server;
    const Answer answer =
        ask(server, post("/api/queues/cover/jobs?title=%1B%5B2J%FF&user=" + std::string(2'000, 'u'), "%!PS\n"));
    EXPECT_EQ(answer.status, 201);
    EXPECT_EQ(answer.text("title"), "\\x1B[2J\\xFF");
    EXPECT_EQ(answer.text("user"), std::string(255, 'u'));
    EXPECT_EQ(answer.text("host"), "127.0.0.1");
}

TEST(ApiHandlers, RefusedSubmissionsLeaveNothing) {
    TestServer server;
    EXPECT_EQ(submit(server, "nowhere").status, 404);
    EXPECT_EQ(submit(server, "closed").status, 409);
    EXPECT_EQ(ask(server, post("/api/queues/cover/jobs", "")).status, 400);
    EXPECT_EQ(ask(server,
                  "POST /api/queues/cover/jobs HTTP/1.1\r\nHost: localhost\r\nX-Opispool: 1\r\nConnection: close\r\n"
                  "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
                  .status,
              400);
    server.on_loop([&] {
        server.store().fail_writes(1, Error{Code::no_space, Operation::store, "the disk is full", "jobs.db", {}});
    });
    const Answer full = submit(server);
    EXPECT_EQ(full.status, 507);
    EXPECT_THAT(full.text("error"), HasSubstr("the disk is full"));
    server.shut_down();
    EXPECT_THAT(server.store().jobs(), IsEmpty());
    EXPECT_THAT(server.spool_files("jobs"), IsEmpty());
    EXPECT_THAT(server.spool_files("tmp"), IsEmpty());
}

TEST(ApiHandlers, NoRoomIsSaidBeforeTheBody) {
    TestServer server({}, std::uint64_t{1} << 60U);
    const Answer answer =
        ask(server,
            "POST /api/queues/cover/jobs HTTP/1.1\r\nHost: localhost\r\nX-Opispool: 1\r\nExpect: 100-continue\r\n"
            "Content-Length: 100\r\n\r\n");
    EXPECT_EQ(answer.status, 507);
    EXPECT_FALSE(answer.text("error").empty());
}

TEST(ApiHandlers, ListsQueuesWithTheirJobs) {
    TestServer server;
    submit(server);
    submit(server);
    ask(server, post("/api/jobs/2/hold"));
    const Answer answer = ask(server, get("/api/queues"));
    ASSERT_EQ(answer.count("queues"), 3U);
    const boost::json::object& cover = answer.body.at("queues").as_array()[0].as_object();
    EXPECT_STREQ(cover.at("name").as_string().c_str(), "cover");
    EXPECT_EQ(cover.at("pending").as_int64(), 1);
    EXPECT_EQ(cover.at("held").as_int64(), 1);
    EXPECT_FALSE(answer.body.at("queues").as_array()[2].as_object().at("accepting").as_bool());
}

TEST(ApiHandlers, ListsAndFiltersJobs) {
    TestServer server;
    submit(server, "cover");
    submit(server, "inside");
    submit(server, "inside");
    ask(server, post("/api/jobs/3/cancel"));
    ask(server, post("/api/jobs/2/hold"));
    EXPECT_EQ(ask(server, get("/api/jobs")).count("jobs"), 2U);
    EXPECT_EQ(ask(server, get("/api/jobs?queue=inside")).count("jobs"), 1U);
    EXPECT_EQ(ask(server, get("/api/jobs?queue=inside&finished=1")).count("jobs"), 2U);
    EXPECT_EQ(ask(server, get("/api/jobs?state=pending-held")).count("jobs"), 1U);
    EXPECT_EQ(ask(server, get("/api/jobs?state=canceled")).count("jobs"), 1U);
    EXPECT_EQ(ask(server, get("/api/jobs?state=tired")).status, 400);
    EXPECT_EQ(ask(server, get("/api/jobs?finished=yes")).status, 400);
    EXPECT_EQ(ask(server, get("/api/jobs?queue=nowhere")).status, 404);
}

TEST(ApiHandlers, ExplainsAJob) {
    TestServer server;
    submit(server);
    EXPECT_EQ(ask(server, get("/api/jobs/1/explain")).text("text"), "about 1");
    EXPECT_EQ(ask(server, get("/api/jobs/99/explain")).status, 404);
    EXPECT_EQ(ask(server, post("/api/jobs/1/explain")).status, 405);
}

TEST(ApiHandlers, PassesAnOperatorsWordOn) {
    TestServer server;
    submit(server);
    EXPECT_EQ(ask(server, post("/api/jobs/1/hold?by=anna")).text("state"), "pending-held");
    EXPECT_THAT(ask(server, get("/api/jobs/1")).text("reason"), HasSubstr("anna"));
    EXPECT_EQ(ask(server, post("/api/jobs/1/release")).text("state"), "pending");
    EXPECT_EQ(ask(server, post("/api/jobs/1/cancel")).text("state"), "canceled");
    const Answer twice = ask(server, post("/api/jobs/1/cancel"));
    EXPECT_EQ(twice.status, 409);
    EXPECT_FALSE(twice.text("error").empty());
    EXPECT_EQ(ask(server, post("/api/jobs/1/redo")).text("state"), "pending");
    EXPECT_EQ(ask(server, post("/api/jobs/99/hold")).status, 404);
    EXPECT_EQ(ask(server, get("/api/jobs/99")).status, 404);
}

TEST(ApiHandlers, AJobThatIsBeingSentNeedsTheStrongerWord) {
    TestServer server;
    submit(server);
    server.on_loop([&] {
        server.service().start(queues::JobId{1}, [](Result<void> started) { EXPECT_TRUE(started); });
        server.service().begin_sending(queues::JobId{1}, 1'000, [](Result<void> begun) { EXPECT_TRUE(begun); });
        server.service().progress(queues::JobId{1}, 380);
    });
    const Answer refused = ask(server, post("/api/jobs/1/hold"));
    EXPECT_EQ(refused.status, 409);
    EXPECT_THAT(refused.text("error"), HasSubstr("stop-and-hold"));
    const Answer held = ask(server, post("/api/jobs/1/stop-and-hold?by=anna"));
    EXPECT_EQ(held.text("state"), "pending-held");
    EXPECT_EQ(held.number("sent_bytes"), 380);
    EXPECT_EQ(held.number("result_bytes"), 1'000);
}

// Every operator verb on a job in every state, asked over HTTP: the answers are those of job_state's table.
TEST(ApiHandlers, EveryVerbInEveryStateAnswersAsTheTableSays) {
    TestServer server;
    submit(server);
    std::string document;
    server.on_loop([&] { document = server.store().jobs().begin()->second.spool_file; });
    for (int before = static_cast<int>(queues::JobState::pending);
         before <= static_cast<int>(queues::JobState::completed); ++before)
        for (int number = 0; number < queues::event_count; ++number) {
            const auto state = static_cast<queues::JobState>(before);
            const auto verb = static_cast<queues::Event>(number);
            if (!is_operator_verb(verb)) continue;
            queues::JobId id;
            server.on_loop([&] {
                queues::Job job;
                job.queue = "cover";
                job.spool_file = document;
                job.size_bytes = 77;
                job.state = state;
                id = server.store().insert(job).value();
            });
            std::string query;
            if (verb == queues::Event::schedule) query = "?at=5000";
            if (verb == queues::Event::priority) query = "?priority=9";
            if (verb == queues::Event::move) query = "?queue=inside";
            const std::string what = std::string(name_of(verb)) + " on " + std::string(name_of(state));
            const Answer answer =
                ask(server, post("/api/jobs/" + std::to_string(id.value) + "/" + std::string(name_of(verb)) + query));
            const auto expected = queues::next_state(state, verb);
            const int good = verb == queues::Event::copy ? 201 : 200;
            EXPECT_EQ(answer.status, expected ? good : 409) << what << answer.text("error");
            const Answer after = ask(server, get("/api/jobs/" + std::to_string(id.value)));
            EXPECT_EQ(after.text("state"), name_of(expected.value_or(state))) << what;
        }
}

TEST(ApiHandlers, AVerbSaysWhatItIsMissing) {
    TestServer server;
    submit(server);
    for (const char* wrong : {"schedule", "schedule?at=soon", "schedule?at=-1", "priority", "priority?priority=0",
                              "priority?priority=101", "priority?priority=9999999999", "move", "move?queue="})
        EXPECT_EQ(ask(server, post("/api/jobs/1/" + std::string(wrong))).status, 400) << wrong;
    EXPECT_EQ(ask(server, post("/api/jobs/1/note?note=" + std::string(1001, 'n'))).status, 413);
    EXPECT_EQ(ask(server, post("/api/jobs/1/move?queue=nowhere")).status, 404);
    EXPECT_EQ(ask(server, post("/api/jobs/1/move?queue=closed")).status, 409);
    EXPECT_EQ(ask(server, post("/api/jobs/hold")).status, 400) << "no pattern means no job, not all";
}

TEST(ApiHandlers, ACopyHasADocumentOfItsOwn) {
    TestServer server;
    submit(server);
    const Answer copy = ask(server, post("/api/jobs/1/copy?queue=inside&by=anna"));
    EXPECT_EQ(copy.status, 201);
    EXPECT_EQ(copy.number("id"), 2);
    EXPECT_EQ(copy.text("queue"), "inside");
    EXPECT_THAT(server.spool_files("jobs"), SizeIs(2));
    EXPECT_EQ(ask(server, post("/api/jobs/1/copy?queue=closed")).status, 409);
    EXPECT_THAT(server.spool_files("jobs"), SizeIs(2)) << "a refused copy leaves nothing";
    server.on_loop([&] { std::filesystem::remove(server.spool_files("jobs").front()); });
    std::size_t refused = 0;
    for (const char* id : {"1", "2"})
        if (ask(server, post("/api/jobs/" + std::string(id) + "/copy")).status == 409) ++refused;
    EXPECT_EQ(refused, 1U) << "a document that is gone can't be copied";
}

TEST(ApiHandlers, PatternsAnswerForEveryJob) {
    TestServer server;
    submit(server);
    submit(server, "inside");
    server.on_loop(
        [&] { server.service().start(queues::JobId{1}, [](Result<void> started) { EXPECT_TRUE(started); }); });
    const Answer held = ask(server, post("/api/jobs/hold?title=cover*&user=AN%3Fa&by=ben"));
    EXPECT_EQ(held.status, 200);
    ASSERT_EQ(held.count("jobs"), 1U);
    EXPECT_EQ(held.body.at("jobs").as_array()[0].as_object().at("id").as_int64(), 2);
    ASSERT_EQ(held.count("refused"), 1U);
    EXPECT_EQ(held.body.at("refused").as_array()[0].as_object().at("id").as_int64(), 1);
}

TEST(ApiHandlers, QueuesObeyAndSayWhoOrdered) {
    TestServer server;
    submit(server);
    EXPECT_TRUE(ask(server, post("/api/queues/cover/pause?by=anna")).body.at("paused").as_bool());
    EXPECT_FALSE(ask(server, post("/api/queues/cover/resume")).body.at("paused").as_bool());
    EXPECT_FALSE(ask(server, post("/api/queues/cover/reject")).body.at("accepting").as_bool());
    EXPECT_EQ(submit(server).status, 409);
    EXPECT_TRUE(ask(server, post("/api/queues/cover/accept")).body.at("accepting").as_bool());
    EXPECT_TRUE(ask(server, post("/api/queues/cover/holdall")).body.at("hold_new").as_bool());
    EXPECT_EQ(submit(server).text("state"), "pending-held");
    EXPECT_FALSE(ask(server, post("/api/queues/cover/noholdall")).body.at("hold_new").as_bool());
    const Answer away = ask(server, post("/api/queues/cover/redirect?to=inside&by=ben"));
    EXPECT_EQ(away.text("redirect"), "inside");
    const boost::json::object& order = away.body.at("orders").as_array()[0].as_object();
    EXPECT_STREQ(order.at("by").as_string().c_str(), "ben");
    EXPECT_EQ(ask(server, get("/api/jobs/1")).text("queue"), "inside");
    EXPECT_EQ(submit(server).text("queue"), "inside");
    EXPECT_EQ(ask(server, post("/api/queues/cover/redirect")).text("redirect"), "");
    EXPECT_EQ(ask(server, post("/api/queues/nowhere/pause")).status, 404);
    EXPECT_EQ(ask(server, post("/api/queues/cover/burn")).status, 404);
}

TEST(ApiHandlers, SaysWhyAJobWaitsAndWhoDidWhat) {
    TestServer server;
    submit(server);
    EXPECT_TRUE(ask(server, get("/api/jobs/1/why")).body.at("why").is_null());
    ask(server, post("/api/jobs/1/hold?by=anna"));
    const Answer why = ask(server, get("/api/jobs/1/why"));
    const boost::json::object& told = why.body.at("why").as_object();
    EXPECT_STREQ(told.at("reason").as_string().c_str(), "held by anna");
    EXPECT_STREQ(told.at("command").as_string().c_str(), "opispool release 1");
    EXPECT_EQ(told.at("since_ms").as_int64(), 1'000);
    const Answer listed = ask(server, get("/api/jobs"));
    EXPECT_EQ(listed.body.at("jobs").as_array()[0].as_object().at("why"), why.body.at("why"));

    ask(server, post("/api/jobs/1/priority?priority=80&by=ben"));
    const Answer log = ask(server, get("/api/jobs/1/log"));
    ASSERT_EQ(log.count("events"), 3U);
    const boost::json::object& last = log.body.at("events").as_array()[2].as_object();
    EXPECT_STREQ(last.at("event").as_string().c_str(), "priority");
    EXPECT_STREQ(last.at("by").as_string().c_str(), "ben");
    EXPECT_STREQ(last.at("detail").as_string().c_str(), "50 -> 80");
    EXPECT_EQ(ask(server, get("/api/jobs/99/log")).status, 404);
    EXPECT_EQ(ask(server, get("/api/jobs/99/why")).status, 404);
}

TEST(ApiHandlers, ASubmissionMayNameItsTime) {
    TestServer server;
    const Answer later = ask(server, post("/api/queues/cover/jobs?at=9000&priority=70&note=twice", "%!PS\n"));
    EXPECT_EQ(later.status, 201);
    EXPECT_EQ(later.number("not_before_ms"), 9'000);
    EXPECT_EQ(later.number("priority"), 70);
    EXPECT_EQ(later.text("note"), "twice");
    EXPECT_EQ(ask(server, post("/api/queues/cover/jobs?at=soon", "%!PS\n")).status, 400);
    EXPECT_EQ(ask(server, post("/api/queues/cover/jobs?priority=0", "%!PS\n")).status, 400);
    EXPECT_THAT(server.spool_files("jobs"), SizeIs(1));
}

}  // namespace
}  // namespace opispool::http

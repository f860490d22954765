// SPDX-License-Identifier: AGPL-3.0-or-later
// The verbs that talk to a daemon, run as a user runs them, against a server in this process.
#include <gmock/gmock.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "tests/spooler/http_test_server.h"
#include "tests/spooler/tool_run.h"

namespace opispool::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class CliServer : public testing::Test {
  protected:
    ToolRun run(std::vector<std::string> words, ToolSetup setup = {}) {
        setup.environment.push_back("OPISPOOL_SERVER=127.0.0.1:" + std::to_string(server_.port()));
        return run_tool(std::move(words), setup);
    }
    void submit(const std::string& queue) {
        const ToolRun sent = run({"submit", "-q", queue, "-t", "Title of " + queue}, piped("%!PS\n"));
        ASSERT_EQ(sent.exit_code, 0) << sent.err;
    }
    http::TestServer server_;
    ScratchFolder folder_;
};

TEST_F(CliServer, SubmitsFilesPipesAndRedirections) {
    const std::string document = "%!PS-Adobe-3.0\n" + std::string(3'000'000, 'x') + "\n%%EOF\n";
    const std::string file = folder_.file("cover 1.ps", document);
    const ToolRun named = run({"submit", "-q", "cover", file});
    EXPECT_EQ(named.exit_code, 0) << named.err;
    EXPECT_EQ(named.out, "1\n");
    EXPECT_EQ(run({"submit", "--queue", "cover", "-"}, piped(document)).out, "2\n");
    EXPECT_EQ(run({"submit", "-q", "cover"}, redirected(document)).out, "3\n");
    server_.shut_down();
    ASSERT_THAT(server_.store().jobs(), SizeIs(3));
    EXPECT_EQ(server_.store().jobs().begin()->second.title, "cover 1.ps");
    for (const std::string& spooled : server_.spool_files("jobs")) EXPECT_EQ(content_of(spooled), document);
}

TEST_F(CliServer, SaysWhyAJobWasNotTaken) {
    const ToolRun nowhere = run({"submit", "-q", "no where"}, piped("%!PS\n"));
    EXPECT_EQ(nowhere.exit_code, 1);
    EXPECT_EQ(nowhere.out, "");
    EXPECT_EQ(nowhere.err, "opispool: there is no queue \"no where\"\n");
    EXPECT_EQ(run({"submit", "-q", "cover"}, piped("")).exit_code, 1);
    EXPECT_EQ(run({"submit", "-q", "cover"}, redirected("")).exit_code, 1);
    server_.shut_down();
    EXPECT_THAT(server_.store().jobs(), IsEmpty());
}

TEST_F(CliServer, ShowsQueuesAndJobs) {
    submit("cover");
    submit("inside");
    EXPECT_THAT(run({"queues"}).out, AllOf(StartsWith("QUEUE "), HasSubstr("inside"), HasSubstr("rejecting")));
    EXPECT_THAT(run({"jobs"}).out,
                AllOf(HasSubstr("Title of cover"), HasSubstr("Title of inside"), HasSubstr("pending")));
    EXPECT_THAT(run({"jobs", "-q", "inside"}).out,
                AllOf(Not(HasSubstr("Title of cover")), HasSubstr("Title of inside")));
    EXPECT_EQ(run({"cancel", "1"}).exit_code, 0);
    EXPECT_THAT(run({"jobs"}).out, Not(HasSubstr("Title of cover")));
    EXPECT_THAT(run({"jobs", "--all"}).out, AllOf(HasSubstr("Title of cover"), HasSubstr("canceled")));
    EXPECT_TRUE(boost::json::parse(run({"queues", "--json"}).out).as_object().contains("queues"));
    EXPECT_TRUE(boost::json::parse(run({"jobs", "--json"}).out).as_object().contains("jobs"));
    EXPECT_EQ(boost::json::parse(run({"job", "2", "--json"}).out).as_object().at("id").as_int64(), 2);
}

TEST_F(CliServer, AHeldJobShowsItsWholeReason) {
    submit("cover");
    const std::string reason = "cover.ps:12: image 'car.tif': " + std::string(200, 'w') + " end";
    server_.on_loop([&] {
        server_.service().start(queues::JobId{1}, [](Result<void> started) { EXPECT_TRUE(started); });
        server_.service().hold_for_problem(queues::JobId{1}, reason, [](Result<void> held) { EXPECT_TRUE(held); });
    });
    EXPECT_THAT(run({"job", "1"}).out, HasSubstr(reason));
    EXPECT_THAT(run({"jobs"}).out, AllOf(HasSubstr("cover.ps:12"), Not(HasSubstr(reason))));
}

TEST_F(CliServer, ExplainsAJobByItsNumber) {
    submit("cover");
    EXPECT_EQ(run({"explain", "1"}).out, "about 1");
    EXPECT_EQ(run({"explain", "--json", "1"}).out, "{\"text\":\"about 1\"}\n");
    EXPECT_EQ(run({"explain", "7"}).exit_code, 1);
    EXPECT_EQ(run({"explain", "thin.ps"}).exit_code, 2) << "a file wants its stores";
}

TEST_F(CliServer, TellsEveryJobAndReportsEveryRefusal) {
    submit("cover");
    submit("cover");
    const ToolRun held = run({"hold", "1", "99", "2"});
    EXPECT_EQ(held.exit_code, 1);
    EXPECT_THAT(held.out, AllOf(HasSubstr("job 1: pending-held"), HasSubstr("job 2: pending-held")));
    EXPECT_THAT(held.err, StartsWith("opispool: job 99: "));
    EXPECT_THAT(run({"release", "1", "2"}).out, AllOf(HasSubstr("job 1: pending\n"), HasSubstr("job 2: pending\n")));
    EXPECT_EQ(run({"cancel", "1"}).exit_code, 0);
    EXPECT_EQ(run({"cancel", "1"}).exit_code, 1);
    EXPECT_THAT(run({"redo", "1", "--json"}).out, HasSubstr("\"state\":\"pending\""));
    EXPECT_THAT(run({"stop-and-hold", "1"}).out, HasSubstr("job 1: pending-held"));
}

TEST_F(CliServer, TellsJobsMoreThanHold) {
    submit("cover");
    submit("cover");
    EXPECT_EQ(run({"topq", "2"}).exit_code, 0);
    EXPECT_EQ(run({"priority", "1", "-p", "80"}).exit_code, 0);
    EXPECT_THAT(run({"why", "1"}).out, AllOf(StartsWith("job 1: 1 job is before it, since "), HasSubstr("topq 1")));
    EXPECT_THAT(run({"why", "2"}).out, "job 2 does not wait: it is pending\n");
    EXPECT_EQ(run({"move", "1", "-q", "inside"}).exit_code, 0);
    EXPECT_THAT(run({"schedule", "1", "--at", "+2h"}).out, HasSubstr("job 1: pending (scheduled by "));
    EXPECT_EQ(run({"note", "1", "-t", "for Tuesday"}).exit_code, 0);
    EXPECT_THAT(run({"copy", "1", "-q", "cover"}).out, "job 3: pending\n");
    EXPECT_THAT(run({"job", "1"}).out, AllOf(HasSubstr("for Tuesday"), HasSubstr("Priority  80"), HasSubstr("inside")));
    EXPECT_THAT(run({"log", "1"}).out, AllOf(HasSubstr("submit"), HasSubstr("cover -> inside"), HasSubstr("50 -> 80")));
    EXPECT_THAT(run({"hold", "-q", "co*"}).out,
                AllOf(HasSubstr("job 2: pending-held"), HasSubstr("job 3: pending-held")));
    EXPECT_THAT(run({"release", "--title", "*cover*"}).out, HasSubstr("job 3: pending\n"));
}

TEST_F(CliServer, OrdersQueuesAndShowsTheirState) {
    submit("cover");
    EXPECT_EQ(run({"pause", "cover"}).out, "queue cover: accepting, paused\n");
    EXPECT_THAT(run({"status"}).out, AllOf(HasSubstr("accepting, paused"),
                                           HasSubstr("job 1 on cover (Title of cover): queue cover was paused"),
                                           HasSubstr("opispool resume cover")));
    EXPECT_EQ(run({"resume", "cover"}).out, "queue cover: accepting\n");
    EXPECT_EQ(run({"redirect", "cover", "inside"}).out, "queue cover: accepting, redirected to inside\n");
    EXPECT_THAT(run({"job", "1"}).out, HasSubstr("inside"));
    EXPECT_EQ(run({"redirect", "cover", "--off"}).out, "queue cover: accepting\n");
    EXPECT_EQ(run({"holdall", "cover"}).exit_code, 0);
    EXPECT_EQ(run({"noholdall", "cover"}).exit_code, 0);
    EXPECT_EQ(run({"reject", "cover"}).out, "queue cover: rejecting\n");
    EXPECT_EQ(run({"accept", "cover", "nowhere"}).exit_code, 1);
}

TEST_F(CliServer, UsageErrorsAreExitTwo) {
    const std::vector<std::vector<std::string>> mistakes{
        {"submit"},
        {"submit", "-q", ""},
        {"submit", "-q", "cover", (folder_.path() / "lost.ps").string()},
        {"submit", "-q", "cover", folder_.path().string()},
        {"queues", "extra"},
        {"queues", "--server", "a:b"},
        {"job"},
        {"job", "x"},
        {"job", "1", "2"},
        {"hold"},
        {"hold", "1", "two"},
        {"cancel", "--all"},
        {"hold", "1", "-q", "cover"},
        {"priority", "1"},
        {"priority", "-p", "9"},
        {"schedule", "1", "--at", "late"},
        {"submit", "-q", "cover", "--at", "late"},
        {"move", "1"},
        {"pause"},
        {"redirect", "cover"},
        {"redirect", "cover", "inside", "--off"},
        {"why"},
        {"log", "x"}};
    for (const auto& words : mistakes) {
        const ToolRun wrong = run(words);
        EXPECT_EQ(wrong.exit_code, 2) << testing::PrintToString(words) << wrong.err;
        EXPECT_THAT(wrong.err, AllOf(StartsWith("opispool: "), HasSubstr("--help")));
    }
}

TEST_F(CliServer, ASilentPortIsNoServer) {
    const unsigned port = server_.port();
    server_.shut_down();
    const std::string server = "127.0.0.1:" + std::to_string(port);
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"queues"}, {"job", "1"}, {"submit", "-q", "cover"}}) {
        std::vector<std::string> all = words;
        all.insert(all.end(), {"--server", server});
        const ToolRun nobody = run_tool(all);
        EXPECT_EQ(nobody.exit_code, 1);
        EXPECT_EQ(nobody.err, "opispool: no opispoold at " + server + "; start it or give --server\n");
    }
    EXPECT_EQ(run_tool({"hold", "1", "--server", server}).err,
              "opispool: job 1: no opispoold at " + server + "; start it or give --server\n");
}

}  // namespace
}  // namespace opispool::cli

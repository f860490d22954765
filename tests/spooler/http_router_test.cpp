// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/http/router.h"

#include <gtest/gtest.h>

#include "base/percent_code.h"
#include "spooler/http/request_guard.h"

namespace opispool::http {
namespace {

TEST(Router, FindsEveryEndpoint) {
    const struct {
        const char *method, *target;
        Endpoint endpoint;
    } cases[] = {
        {"GET", "/api/queues", Endpoint::list_queues},
        {"GET", "/api/jobs", Endpoint::list_jobs},
        {"GET", "/api/jobs?queue=cover&state=pending&finished=1", Endpoint::list_jobs},
        {"GET", "/api/jobs/42", Endpoint::show_job},
        {"GET", "/api/jobs/42/explain", Endpoint::explain_job},
        {"GET", "/api/jobs/42/why", Endpoint::why_job},
        {"GET", "/api/jobs/42/log", Endpoint::job_log},
        {"POST", "/api/jobs/hold?title=a&user=b&queue=c&by=d", Endpoint::change_matching},
        {"POST", "/api/jobs/42/move?queue=cover", Endpoint::change_job},
        {"POST", "/api/jobs/42/hold?by=anna", Endpoint::change_job},
        {"POST", "/api/queues/cover/jobs?title=a&user=b&host=c", Endpoint::submit_job},
        {"GET", "/printers/cover.ppd", Endpoint::ppd},
        {"POST", "/printers/cover", Endpoint::ipp},
        {"POST", "/ipp/print/cover", Endpoint::ipp},
        {"POST", "/ipp/print", Endpoint::ipp},
        {"POST", "/jobs/42", Endpoint::ipp},
        {"POST", "/", Endpoint::ipp},
    };
    for (const auto& one : cases) {
        const auto route = find_route(one.method, one.target);
        ASSERT_TRUE(route) << one.target << ": " << route.error().text;
        EXPECT_EQ(route->endpoint, one.endpoint) << one.target;
    }
}

TEST(Router, KnowsEveryVerb) {
    for (int number = 0; number < queues::event_count; ++number) {
        const auto verb = static_cast<queues::Event>(number);
        const auto route = find_route("POST", "/api/jobs/7/" + std::string(name_of(verb)));
        ASSERT_EQ(route.has_value(), is_operator_verb(verb)) << name_of(verb);
        if (!route) continue;
        EXPECT_EQ(route->endpoint, verb == queues::Event::copy ? Endpoint::copy_job : Endpoint::change_job);
        EXPECT_EQ(route->verb, verb);
        EXPECT_EQ(route->job.value, 7);
    }
}

TEST(Router, KnowsWhatQueuesAreTold) {
    const auto pause = find_route("POST", "/api/queues/cover/pause?by=anna");
    ASSERT_TRUE(pause);
    EXPECT_EQ(pause->endpoint, Endpoint::order_queue);
    EXPECT_EQ(pause->queue, "cover");
    EXPECT_EQ(pause->order, queues::QueueWord::paused);
    EXPECT_TRUE(pause->on);
    EXPECT_FALSE(find_route("POST", "/api/queues/cover/accept")->order == queues::QueueWord::paused);
    EXPECT_FALSE(find_route("POST", "/api/queues/cover/reject")->on);
    EXPECT_EQ(find_route("POST", "/api/queues/cover/redirect?to=b")->query.at("to"), "b");
    EXPECT_FALSE(find_route("POST", "/api/queues/cover/pause?to=b")) << "a parameter it does not know";
}

TEST(Router, DecodesNamesAfterSplitting) {
    const auto route = find_route("POST", "/api/queues/a%2Fb%20c/jobs?title=1+%26+2%3D3");
    ASSERT_TRUE(route);
    EXPECT_EQ(route->queue, "a/b c");
    EXPECT_EQ(route->query.at("title"), "1 & 2=3");
}

TEST(Router, TheQueueOfAnIppAddressIsItsLastName) {
    EXPECT_EQ(find_route("POST", "/printers/a%2Fb")->queue, "a/b");
    EXPECT_EQ(find_route("POST", "/ipp/print/cover")->queue, "cover");
    EXPECT_EQ(find_route("GET", "/printers/cover.ppd")->queue, "cover");
    EXPECT_EQ(find_route("POST", "/jobs/42")->queue, "");
}

TEST(Router, RefusesWhatItDoesNotKnow) {
    const struct {
        const char *method, *target;
        unsigned status;
    } cases[] = {
        {"GET", "/", 404},
        {"GET", "", 400},
        {"GET", "api/queues", 400},
        {"GET", "/api", 404},
        {"GET", "/printers/cover", 405},
        {"POST", "/printers/cover.ppd", 405},
        {"GET", "/printers", 404},
        {"GET", "/api/queues/", 404},
        {"GET", "/api/jobs/0", 404},
        {"GET", "/api/jobs/-1", 404},
        {"GET", "/api/jobs/99999999999999999999", 404},
        {"GET", "/api/jobs/1%002", 404},
        {"POST", "/api/jobs/1/burn", 404},
        {"POST", "/api/jobs/1/hold/now", 404},
        {"GET", "/api/jobs/1/hold", 405},
        {"DELETE", "/api/jobs/1", 405},
        {"POST", "/api/queues", 405},
        {"GET", "/api/jobs?user=x", 400},
        {"GET", "/api/jobs?queue=a&queue=b", 400},
        {"GET", "/api/jobs?queue=%4", 400},
        {"GET", "/api/%zz", 400},
    };
    for (const auto& one : cases) {
        const auto route = find_route(one.method, one.target);
        ASSERT_FALSE(route) << one.method << " " << one.target;
        EXPECT_EQ(route.error().status, one.status) << one.method << " " << one.target;
        EXPECT_FALSE(route.error().text.empty());
    }
    EXPECT_EQ(find_route("GET", "/api/jobs/1/hold").error().allow, "POST");
}

TEST(PercentCode, EveryByteComesBack) {
    std::string all;
    for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
    EXPECT_EQ(percent_decoded(percent_encoded(all), true), all);
    EXPECT_EQ(percent_encoded("a b+c/é"), "a%20b%2Bc%2F%C3%A9");
    EXPECT_FALSE(percent_decoded("%", false));
    EXPECT_FALSE(percent_decoded("%2", false));
    EXPECT_FALSE(percent_decoded("%G0", false));
}

RequestFacts from_program(bool changes) {
    RequestFacts facts;
    facts.changes_something = changes;
    facts.host = "localhost:8632";
    if (changes) facts.opispool_header = "1";
    return facts;
}

TEST(RequestGuard, LetsProgramsThrough) {
    EXPECT_FALSE(refuse_request(from_program(false), "press-1"));
    EXPECT_FALSE(refuse_request(from_program(true), "press-1"));
    for (const char* host : {"127.0.0.1", "127.0.0.1:8632", "[::1]:8632", "[::1]", "LOCALHOST", "press-1", "press-1:80",
                             "Press-1.example.org", "192.168.1.7:8632"}) {
        RequestFacts facts = from_program(true);
        facts.host = host;
        EXPECT_FALSE(refuse_request(facts, "press-1.example.org")) << host;
    }
    for (const char* type : {"application/json", "application/json; charset=utf-8", "Application/PostScript"}) {
        RequestFacts facts = from_program(true);
        facts.opispool_header.reset();
        facts.content_type = type;
        EXPECT_FALSE(refuse_request(facts, "")) << type;
    }
    RequestFacts own_page = from_program(true);
    own_page.origin = "http://localhost:8632";
    EXPECT_FALSE(refuse_request(own_page, ""));
}

TEST(RequestGuard, KeepsWebPagesOut) {
    for (const char* host : {"evil.example", "evil.example:8632", "localhost.evil.example", "",
                             "127.0.0.1.evil.example", "[::1", "press-1.evil.example"}) {
        RequestFacts facts = from_program(false);
        facts.host = host;
        const auto refusal = refuse_request(facts, "press-1.example.org");
        ASSERT_TRUE(refusal) << host;
        EXPECT_EQ(refusal->status, 403U);
    }
    for (const char* type : {"application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", "",
                             "text/plain; application/json"}) {
        RequestFacts facts = from_program(true);
        facts.opispool_header.reset();
        facts.content_type = type;
        EXPECT_TRUE(refuse_request(facts, "")) << type;
    }
    RequestFacts untyped = from_program(true);
    untyped.opispool_header.reset();
    EXPECT_TRUE(refuse_request(untyped, ""));
    for (const char* origin : {"http://evil.example", "null", "https://localhost:8632", "http://localhost:1"}) {
        RequestFacts facts = from_program(true);
        facts.origin = origin;
        EXPECT_TRUE(refuse_request(facts, "")) << origin;
    }
    RequestFacts nameless = from_program(false);
    nameless.host.reset();
    EXPECT_TRUE(refuse_request(nameless, ""));
    nameless.http_1_1 = false;
    EXPECT_FALSE(refuse_request(nameless, ""));
}

}  // namespace
}  // namespace opispool::http

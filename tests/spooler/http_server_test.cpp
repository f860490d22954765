// SPDX-License-Identifier: AGPL-3.0-or-later
// HTTP as it goes over the wire: splits, limits, bodies that are cut, chunked, refused.
#include "spooler/http/http_server.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "tests/spooler/http_test_server.h"

namespace opispool::http {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

std::string content_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

void expect_no_trace(TestServer& server) {
    server.shut_down();
    EXPECT_THAT(server.store().jobs(), IsEmpty());
    EXPECT_THAT(server.spool_files("jobs"), IsEmpty());
    EXPECT_THAT(server.spool_files("tmp"), IsEmpty());
}

TEST(HttpServer, AnswersASplitRequestAsAWholeOne) {
    TestServer server;
    const std::string request = post("/api/queues/cover/jobs?title=t", "%!PS\nshowpage\n");
    for (std::size_t split = 1; split < request.size(); ++split) {
        RawClient client(server.port());
        client.send(std::string_view(request).substr(0, split));
        client.send(std::string_view(request).substr(split));
        ASSERT_THAT(client.read_all(), StartsWith("HTTP/1.1 201 ")) << split;
    }
    RawClient client(server.port());
    for (const char byte : request) client.send(std::string_view(&byte, 1));
    EXPECT_THAT(client.read_all(), StartsWith("HTTP/1.1 201 "));
    server.shut_down();
    ASSERT_THAT(server.store().jobs(), SizeIs(request.size()));
    for (const std::string& file : server.spool_files("jobs")) EXPECT_EQ(content_of(file), "%!PS\nshowpage\n");
}

TEST(HttpServer, CarriesSeveralRequestsOnOneConnection) {
    TestServer server;
    RawClient client(server.port());
    const std::string alive = "GET /api/queues HTTP/1.1\r\nHost: localhost\r\n\r\n";
    client.send(alive + alive + get("/api/jobs"));
    const std::string answers = client.read_all();
    std::size_t count = 0;
    for (auto at = answers.find("HTTP/1.1 200"); at != std::string::npos; at = answers.find("HTTP/1.1 200", at + 1))
        ++count;
    EXPECT_EQ(count, 3U) << answers;
}

TEST(HttpServer, RefusesALongHeader) {
    TestServer server;
    EXPECT_THAT(exchange(server.port(), "GET /api/queues HTTP/1.1\r\nHost: localhost\r\nX-Long: " +
                                            std::string(20U << 10U, 'x') + "\r\n\r\n"),
                StartsWith("HTTP/1.1 431 "));
    EXPECT_THAT(exchange(server.port(), "GET /" + std::string(64U << 10U, 'x')), StartsWith("HTTP/1.1 431 "));
    EXPECT_THAT(exchange(server.port(), get("/api/queues")), StartsWith("HTTP/1.1 200 "));
}

TEST(HttpServer, RefusesWhatIsNoHttp) {
    TestServer server;
    EXPECT_THAT(exchange(server.port(), "\002cover\n\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
    EXPECT_THAT(exchange(server.port(), "%!PS-Adobe-3.0\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
    EXPECT_THAT(exchange(server.port(), "GET /api/queues HTTP/1.1\r\nConnection: close\r\n\r\n"),
                StartsWith("HTTP/1.1 400 "));
    expect_no_trace(server);
}

TEST(HttpServer, KeepsWebPagesOut) {
    TestServer server;
    const std::string form =
        "POST /api/queues/cover/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: "
        "4\r\n\r\n%!PS";
    EXPECT_THAT(exchange(server.port(), form), StartsWith("HTTP/1.1 403 "));
    EXPECT_THAT(exchange(server.port(), "GET /api/jobs HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"),
                StartsWith("HTTP/1.1 403 "));
    expect_no_trace(server);
}

TEST(HttpServer, NeverMakesAJobOfHalfABody) {
    TestServer server;
    const std::string whole = post("/api/queues/cover/jobs", std::string(1U << 20U, '%'));
    RawClient half_closed(server.port());
    half_closed.send(std::string_view(whole).substr(0, whole.size() - 1));
    half_closed.half_close();
    EXPECT_THAT(half_closed.read_all(), StartsWith("HTTP/1.1 400 "));
    {
        RawClient gone(server.port());
        gone.send(std::string_view(whole).substr(0, whole.size() / 2));
    }
    RawClient chunked(server.port());
    chunked.send(
        "POST /api/queues/cover/jobs HTTP/1.1\r\nHost: localhost\r\nX-Opispool: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
        "5\r\n%!PS\n\r\n");
    chunked.half_close();
    EXPECT_THAT(chunked.read_all(), StartsWith("HTTP/1.1 400 "));
    expect_no_trace(server);
}

TEST(HttpServer, DiscardsAnUploadWhenItStops) {
    TestServer server;
    RawClient client(server.port());
    client.send(
        "POST /api/queues/cover/jobs HTTP/1.1\r\nHost: localhost\r\nX-Opispool: 1\r\nExpect: 100-continue\r\n"
        "Content-Length: 1000\r\n\r\n");
    EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    client.send("%!PS");
    expect_no_trace(server);
    EXPECT_EQ(client.read_all(), "");
}

TEST(HttpServer, ReadsChunksOfAnySize) {
    TestServer server;
    const std::string document = "%!PS-Adobe-3.0\n" + std::string(600'000, 'x') + "\n%%EOF\n";
    std::string request =
        "POST /api/queues/cover/jobs HTTP/1.1\r\nHost: localhost\r\nX-Opispool: 1\r\nTransfer-Encoding: chunked\r\n"
        "Connection: close\r\n\r\n";
    for (std::size_t i = 0; i < 40; ++i) request += "001;x=y\r\n" + document.substr(i, 1) + "\r\n";
    std::ostringstream rest;
    rest << std::hex << std::uppercase << document.size() - 40;
    request += rest.str() + "\r\n" + document.substr(40) + "\r\n0000\r\nX-Trailer: t\r\n\r\n";
    EXPECT_THAT(exchange(server.port(), request), StartsWith("HTTP/1.1 201 "));
    server.shut_down();
    ASSERT_THAT(server.spool_files("jobs"), SizeIs(1));
    EXPECT_EQ(content_of(server.spool_files("jobs")[0]), document);
}

TEST(HttpServer, InvitesABodyOnlyWhenItWantsIt) {
    TestServer server;
    const std::string rest =
        " HTTP/1.1\r\nHost: localhost\r\nX-Opispool: 1\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: "
        "5\r\n\r\n";
    RawClient client(server.port());
    client.send("POST /api/queues/cover/jobs" + rest);
    EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    client.send("%!PS\n");
    EXPECT_THAT(client.read_all(), StartsWith("HTTP/1.1 201 "));
    // Some clients announce it and do not wait.
    const std::string answer = exchange(server.port(), "POST /api/queues/cover/jobs" + rest + "%!PS\n");
    EXPECT_THAT(answer, HasSubstr("HTTP/1.1 201 "));
    EXPECT_THAT(exchange(server.port(), "POST /api/queues/nowhere/jobs" + rest), StartsWith("HTTP/1.1 404 "));
    EXPECT_THAT(exchange(server.port(), "POST /api/queues/closed/jobs" + rest), StartsWith("HTTP/1.1 409 "));
    EXPECT_THAT(exchange(server.port(),
                         "POST /api/queues/cover/jobs HTTP/1.1\r\nHost: localhost\r\nX-Opispool: 1\r\nExpect: a "
                         "coffee\r\nConnection: close\r\n\r\n"),
                StartsWith("HTTP/1.1 417 "));
}

TEST(HttpServer, LimitsOtherBodies) {
    TestServer server;
    EXPECT_THAT(exchange(server.port(), post("/api/jobs/1/hold", std::string(65537, ' '))),
                StartsWith("HTTP/1.1 413 "));
    EXPECT_THAT(exchange(server.port(), post("/api/jobs/1/hold", "hold it")), StartsWith("HTTP/1.1 400 "));
    EXPECT_THAT(exchange(server.port(), post("/api/jobs/1/hold", "{}")), StartsWith("HTTP/1.1 404 "));
    EXPECT_THAT(
        exchange(
            server.port(),
            "POST /api/jobs/1/hold HTTP/1.1\r\nHost: localhost\r\nX-Opispool: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
            "20000\r\n" +
                std::string(0x20000, ' ') + "\r\n0\r\n\r\n"),
        StartsWith("HTTP/1.1 413 "));
}

TEST(HttpServer, TurnsTheOverflowingConnectionAway) {
    HttpLimits limits;
    limits.connections = 2;
    TestServer server(limits);
    const std::string alive = "GET /api/queues HTTP/1.1\r\nHost: localhost\r\n\r\n";
    RawClient first(server.port()), second(server.port());
    for (RawClient* client : {&first, &second}) {
        client->send(alive);
        EXPECT_THAT(client->read_until("]}\n"), StartsWith("HTTP/1.1 200 "));
    }
    EXPECT_THAT(RawClient(server.port()).read_all(), StartsWith("HTTP/1.1 503 "));
    first.half_close();
    EXPECT_EQ(first.read_all(), "");
    EXPECT_THAT(exchange(server.port(), get("/api/queues")), StartsWith("HTTP/1.1 200 "));
}

TEST(HttpServer, EndsASilentConnection) {
    HttpLimits limits;
    limits.idle = std::chrono::milliseconds(50);
    TestServer server(limits);
    EXPECT_EQ(RawClient(server.port()).read_all(), "");
    RawClient slow(server.port());
    slow.send(post("/api/queues/cover/jobs", std::string(100, '%')).substr(0, 180));
    EXPECT_THAT(slow.read_all(), Not(HasSubstr(" 201 ")));
    expect_no_trace(server);
}

TEST(HttpServer, SaysWhyItCanNotListen) {
    TestServer taken;
    TestServer other;
    boost::asio::io_context loop;
    boost::asio::thread_pool pool(1);
    ScratchFolder folder;
    auto spool = spooler::Spool::open((folder.path() / "spool").string(), 0);
    ASSERT_TRUE(spool);
    ApiHandlers handlers(other.service(), *spool, pool.get_executor(), {});
    HttpServer same_port(loop.get_executor(), "127.0.0.1", taken.port(), handlers);
    const auto started = same_port.start();
    ASSERT_FALSE(started);
    EXPECT_THAT(started.error().where, HasSubstr(std::to_string(taken.port())));
    HttpServer named(loop.get_executor(), "localhost", 0, handlers);
    EXPECT_FALSE(named.start());
    HttpServer huge(loop.get_executor(), "127.0.0.1", 70'000, handlers);
    EXPECT_FALSE(huge.start());
}

}  // namespace
}  // namespace opispool::http

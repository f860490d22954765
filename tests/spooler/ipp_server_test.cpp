// SPDX-License-Identifier: AGPL-3.0-or-later
// The IPP door over real sockets: what becomes of jobs, and that nothing stays of what was refused or broke off.
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tests/spooler/http_test_server.h"
#include "tests/spooler/ipp_bytes.h"

namespace opispool::ipp {
namespace {

using http::exchange;
using http::RawClient;
using http::TestServer;
using queues::JobId;
using queues::JobState;

const std::string document = "%!PS-Adobe-3.0\n%%Title: (spring)\n%%Pages: 1\nshowpage\n%%EOF\n";

constexpr int ok = 0x0000, ok_ignored = 0x0001, bad_request = 0x0400, not_possible = 0x0404, not_found = 0x0406;
constexpr int format_not_supported = 0x040a, values_not_supported = 0x040b, not_accepting = 0x0506;
constexpr int one_document_only = 0x0509, compression_not_supported = 0x040f;

std::string head(const std::string& fields, const std::string& path = "/printers/cover") {
    return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/ipp\r\n" + fields + "\r\n";
}

// The IPP reply to a request; empty if HTTP refused it.
std::string ask(TestServer& server, const std::string& request, const std::string& fields = "") {
    const std::string length = "Connection: close\r\nContent-Length: " + std::to_string(request.size()) + "\r\n";
    const std::string answer = exchange(server.port(), head(length + fields) + request);
    EXPECT_NE(answer.find("Content-Type: application/ipp"), std::string::npos) << answer;
    return answer.substr(std::min(answer.find("\r\n\r\n") + 4, answer.size()));
}

std::string gzip(const std::string& text) {
    std::string packed(text.size() + 100, '\0');
    z_stream z{};
    EXPECT_EQ(::deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    z.avail_in = static_cast<uInt>(text.size());
    z.next_out = reinterpret_cast<Bytef*>(packed.data());
    z.avail_out = static_cast<uInt>(packed.size());
    EXPECT_EQ(::deflate(&z, Z_FINISH), Z_STREAM_END);
    packed.resize(z.total_out);
    ::deflateEnd(&z);
    return packed;
}

std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

IppBytes print_job() {
    return IppBytes::request(IppBytes::print_job).name("requesting-user-name", "anna").name("job-name", "Spring");
}

IppBytes of_job(int operation, int job) {
    return IppBytes::request(operation).integer("job-id", job).name("requesting-user-name", "anna");
}

class IppServer : public testing::Test {
  protected:
    queues::Job job(int id) {
        queues::Job found;
        server_.on_loop([&] { found = server_.service().find(JobId{id}).value_or(queues::Job()); });
        return found;
    }
    void expect_only_document(const std::string& text) {
        const auto files = server_.spool_files("jobs");
        ASSERT_EQ(files.size(), 1U);
        EXPECT_EQ(content(files[0]), text);
        EXPECT_TRUE(server_.spool_files("tmp").empty());
    }
    void expect_nothing_kept() {
        EXPECT_TRUE(server_.spool_files("jobs").empty());
        EXPECT_TRUE(server_.spool_files("tmp").empty());
    }
    int create() {
        const std::string reply =
            ask(server_, IppBytes::request(IppBytes::create_job).name("requesting-user-name", "anna").end());
        EXPECT_EQ(status_of(reply), ok);
        return number_in(reply, "job-id");
    }
    IppBytes send_document(int id, bool last) {
        return of_job(IppBytes::send_document, id).flag("last-document", last);
    }

    TestServer server_;
};

TEST_F(IppServer, PrintsAJobAndTellsItsNumber) {
    const std::string reply = ask(server_, print_job().end(document));
    EXPECT_EQ(status_of(reply), ok);
    EXPECT_EQ(number_in(reply, "job-id"), 1);
    EXPECT_EQ(number_in(reply, "job-state"), 3);
    EXPECT_EQ(job(1).title, "Spring");
    EXPECT_EQ(job(1).user, "anna");
    EXPECT_EQ(job(1).door, "ipp");
    EXPECT_EQ(job(1).queue, "cover");
    EXPECT_EQ(job(1).host, "127.0.0.1");
    EXPECT_EQ(job(1).size_bytes, document.size());
    expect_only_document(document);
}

TEST_F(IppServer, TitleComesFromTheDocumentIfNobodySaysIt) {
    ask(server_, IppBytes::request(IppBytes::print_job).end(document));
    EXPECT_EQ(job(1).title, "spring");
    EXPECT_EQ(job(1).user, "anonymous");
}

TEST_F(IppServer, TheBordersOfChunksMeanNothing) {
    const std::string body = print_job().end(document);
    std::string chunks;
    for (std::size_t i = 0; i < body.size(); ++i)
        chunks += (i % 2 == 0 ? "001;x=y\r\n" : "1\r\n") + std::string(1, body[i]) + "\r\n";
    const std::string answer = exchange(server_.port(), head("Connection: close\r\nTransfer-Encoding: chunked\r\n") +
                                                            chunks + "0000\r\nTrailer: 1\r\n\r\n");
    EXPECT_EQ(status_of(answer.substr(answer.find("\r\n\r\n") + 4)), ok);
    expect_only_document(document);
}

TEST_F(IppServer, AClientThatWaitsForItsInvitationGetsIt) {
    const std::string body = print_job().end(document);
    RawClient client(server_.port());
    client.send(
        head("Connection: close\r\nExpect: 100-continue\r\nContent-Length: " + std::to_string(body.size()) + "\r\n"));
    EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    client.send(body);
    client.read_until("\r\n\r\n");
    EXPECT_EQ(status_of(client.read_all()), ok);
    expect_only_document(document);
}

TEST_F(IppServer, UnpacksGzipOfTheDocumentAndOfTheWholeBody) {
    std::string large = document;
    for (int i = 0; i < 100'000; ++i) large += "% line " + std::to_string(i) + "\n";
    EXPECT_EQ(status_of(ask(server_, print_job().keyword("compression", "gzip").end(gzip(large)))), ok);
    EXPECT_EQ(status_of(ask(server_, gzip(print_job().end(large)), "Content-Encoding: gzip\r\n")), ok);
    const auto files = server_.spool_files("jobs");
    ASSERT_EQ(files.size(), 2U);
    EXPECT_TRUE(content(files[0]) == large);
    EXPECT_TRUE(content(files[1]) == large);
}

TEST_F(IppServer, GzipThatIsCutOrDamagedIsNoJob) {
    const std::string packed = gzip(document);
    const auto with_gzip = [] { return print_job().keyword("compression", "gzip"); };
    EXPECT_EQ(status_of(ask(server_, with_gzip().end(packed.substr(0, packed.size() - 4)))), bad_request);
    std::string damaged = packed;
    damaged[packed.size() - 6] = static_cast<char>(damaged[packed.size() - 6] ^ 0x55);
    EXPECT_EQ(status_of(ask(server_, with_gzip().end(damaged))), bad_request);
    EXPECT_EQ(status_of(ask(server_, with_gzip().end(packed + "rubbish"))), bad_request);
    EXPECT_EQ(status_of(ask(server_, print_job().keyword("compression", "deflate").end(document))),
              compression_not_supported);
    expect_nothing_kept();
}

TEST_F(IppServer, WhatIsNotPostScriptIsRefused) {
    for (const std::string text : {"%PDF-1.7\n", "\n%PDF-1.4\n", "\x89PNG\r\n", "hello",
                                   "\x1b%-12345X@PJL\r\n\x1b"
                                   "E"})
        EXPECT_EQ(status_of(ask(server_, print_job().end(text))), format_not_supported) << text;
    const std::string pdf = print_job().value(0x49, "document-format", "application/pdf").end("%PDF-1.7\n");
    EXPECT_EQ(status_of(ask(server_, pdf)), format_not_supported);
    EXPECT_EQ(status_of(ask(server_, print_job().end())), bad_request);
    expect_nothing_kept();
    EXPECT_EQ(
        status_of(ask(server_, print_job().value(0x49, "document-format", "application/vnd.cups-raw").end(document))),
        ok);
}

TEST_F(IppServer, ABodyThatBreaksOffLeavesNothing) {
    const std::string body = print_job().end(document);
    for (const std::size_t cut : {std::size_t{4}, body.size() - document.size() - 5, body.size() - 3}) {
        RawClient client(server_.port());
        client.send(head("Content-Length: " + std::to_string(body.size()) + "\r\n") + body.substr(0, cut));
        client.half_close();
        EXPECT_NE(client.read_all().find("incomplete"), std::string::npos);
    }
    EXPECT_EQ(status_of(ask(server_, body.substr(0, 40))), bad_request);
    expect_nothing_kept();
}

TEST_F(IppServer, EachCopyIsAJob) {
    const std::string reply = ask(server_, print_job().group(2).integer("copies", 3).end(document));
    EXPECT_EQ(status_of(reply), ok);
    EXPECT_EQ(number_in(reply, "job-id"), 1);
    EXPECT_EQ(server_.spool_files("jobs").size(), 3U);
    for (int id = 1; id <= 3; ++id) EXPECT_EQ(job(id).title, "Spring");
    EXPECT_EQ(status_of(ask(server_, print_job().group(2).integer("copies", 100).end(document))), values_not_supported);
    EXPECT_EQ(status_of(ask(server_, print_job().group(2).integer("copies", 0).end(document))), values_not_supported);
    EXPECT_EQ(server_.spool_files("jobs").size(), 3U);
}

TEST_F(IppServer, WishesThatNobodyOffersAreToldOrRefused) {
    const auto two_up = [] {
        return print_job().group(2).integer("number-up", 2).keyword("sides", "two-sided-long-edge");
    };
    const std::string reply = ask(server_, two_up().end(document));
    EXPECT_EQ(status_of(reply), ok_ignored);
    EXPECT_EQ(number_in(reply, "number-up"), 2);
    IppBytes exactly = print_job().flag("ipp-attribute-fidelity", true).group(2).integer("number-up", 2);
    EXPECT_EQ(status_of(ask(server_, exactly.end(document))), values_not_supported);
    EXPECT_EQ(server_.spool_files("jobs").size(), 1U);
}

TEST_F(IppServer, HoldsAndReleases) {
    ask(server_, print_job().group(2).keyword("job-hold-until", "indefinite").end(document));
    EXPECT_EQ(job(1).state, JobState::pending_held);
    EXPECT_EQ(status_of(ask(server_, of_job(IppBytes::release_job, 1).end())), ok);
    EXPECT_EQ(job(1).state, JobState::pending);
    EXPECT_EQ(status_of(ask(server_, of_job(IppBytes::hold_job, 1).end())), ok);
    EXPECT_EQ(job(1).reason, "held by anna");
    EXPECT_EQ(status_of(ask(server_, of_job(IppBytes::hold_job, 1).keyword("job-hold-until", "night").end())),
              values_not_supported);
    EXPECT_EQ(status_of(ask(server_, of_job(IppBytes::cancel_job, 1).end())), ok);
    EXPECT_EQ(status_of(ask(server_, of_job(IppBytes::cancel_job, 1).end())), not_possible);
    EXPECT_EQ(status_of(ask(server_, of_job(IppBytes::cancel_job, 9).end())), not_found);
    // Waiting may be asked for in the wrong group, too.
    ask(server_, print_job().keyword("job-hold-until", "indefinite").end(document));
    EXPECT_EQ(job(2).state, JobState::pending_held);
}

TEST_F(IppServer, AJobGetsItsDocumentLater) {
    const int id = create();
    EXPECT_EQ(job(id).state, JobState::pending_held);
    EXPECT_EQ(status_of(ask(server_, of_job(IppBytes::release_job, id).end())), not_possible);
    EXPECT_EQ(status_of(ask(server_, of_job(IppBytes::send_document, id).end(document))), bad_request);
    EXPECT_EQ(status_of(ask(server_, send_document(id, true).end(document))), ok);
    EXPECT_EQ(job(id).state, JobState::pending);
    EXPECT_EQ(job(id).size_bytes, document.size());
    expect_only_document(document);
    EXPECT_EQ(status_of(ask(server_, send_document(id, true).end(document))), not_possible);
    expect_only_document(document);
}

TEST_F(IppServer, AJobWaitsUntilItIsClosed) {
    const int id = create();
    EXPECT_EQ(status_of(ask(server_, send_document(id, false).end(document))), ok);
    EXPECT_EQ(job(id).state, JobState::pending_held);
    EXPECT_EQ(status_of(ask(server_, send_document(id, false).end(document))), one_document_only);
    expect_only_document(document);
    EXPECT_EQ(status_of(ask(server_, of_job(IppBytes::close_job, id).end())), ok);
    EXPECT_EQ(job(id).state, JobState::pending);

    const int other = create();
    ask(server_, send_document(other, false).end(document));
    EXPECT_EQ(status_of(ask(server_, send_document(other, true).end())), ok);
    EXPECT_EQ(job(other).state, JobState::pending);
}

TEST_F(IppServer, AJobClosedWithoutDocumentEnds) {
    const int id = create();
    EXPECT_EQ(status_of(ask(server_, of_job(IppBytes::close_job, id).end())), ok);
    EXPECT_EQ(job(id).state, JobState::aborted);
    EXPECT_EQ(status_of(ask(server_, send_document(id, true).end(document))), not_possible);
    expect_nothing_kept();
}

TEST_F(IppServer, AnOperatorsHoldOutlivesTheDocumentsArrival) {
    const int id = create();
    ask(server_, of_job(IppBytes::hold_job, id).end());
    ask(server_, send_document(id, true).end(document));
    EXPECT_EQ(job(id).state, JobState::pending_held);
    EXPECT_EQ(job(id).reason, "held by anna");

    const int canceled = create();
    ask(server_, of_job(IppBytes::cancel_job, canceled).end());
    EXPECT_EQ(status_of(ask(server_, send_document(canceled, true).end(document))), not_possible);
    expect_only_document(document);
}

TEST_F(IppServer, ARefusedDocumentMayBeSentAgain) {
    const int id = create();
    EXPECT_EQ(status_of(ask(server_, send_document(id, true).end("hello"))), format_not_supported);
    EXPECT_EQ(status_of(ask(server_, send_document(id, true).end(document))), ok);
    EXPECT_EQ(job(id).state, JobState::pending);
}

TEST_F(IppServer, CancelsOnesOwnJobsOnly) {
    ask(server_, print_job().end(document));
    ask(server_, IppBytes::request(IppBytes::print_job).name("requesting-user-name", "otto").end(document));
    const auto mine = [] { return IppBytes::request(IppBytes::cancel_my_jobs).name("requesting-user-name", "anna"); };
    EXPECT_EQ(status_of(ask(server_, mine().integer("job-ids", 2).end())), not_found);
    EXPECT_EQ(status_of(ask(server_, mine().end())), ok);
    EXPECT_EQ(job(1).state, JobState::canceled);
    EXPECT_EQ(job(2).state, JobState::pending);
}

TEST_F(IppServer, PausesAndResumesAQueue) {
    ask(server_, print_job().end(document));
    const auto may_start = [this] {
        bool may = false;
        server_.on_loop([&] { may = server_.service().next_job("cover").has_value(); });
        return may;
    };
    EXPECT_TRUE(may_start());
    EXPECT_EQ(status_of(ask(server_, IppBytes::request(IppBytes::pause_printer).end())), ok);
    EXPECT_FALSE(may_start());
    const auto state = [this] {
        return number_in(ask(server_, IppBytes::request(IppBytes::get_printer_attributes).end()), "printer-state");
    };
    EXPECT_EQ(state(), 5);
    EXPECT_EQ(status_of(ask(server_, IppBytes::request(IppBytes::resume_printer).end())), ok);
    EXPECT_TRUE(may_start());
    EXPECT_EQ(state(), 3);
}

TEST_F(IppServer, KnowsItsQueues) {
    const std::string to_nobody = IppBytes::request(IppBytes::get_printer_attributes, "nix").end();
    const std::string length = "Connection: close\r\nContent-Length: " + std::to_string(to_nobody.size()) + "\r\n";
    const auto reply_at = [&](const std::string& path) {
        const std::string answer = exchange(server_.port(), head(length, path) + to_nobody);
        return status_of(answer.substr(answer.find("\r\n\r\n") + 4));
    };
    EXPECT_EQ(reply_at("/printers/nix"), not_found);
    EXPECT_EQ(reply_at("/ipp/print"), not_found);
    // Where address and printer-uri differ the address counts: clients behind a forwarder know another name.
    EXPECT_EQ(reply_at("/printers/cover"), ok);
    EXPECT_EQ(reply_at("/ipp/print/inside"), ok);

    const std::string closed = IppBytes::request(IppBytes::print_job, "closed").end(document);
    const std::string closed_length = "Connection: close\r\nContent-Length: " + std::to_string(closed.size()) + "\r\n";
    const std::string answer = exchange(server_.port(), head(closed_length, "/printers/closed") + closed);
    EXPECT_EQ(status_of(answer.substr(answer.find("\r\n\r\n") + 4)), not_accepting);
    expect_nothing_kept();
}

TEST_F(IppServer, OnlyProgramsMaySpeakIpp) {
    const std::string body = print_job().end(document);
    const auto status_as = [&](const std::string& type, const std::string& more = "") {
        return exchange(server_.port(), "POST /printers/cover HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
                                            more + "Content-Type: " + type +
                                            "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body)
            .substr(9, 3);
    };
    EXPECT_EQ(status_as("text/plain"), "403");
    EXPECT_EQ(status_as("application/json"), "415");
    EXPECT_EQ(status_as("application/ipp", "Content-Encoding: br\r\n"), "415");
    EXPECT_EQ(status_as("application/ipp", "Origin: http://evil.example\r\n"), "403");
    expect_nothing_kept();
    EXPECT_EQ(status_as("Application/IPP; charset=utf-8"), "200");
    expect_only_document(document);
}

TEST_F(IppServer, ServesThePpd) {
    const std::string answer = exchange(server_.port(), http::get("/printers/cover.ppd"));
    EXPECT_NE(answer.find("Content-Type: application/vnd.cups-ppd"), std::string::npos);
    EXPECT_NE(answer.find("*PPD-Adobe: \"4.3\""), std::string::npos);
    EXPECT_EQ(exchange(server_.port(), http::get("/printers/nix.ppd")).substr(9, 3), "404");
}

TEST(IppStore, AnswersOnlyWhatIsStored) {
    TestServer server;
    server.on_loop([&] {
        server.store().fail_writes(1, Error{Code::io, Operation::store, "disk on fire", {}, std::nullopt});
    });
    EXPECT_EQ(status_of(ask(server, print_job().end(document))), 0x0500);
    EXPECT_TRUE(server.spool_files("jobs").empty());
    EXPECT_EQ(status_of(ask(server, print_job().end(document))), ok);
}

}  // namespace
}  // namespace opispool::ipp

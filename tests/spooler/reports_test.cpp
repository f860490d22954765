// SPDX-License-Identifier: AGPL-3.0-or-later
// Ledgers and metrics over HTTP, and their texts.
#include <gmock/gmock.h>

#include "spooler/http/ledger_text.h"
#include "spooler/http/metrics.h"
#include "tests/spooler/http_test_server.h"

namespace opispool::http {
namespace {

using testing::HasSubstr;
using testing::Not;

queues::LedgerEntry picture(const std::string& asked) {
    queues::LedgerEntry entry;
    entry.page = 2;
    entry.line = 14;
    entry.asked = asked;
    entry.file = "/store/" + asked;
    entry.size_bytes = 900;
    entry.width_px = 300;
    entry.height_px = 200;
    entry.ppi = 149.6;
    entry.colour = "RGB";
    entry.bytes = 1'000;
    return entry;
}

TEST(Ledger, TellsWhatDiffersFromThePrintingBefore) {
    queues::Ledger ledger;
    ledger.now = {picture("same.tif"), picture("grown.tif"), picture("saved.tif"), picture("gone.tif")};
    EXPECT_TRUE(differences(ledger).empty()) << "there was no printing before";
    ledger.before = ledger.now;
    EXPECT_TRUE(differences(ledger).empty());
    ledger.now[1].size_bytes = 901;
    ledger.now[2].mtime_ns = 5'000'000'000;
    ledger.now[3].file.clear();
    const auto lines = differences(ledger);
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[0], "image 'grown.tif' on page 2 differs from the last printing: it has 901 bytes, had 900");
    EXPECT_THAT(lines[1], HasSubstr("was saved 19"));
    EXPECT_THAT(lines[2], HasSubstr("is no file, was /store/gone.tif"));
}

TEST(Ledger, ASpreadsheetRunsNoFormula) {
    queues::Ledger ledger;
    ledger.now = {picture("=1+1\"x,y")};
    const std::string csv = csv_of(ledger);
    EXPECT_THAT(csv, HasSubstr("page,line,asked,file,"));
    EXPECT_THAT(
        csv,
        HasSubstr("\r\n2,14,\"'=1+1\"\"x,y\",\"/store/=1+1\"\"x,y\",900,,300,200,150,\"RGB\",\"\",1000,\"\",\"\"\r\n"));
}

TEST(Ledger, IsThereOverHttp) {
    TestServer server;
    exchange(server.port(), post("/api/queues/cover/jobs", "%!PS\n"));
    EXPECT_THAT(exchange(server.port(), get("/api/jobs/1/ledger")), HasSubstr("\"references\":[]"));
    server.on_loop([&] {
        server.service().keep_ledger(queues::JobId{1}, {picture("a.tif")},
                                     [](const Result<queues::Ledger>& kept) { EXPECT_TRUE(kept); });
    });
    const std::string json = exchange(server.port(), get("/api/jobs/1/ledger"));
    EXPECT_THAT(json, HasSubstr("\"asked\":\"a.tif\""));
    EXPECT_THAT(json, HasSubstr("\"ppi\":150"));
    const std::string csv = exchange(server.port(), get("/api/jobs/1/ledger.csv"));
    EXPECT_THAT(csv, HasSubstr("Content-Type: text/csv"));
    EXPECT_THAT(csv, HasSubstr("\"a.tif\""));
    EXPECT_THAT(exchange(server.port(), get("/api/jobs/9/ledger")), HasSubstr("404"));
}

TEST(Metrics, CountJobsAndBytes) {
    TestServer server;
    exchange(server.port(), post("/api/queues/cover/jobs", "%!PS\n"));
    exchange(server.port(), post("/api/queues/cover/jobs", "%!PS\n"));
    const queues::JobId first{1}, second{2};
    const queues::Done good = [](const Result<void>& done) { EXPECT_TRUE(done); };
    server.on_loop([&] {
        queues::QueueService& service = server.service();
        service.start(first, good);
        service.begin_sending(first, 100, good);
        service.progress(first, 60);
        service.stop_and_hold(first, "anna", good);
        service.cancel(first, "anna", good);
        service.start(second, good);
        queues::LedgerEntry missing;
        missing.problem = "no file";
        service.keep_ledger(second, {missing, missing}, [](const Result<queues::Ledger>&) {});
        service.hold_for_problem(second, "2 pictures are missing", good);
    });
    const std::string text = exchange(server.port(), get("/metrics"));
    EXPECT_THAT(text, HasSubstr("Content-Type: text/plain; version=0.0.4"));
    for (const char* line :
         {"opispool_jobs{queue=\"cover\",state=\"pending-held\"} 1\n",
          "opispool_jobs{queue=\"inside\",state=\"pending\"} 0\n", "opispool_jobs_received_total{queue=\"cover\"} 2\n",
          "opispool_received_bytes_total{queue=\"cover\"} 10\n", "opispool_sent_bytes_total{queue=\"cover\"} 60\n",
          "opispool_jobs_finished_total{queue=\"cover\",state=\"canceled\"} 1\n",
          "opispool_rip_up{queue=\"cover\"} 1\n", "opispool_missing_references 2\n"})
        EXPECT_THAT(text, HasSubstr(line));
    EXPECT_THAT(text, Not(HasSubstr("opispool_spool_free_bytes 0\n")));
    server.on_loop([&] {
        server.service().release(second, "anna", good);
        server.service().start(second, good);
        server.service().retry_later(second, 9'000'000, "refused", good);
    });
    EXPECT_THAT(exchange(server.port(), get("/metrics")), HasSubstr("opispool_rip_up{queue=\"cover\"} 0\n"));
}

TEST(Metrics, NamesAreWrittenAsTheFormatWants) {
    Metrics metrics;
    Metrics::Now now;
    queues::Queue queue;
    queue.name = "a\"b\\c\nd";
    now.queues.push_back(queue);
    EXPECT_THAT(metrics.text(now), HasSubstr("opispool_queue_paused{queue=\"a\\\"b\\\\c\\nd\"} 0\n"));
}

}  // namespace
}  // namespace opispool::http

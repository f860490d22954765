// SPDX-License-Identifier: AGPL-3.0-or-later
#include "rip_out/rip_messages.h"

#include <gtest/gtest.h>

#include <iterator>

namespace opispool::rip_out {
namespace {

using Kind = RipMessage::Kind;

std::vector<RipMessage> parse(std::string_view bytes, std::size_t step = std::string_view::npos) {
    RipMessageParser parser;
    std::vector<RipMessage> all;
    auto take = [&](std::vector<RipMessage> some) { std::move(some.begin(), some.end(), std::back_inserter(all)); };
    for (std::size_t at = 0; at < bytes.size(); at += std::min(step, bytes.size() - at))
        take(parser.feed(bytes.substr(at, step)));
    take(parser.finish());
    return all;
}

TEST(RipMessages, ReadsAnError) {
    const auto all = parse("%%[ Error: undefined; OffendingCommand: foo ]%%\r\n");
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].kind, Kind::error);
    EXPECT_EQ(all[0].error_name, "undefined");
    EXPECT_EQ(all[0].command, "foo");
    EXPECT_EQ(all[0].text, "%%[ Error: undefined; OffendingCommand: foo ]%%");
    EXPECT_EQ(describe_failure(all[0]), "undefined in foo");
}

TEST(RipMessages, ReadsOddErrors) {
    struct Row {
        std::string_view line, name, command;
    };
    const Row rows[] = {
        {"%%[ Error: ioerror; OffendingCommand: image; ErrorInfo: Foo bar ]%%\n", "ioerror", "image"},
        {"%%[error:RANGECHECK;offendingcommand:setscreen]%%\n", "RANGECHECK", "setscreen"},
        {"%%[ Error: syntaxerror; OffendingCommand: ] ]%%\n", "syntaxerror", "]"},
        {"%%[ Error: undefined; OffendingCommand: a;b ]%%\n", "undefined", "a;b"},
        {"%%[ Error: timeout; OffendingCommand: timeout ]\n", "timeout", "timeout"},
        {"%%[ Error: VMerror; OffendingCommand: known", "VMerror", "known"},
        {"%%[ Error: undefined; OffendingCommand: x\xe9 ]%%\n", "undefined", "x\\xE9"},
    };
    for (const Row& row : rows) {
        const auto all = parse(row.line);
        ASSERT_EQ(all.size(), 1U) << row.line;
        EXPECT_EQ(all[0].kind, Kind::error) << row.line;
        EXPECT_EQ(all[0].error_name, row.name) << row.line;
        EXPECT_EQ(all[0].command, row.command) << row.line;
    }
}

TEST(RipMessages, TellsTheKindsApart) {
    struct Row {
        std::string_view line;
        Kind kind;
    };
    const Row rows[] = {
        {"%%[ Flushing: rest of job (to end-of-file) will be ignored ]%%", Kind::flushing},
        {"%%[ status: busy; source: AppleTalk ]%%", Kind::status},
        {"%%[ job: cover; status: printing; source: Ethernet ]%%", Kind::status},
        {"%%[ PrinterError: paper jam; source: Ethernet ]%%", Kind::printer_error},
        {"%%[ exitserver: permanent state may be changed ]%%", Kind::exit_server},
        {"%%[ LastPage ]%%", Kind::text},
        {"plate 3 exposed", Kind::text},
    };
    for (const Row& row : rows) {
        const auto all = parse(row.line);
        ASSERT_EQ(all.size(), 1U) << row.line;
        EXPECT_EQ(all[0].kind, row.kind) << row.line;
        EXPECT_EQ(all[0].text, row.line);
        EXPECT_EQ(all[0].fails_job(), row.kind == Kind::flushing);
    }
}

TEST(RipMessages, FindsMessagesBetweenTheJobsOutput) {
    const auto all = parse("hello %%[ status: idle ]%%%%[ Error: undefined; OffendingCommand: foo ]%% bye\n");
    ASSERT_EQ(all.size(), 4U);
    EXPECT_EQ(all[0].text, "hello");
    EXPECT_EQ(all[1].kind, Kind::status);
    EXPECT_EQ(all[2].command, "foo");
    EXPECT_EQ(all[3].text, "bye");
}

TEST(RipMessages, AnswersTheSameInAnySplit) {
    std::string bytes =
        "a\rb\r\n\x04%%[ status: busy; source: x ]%%\n@PJL USTATUS DEVICE\r\nCODE=10001\r\nDISPLAY=\"READY\"\r\n\f";
    bytes += "\x01\x44\x01\x43text\n\x1b%-12345X%%[ Error: undefined; OffendingCommand: foo ]%%\r\n";
    bytes += "%%[ Flushing: rest of job (to end-of-file) will be ignored ]%%\n" + std::string(20'000, 'x') + "tail";
    const auto whole = parse(bytes);
    EXPECT_GE(whole.size(), 8U);
    for (std::size_t step = 1; step <= bytes.size(); step = step < 64 ? step + 1 : step * 2)
        ASSERT_EQ(parse(bytes, step), whole) << step;
}

TEST(RipMessages, GathersPjlStatusBlocks) {
    const auto all =
        parse("@PJL USTATUS DEVICE\r\nCODE=10001\r\nDISPLAY=\"READY\"\r\n\f@PJL USTATUS DEVICE\r\nCODE=41002\r\n\f");
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].kind, Kind::status);
    EXPECT_EQ(all[0].text, "@PJL USTATUS DEVICE CODE=10001 DISPLAY=\"READY\"");
    EXPECT_EQ(all[1].kind, Kind::printer_error);
}

TEST(RipMessages, LosesNoErrorInsideAStatusBlockWithoutEnd) {
    const auto all = parse("@PJL USTATUS JOB\r\nSTART\r\n%%[ Error: undefined; OffendingCommand: foo ]%%\r\n");
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].text, "@PJL USTATUS JOB START");
    EXPECT_EQ(all[1].kind, Kind::error);
}

TEST(RipMessages, FindsAnErrorAcrossTheLineLimit) {
    const std::string error = "%%[ Error: undefined; OffendingCommand: foo ]%%";
    for (std::size_t before = RipMessageParser::line_limit_bytes - 60; before < RipMessageParser::line_limit_bytes + 10;
         ++before) {
        const auto all = parse(std::string(before, 'x') + error + "\n");
        ASSERT_FALSE(all.empty());
        EXPECT_EQ(all.back().command, "foo") << before;
        for (const RipMessage& message : all) EXPECT_LE(message.text.size(), RipMessageParser::line_limit_bytes);
    }
}

TEST(RipMessages, AnEndlessMessageIsCut) {
    const auto all = parse("%%[" + std::string(1U << 20U, 'y'));
    EXPECT_EQ(all.size(), (1U << 20U) / RipMessageParser::line_limit_bytes + 1);
}

TEST(RipMessageLog, KeepsErrorsOfATalkativeRip) {
    RipMessageLog log;
    for (int i = 0; i < 5000; ++i) log.add(RipMessage{Kind::status, "busy", {}, {}});
    EXPECT_EQ(log.kept().size(), 1U);
    for (int i = 0; i < 5000; ++i) log.add(RipMessage{Kind::status, std::to_string(i), {}, {}});
    EXPECT_EQ(log.kept().size(), RipMessageLog::limit);
    EXPECT_EQ(log.failure(), nullptr);
    log.add(RipMessage{Kind::flushing, "Flushing", {}, {}});
    log.add(RipMessage{Kind::error, "e", "undefined", "foo"});
    ASSERT_NE(log.failure(), nullptr);
    EXPECT_EQ(log.failure()->command, "foo");
    EXPECT_EQ(log.dropped(), 10'000U - RipMessageLog::limit);
}

}  // namespace
}  // namespace opispool::rip_out

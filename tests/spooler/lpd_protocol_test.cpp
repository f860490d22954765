// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/intake/lpd_protocol.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace opispool::spooler {
namespace {

using namespace std::string_literals;

std::span<const std::byte> as_bytes(const std::string& text) {
    return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

// One readable line per event; the bytes of a file are joined, since their split is the only thing that may differ.
std::string played(const std::string& conversation, std::size_t chunk) {
    LpdParser parser;
    std::string story, data;
    const auto tell = [&](const LpdEvent& event) {
        if (event.kind == LpdEvent::Kind::data) {
            data.append(reinterpret_cast<const char*>(event.data.data()), event.data.size());
            return;
        }
        if (!data.empty()) story += "data " + std::exchange(data, {}) + "\n";
        switch (event.kind) {
            case LpdEvent::Kind::command:
                story += "command " + std::to_string(event.code) + " " + event.queue;
                for (const std::string& operand : event.operands) story += " " + operand;
                break;
            case LpdEvent::Kind::abort:
                story += "abort";
                break;
            case LpdEvent::Kind::file_begin:
                story += (event.control ? "control " : "data file ") + std::to_string(event.count_bytes) +
                         (event.until_close ? " until close " : " ") + event.name;
                break;
            case LpdEvent::Kind::file_end:
                story += "end " + std::to_string(event.arrived_bytes);
                break;
            case LpdEvent::Kind::short_file:
                story += "short " + std::to_string(event.arrived_bytes) + " of " + std::to_string(event.count_bytes);
                break;
            case LpdEvent::Kind::ended:
                story += "ended";
                break;
            case LpdEvent::Kind::bad:
                story += "bad " + event.text;
                break;
            case LpdEvent::Kind::data:
                break;
        }
        story += "\n";
    };
    for (std::size_t at = 0; at < conversation.size(); at += chunk) {
        const std::string piece = conversation.substr(at, chunk);
        std::span<const std::byte> input = as_bytes(piece);
        while (const auto event = parser.next(input)) tell(*event);
    }
    tell(parser.finish());
    return story;
}

void expect_story(const std::string& conversation, const std::string& story) {
    for (std::size_t chunk = 1; chunk <= conversation.size(); ++chunk)
        EXPECT_EQ(played(conversation, chunk), story) << "in chunks of " << chunk;
}

TEST(LpdParser, ReadsControlThenData) {
    expect_story(
        "\2q\n\2"
        "5 cfA001mac\nHm\nx\n\0\3"
        "3 dfA001mac\nabc\0"s,
        "command 2 q\ncontrol 5 cfA001mac\ndata Hm\nx\n\nend 5\ndata file 3 dfA001mac\ndata abc\nend 3\nended\n");
}

TEST(LpdParser, ReadsDataThenControl) {
    expect_story(
        "\2q\n\3"
        "1 dfA1m\nz\0\2"
        "2 cfA1m\nHm\0"s,
        "command 2 q\ndata file 1 dfA1m\ndata z\nend 1\ncontrol 2 cfA1m\ndata Hm\nend 2\nended\n");
}

TEST(LpdParser, TakesEverySentinelForUntilClose) {
    for (const char* count : {"0", "2147483647", "999999999999", "100000000000", "125899906843000"}) {
        const std::string head = "\2q\n\3"s + count + " dfA001mac1\n";
        expect_story(head + "ab\0cd"s,
                     "command 2 q\ndata file "s + count + " until close dfA001mac1\ndata ab\0cd\nend 5\n"s);
    }
    EXPECT_FALSE(is_until_close(1));
    EXPECT_FALSE(is_until_close(2'147'483'648));
    EXPECT_FALSE(is_until_close(99'999'999'999));
}

TEST(LpdParser, EndsAnEmptyControlFileAtItsNul) {
    expect_story(
        "\2q\n\2"
        "0 cfA1m\n\0\1\n"s,
        "command 2 q\ncontrol 0 cfA1m\nend 0\nabort\nended\n");
}

TEST(LpdParser, TellsShortData) {
    expect_story(
        "\2q\n\3"
        "5 dfA1m\nabc"s,
        "command 2 q\ndata file 5 dfA1m\ndata abc\nshort 3 of 5\n");
}

TEST(LpdParser, TakesAllBytesWithoutTheNulForWhole) {
    expect_story(
        "\2q\n\3"
        "3 dfA1m\nabc"s,
        "command 2 q\ndata file 3 dfA1m\ndata abc\nend 3\n");
}

TEST(LpdParser, RefusesAByteThatIsNotNul) {
    expect_story(
        "\2q\n\3"
        "3 dfA1m\nabcd\0"s,
        "command 2 q\ndata file 3 dfA1m\ndata abc\nbad the byte after the announced 3 is not 00; the file may be "
        "longer than announced\nended\n");
}

TEST(LpdParser, SeesTheRepeatedQueueLine) {
    expect_story(
        "\2q\n\2q\n\3"
        "1 dfA1m\nz\0"s,
        "command 2 q\ncommand 2 q\ndata file 1 dfA1m\ndata z\nend 1\nended\n");
}

TEST(LpdParser, EndsAtAnUnknownByteBetweenFiles) {
    expect_story(
        "\2q\n\3"
        "1 dfA1m\nz\0\0\0junk"s,
        "command 2 q\ndata file 1 dfA1m\ndata z\nend 1\nended\nended\n");
}

TEST(LpdParser, RejectsWhatIsNoLpd) {
    expect_story("GET / HTTP/1.1\r\n\r\n", "bad not an LPD command\nended\n");
    expect_story("\2\n", "bad command without a queue\nended\n");
    expect_story("\2q\n\3-1 dfA1m\n", "command 2 q\nbad file without a valid byte count\nended\n");
    expect_story(
        "\2q\n\3"
        "99999999999999999999999 dfA1m\n",
        "command 2 q\nbad file without a valid byte count\nended\n");
    expect_story(
        "\2q\n\3"
        "1x dfA1m\n",
        "command 2 q\nbad file without a valid byte count\nended\n");
}

TEST(LpdParser, LimitsLines) {
    const std::string endless = "\2" + std::string(LpdParser::max_line_bytes + 10, 'q');
    EXPECT_EQ(played(endless, 7), "bad command line too long\nended\n");
}

TEST(LpdParser, ReadsStatusAndRemoval) {
    expect_story("\3q anna\t42\n", "command 3 q anna 42\nended\n");
    expect_story("\4q\r\n", "command 4 q\nended\n");
    expect_story("\5q root 7\n", "command 5 q root 7\nended\n");
    expect_story("\1q?draft\n", "command 1 q\nended\n");
}

}  // namespace
}  // namespace opispool::spooler

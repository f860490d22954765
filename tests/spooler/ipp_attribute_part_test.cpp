// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/ipp/attribute_part.h"

#include <gtest/gtest.h>

#include <string>

#include "spooler/ipp/ipp_message.h"
#include "tests/spooler/ipp_bytes.h"

namespace opispool::ipp {
namespace {

struct Outcome {
    std::string attributes, rest, problem;
    bool complete = false;
    friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome feed(const std::string& text, std::size_t piece_bytes) {
    AttributePart part;
    Outcome outcome;
    for (std::size_t at = 0; at < text.size(); at += piece_bytes) {
        const std::string piece = text.substr(at, piece_bytes);
        const auto used = part.take(std::as_bytes(std::span(piece)));
        if (!used) {
            outcome.problem = describe(used.error());
            return outcome;
        }
        outcome.rest += piece.substr(*used);
    }
    outcome.complete = part.complete();
    outcome.attributes.assign(reinterpret_cast<const char*>(part.bytes().data()), part.bytes().size());
    return outcome;
}

// The same in every split; returns the whole one.
Outcome in_all_splits(const std::string& text) {
    const Outcome whole = feed(text, text.size());
    for (const std::size_t size : {1U, 2U, 3U, 5U, 7U, 64U}) EXPECT_EQ(feed(text, size), whole) << size;
    return whole;
}

std::string problem_of(const IppBytes& request) {
    const Outcome outcome = in_all_splits(request.end());
    EXPECT_FALSE(outcome.problem.empty());
    return outcome.problem;
}

IppBytes good() {
    return IppBytes::request(IppBytes::print_job);
}

TEST(AttributePart, SplitsAttributesFromDocument) {
    const std::string request = good().group(2).integer("copies", 2).end();
    const Outcome outcome = in_all_splits(request + "%!PS\n\3\3");
    EXPECT_TRUE(outcome.complete);
    EXPECT_EQ(outcome.attributes, request);
    EXPECT_EQ(outcome.rest, "%!PS\n\3\3");
    EXPECT_TRUE(Request::parse(std::as_bytes(std::span(outcome.attributes))));
}

TEST(AttributePart, TakesFurtherValuesAndCollections) {
    IppBytes request = good();
    request.keyword("requested-attributes", "all").keyword("", "media-col-database");
    request.group(2).value(0x34, "media-col", "").value(0x4a, "", "media-size").value(0x34, "", "");
    request.value(0x4a, "", "x-dimension").value(0x21, "", std::string("\0\0\1\0", 4)).value(0x37, "", "");
    request.value(0x37, "", "").integer("copies", 1);
    const Outcome outcome = in_all_splits(request.end());
    EXPECT_TRUE(outcome.complete) << outcome.problem;
    const auto parsed = Request::parse(std::as_bytes(std::span(outcome.attributes)));
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->number("copies", IPP_TAG_JOB), 1);
    EXPECT_EQ(parsed->texts("requested-attributes").size(), 2U);
}

TEST(AttributePart, AnUnfinishedRequestIsNotComplete) {
    const Outcome outcome = in_all_splits(good().unfinished());
    EXPECT_FALSE(outcome.complete);
    EXPECT_EQ(outcome.problem, "");
}

TEST(AttributePart, RefusesWhatContradictsItself) {
    EXPECT_NE(problem_of(IppBytes().header(2).keyword("a", "b")).find("before the first group"), std::string::npos);
    EXPECT_NE(problem_of(IppBytes().header(2).group(1).keyword("", "b")).find("further value"), std::string::npos);
    EXPECT_NE(problem_of(good().group(2).keyword("", "b")).find("further value"), std::string::npos);
    EXPECT_NE(problem_of(good().value(0x21, "n", "abc")).find("length"), std::string::npos);
    EXPECT_NE(problem_of(good().value(0x22, "n", "")).find("length"), std::string::npos);
    EXPECT_NE(problem_of(good().value(0x35, "t", std::string("\0\2en\0\5abc", 9))).find("length"), std::string::npos);
    EXPECT_NE(problem_of(good().value(0x36, "t", std::string("\xff\xff", 2))).find("length"), std::string::npos);
    EXPECT_NE(problem_of(good().value(0x7f, "t", "abcd")).find("extended"), std::string::npos);
    EXPECT_NE(problem_of(good().value(0x37, "", "")).find("never began"), std::string::npos);
    EXPECT_NE(problem_of(good().value(0x4a, "", "m")).find("outside"), std::string::npos);
    EXPECT_NE(problem_of(good().value(0x34, "c", "").value(0x21, "", std::string(4, 'x'))).find("member name"),
              std::string::npos);
    EXPECT_NE(problem_of(good().value(0x34, "c", "").keyword("n", "x")).find("inside"), std::string::npos);
    EXPECT_NE(problem_of(good().value(0x34, "c", "")).find("inside a collection"), std::string::npos);
}

TEST(AttributePart, HasLimits) {
    IppBytes deep = good().group(2).value(0x34, "c", "");
    for (std::size_t i = 0; i < AttributePart::max_depth; ++i) deep.value(0x4a, "", "m").value(0x34, "", "");
    EXPECT_NE(problem_of(deep).find("nested"), std::string::npos);

    IppBytes many = good();
    for (std::size_t i = 0; i < AttributePart::max_values; ++i) many.integer("i", 1);
    EXPECT_NE(problem_of(many).find("4096"), std::string::npos);

    IppBytes large = good();
    for (int i = 0; i < 10; ++i) large.value(0x41, "t", std::string(32767, 'x'));
    EXPECT_NE(feed(large.end(), 4096).problem.find("256 KB"), std::string::npos);
    EXPECT_NE(problem_of(good().value(0x41, "t", std::string(32768, 'x'))).find("32767"), std::string::npos);
}

}  // namespace
}  // namespace opispool::ipp

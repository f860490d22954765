// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/dsc_scanner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace opispool::opi {
namespace {

// Hands out windows of `step` bytes, so that every boundary falls everywhere once.
class SplitSource final : public ByteSource {
  public:
    SplitSource(std::string bytes, std::size_t step) : bytes_(std::move(bytes)), step_(step) {}
    std::uint64_t size_bytes() const override { return bytes_.size(); }
    std::string_view window(std::uint64_t offset) override {
        return offset >= bytes_.size() ? std::string_view() : std::string_view(bytes_).substr(offset, step_);
    }

  private:
    std::string bytes_;
    std::size_t step_;
};

std::vector<std::string> lines_of(const std::string& bytes, std::size_t step = 1U << 20U) {
    SplitSource source(bytes, step);
    DscScanner scanner(source);
    std::vector<std::string> lines;
    while (auto line = scanner.next()) {
        EXPECT_EQ(bytes.substr(line->begin_bytes, line->text.size()), line->text);
        lines.push_back(line->text + (line->bad_count ? " (bad count)" : "") + (line->starts_job ? " (job)" : ""));
    }
    return lines;
}

using testing::ElementsAre;

TEST(DscScanner, TakesEveryLineEnd) {
    EXPECT_THAT(lines_of("%!PS\r%%A: 1\n%%B\r\n\r\n%%C\n\r%%D"),
                ElementsAre("%!PS (job)", "%%A: 1", "%%B", "%%C", "%%D"));
}

TEST(DscScanner, OnlyColumnZeroCounts) {
    EXPECT_THAT(lines_of("%!PS\n(x) show %%Page: 1 1\n  %ALDImageFilename: a\n% plain\n%ALDImageFilename: b\n"),
                ElementsAre("%!PS (job)", "%ALDImageFilename: b"));
}

TEST(DscScanner, SkipsCountedDataUnread) {
    const std::string data = "image\n%%EndData\n%%Page: 9 9\nxx";
    const std::string job =
        "%!PS\n%%BeginData: " + std::to_string(data.size() + 1) + " Binary Bytes\n" + data + "\n%%EndData\n%%EOF\n";
    EXPECT_THAT(lines_of(job), ElementsAre("%!PS (job)", testing::StartsWith("%%BeginData"), "%%EndData", "%%EOF"));
}

TEST(DscScanner, CountsLinesToo) {
    EXPECT_THAT(lines_of("%!PS\n%%BeginData: 2 Hex Lines\n%%Page: x\r\n00\n%%EndData\n"),
                ElementsAre("%!PS (job)", "%%BeginData: 2 Hex Lines", "%%EndData"));
}

TEST(DscScanner, AWrongCountLeadsToTheFirstEndComment) {
    for (const char* count : {"3", "13", "500000", "18446744073709551615"}) {
        SCOPED_TRACE(count);
        const std::string begin = std::string("%%BeginBinary: ") + count;
        EXPECT_THAT(lines_of("%!PS\n" + begin + "\nabcdefgh\n%%Page: no\n%%EndBinary\n%%EOF\n"),
                    ElementsAre("%!PS (job)", begin + " (bad count)", "%%EndBinary", "%%EOF"));
    }
}

TEST(DscScanner, WithoutAnEndCommentTheCountIsIgnored) {
    EXPECT_THAT(lines_of("%!PS\n%%BeginData: 5 Hex Bytes\n00\n%%Page: 1 1\n%%BeginData: x\n%%EOF\n"),
                ElementsAre("%!PS (job)", "%%BeginData: 5 Hex Bytes (bad count)", "%%Page: 1 1",
                            "%%BeginData: x (bad count)", "%%EOF"));
}

TEST(DscScanner, LooksNeitherIntoAPjlWrapperNorBehindIt) {
    const std::string job =
        "\x1b%-12345X@PJL JOB NAME=\"%%BeginOPI: 2.0\"\r\n@PJL COMMENT\n%ALDImageFileName: no.tif\r\n";
    // A line that begins with a percent sign ends the wrapper, as printers read it.
    EXPECT_THAT(lines_of(job), ElementsAre("%ALDImageFileName: no.tif (job)"));
    const std::string quoted =
        "\x1b%-12345X@PJL SET X=\"\r\n@PJL ENTER LANGUAGE=POSTSCRIPT\r\n%!PS\n%%EOF\n\x1b%-12345X@PJL "
        "EOJ\r\n\x1b%-12345X";
    EXPECT_THAT(lines_of(quoted), ElementsAre("%!PS (job)", "%%EOF"));
    EXPECT_THAT(lines_of("@PJL JOB\n@PJL ENTER LANGUAGE = POSTSCRIPT\n%!PS\n"), ElementsAre("%!PS (job)"));
}

TEST(DscScanner, ControlDStartsAnotherJob) {
    EXPECT_THAT(lines_of("\x04%!PS\n%%EOF\n\x04%!PS\n\x04"), ElementsAre("%!PS (job)", "%%EOF", "%!PS (job)"));
}

TEST(DscScanner, CutsEndlessLines) {
    SplitSource source("%!PS\n%%Title: " + std::string(300'000, 'x') + "\n%%EOF", 5000);
    DscScanner scanner(source);
    ASSERT_TRUE(scanner.next());
    auto title = scanner.next();
    ASSERT_TRUE(title);
    EXPECT_EQ(title->text.size(), DscScanner::max_line_bytes);
    EXPECT_EQ(scanner.next()->text, "%%EOF");
}

TEST(DscScanner, EverySplitGivesTheSameLines) {
    const std::string job =
        "\x1b%-12345X@PJL X\n@PJL ENTER LANGUAGE=POSTSCRIPT\r\n%!PS-Adobe-3.0\r\n%%Page: 1 1\r%%BeginBinary: "
        "4\n\n%%a\n%%EndBinary\n"
        "%%BeginData: 9 Hex Lines\nx\n%%EndData\n%ALDImageID: a\r\n%%EOF\n\x04%!PS\n";
    const auto whole = lines_of(job);
    ASSERT_GE(whole.size(), 9U);
    for (std::size_t step = 1; step <= job.size(); ++step)
        EXPECT_EQ(lines_of(job, step), whole) << "windows of " << step;
}

TEST(DscScanner, SplitsKeywordAndValue) {
    EXPECT_EQ(keyword_of("%%Page: 1 1"), "%%Page");
    EXPECT_EQ(value_of("%%Page: 1 1"), "1 1");
    EXPECT_EQ(value_of("%ALDImageFileName:pic.tif "), "pic.tif ");
    EXPECT_EQ(value_of("%ALDImageDimensions:\t16 16"), "16 16");
    EXPECT_EQ(keyword_of("%%EndObjectCache"), "%%EndObjectCache");
    EXPECT_TRUE(has_keyword("%aldimagefilename : x", "%ALDImageFilename"));
    EXPECT_EQ(value_of("%aldimagefilename : x"), "x");
}

}  // namespace
}  // namespace opispool::opi

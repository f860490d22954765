// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/thin_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace opispool::opi {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ThinDocument parse(const std::string& job) {
    MemoryByteSource source(job);
    auto document = parse_thin_document(source);
    EXPECT_TRUE(document);
    return document ? std::move(*document) : ThinDocument{};
}

std::string block_1_3(const std::string& name, const std::string& body = "gsave proxy grestore\n") {
    return "%ALDImageFilename: " + name +
           "\n%ALDImageDimensions: 4 4\n%ALDImagePosition: 0 0 0 9 9 9 9 0\n%%BeginObject: image\n" + body +
           "%%EndObject\n";
}

std::string block_2_0(const std::string& name, const std::string& body = "proxy\n") {
    return "%%BeginOPI: 2.0\n%%ImageFileName: " + name +
           "\ngsave\n%%BeginIncludedImage\n%%IncludedImageDimensions: 4 4\n" + body +
           "%%EndIncludedImage\ngrestore\n%%EndOPI\n";
}

std::string job(const std::string& page) {
    return "%!PS-Adobe-3.0\n%%EndComments\n%%Page: 1 1\n" + page + "showpage\n%%EOF\n";
}

std::vector<std::string> names(const ThinDocument& document) {
    std::vector<std::string> out;
    for (const Reference& reference : document.references) out.push_back(reference.comments.filename);
    return out;
}

TEST(ThinDocument, AContinuationNeedsNoBlank) {
    const ThinDocument document = parse(
        job("%ALDImageFilename: a.tif\n%ALDImageCropRect: 1 2\n%%+3\n%%+\t4\n%%BeginObject: image\n%%EndObject\n"));
    ASSERT_EQ(document.references.size(), 1U);
    ASSERT_TRUE(document.references[0].comments.crop_rect);
    EXPECT_DOUBLE_EQ(document.references[0].comments.crop_rect->bottom, 4);
    EXPECT_EQ(document.references[0].comment_lines.size(), 4U);
}

TEST(ThinDocument, FindsBothVersionsWithTheirRanges) {
    const std::string text = job(block_1_3("a.tif") + block_2_0("b.tif"));
    const ThinDocument document = parse(text);
    ASSERT_THAT(names(document), ElementsAre("a.tif", "b.tif"));
    const Reference& first = document.references[0];
    EXPECT_EQ(first.page, 1);
    EXPECT_EQ(first.line, 4U);
    EXPECT_EQ(text.substr(first.body.begin, first.body.end - first.body.begin),
              "%%BeginObject: image\ngsave proxy grestore\n%%EndObject\n");
    EXPECT_EQ(first.comment_lines.size(), 3U);
    const Reference& second = document.references[1];
    EXPECT_EQ(text.substr(second.body.begin, second.body.end - second.body.begin),
              "%%BeginIncludedImage\n%%IncludedImageDimensions: 4 4\nproxy\n%%EndIncludedImage\n");
    EXPECT_EQ(second.comment_lines.size(), 3U);  // BeginOPI, the name, EndOPI; the rest goes with the body
    EXPECT_DOUBLE_EQ(second.comments.included_dimensions->width, 4);
    for (const Reference& reference : document.references) EXPECT_THAT(reference.problems, testing::IsEmpty());
}

TEST(ThinDocument, CodeBetweenCommentsIsNotPartOfThem) {
    const std::string text =
        job("%ALDImageFilename: a.tif\n0.5 setgray\n%ALDImagePosition: 0 0 0 9 9 9 9 0\n%%BeginObject: "
            "image\n%%EndObject\n");
    const ThinDocument document = parse(text);
    ASSERT_EQ(document.references.size(), 1U);
    for (const ByteRange& line : document.references[0].comment_lines)
        EXPECT_EQ(text.substr(line.begin, line.end - line.begin).find("setgray"), std::string::npos);
    EXPECT_TRUE(document.references[0].comments.position.has_value());
}

TEST(ThinDocument, WaitingCommentsComeBeforeTheBlockBehindThem) {
    const ThinDocument document =
        parse(job("%ALDImageFilename: a.tif\n%ALDImagePosition: 0 0 0 9 9 9 9 0\n" + block_2_0("b.tif")));
    ASSERT_THAT(names(document), ElementsAre("a.tif", "b.tif"));
    EXPECT_LT(document.references[0].block.begin, document.references[1].block.begin);
}

TEST(ThinDocument, CommentsOnlyIsAPlaceOfItsOwn) {
    const std::string text =
        job("%ALDImageFilename: a.tif\n%ALDImagePosition: 0 0 0 9 9 9 9 0\ngrestore\n" + block_1_3("b.tif"));
    const ThinDocument document = parse(text);
    ASSERT_THAT(names(document), ElementsAre("a.tif", "b.tif"));
    const ByteRange& body = document.references[0].body;
    EXPECT_TRUE(body.empty());
    EXPECT_EQ(text.substr(body.begin, 8), "grestore");
}

TEST(ThinDocument, UnfinishedBlocksAreProblems) {
    const struct {
        const char *page, *problem;
    } cases[] = {
        {"%ALDImageFilename: a.tif\n%ALDImagePosition: 0 0 0 9 9 9 9 0\n%%BeginObject: image\nproxy\n",
         "no %%EndObject"},
        {"%%BeginOPI: 2.0\n%%ImageFileName: a.tif\n%%BeginIncludedImage\n%%EndIncludedImage\n", "no %%EndOPI"},
        {"%%BeginOPI: 2.0\n%%ImageFileName: a.tif\n%%BeginIncludedImage\nx\n%%EndOPI\n", "no %%EndIncludedImage"},
        {"%%BeginOPI: 2.0\n%%ImageFileName: a.tif\n%%EndOPI\n", "no %%BeginIncludedImage"},
        {"%%BeginOPI: 2.0\n%%BeginIncludedImage\n%%EndIncludedImage\n%%EndOPI\n", "names no image"},
        {"%%BeginOPI: 2.0\n%%ImageFileName: a.tif\n%%BeginOPI: "
         "2.0\n%%BeginIncludedImage\n%%EndIncludedImage\n%%EndOPI\n",
         "second %%BeginOPI"},
        {"%%BeginOPI: 3.0\n%%ImageFileName: a.tif\n%%BeginIncludedImage\n%%EndIncludedImage\n%%EndOPI\n",
         "version '3.0'"},
    };
    for (const auto& one : cases) {
        SCOPED_TRACE(one.page);
        const ThinDocument document = parse(job(one.page));
        ASSERT_EQ(document.references.size(), 1U);
        ASSERT_FALSE(document.references[0].problems.empty());
        EXPECT_THAT(document.references[0].problems[0], HasSubstr(one.problem));
    }
}

TEST(ThinDocument, LookAlikesAreNoReferences) {
    for (const std::string& page : {
             std::string("%ALDFontName: x\n%%BeginObject: drawing\n%%EndObject\n"),
             std::string("%%ImageFileName: a.tif\n%%BeginIncludedStuff\n%%OPIVersion: 2.0\n"),
             std::string("%%BeginBinary: 300000\n") + block_1_3("a.tif") + "%%EndBinary\n",
             "(\n" + block_1_3("a.tif", "proxy\n") + block_2_0("a.tif") + ") pop\n",
             "(see " + std::string("%ALDImageFilename: a.tif") + ") show\n",
             std::string("%ALDImageTint: 1\n%%BeginObject: image\n%%EndObject\n"),  // no name, no reference
             std::string("%%BeginObject: image\nx\n%%EndObject\n"),
         })
        EXPECT_THAT(parse(job(page)).references, testing::IsEmpty()) << page;
}

TEST(ThinDocument, PrologTemplatesAreLeftAloneWithAWord) {
    const ThinDocument document =
        parse("%!PS-Adobe-3.0\n%%BeginProlog\n%%BeginResource: procset x\n" + block_1_3("t.tif") +
              "%%EndResource\n%%EndProlog\n" + "%%Page: 1 1\n" + block_1_3("a.tif") + "%%EOF\n");
    EXPECT_THAT(names(document), ElementsAre("a.tif"));
    ASSERT_EQ(document.warnings.size(), 1U);
    EXPECT_THAT(document.warnings[0], HasSubstr("t.tif"));
    // A prolog that never ends hides nothing.
    EXPECT_THAT(names(parse("%!PS\n%%BeginProlog\n%%Page: 1 1\n" + block_1_3("a.tif"))), ElementsAre("a.tif"));
}

TEST(ThinDocument, OnePlacementInTwoVersionsIsOneReference) {
    const ThinDocument nested = parse(job(block_1_3("a.tif", block_2_0("a.tif"))));
    ASSERT_THAT(names(nested), ElementsAre("a.tif"));
    ASSERT_EQ(nested.references[0].inner.size(), 1U);
    EXPECT_EQ(nested.references[0].inner[0].comments.version, OpiVersion::v2_0);
    const ThinDocument beside =
        parse(job("%ALDImageFilename: a.tif\n%ALDImagePosition: 0 0 0 9 9 9 9 0\n" + block_2_0("a.tif")));
    ASSERT_THAT(names(beside), ElementsAre("a.tif"));
    EXPECT_EQ(beside.references[0].comments.version, OpiVersion::v2_0);
    EXPECT_EQ(beside.references[0].comment_lines.size(), 5U);
}

TEST(ThinDocument, NestedDocumentsCarryReferencesButNoPages) {
    const std::string inner = "%%BeginDocument: x.eps\n%!PS-Adobe-3.0 EPSF-3.0\n%%Page: 1 1\n" + block_1_3("in.tif") +
                              "%%EOF\n%%EndDocument\n";
    const ThinDocument document = parse(job(inner + block_2_0("out.tif", inner)));
    ASSERT_THAT(names(document), ElementsAre("in.tif", "out.tif"));
    EXPECT_EQ(document.pages, 1);
    EXPECT_EQ(document.references[0].depth, 1);
    ASSERT_EQ(document.references[1].inner.size(), 1U);
}

TEST(ThinDocument, ASecondJobForgetsTheFirst) {
    const std::string broken = "%!PS-Adobe-3.0\n%%Page: 1 1\n%%BeginDocument: x.eps\n0 setgray\n\x04";
    const ThinDocument document = parse(broken + job(block_1_3("a.tif")));
    ASSERT_THAT(names(document), ElementsAre("a.tif"));
    EXPECT_EQ(document.references[0].depth, 0);
}

TEST(ThinDocument, StraysAndContinuationsEndNothing) {
    const ThinDocument document =
        parse(job("/T (tail\n%%EndObject\nend) def\n" +
                  std::string("%ALDImageFilename: a.tif\n%ALDImageAsciiTag305: first\n%%+ second\n%%+ %%EndObject\n") +
                  "%ALDImagePosition: 0 0 0 9 9 9 9 0\n%%BeginObject:image\n%%EndObjectCache\n%%EndObject\n"));
    ASSERT_THAT(names(document), ElementsAre("a.tif"));
    EXPECT_THAT(document.references[0].problems, testing::IsEmpty());
    EXPECT_EQ(document.references[0].comment_lines.size(), 5U);
}

TEST(ThinDocument, SaysWhenABlockStandsInAProcedure) {
    EXPECT_TRUE(parse(job("/Form {\n" + block_1_3("a.tif") + "} def\n")).references[0].in_procedure);
    EXPECT_FALSE(parse(job("/P { (}) { } } def\n" + block_1_3("a.tif"))).references[0].in_procedure);
    // Uncounted image data proves nothing.
    EXPECT_FALSE(parse(job(std::string("image\n{((\x01{{\n") + block_1_3("a.tif"))).references[0].in_procedure);
}

TEST(ThinDocument, SaysWhenTheObjectCannotBeTakenOut) {
    EXPECT_TRUE(parse(job(block_1_3("a.tif", "gsave save\n"))).references[0].object_unbalanced);
    EXPECT_FALSE(
        parse(job(block_1_3("a.tif", "gsave /x (save) def { save } pop grestore\n"))).references[0].object_unbalanced);
}

TEST(ThinDocument, KnowsThePlateOfASeparatedPage) {
    const ThinDocument document = parse("%!PS-Adobe-3.0\n%%Page: (Cyan) 1\n%%PlateColor Cyan\n" + block_1_3("a.tif") +
                                        "%%Page: 2 2\n" + block_1_3("b.tif") + "%%EOF\n");
    ASSERT_EQ(document.references.size(), 2U);
    EXPECT_EQ(document.references[0].plate, Plate{"Cyan"});
    EXPECT_THAT(document.references[1].problems, ElementsAre(HasSubstr("does not say which plate")));
    EXPECT_THAT(document.plates, ElementsAre("Cyan"));
}

TEST(ThinDocument, EveryLineEndGivesTheSame) {
    const std::string text = job(block_1_3("a.tif") + block_2_0("b.tif"));
    for (const char* end : {"\r", "\r\n"}) {
        std::string other;
        for (const char c : text) other += c == '\n' ? end : std::string(1, c);
        const ThinDocument document = parse(other);
        ASSERT_THAT(names(document), ElementsAre("a.tif", "b.tif"));
        EXPECT_EQ(document.references[1].line, 10U);
    }
}

TEST(ThinDocument, KeepsTheHeaderCommentsItMayHaveToCorrect) {
    const std::string text =
        "%!PS-Adobe-3.0\n%%DocumentData: Clean7Bit\n%%LanguageLevel: 2\n%%EndComments\n%%Page: 1 1\n" +
        block_2_0("a.eps") + "%%EOF\n";
    const ThinDocument document = parse(text);
    ASSERT_TRUE(document.document_data && document.language_level);
    EXPECT_EQ(document.document_data_value, "Clean7Bit");
    EXPECT_EQ(
        text.substr(document.language_level->begin, document.language_level->end - document.language_level->begin),
        "%%LanguageLevel: 2");
}

}  // namespace
}  // namespace opispool::opi

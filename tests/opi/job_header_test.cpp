// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/job_header.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace opispool::opi {
namespace {

ThinDocument parse(const std::string& text) {
    MemoryByteSource source(text);
    return *parse_thin_document(source);
}

// The job as it leaves.
std::string corrected(const std::string& job, const UsedFeatures& used) {
    std::string out = job;
    auto edits = correct_header(parse(job), used);
    std::stable_sort(edits.begin(), edits.end(),
                     [](const HeaderEdit& a, const HeaderEdit& b) { return a.line.begin < b.line.begin; });
    std::size_t shift = 0;
    for (const HeaderEdit& edit : edits) {
        out.replace(edit.line.begin + shift, edit.line.end - edit.line.begin, edit.text);
        shift += edit.text.size() - (edit.line.end - edit.line.begin);
    }
    return out;
}

UsedFeatures claims(const std::string& eps, bool colours = true) {
    UsedFeatures used;
    note_claims(parse(eps), colours, used);
    return used;
}

const std::string eps =
    "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%DocumentProcessColors: cyan Black\n"
    "%%DocumentCustomColors: (PANTONE 185 CVC)\n%%+ (Plain)\n%%CMYKCustomColor: 0 0.91 0.76 0 (PANTONE 185 CVC)\n"
    "%%DocumentNeededResources: font Garamond Times-Roman\n%%+ procset x 1 0\n%%DocumentSuppliedResources: font "
    "Times-Roman\n"
    "%%EndComments\n";

TEST(JobHeader, ReadsWhatAnEpsClaims) {
    const UsedFeatures used = claims(eps);
    EXPECT_EQ(used.needed_fonts, (std::set<std::string>{"Garamond"}));
    EXPECT_EQ(used.process_inks, (std::set<std::string>{"Black", "Cyan"}));
    ASSERT_EQ(used.spot_inks.size(), 2U);
    EXPECT_DOUBLE_EQ(used.spot_inks.at("PANTONE 185 CVC")[1], 0.91);
    EXPECT_TRUE(claims(eps, false).spot_inks.empty());
    EXPECT_EQ(claims(eps, false).needed_fonts.size(), 1U);
}

TEST(JobHeader, AddsToTheListsOfTheJob) {
    const std::string job =
        "%!PS-Adobe-3.0\r\n%%DocumentProcessColors: Black\r\n%%DocumentCustomColors: (Varnish)\r\n%%+ (plain)\r\n"
        "%%DocumentNeededResources: font Helvetica\r\n%%EndComments\r\n";
    EXPECT_EQ(
        corrected(job, claims(eps)),
        "%!PS-Adobe-3.0\r\n%%DocumentProcessColors: Black Cyan\r\n%%DocumentCustomColors: (Varnish)\r\n%%+ (plain)\r\n"
        "%%+ (PANTONE 185 CVC)\r\n%%CMYKCustomColor: 0 0.91 0.76 0 (PANTONE 185 CVC)\r\n"
        "%%DocumentNeededResources: font Helvetica\r\n%%+ font Garamond\r\n%%EndComments\r\n");
}

TEST(JobHeader, AddsInTheTrailerWhatTheHeaderPutOff) {
    const std::string job =
        "%!PS-Adobe-3.0\n%%DocumentNeededFonts: (atend)\n%%DocumentProcessColors: (atend)\n%%EndComments\n"
        "%%Page: 1 1\nshowpage\n%%Trailer\n%%DocumentNeededFonts: Helvetica\n%%DocumentProcessColors:\n%%EOF\n";
    EXPECT_EQ(corrected(job, claims(eps)),
              "%!PS-Adobe-3.0\n%%DocumentNeededFonts: (atend)\n%%DocumentProcessColors: (atend)\n%%EndComments\n"
              "%%Page: 1 1\nshowpage\n%%Trailer\n%%DocumentNeededFonts: Helvetica\n%%+ Garamond\n"
              "%%DocumentProcessColors: Black Cyan\n%%EOF\n");
}

TEST(JobHeader, LeavesAloneWhatIsTrueOrNotSaid) {
    for (const char* job :
         {"%!PS-Adobe-3.0\n%%EndComments\n",
          "%!PS\n%%DocumentSuppliedResources: font Garamond\n%%DocumentNeededResources: font A\n",
          "%!PS-Adobe-3.0\n%%DocumentNeededFonts: Garamond\n%%DocumentProcessColors: Cyan Magenta\n%%+ Black\n"})
        EXPECT_EQ(corrected(job, claims(eps)), job);
}

}  // namespace
}  // namespace opispool::opi

// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/plate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "opi/dsc_scanner.h"

namespace opispool::opi {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Told {
    std::vector<std::string> pages;  // ink, "" for composite, "?" for a problem
    std::vector<std::string> plates;
    std::string problem;
};

Told told(const std::vector<std::string>& lines) {
    PlateSignals signals;
    std::size_t pages = 0;
    for (const std::string& line : lines) {
        if (has_keyword(line, "%%Page")) {
            signals.begin_page(line);
            ++pages;
        } else if (has_keyword(line, "%%+")) {
            signals.take_continuation(line);
        } else {
            signals.take(line);
        }
    }
    signals.finish();
    Told out;
    for (std::size_t page = 1; page <= pages; ++page) {
        const auto verdict = signals.verdict(page, std::nullopt);
        out.pages.push_back(!verdict.problem.empty() ? "?" : verdict.plate ? verdict.plate->ink : "");
        out.problem += verdict.problem;
    }
    out.plates = signals.plates();
    return out;
}

TEST(Plate, ReadsPlateColorWithAndWithoutColon) {
    const Told job = told({"%%Page: 1 1", "%%PlateColor: Cyan", "%%Page: 1 2", "%%PlateColor Black", "%%Page: 1 3",
                           "%%PlateColor: (PANTONE 185 C)", "%%Page: 1 4", "%%PlateColor: PANTONE 2 C", "%%Page: 1 5",
                           "%%PlateColor: GELB"});
    EXPECT_THAT(job.pages, ElementsAre("Cyan", "Black", "PANTONE 185 C", "PANTONE 2 C", "Yellow"));
    EXPECT_EQ(job.plates, job.pages);
}

TEST(Plate, ReadsTheLabelOfThePage) {
    EXPECT_THAT(told({"%%Page: (Cyan) 1", "%%Page: magenta 2"}).pages, ElementsAre("Cyan", "Magenta"));
    EXPECT_THAT(told({"%%DocumentCustomColors: (Gold)", "%%+ (PANTONE 185 C)", "%%Page: (Black) 1",
                      "%%Page: (PANTONE 185 C) 2", "%%Page: Gold 3"})
                    .pages,
                ElementsAre("Black", "PANTONE 185 C", "Gold"));
    // An unknown label in a separated job may be anything.
    EXPECT_THAT(told({"%%Page: (Cyan) 1", "%%Page: (Gold) 2"}).pages, ElementsAre("Cyan", "?"));
    EXPECT_THAT(told({"%%Page: (Gold) 1", "%%Page: 2 2", "%%Page: iii 3"}).pages, ElementsAre("", "", ""));
}

TEST(Plate, OneColourAPageCountsOnlyInASeparatedJob) {
    const std::vector<std::string> cyan{"%%Page: 1 1", "%%PageProcessColors: Cyan"};
    EXPECT_THAT(told(cyan).pages, ElementsAre(""));
    EXPECT_THAT(told({"%%Page: 1 1", "%%PageProcessColors: Cyan", "%%Page: 1 2", "%%PageProcessColors: Black",
                      "%%Page: 1 3", "%%PageProcessColors:", "%%PageCustomColors: (PANTONE 185 C)"})
                    .pages,
                ElementsAre("Cyan", "Black", "PANTONE 185 C"));
    // A brochure in black with a page in a spot colour is composite.
    EXPECT_THAT(told({"%%Page: 1 1", "%%PageProcessColors: Black", "%%Page: 2 2", "%%PageCustomColors: (Gold)"}).pages,
                ElementsAre("", ""));
    EXPECT_THAT(
        told({"%%Page: 1 1", "%%PageProcessColors: Cyan", "%%Page: 2 2", "%%PageProcessColors: Cyan Black"}).pages,
        ElementsAre("", ""));
}

TEST(Plate, AnUnknownPlateIsAProblem) {
    const Told job = told({"%%Page: 1 1", "%%PlateColor: Cyan", "%%Page: 2 2"});
    EXPECT_THAT(job.pages, ElementsAre("Cyan", "?"));
    EXPECT_THAT(job.problem, HasSubstr("does not say which plate"));
}

TEST(Plate, ContradictionsAreAProblem) {
    const Told job = told({"%%Page: (Cyan) 1", "%%PlateColor: Magenta"});
    EXPECT_THAT(job.pages, ElementsAre("?"));
    EXPECT_THAT(job.problem, HasSubstr("contradict each other about which plate it is ('Magenta', 'Cyan')"));
    EXPECT_THAT(told({"%%Page: 1 1", "%%PlateColor: Cyan", "%%PlateColor: Black"}).pages, ElementsAre("?"));
    EXPECT_THAT(told({"%%Page: (Black) 1", "%%PageProcessColors: Cyan Black"}).pages, ElementsAre("?"));
    EXPECT_THAT(told({"%%Page: 1 1", "%%PlateColor: Cyan", "%%PageProcessColors: Black"}).pages, ElementsAre("?"));
    EXPECT_THAT(told({"%%Page: 1 1", "%%PlateColor: Cyan", "%%PageProcessColors: Cyan Black"}).pages,
                ElementsAre("Cyan"));
}

TEST(Plate, TheHeadersPlateIsEveryPagesUnlessPagesNameTheirOwn) {
    EXPECT_THAT(told({"%%PlateColor: Cyan", "%%Page: 1 1", "%%Page: 2 2"}).pages, ElementsAre("Cyan", "Cyan"));
    EXPECT_THAT(told({"%%PlateColor: Cyan", "%%Page: 1 1", "%%PlateColor: Black", "%%Page: 2 2"}).pages,
                ElementsAre("Black", "?"));
}

TEST(Plate, BracketsNameThePlateOfWhatTheyEnclose) {
    PlateSignals signals;
    signals.begin_page("%%Page: 1 1");
    signals.take("%%BeginProcessColor: cyan");
    const auto inside = signals.bracket();
    signals.take("%%EndProcessColor");
    signals.take("%%BeginCustomColor: (Gold)");
    EXPECT_EQ(signals.bracket(), Plate{"Gold"});
    signals.take("%%EndCustomColor");
    EXPECT_EQ(signals.bracket(), std::nullopt);
    signals.finish();
    EXPECT_EQ(signals.verdict(1, inside).plate, Plate{"Cyan"});
    EXPECT_THAT(signals.verdict(1, std::nullopt).problem, HasSubstr("does not say which plate"));
    EXPECT_THAT(signals.plates(), ElementsAre("Cyan", "Gold"));
}

TEST(Plate, AWordThatPagesAreCompositeIsNone) {
    const Told job = told({"%%Page: 1 1", "%%PlateColor: Composite"});
    EXPECT_THAT(job.pages, ElementsAre(""));
    EXPECT_THAT(job.plates, IsEmpty());
}

TEST(Plate, FindsAnInkByItsBytesFirst) {
    const std::vector<std::string> inks{"gold", "Gold", "SILVER"};
    EXPECT_EQ(find_ink(inks, "Gold"), 1U);
    EXPECT_EQ(find_ink(inks, "GOLD"), 0U);
    EXPECT_EQ(find_ink(inks, "Silver"), 2U);
    EXPECT_EQ(find_ink(inks, "Silver "), std::nullopt);
}

}  // namespace
}  // namespace opispool::opi

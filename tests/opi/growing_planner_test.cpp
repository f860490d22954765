// SPDX-License-Identifier: AGPL-3.0-or-later
// A job planned while it arrives gives the bytes of a job that was there at once, however it came.
#include "opi/growing_planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "opi/image_index.h"
#include "tests/opi/raster_test_support.h"
#include "tests/opi/temp_store.h"

namespace opispool::opi::test {
namespace {

using Step = GrowingPlanner::Step;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string filler(std::size_t bytes) {
    std::string text;
    while (text.size() < bytes) text += "newpath 10 " + std::to_string(text.size()) + " moveto (a \\( b) pop\n";
    return text;
}

std::string block_1_3(const std::string& name) {
    return "%ALDImageFileName: " + name +
           "\n%ALDImageDimensions: 40 30\n%ALDImageCropRect: 0 0 40 30\n%ALDImagePosition: 10 10 10 40 50 40 50 10\n"
           "%%BeginObject: image\nproxy\n%%EndObject\n";
}

std::string page(int ordinal, const std::string& body) {
    return "%%Page: " + std::to_string(ordinal) + " " + std::to_string(ordinal) + "\n" + body + "showpage\n";
}

const std::string header = "%!PS-Adobe-3.0\n%%BoundingBox: 0 0 200 200\n%%EndComments\n%%BeginProlog\n%%EndProlog\n";

// Pages that are long and short, that hold look-alikes of pages, and pictures.
std::string job_of_every_kind() {
    std::string counted = "%%BeginData: 300000 Binary Bytes\n";
    const std::string data = "\n%%Page: 9 9\n%ALDImageFileName: no.tif\n";
    while (counted.size() < 300'000 + 33) counted += data;
    counted.resize(300'000 + 33);
    std::string job = header;
    job += page(1, block_1_3("picture.tif") + filler(400'000));
    job += page(2, "short\n");
    job += page(3, counted + "\n%%EndData\n" + block_1_3("picture.tif"));
    job += page(4, "%%BeginDocument: inner.eps\n%!PS-Adobe-3.0 EPSF-3.0\n" + page(1, filler(500'000)) +
                       "%%EOF\n%%EndDocument\n");
    job +=
        page(5, filler(900'000) + "(text that goes over\n%%Page: 7 7\n the look of a page) show\n" + filler(300'000));
    job += page(6, block_1_3("picture.tif") + filler(10'000) + block_1_3("picture.tif"));
    return job + "%%Trailer\n%%EOF\n";
}

class GrowingPlannerTest : public ::testing::Test {
  protected:
    GrowingPlannerTest() {
        TiffSpec spec;
        spec.photometric = PHOTOMETRIC_MINISBLACK;
        spec.samples = 1;
        write_tiff(dir_, spec);
        auto index = ImageIndex::open({dir_.path("")});
        EXPECT_TRUE(index);
        index_.emplace(std::move(*index));
    }

    GrowingPlanner planner(OnMissing on_missing = OnMissing::fail) {
        return GrowingPlanner({path_, &*index_, OutputProfile{}, on_missing});
    }

    std::string at_once(const std::string& job) {
        write_file(path_, job);
        PlanRequest request;
        request.thin = map(path_);
        request.index = &*index_;
        auto outcome = make_plan(request);
        EXPECT_TRUE(outcome && outcome->plan);
        return outcome && outcome->plan ? bytes_of(*outcome->plan) : "";
    }

    struct Arrived {
        std::string bytes;
        std::vector<std::string> problems, warnings;
        std::vector<int> pages;  // of the pictures
        std::vector<std::uint64_t> lines;
        int plans = 0;
        bool whole_needed = false;
    };

    // The job comes in pieces of `step` bytes.
    Arrived piecemeal(const std::string& job, std::size_t step) {
        Arrived arrived;
        GrowingPlanner planner = this->planner();
        for (std::size_t there = 0;;) {
            there = std::min(there + step, job.size());
            const bool complete = there == job.size();
            write_file(path_, job.substr(0, there));
            for (;;) {
                const auto taken = planner.advance(there, complete);
                EXPECT_TRUE(taken) << describe(taken.error());
                if (!taken || *taken == Step::done) return arrived;
                arrived.whole_needed |= *taken == Step::whole_needed;
                if (*taken == Step::whole_needed && complete) return arrived;
                if (*taken != Step::planned) break;
                for (const Problem& problem : planner.outcome().problems) arrived.problems.push_back(problem.text);
                for (const std::string& warning : planner.outcome().warnings) arrived.warnings.push_back(warning);
                if (!planner.outcome().plan) return arrived;
                ++arrived.plans;
                arrived.bytes += bytes_of(*planner.outcome().plan);
                for (const PlacedImage& image : planner.outcome().plan->images()) {
                    arrived.pages.push_back(image.page);
                    arrived.lines.push_back(image.line);
                }
                if (!complete) break;
            }
        }
    }

    TempDir dir_;
    std::string path_ = dir_.path("job.ps");
    std::optional<ImageIndex> index_;
};

TEST_F(GrowingPlannerTest, GivesTheSameBytesInWhateverPiecesTheJobComes) {
    const std::string job = job_of_every_kind();
    const std::string whole = at_once(job);
    ASSERT_GT(whole.size(), job.size());
    for (const std::size_t step : {50'001U, 131'072U, 262'145U, 700'000U, 10'000'000U}) {
        const Arrived arrived = piecemeal(job, step);
        EXPECT_TRUE(arrived.bytes == whole) << step;
        EXPECT_THAT(arrived.pages, ElementsAre(1, 3, 6, 6)) << step;
        EXPECT_THAT(arrived.warnings, ElementsAre()) << step;
        if (step < 300'000) {
            EXPECT_GE(arrived.plans, 4) << step;
        }
    }
}

TEST_F(GrowingPlannerTest, CountsLinesOverThePieces) {
    const std::string job = job_of_every_kind();
    const std::vector<std::uint64_t> lines = piecemeal(job, job.size()).lines;
    ASSERT_EQ(lines.size(), 4U);
    EXPECT_EQ(piecemeal(job, 100'000).lines, lines);
}

TEST_F(GrowingPlannerTest, GivesTheFirstPagesBeforeTheLastHaveCome) {
    const std::string job = header + page(1, filler(10'000)) + page(2, filler(600'000));
    write_file(path_, job.substr(0, 400'000));
    GrowingPlanner planner = this->planner();
    const auto step = planner.advance(400'000, false);
    ASSERT_TRUE(step);
    ASSERT_EQ(*step, Step::planned);
    EXPECT_EQ(bytes_of(*planner.outcome().plan), job.substr(0, job.find("%%Page: 2")));
}

// The count may still come true.
TEST_F(GrowingPlannerTest, WaitsForCountedDataThatHasNotCome) {
    const std::string inside = "\n%%Page: 2 2\n%ALDImageFileName: no.tif\n" + filler(600'000);
    const std::string job = header + "%%Page: 1 1\n%%BeginData: " + std::to_string(inside.size()) + " ASCII Bytes\n" +
                            inside + "\n%%EndData\nshowpage\n%%EOF\n";
    const std::string whole = at_once(job);
    EXPECT_TRUE(piecemeal(job, 300'000).bytes == whole);
}

TEST_F(GrowingPlannerTest, AMissingPictureOfALaterPageIsAProblemThen) {
    const std::string job = header + page(1, filler(500'000)) + page(2, block_1_3("lost.tif") + filler(500'000));
    const Arrived arrived = piecemeal(job, 300'000);
    EXPECT_TRUE(job.starts_with(arrived.bytes));
    EXPECT_FALSE(arrived.bytes.empty());
    ASSERT_EQ(arrived.problems.size(), 1U);
    EXPECT_THAT(arrived.problems[0], HasSubstr("no"));
}

std::string plate_page(int ordinal, const std::string& ink) {
    return "%%Page: " + std::to_string(ordinal) + " " + std::to_string(ordinal) + "\n%%PlateColor: " + ink + "\n" +
           block_1_3("picture.tif") + filler(300'000) + "showpage\n";
}

TEST_F(GrowingPlannerTest, ASeparatedJobWaitsUntilItIsWhole) {
    const Arrived arrived = piecemeal(header + plate_page(1, "Cyan") + plate_page(2, "Black"), 300'000);
    EXPECT_TRUE(arrived.whole_needed);
    EXPECT_EQ(arrived.plans, 0);
}

TEST_F(GrowingPlannerTest, AJobThatTurnsOutSeparatedIsAProblem) {
    const Arrived arrived = piecemeal(
        header + page(1, filler(900'000)) + page(2, filler(900'000)) + plate_page(3, "Cyan") + plate_page(4, "Black"),
        300'000);
    ASSERT_EQ(arrived.problems.size(), 1U);
    EXPECT_THAT(arrived.problems[0], HasSubstr("separated"));
}

TEST_F(GrowingPlannerTest, SaysWhenTheHeaderShouldHaveBeenCorrected) {
    const std::string job = "%!PS-Adobe-3.0\n%%DocumentData: Clean7Bit\n%%EndComments\n" + page(1, filler(400'000)) +
                            page(2, block_1_3("picture.tif"));
    const Arrived arrived = piecemeal(job, 300'000);
    EXPECT_THAT(arrived.warnings, ElementsAre(HasSubstr("header")));
    EXPECT_THAT(arrived.bytes, HasSubstr("Clean7Bit"));
}

}  // namespace
}  // namespace opispool::opi::test

// SPDX-License-Identifier: AGPL-3.0-or-later
// The contract of `opispool resolve`, `scan` and `plan`: exit codes, and what is and is not left on disk.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <filesystem>

#include "tests/spooler/tiny_job.h"
#include "tests/spooler/tool_run.h"

namespace opispool::cli {
namespace {

using spooler::thin_job;
using spooler::tiny_tiff;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const std::string plain_job = "%!PS-Adobe-3.0\n%%EndComments\n\x80\xFF binary \r\nshowpage\n%%EOF\n";

class CliFiles : public testing::Test {
  protected:
    CliFiles() {
        std::filesystem::create_directory(folder_.path() / "store");
        folder_.file("store/car.tif", tiny_tiff());
        std::filesystem::create_directory(folder_.path() / "result");
        good_ = folder_.file("good.ps", thin_job("Mac HD:jobs:car.tif"));
        bad_ = folder_.file("bad.ps", thin_job("lost.tif"));
        plain_ = folder_.file("plain.ps", plain_job);
    }
    std::string at(const char* name) const { return (folder_.path() / name).string(); }
    std::vector<std::string> result_files() const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(folder_.path() / "result"))
            names.push_back(entry.path().filename().string());
        return names;
    }
    ScratchFolder folder_;
    std::string good_, bad_, plain_;
    const std::string store_ = at("store"), out_ = at("result/out.ps");
};

TEST_F(CliFiles, ResolveWritesTheWholeResult) {
    const ToolRun run = run_tool({"resolve", "--store", store_, "-o", out_, good_});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(run.err, "");
    EXPECT_THAT(result_files(), ElementsAre("out.ps"));
    const std::string result = content_of(out_);
    EXPECT_THAT(result, HasSubstr("\x10\x60\xA0\xF0"));
    EXPECT_EQ(result.find("(proxy)"), std::string::npos);
    EXPECT_THAT(result, EndsWith("grestore\nshowpage\n%%EOF\n"));
    struct stat status {};
    ASSERT_EQ(::stat(out_.c_str(), &status), 0);
    const mode_t mask = ::umask(0);
    ::umask(mask);
    EXPECT_EQ(status.st_mode & 0777U, 0666U & ~mask);
}

TEST_F(CliFiles, EveryWayInAndOutGivesTheSameBytes) {
    ASSERT_EQ(run_tool({"resolve", "--store", store_, "-o", out_, good_}).exit_code, 0);
    const std::string result = content_of(out_);
    const std::string job = content_of(good_);
    EXPECT_EQ(run_tool({"resolve", "--store", store_, good_}).out, result);
    EXPECT_EQ(run_tool({"resolve", "--store", store_, "-o", "-", good_}).out, result);
    EXPECT_EQ(run_tool({"resolve", "--store", store_}, piped(job)).out, result);
    EXPECT_EQ(run_tool({"resolve", "--store", store_, "-"}, piped(job)).out, result);
    EXPECT_EQ(run_tool({"resolve", "--store", store_, "-"}, redirected(job)).out, result);
    EXPECT_EQ(run_tool({"resolve", "-o/dev/stdout", "--store=" + store_, "--", good_}).out, result);
}

TEST_F(CliFiles, AJobWithoutReferencesPassesAsItIs) {
    const ToolRun run = run_tool({"resolve", "--store", store_, plain_});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.out, plain_job);
}

TEST_F(CliFiles, AnUnresolvedJobLeavesNothing) {
    const ToolRun run = run_tool({"resolve", "--store", store_, "-o", out_, bad_});
    EXPECT_EQ(run.exit_code, 3);
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.err, StartsWith(bad_ + ":6: image 'lost.tif': "));
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1);
    EXPECT_THAT(result_files(), IsEmpty());

    const ToolRun to_stdout = run_tool({"resolve", "--store", store_}, piped(content_of(bad_)));
    EXPECT_EQ(to_stdout.exit_code, 3);
    EXPECT_EQ(to_stdout.out, "");
    EXPECT_THAT(to_stdout.err, StartsWith("<stdin>:6: image 'lost.tif': "));
}

TEST_F(CliFiles, ADamagedPictureLeavesNothing) {
    folder_.file("store/car.tif", tiny_tiff().substr(0, 30));
    const ToolRun run = run_tool({"resolve", "--store", store_, "-o", out_, good_});
    EXPECT_EQ(run.exit_code, 3) << run.err;
    EXPECT_THAT(run.err, HasSubstr("car.tif"));
    EXPECT_THAT(result_files(), IsEmpty());
}

TEST_F(CliFiles, AnOldResultStaysUntilTheNewOneIsWhole) {
    folder_.file("result/out.ps", "old");
    ASSERT_EQ(::chmod(out_.c_str(), 0640), 0);
    EXPECT_EQ(run_tool({"resolve", "--store", store_, "-o", out_, bad_}).exit_code, 3);
    EXPECT_EQ(content_of(out_), "old");
    EXPECT_THAT(result_files(), ElementsAre("out.ps"));

    EXPECT_EQ(run_tool({"resolve", "--store", store_, "-o", out_, plain_}).exit_code, 0);
    EXPECT_EQ(content_of(out_), plain_job);
    EXPECT_THAT(result_files(), ElementsAre("out.ps"));
    struct stat status {};
    ASSERT_EQ(::stat(out_.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST_F(CliFiles, TheResultMayReplaceTheJob) {
    const std::string expected = run_tool({"resolve", "--store", store_, good_}).out;
    EXPECT_EQ(run_tool({"resolve", "--store", store_, "-o", good_, good_}).exit_code, 0);
    EXPECT_EQ(content_of(good_), expected);
}

TEST_F(CliFiles, ALinkAtTheResultIsFollowed) {
    folder_.file("real.ps", "old");
    std::filesystem::create_symlink("../real.ps", out_);
    EXPECT_EQ(run_tool({"resolve", "--store", store_, "-o", out_, plain_}).exit_code, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(out_));
    EXPECT_EQ(content_of(at("real.ps")), plain_job);
}

TEST_F(CliFiles, ADeviceIsWrittenAndNotReplaced) {
    EXPECT_EQ(run_tool({"resolve", "--store", store_, "-o", "/dev/null", plain_}).exit_code, 0);
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
    const ToolRun full = run_tool({"resolve", "--store", store_, "-o", "/dev/full", plain_});
    EXPECT_EQ(full.exit_code, 1);
    EXPECT_THAT(full.err, HasSubstr("/dev/full"));
}

TEST_F(CliFiles, AResultThatCanNotBeWrittenIsSaid) {
    const ToolRun nowhere = run_tool({"resolve", "--store", store_, "-o", at("no/such/out.ps"), plain_});
    EXPECT_EQ(nowhere.exit_code, 1);
    EXPECT_THAT(nowhere.err, HasSubstr("no/such/out.ps"));
    EXPECT_EQ(run_tool({"resolve", "--store", store_, "-o", at("result"), plain_}).exit_code, 1);
    EXPECT_THAT(result_files(), IsEmpty());
}

TEST_F(CliFiles, AReaderThatGoesAwayIsAnErrorNotADeath) {
    ToolSetup setup;
    setup.reader_is_gone = true;
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"resolve", "--store", store_, plain_},
                                               {"scan", "--store", store_, good_},
                                               {"plan", "--store", store_, good_},
                                               {"--help"}}) {
        const ToolRun run = run_tool(words, setup);
        EXPECT_EQ(run.exit_code, 1) << words[0];
        EXPECT_THAT(run.err, HasSubstr("standard output")) << words[0];
    }
}

TEST_F(CliFiles, MistakesOnTheCommandLineAreExitTwo) {
    const std::vector<std::vector<std::string>> mistakes{
        {},
        {"print"},
        {"resolve"},
        {"resolve", good_},
        {"resolve", "--store"},
        {"resolve", "--store", at("nowhere"), good_},
        {"resolve", "--store", good_, good_},
        {"resolve", "--store", store_, at("nowhere.ps")},
        {"resolve", "--store", store_, at("store")},
        {"resolve", "--store", store_, good_, plain_},
        {"resolve", "--store", store_, "--encoding", "morse", good_},
        {"resolve", "--store", store_, "--level", "1", good_},
        {"resolve", "--store", store_, "--on-missing", "guess", good_},
        {"resolve", "--store", store_, "--ink", "Gold=0,0.2,0.6", good_},
        {"resolve", "--store", store_, "--wat", good_},
        {"resolve", "--sto", store_, good_},
        {"resolve", "--store", store_, "-o", "", good_},
        {"resolve", "--store", store_, "-o", "a", "-o", "b", good_},
        {"scan", "--json", good_},
        {"scan", "--store", store_, "--level", "2", good_},
        {"plan", "--store", at("nowhere"), good_},
    };
    for (const auto& words : mistakes) {
        const ToolRun run = run_tool(words);
        const std::string shown = testing::PrintToString(words);
        EXPECT_EQ(run.exit_code, 2) << shown << run.err;
        EXPECT_EQ(run.out, "") << shown;
        EXPECT_THAT(run.err, StartsWith("opispool: ")) << shown;
        EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << shown << run.err;
        EXPECT_THAT(run.err, HasSubstr("--help")) << shown;
    }
    EXPECT_THAT(result_files(), IsEmpty());
}

TEST_F(CliFiles, HelpIsOnStandardOutput) {
    const ToolRun all = run_tool({"--help"});
    EXPECT_EQ(all.exit_code, 0);
    for (const char* command : {"resolve", "scan", "plan", "submit", "queues", "jobs", "job", "hold", "release",
                                "cancel", "redo", "stop-and-hold"}) {
        EXPECT_THAT(all.out, HasSubstr(std::string("  ") + command + " "));
        const ToolRun one = run_tool({command, "--help"});
        EXPECT_EQ(one.exit_code, 0) << command;
        EXPECT_THAT(one.out, StartsWith(std::string("Usage: opispool ") + command));
        EXPECT_EQ(one.err, "");
    }
    EXPECT_THAT(run_tool({"--version"}).out, StartsWith("opispool "));
}

TEST_F(CliFiles, AMissingPictureMayKeepItsPreview) {
    const ToolRun quiet = run_tool({"resolve", "--store", store_, "--on-missing", "proxy", bad_});
    EXPECT_EQ(quiet.exit_code, 0) << quiet.err;
    EXPECT_THAT(quiet.out, HasSubstr("(proxy) pop"));
    EXPECT_EQ(quiet.err, "");
    const ToolRun verbose = run_tool({"resolve", "--store", store_, "--on-missing", "proxy", "--verbose", bad_});
    EXPECT_EQ(verbose.out, quiet.out);
    EXPECT_THAT(verbose.err, HasSubstr("warning: "));
    EXPECT_THAT(verbose.err, HasSubstr("lost.tif"));
}

TEST_F(CliFiles, ExplainTellsTheSearch) {
    const ToolRun good = run_tool({"explain", "--store", store_, good_});
    EXPECT_EQ(good.exit_code, 0) << good.err;
    EXPECT_THAT(good.out, HasSubstr("found: " + store_ + "/car.tif\n"));
    const ToolRun bad = run_tool({"explain", "--store", store_, "--json", bad_});
    EXPECT_EQ(bad.exit_code, 3);
    const boost::json::object object = boost::json::parse(bad.out).as_object();
    const boost::json::object& reference = object.at("references").as_array().at(0).as_object();
    EXPECT_TRUE(reference.at("problem").is_string());
    EXPECT_EQ(reference.at("steps").as_array().at(0).as_object().at("step").as_string(), "name");
}

TEST_F(CliFiles, MapsLeadToAFolderOfAStore) {
    std::filesystem::create_directories(folder_.path() / "store/a");
    std::filesystem::create_directories(folder_.path() / "store/b");
    folder_.file("store/a/twin.tif", tiny_tiff());
    folder_.file("store/b/twin.tif", tiny_tiff());
    const std::string job = folder_.file("twin.ps", thin_job("HD:Jobs:twin.tif"));
    const std::vector<std::string> scan = {"scan", "--store", store_, "--json", job};
    EXPECT_EQ(run_tool(scan).exit_code, 3);
    const auto with = [&scan](std::string option, std::string value) {
        std::vector<std::string> words = scan;
        words.insert(words.end(), {std::move(option), std::move(value)});
        return run_tool(words);
    };
    EXPECT_THAT(with("--map", "HD:Jobs:=" + store_ + "/b").out, HasSubstr(store_ + "/b/twin.tif\",\"problem\":null"));
    EXPECT_EQ(with("--map", "HD:Jobs:=" + store_).exit_code, 3) << "the store's own top";
    EXPECT_EQ(with("--map", "HD:Jobs=" + store_).exit_code, 2);
    EXPECT_EQ(with("--map", "HD:Jobs:=" + at("result")).exit_code, 2);
    EXPECT_EQ(with("--layouts", "a/b").exit_code, 2);
    EXPECT_EQ(with("--layout-suffix", "lay").exit_code, 2);
    EXPECT_EQ(with("--foreign-folders", "perhaps").exit_code, 2);
    EXPECT_THAT(with("--layouts", "a").out, HasSubstr(store_ + "/b/twin.tif\",\"problem\":null"));
}

TEST_F(CliFiles, ScanSaysWhatIsThereAndWhatIsNot) {
    const ToolRun good = run_tool({"scan", "--store", store_, "--json", good_});
    EXPECT_EQ(good.exit_code, 0) << good.err;
    EXPECT_EQ(
        good.out,
        "{\"references\":[{\"opi\":\"1.3\",\"page\":1,\"line\":6,\"filename\":\"Mac HD:jobs:car.tif\",\"file\":\"" +
            store_ + "/car.tif\",\"problem\":null}]}\n");
    const ToolRun bad = run_tool({"scan", "--store", store_, "--json", bad_});
    EXPECT_EQ(bad.exit_code, 3);
    const boost::json::object object = boost::json::parse(bad.out).as_object();
    const boost::json::object& reference = object.at("references").as_array().at(0).as_object();
    EXPECT_TRUE(reference.at("file").is_null());
    EXPECT_TRUE(reference.at("problem").is_string());
    EXPECT_EQ(run_tool({"scan", "--store", store_, "--json", plain_}).out, "{\"references\":[]}\n");
    EXPECT_THAT(run_tool({"scan", "--store", store_, good_}).out, HasSubstr("car.tif"));
}

TEST_F(CliFiles, PlanTellsTheExactSize) {
    const ToolRun plan = run_tool({"plan", "--store", store_, good_});
    EXPECT_EQ(plan.exit_code, 0) << plan.err;
    const std::string result = run_tool({"resolve", "--store", store_, good_}).out;
    EXPECT_THAT(plan.out, EndsWith("total " + std::to_string(result.size()) + " bytes\n"));
    EXPECT_THAT(plan.out, HasSubstr("file " + store_ + "/car.tif"));
    EXPECT_EQ(run_tool({"plan", "--store", store_, bad_}).exit_code, 3);
}

}  // namespace
}  // namespace opispool::cli

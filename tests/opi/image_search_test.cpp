// SPDX-License-Identifier: AGPL-3.0-or-later
// A queue's rules at work in the stores, what speaks against a file, and what a search tells of itself.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>

#include "base/unique_fd.h"
#include "opi/image_index.h"
#include "tests/opi/temp_store.h"

namespace opispool::opi {
namespace {

using ::testing::AllOf;
using testing::found;
using ::testing::HasSubstr;
using testing::index_of;
using ::testing::Not;
using ::testing::StartsWith;
using testing::TempStore;

SearchRules mapped(std::string prefix, std::string folder, std::size_t store = 0) {
    SearchRules rules;
    rules.maps.push_back({std::move(prefix), store, std::move(folder)});
    return rules;
}

std::string warning(const ImageIndex& index, std::string_view name) {
    const auto image = index.find(name);
    return image ? image->warning : "not found";
}

TEST(ImageSearch, a_map_leads_to_one_folder_and_nowhere_else) {
    const TempStore store({"1998/acme/pic.tif", "1999/acme/pic.tif", "acme/pic.tif", "1999/other/lone.tif"});
    const ImageIndex index = index_of({store.root()}, mapped("Jobs:", "1998"));
    EXPECT_EQ(found(index, "Jobs:acme:pic.tif"), "1998/acme/pic.tif");
    EXPECT_EQ(found(index, "JOBS:Acme:PIC.TIF"), "1998/acme/pic.tif");
    EXPECT_THAT(found(index, "Jobs:other:lone.tif"),
                AllOf(StartsWith("not_found: not found where the map of 'Jobs:' leads"),
                      HasSubstr("'1999/other/lone.tif' has that name")));
    EXPECT_THAT(found(index, "Jobs:pic.tif"), StartsWith("not_found")) << "not in the folder itself";
    EXPECT_EQ(found(index, "Elsewhere:other:lone.tif"), "1999/other/lone.tif") << "no map fits";
}

TEST(ImageSearch, a_map_tells_equal_names_in_two_stores_apart) {
    const TempStore first({"acme/pic.tif"}), second({"acme/pic.tif"});
    SearchRules rules = mapped("One:", "", 0);
    rules.maps.push_back({"\\\\srv\\two\\", 1, ""});
    const ImageIndex index = index_of({first.root(), second.root()}, rules);
    EXPECT_EQ(index.find("One:acme:pic.tif")->path, first.root() + "/acme/pic.tif");
    EXPECT_EQ(index.find("\\\\SRV\\two\\acme\\pic.tif")->path, second.root() + "/acme/pic.tif");
    EXPECT_THAT(found(index, "Three:acme:pic.tif"), StartsWith("ambiguous"));
}

TEST(ImageSearch, spelling_decides_inside_a_mapped_folder) {
    const TempStore store({"a/pic.tif", "a/PIC.tif"});
    const ImageIndex index = index_of({store.root()}, mapped("D:", "a"));
    EXPECT_EQ(found(index, "D:\\PIC.tif"), "a/PIC.tif") << "a drive is no Mac volume: no map";
    const ImageIndex mac = index_of({store.root()}, mapped("HD:", "a"));
    EXPECT_EQ(found(mac, "HD:PIC.tif"), "a/PIC.tif");
    EXPECT_THAT(found(mac, "HD:Pic.tif"), StartsWith("ambiguous"));
}

TEST(ImageSearch, the_jobs_own_folder_wins_over_the_exact_name_elsewhere) {
    const TempStore store({"acme/PIC.tif", "other/pic.tif", "n/caf\u00E9.tif", "m/cafe\u0301.tif"});
    const ImageIndex index = index_of({store.root()});
    EXPECT_EQ(found(index, "HD:acme:pic.tif"), "acme/PIC.tif");
    EXPECT_EQ(found(index, "HD:other:pic.tif"), "other/pic.tif");
    EXPECT_EQ(found(index, "HD:m:caf\u00E9.tif"), "m/cafe\u0301.tif");
    EXPECT_EQ(found(index, "HD:third:pic.tif"), "other/pic.tif") << "no folder agrees: the spelling decides";
}

TEST(ImageSearch, a_part_of_the_folders_against_the_exact_name_is_ambiguous) {
    const TempStore store({"images/PIC.tif", "other/pic.tif"});
    EXPECT_THAT(found(index_of({store.root()}), "HD:acme:images:pic.tif"),
                AllOf(StartsWith("ambiguous: the folders speak for one file and the spelling for another"),
                      HasSubstr("'images/PIC.tif', 'other/pic.tif'")));
}

TEST(ImageSearch, a_file_in_folders_that_the_job_does_not_name_is_doubted) {
    const TempStore store({"other/pic.tif", "top.tif"});
    const ImageIndex index = index_of({store.root()});
    EXPECT_THAT(warning(index, "HD:acme:pic.tif"), HasSubstr("'other/pic.tif'"));
    EXPECT_EQ(warning(index, "HD:Other:pic.tif"), "");
    EXPECT_EQ(warning(index, "HD:pic.tif"), "") << "a volume alone names no folder";
    EXPECT_EQ(warning(index, "HD:acme:top.tif"), "") << "the top of a store is nobody's folder";
    SearchRules rules;
    rules.foreign_folders = ForeignFolders::hold;
    const ImageIndex strict = index_of({store.root()}, rules);
    EXPECT_THAT(found(strict, "HD:acme:pic.tif"),
                AllOf(StartsWith("ambiguous: the only file of that name, 'other/pic.tif'"), HasSubstr("map it")));
    EXPECT_EQ(found(strict, "HD:other:pic.tif"), "other/pic.tif");
    EXPECT_EQ(found(strict, "pic.tif"), "other/pic.tif");
    EXPECT_EQ(found(strict, "HD:acme:top.tif"), "top.tif");
}

TEST(ImageSearch, layouts_stand_for_their_originals) {
    const TempStore store({"acme/pic.tif", "acme/layouts/pic.tif", "acme/art.eps", "acme/layouts/art.tif",
                           "acme/two.tif", "acme/two.psd", "acme/layouts/two.tif", "acme/layouts/lone.tif",
                           "acme/suf.jpg", "acme/suf.lay", "other/art.psd"});
    SearchRules rules;
    rules.layout_folders = {"layouts"};
    rules.layout_suffixes = {".lay"};
    const ImageIndex index = index_of({store.root()}, rules);
    EXPECT_EQ(found(index, "HD:acme:layouts:pic.tif"), "acme/pic.tif");
    EXPECT_EQ(found(index, "HD:acme:pic.tif"), "acme/pic.tif") << "the layout itself is no candidate";
    EXPECT_EQ(found(index, "HD:acme:layouts:art.tif"), "acme/art.eps") << "of another kind";
    EXPECT_THAT(found(index, "HD:acme:art.tif"), StartsWith("not_found")) << "no layout is named here";
    EXPECT_THAT(found(index, "HD:acme:layouts:two.tif"),
                AllOf(StartsWith("ambiguous"), HasSubstr("'acme/two.psd', 'acme/two.tif'")));
    EXPECT_THAT(found(index, "HD:acme:layouts:lone.tif"),
                AllOf(StartsWith("not_found"), HasSubstr("only a layout of that name exists")));
    EXPECT_EQ(found(index, "HD:acme:suf.lay"), "acme/suf.jpg");
    EXPECT_EQ(found(index_of({store.root()}), "HD:acme:layouts:pic.tif"), "acme/layouts/pic.tif") << "without rules";
}

TEST(ImageSearch, maps_and_layouts_work_together) {
    const TempStore store({"jobs/acme/pic.tif", "jobs/acme/layouts/pic.tif", "pic.tif"});
    SearchRules rules = mapped("FPO:", "jobs");
    rules.layout_folders = {"layouts"};
    EXPECT_EQ(found(index_of({store.root()}, rules), "FPO:acme:layouts:pic.tif"), "jobs/acme/pic.tif");
}

TEST(ImageSearch, what_file_servers_and_uploads_leave_is_no_picture) {
    const TempStore store({"._pic.tif", "Thumbs.db", ".DS_Store", "Icon\r", "a.tif.part", "b.tif~", "~$c.tif",
                           ".Trashes/d.tif", "@eaDir/e.tif", ".Trash-1000/f.tif", ".AppleDouble/g.tif"});
    const ImageIndex index = index_of({store.root()});
    for (const char* name : {"._pic.tif", "Thumbs.db", ".DS_Store", "Icon\r", "a.tif.part", "b.tif~", "~$c.tif",
                             "d.tif", "e.tif", "f.tif", "g.tif"})
        EXPECT_THAT(found(index, name), StartsWith("not_found")) << name;
    store.add("@eaDir/x/pic.tif");
    store.add("acme/pic.tif");
    EXPECT_EQ(found(index_of({store.root()}), "pic.tif"), "acme/pic.tif");
}

TEST(ImageSearch, names_as_servers_for_macs_keep_them) {
    const TempStore store({"a:2fb.tif", "c:d.tif", "caf:8e.tif", "x:2Fy/e.tif"});
    const ImageIndex index = index_of({store.root()});
    EXPECT_EQ(found(index, "HD:a/b.tif"), "a:2fb.tif") << "netatalk";
    EXPECT_EQ(found(index, "HD:c/d.tif"), "c:d.tif") << "OS X";
    EXPECT_EQ(found(index, "HD:caf\x8E.tif"), "caf:8e.tif");
    EXPECT_EQ(warning(index, "HD:x/y:e.tif"), "") << "folders too";
    const TempStore both({"a:2fb.tif", "z/a:b.tif"});
    EXPECT_THAT(found(index_of({both.root()}), "HD:a/b.tif"), Not(StartsWith("ambiguous"))) << "one after the other";
}

TEST(ImageSearch, windows_clients_lose_a_dot_or_blank_at_the_end) {
    const TempStore store({"pic.tif ", "end."});
    const ImageIndex index = index_of({store.root()});
    EXPECT_EQ(found(index, "P:\\pic.tif"), "pic.tif ");
    EXPECT_EQ(found(index, "\\\\srv\\share\\end"), "end.");
    EXPECT_THAT(found(index, "HD:pic.tif"), StartsWith("not_found")) << "Macs keep them";
}

TEST(ImageSearch, a_short_name_is_proved_by_the_files_number) {
    const TempStore store({"a very long name of a picture.tif", "a very long name of another.tif"});
    struct stat status {};
    ASSERT_EQ(::stat(store.at("a very long name of another.tif").c_str(), &status), 0);
    std::array<char, 9> number{};
    std::snprintf(number.data(), number.size(), "%X", static_cast<unsigned>(status.st_ino));
    const ImageIndex index = index_of({store.root()});
    EXPECT_EQ(found(index, "HD:a very long #" + std::string(number.data()) + ".tif"),
              "a very long name of another.tif");
    EXPECT_THAT(found(index, "HD:a very long #" + std::string(number.data()) + ".eps"), StartsWith("not_found"));
}

TEST(ImageSearch, a_file_that_is_being_written_is_not_taken) {
    const TempStore store({"pic.tif"});
    const ImageIndex index = index_of({store.root()});
    EXPECT_EQ(found(index, "pic.tif"), "pic.tif");
    {
        const UniqueFd writer(::open(store.at("pic.tif").c_str(), O_WRONLY | O_CLOEXEC));
        ASSERT_TRUE(writer);
        EXPECT_THAT(found(index, "pic.tif"),
                    AllOf(StartsWith("changed"), HasSubstr("'pic.tif' is still being written")));
    }
    EXPECT_EQ(found(index, "pic.tif"), "pic.tif") << "and is when it is whole";
}

TEST(ImageSearch, a_file_changed_a_moment_ago_waits_if_the_rules_say_so) {
    const TempStore store({"pic.tif"});
    struct stat status {};
    ASSERT_EQ(::stat(store.at("pic.tif").c_str(), &status), 0);
    SearchRules rules;
    rules.settled_before_ms = status.st_mtim.tv_sec * 1000 - 1;
    EXPECT_THAT(found(index_of({store.root()}, rules), "pic.tif"), StartsWith("changed"));
    rules.settled_before_ms = (status.st_mtim.tv_sec + 1) * 1000;
    EXPECT_EQ(found(index_of({store.root()}, rules), "pic.tif"), "pic.tif");
}

// "KIND subject: text" of every step, the store's own path left out.
std::string told(const ImageIndex& index, const std::string& root, std::string_view name) {
    SearchTrace trace;
    SearchOptions options;
    options.trace = &trace;
    static_cast<void>(index.find(name, options));
    std::string text;
    for (const SearchStep& step : trace) {
        static constexpr std::array<const char*, 5> kinds = {"name", "rule", "look_up", "candidate", "result"};
        std::string subject = step.subject;
        if (subject.starts_with(root)) subject = subject.substr(root.size());
        text += std::string(kinds[static_cast<std::size_t>(step.kind)]) + " " + subject + ": " + step.text + "\n";
    }
    return text;
}

TEST(ImageSearch, tells_every_step) {
    const TempStore store({"acme/pic.tif", "other/PIC.tif"});
    store.hard_link("acme/pic.tif", "x/acme/pic.tif");
    const ImageIndex index = index_of({store.root()}, mapped("Jobs:", ""));
    EXPECT_EQ(told(index, store.root(), "HD:new:acme:pic.tif"),
              "name HD:new:acme:pic.tif: a Mac path, volume 'HD', folders 'new', 'acme'\n"
              "rule : no map fits\n"
              "look_up : 'pic.tif'\n"
              "candidate /acme/pic.tif: spelled alike; folders that agree: 1: fits\n"
              "candidate /x/acme/pic.tif: spelled alike; folders that agree: 1: the same file once more\n"
              "candidate /other/PIC.tif: spelled alike but for case; none of the job's folders agrees: fits worse, not "
              "looked at\n"
              "result "
              "/acme/pic.tif: chosen\n");
    EXPECT_THAT(told(index, store.root(), "Jobs:acme:pic.tif"),
                AllOf(HasSubstr("rule /acme: where the map of 'Jobs:' leads\n"),
                      HasSubstr("candidate /acme/pic.tif: spelled alike; where the map says: fits\n")));
    EXPECT_THAT(told(index, store.root(), "Jobs:gone.tif"),
                AllOf(HasSubstr("look_up : 'gone.tif': no file of that name\n"), HasSubstr("result : not found")));
    EXPECT_EQ(told(index, store.root(), "../a"),
              "name ../a: the name climbs to a parent folder ('..'), but only files inside the store are used; correct "
              "the name\n");
}

}  // namespace
}  // namespace opispool::opi

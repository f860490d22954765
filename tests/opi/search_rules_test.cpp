// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/search_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opispool::opi {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

SearchRules maps(std::vector<PrefixMap> all) {
    SearchRules rules;
    rules.maps = std::move(all);
    return rules;
}

// "STORE:map folders|client's folders" of every place a name is mapped to.
std::vector<std::string> places(const SearchRules& rules, std::string_view name) {
    const auto path = split_client_path(name);
    if (!path) return {path.error().text};
    std::vector<std::string> texts;
    for (const MappedPlace& place : apply_rules(rules, *path).places) {
        std::string text = std::to_string(place.store) + ":";
        for (const std::string& folder : place.store_folders) text += folder + "/";
        text += "|";
        for (const std::string& folder : place.client_folders) text += folder + "/";
        texts.push_back(text);
    }
    return texts;
}

TEST(SearchRules, a_prefix_ends_with_a_separator_and_names_something) {
    for (const char* good : {"Mac HD:Jobs:", "Mac HD:", "P:\\", "P:/", "P:\\jobs\\", "\\\\srv\\share\\",
                             "/Volumes/Jobs/", "afp://srv/Jobs/", "file:///Volumes/Jobs/", "jobs/"})
        EXPECT_TRUE(check_map_prefix(good)) << good;
    for (const char* bad : {"", "Mac HD:Jobs", "P:\\jobs", "\\\\srv\\", "/", "/Volumes/../", "Mac HD::", "plain"})
        EXPECT_FALSE(check_map_prefix(bad)) << bad;
}

TEST(SearchRules, a_folder_of_a_map_stays_in_its_store) {
    EXPECT_EQ(parse_map_folder("jobs//1998/").value(), "jobs/1998");
    EXPECT_EQ(parse_map_folder("./").value(), "");
    EXPECT_EQ(parse_map_folder("").value(), "");
    EXPECT_FALSE(parse_map_folder("/jobs"));
    EXPECT_FALSE(parse_map_folder("jobs/../../etc"));
}

TEST(SearchRules, each_kind_of_path_is_mapped_in_its_own_words) {
    const SearchRules rules = maps({{"Mac HD:Jobs:", 0, "mac"},
                                    {"P:\\", 1, "drive/p"},
                                    {"\\\\srv\\share\\", 2, ""},
                                    {"/Volumes/Jobs/", 3, "volumes"}});
    EXPECT_THAT(places(rules, "Mac HD:Jobs:acme:a.tif"), ElementsAre("0:mac/|acme/"));
    EXPECT_THAT(places(rules, "Mac HD:Jobs:a.tif"), ElementsAre("0:mac/|"));
    EXPECT_THAT(places(rules, "mac hd:JOBS:a.tif"), ElementsAre("0:mac/|")) << "case is ignored";
    EXPECT_THAT(places(rules, "P:\\x\\a.tif"), ElementsAre("1:drive/p/|x/"));
    EXPECT_THAT(places(rules, "p:/x/a.tif"), ElementsAre("1:drive/p/|x/"));
    EXPECT_THAT(places(rules, "\\\\SRV\\Share\\x\\a.tif"), ElementsAre("2:|x/"));
    EXPECT_THAT(places(rules, "/Volumes/Jobs/x/a.tif"), ElementsAre("3:volumes/|x/"));
    EXPECT_THAT(places(rules, "file:///Volumes/Jobs/x/a.tif"), ElementsAre("3:volumes/|x/"));
    for (const char* other : {"Mac HD:Job:a.tif", "Mac HD:a.tif", "Q:\\x\\a.tif", "\\\\srv\\other\\a.tif",
                              "/Volumes/a.tif", "a.tif", "Jobs:a.tif", "afp://x/Volumes/Jobs/a.tif"})
        EXPECT_THAT(places(rules, other), IsEmpty()) << other;
}

TEST(SearchRules, the_longest_prefix_counts_and_equal_ones_all_do) {
    const SearchRules rules =
        maps({{"HD:", 0, ""}, {"HD:Jobs:1998:", 1, ""}, {"HD:Jobs:", 2, ""}, {"HD:Jobs:", 3, "more"}});
    EXPECT_THAT(places(rules, "HD:x:a.tif"), ElementsAre("0:|x/"));
    EXPECT_THAT(places(rules, "HD:Jobs:1998:a.tif"), ElementsAre("1:|"));
    EXPECT_THAT(places(rules, "HD:Jobs:1999:a.tif"), ElementsAre("2:|1999/", "3:more/|1999/"));
}

TEST(SearchRules, a_prefix_spelled_alike_wins_over_another_case) {
    const SearchRules rules = maps({{"/jobs/Acme/", 0, ""}, {"/jobs/ACME/", 1, ""}});
    EXPECT_THAT(places(rules, "/jobs/ACME/a.tif"), ElementsAre("1:|"));
    EXPECT_THAT(places(rules, "/jobs/Acme/a.tif"), ElementsAre("0:|"));
    EXPECT_THAT(places(rules, "/jobs/acme/a.tif"), ElementsAre("0:|", "1:|")) << "nothing tells";
}

TEST(SearchRules, a_prefix_is_compared_in_every_encoding) {
    const SearchRules rules = maps({{"B\u00FCro:", 0, ""}});
    EXPECT_THAT(places(rules, "B\x9Fro:a.tif"), ElementsAre("0:|"));
    EXPECT_THAT(places(rules, "Bu\u0308ro:a.tif"), ElementsAre("0:|"));
}

TEST(SearchRules, a_layouts_folder_and_suffix_are_taken_away) {
    SearchRules rules;
    rules.layout_folders = {"layouts"};
    rules.layout_suffixes = {".lay"};
    const auto original = [&rules](std::string_view name) {
        const RuledPath ruled = apply_rules(rules, split_client_path(name).value());
        std::string text = ruled.names_layout ? "layout of " : "";
        for (const std::string& part : ruled.path.components) text += "/" + part;
        return text;
    };
    EXPECT_EQ(original("HD:acme:layouts:a.tif"), "layout of /acme/a.tif");
    EXPECT_EQ(original("HD:acme:Layouts:sub:a.tif"), "layout of /acme/sub/a.tif");
    EXPECT_EQ(original("HD:acme:a.tif.lay"), "layout of /acme/a.tif");
    EXPECT_EQ(original("HD:acme:a.LAY"), "layout of /acme/a");
    EXPECT_EQ(original("HD:acme:a.lay.tif"), "layout of /acme/a.tif");
    EXPECT_EQ(original("layouts"), "/layouts") << "a file's own name is no folder";
    EXPECT_EQ(original(".lay"), "/.lay");
    EXPECT_EQ(original("HD:acme:my layouts:a.tif"), "/acme/my layouts/a.tif");
}

}  // namespace
}  // namespace opispool::opi

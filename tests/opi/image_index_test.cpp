// SPDX-License-Identifier: AGPL-3.0-or-later
// Which of the files in the stores a name means.
#include "opi/image_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(ImageIndex, every_spelling_of_a_path_leads_to_the_file) {
    const TempStore store({"jobs/acme/pic.tif", "jobs/other/more.tif"});
    const ImageIndex index = index_of({store.root()});
    for (const char* name :
         {"pic.tif", "Mac HD:jobs:acme:pic.tif", ":acme:pic.tif", "D:pic.tif", "P:\\jobs\\acme\\pic.tif",
          "P:/jobs/acme/pic.tif", "\\\\SERVER\\Share Name\\acme\\pic.tif", "/Volumes/jobs/acme/pic.tif",
          "//srv//acme//pic.tif", "acme/pic.tif", "acme\\pic.tif", "file:///Volumes/acme/p%69c.tif",
          "afp://srv/jobs/acme/pic.tif", "/somewhere/else/pic.tif"})
        EXPECT_EQ(found(index, name), "jobs/acme/pic.tif") << name;
}

TEST(ImageIndex, gives_the_path_below_the_root_as_configured) {
    const TempStore store({"acme/pic.tif"});
    const auto image = index_of({store.root() + "//"}).find("pic.tif");
    ASSERT_TRUE(image.has_value());
    EXPECT_EQ(image->path, store.root() + "/acme/pic.tif");
    EXPECT_EQ(image->file->name(), image->path);
}

TEST(ImageIndex, names_with_odd_characters_are_taken_literally) {
    const std::vector<std::string> names = {"a#1 & b+c=d, e;'f'.tif",
                                            "-v.tif",
                                            "my%20pic.tif",
                                            "pic (1).tif",
                                            "v1.2.final.tif",
                                            " lead.tif",
                                            "a<b>.tif",
                                            "$(x)`y`*?.tif",
                                            "noextension",
                                            ".hidden.tif",
                                            "\"q\".tif",
                                            "a\nb.tif"};
    const TempStore store(names);
    const ImageIndex index = index_of({store.root()});
    for (const std::string& name : names) {
        EXPECT_EQ(found(index, name), name);
        EXPECT_EQ(found(index, "D:Jobs:" + name), name);
    }
    EXPECT_THAT(found(index, "my pic.tif"), StartsWith("not_found"));
    EXPECT_THAT(found(index, "*.tif"), StartsWith("not_found"));
}

TEST(ImageIndex, slashes_in_a_mac_name_belong_to_the_name) {
    const TempStore store({"a\\b.tif", "x/y.tif"});
    const ImageIndex index = index_of({store.root()});
    EXPECT_EQ(found(index, "D:a\\b.tif"), "a\\b.tif");
    EXPECT_THAT(found(index, "D:x/y.tif"), StartsWith("not_found"));
}

TEST(ImageIndex, trailing_blanks_are_dropped_only_if_the_exact_name_is_not_there) {
    const TempStore both({"pic.tif", "pic.tif  "});
    EXPECT_EQ(found(index_of({both.root()}), "D:pic.tif  "), "pic.tif  ");
    EXPECT_EQ(found(index_of({both.root()}), "D:pic.tif "), "pic.tif");
    EXPECT_EQ(found(index_of({both.root()}), "D:pic.tif"), "pic.tif");
    const TempStore only_blank({"pic.tif "});
    EXPECT_THAT(found(index_of({only_blank.root()}), "pic.tif"), StartsWith("not_found"));
}

TEST(ImageIndex, encodings_are_tried_exactly) {
    const TempStore store({"caf\u00E9 gr\u00FC\u00DF.tif"});
    const ImageIndex index = index_of({store.root()});
    for (const char* name :
         {"caf\u00E9 gr\u00FC\u00DF.tif", "cafe\u0301 gru\u0308\u00DF.tif", "D:caf\x8E gr\x9F\xA7.tif",
          "C:\\caf\xE9 gr\xFC\xDF.tif", "D:caf<8E> gr<9F><A7>.tif", "D:caf<8E> gr<9F><A7>.tif  "})
        EXPECT_EQ(found(index, name), "caf\u00E9 gr\u00FC\u00DF.tif") << name;
    for (const char* name : {"cafe gruss.tif", "caf? gr??.tif", "caf\u00E9 gr\u00FCss.tif", "caf\x8F gr\x9F\xA7.tif"})
        EXPECT_THAT(found(index, name), StartsWith("not_found")) << name;
}

TEST(ImageIndex, a_decomposed_name_in_the_store_is_found_too) {
    const TempStore store({"cafe\u0301.tif"});
    const ImageIndex index = index_of({store.root()});
    for (const char* name : {"caf\u00E9.tif", "cafe\u0301.tif", "Mac HD:caf\x8E.tif", "C:\\caf\xE9.tif"})
        EXPECT_EQ(found(index, name), "cafe\u0301.tif") << name;
}

TEST(ImageIndex, raw_bytes_in_the_store_are_found_by_the_same_bytes) {
    const TempStore store({"caf\x8E.tif"});
    EXPECT_EQ(found(index_of({store.root()}), "D:caf\x8E.tif"), "caf\x8E.tif");
    EXPECT_EQ(found(index_of({store.root()}), "D:CAF\x8E.TIF"), "caf\x8E.tif");
}

TEST(ImageIndex, the_form_as_written_wins_over_its_normalization) {
    const TempStore store({"a/caf\u00E9.tif", "b/cafe\u0301.tif"});
    const ImageIndex index = index_of({store.root()});
    EXPECT_EQ(found(index, "caf\u00E9.tif"), "a/caf\u00E9.tif");
    EXPECT_EQ(found(index, "cafe\u0301.tif"), "b/cafe\u0301.tif");
    EXPECT_THAT(found(index, "D:caf\x8E.tif"), StartsWith("ambiguous")) << "MacRoman does not say which form";
}

TEST(ImageIndex, two_encodings_that_hit_two_files_are_ambiguous_whatever_the_folders_say) {
    const TempStore store({"acme/\u00E9.tif", "other/\u017D.tif"});
    EXPECT_THAT(found(index_of({store.root()}), "D:acme:\x8E.tif"),
                AllOf(StartsWith("ambiguous"), HasSubstr("acme/\u00E9.tif"), HasSubstr("other/\u017D.tif")));
    const TempStore linked({"\u00E9.tif"});
    linked.hard_link("\u00E9.tif", "\u017D.tif");
    EXPECT_EQ(found(index_of({linked.root()}), "\x8E.tif"), "\u00E9.tif") << "one file under both readings";
}

TEST(ImageIndex, hex_groups_count_only_if_the_literal_name_is_not_there) {
    const TempStore store({"a<41>.tif", "aA.tif", "b<41>.tif"});
    const ImageIndex index = index_of({store.root()});
    EXPECT_EQ(found(index, "a<41>.tif"), "a<41>.tif");
    EXPECT_EQ(found(index, "b<41>.tif"), "b<41>.tif");
    EXPECT_EQ(found(index, "a<41>.tif  "), "a<41>.tif");
}

TEST(ImageIndex, case_counts_while_an_exact_name_exists) {
    const TempStore store({"Pic.tif", "PIC.tif"});
    const ImageIndex index = index_of({store.root()});
    EXPECT_EQ(found(index, "D:Pic.tif"), "Pic.tif");
    EXPECT_EQ(found(index, "D:PIC.tif"), "PIC.tif");
    EXPECT_THAT(found(index, "D:PIC.TIF"),
                AllOf(StartsWith("ambiguous"), HasSubstr("'PIC.tif', 'Pic.tif'"), HasSubstr("leave only one")));
    const TempStore single({"\u00C4rger.TIF"});
    EXPECT_EQ(found(index_of({single.root()}), "\u00E4RGER.tif"), "\u00C4rger.TIF");
    EXPECT_EQ(found(index_of({single.root()}), "D:\x8ARGER.tif"), "\u00C4rger.TIF");
}

TEST(ImageIndex, folders_decide_between_equal_names) {
    const TempStore store({"acme/pic.tif", "other/pic.tif"});
    const ImageIndex index = index_of({store.root()});
    for (const char* name : {"Mac HD:acme:pic.tif", "P:\\work\\acme\\pic.tif", "Mac HD:ACME:pic.tif",
                             "x/y/Acme/pic.tif", "acme:pic.tif", "\\\\srv\\acme\\pic.tif"})
        EXPECT_EQ(found(index, name), "acme/pic.tif") << name;
    for (const char* name : {"pic.tif", "D:pic.tif", "D:third:pic.tif", "D:acme:third:pic.tif", "acme:/pic.tif"})
        EXPECT_THAT(found(index, name), Not(StartsWith("acme/"))) << name;
    EXPECT_THAT(found(index, "pic.tif"), AllOf(StartsWith("ambiguous"), HasSubstr("'acme/pic.tif', 'other/pic.tif'"),
                                               Not(HasSubstr(store.root()))));
}

TEST(ImageIndex, the_longer_run_of_folders_wins) {
    const TempStore store({"x/1998/acme/pic.tif", "1999/acme/pic.tif", "acme/1998/pic.tif"});
    const ImageIndex index = index_of({store.root()});
    EXPECT_EQ(found(index, "D:1998:acme:pic.tif"), "x/1998/acme/pic.tif");
    EXPECT_EQ(found(index, "D:1999:acme:pic.tif"), "1999/acme/pic.tif");
    EXPECT_EQ(found(index, "D:jobs:1998:pic.tif"), "acme/1998/pic.tif");
    EXPECT_THAT(found(index, "D:2000:acme:pic.tif"), StartsWith("ambiguous"));
}

TEST(ImageIndex, equally_deep_agreement_is_ambiguous) {
    const TempStore store({"x/acme/pic.tif", "y/acme/pic.tif"});
    EXPECT_THAT(found(index_of({store.root()}), "Mac HD:acme:pic.tif"),
                AllOf(StartsWith("ambiguous"), HasSubstr("'x/acme/pic.tif', 'y/acme/pic.tif'")));
}

TEST(ImageIndex, the_whole_relative_path_wins_over_the_same_folders_deeper_down) {
    const TempStore store({"acme/pic.tif", "old/acme/pic.tif"});
    const ImageIndex index = index_of({store.root()});
    EXPECT_EQ(found(index, "Mac HD:acme:pic.tif"), "acme/pic.tif");
    EXPECT_EQ(found(index, "acme/pic.tif"), "acme/pic.tif");
    EXPECT_THAT(found(index, "/Volumes/acme/pic.tif"), StartsWith("ambiguous")) << "that path is not the whole one";
    const TempStore top({"pic.tif", "old/pic.tif"});
    EXPECT_THAT(found(index_of({top.root()}), "pic.tif"), StartsWith("ambiguous")) << "a bare name says nothing";
}

TEST(ImageIndex, exactly_spelled_folders_win_over_other_case) {
    const TempStore store({"x/ACME/pic.tif", "y/acme/pic.tif"});
    const ImageIndex index = index_of({store.root()});
    EXPECT_EQ(found(index, "D:acme:pic.tif"), "y/acme/pic.tif");
    EXPECT_EQ(found(index, "D:ACME:pic.tif"), "x/ACME/pic.tif");
    EXPECT_THAT(found(index, "D:Acme:pic.tif"), StartsWith("ambiguous"));
}

TEST(ImageIndex, folders_are_compared_in_every_encoding) {
    const TempStore store({"M\u00FCller/pic.tif", "other/pic.tif"});
    const ImageIndex index = index_of({store.root()});
    for (const char* name :
         {"D:M\x9Fller:pic.tif", "C:\\M\xFCller\\pic.tif", "D:Mu\u0308ller:pic.tif", "D:M<9F>ller:pic.tif"})
        EXPECT_EQ(found(index, name), "M\u00FCller/pic.tif") << name;
}

TEST(ImageIndex, two_stores_with_the_name_are_ambiguous_unless_folders_decide) {
    const TempStore first({"acme/pic.tif", "one.tif"});
    const TempStore second({"other/pic.tif", "two.tif"});
    const ImageIndex index = index_of({first.root(), second.root()});
    EXPECT_EQ(found(index, "one.tif"), "one.tif");
    EXPECT_EQ(found(index, "two.tif"), "two.tif");
    EXPECT_EQ(found(index, "D:other:pic.tif"), "other/pic.tif");
    EXPECT_THAT(found(index, "D:Jobs:pic.tif"),
                AllOf(StartsWith("ambiguous"), HasSubstr("'acme/pic.tif' in '" + first.root() + "'"),
                      HasSubstr("'other/pic.tif' in '" + second.root() + "'")));
    const ImageIndex twice = index_of({first.root(), first.root()});
    EXPECT_EQ(found(twice, "pic.tif"), "acme/pic.tif") << "the same file, seen twice";
}

TEST(ImageIndex, an_ambiguity_lists_five_and_says_that_there_are_more) {
    const TempStore store;
    for (int i = 1; i <= 5; ++i) store.add(std::to_string(i) + "/pic.tif");
    EXPECT_THAT(found(index_of({store.root()}), "pic.tif"),
                AllOf(HasSubstr("'5/pic.tif'"), Not(HasSubstr("and more"))));
    store.add("6/pic.tif");
    EXPECT_THAT(found(index_of({store.root()}), "pic.tif"),
                AllOf(HasSubstr("'5/pic.tif'"), HasSubstr("and more"), Not(HasSubstr("'6/pic.tif'"))));
}

TEST(ImageIndex, a_missing_file_is_told_with_where_and_what_to_do) {
    const TempStore store({"acme/cover.eps", "acme/covers.tif", "acme/unrelated.tif"});
    EXPECT_EQ(found(index_of({store.root()}), "D:acme:cover.tif"),
              "not_found: not found among the 3 files of store '" + store.root() +
                  "'; put the file into the store or correct the name; files named 'cover.eps', 'covers.tif' exist");
    const TempStore one({"some.tif"});
    EXPECT_EQ(found(index_of({one.root(), store.root()}), "zebra"),
              "not_found: not found among the 4 files of stores '" + one.root() + "', '" + store.root() +
                  "'; put the file into the store or correct the name");
    EXPECT_THAT(found(index_of({one.root()}), "sone.tif"), HasSubstr("a file named 'some.tif' exists"));
}

TEST(ImageIndex, afp_short_names_are_not_guessed) {
    const TempStore store({"a very long name of a picture.tif"});
    EXPECT_THAT(found(index_of({store.root()}), "D:a very long name of#1F2E.tif"), StartsWith("not_found"));
}

TEST(ImageIndex, a_layout_is_skipped_and_the_next_best_has_its_turn) {
    const TempStore store(
        {"layouts/pic.tif", "hires/PIC.tif", "layouts/lone.tif", "a/dup.tif", "b/dup.tif", "layouts/dup.tif"});
    const ImageIndex index = index_of({store.root()});
    SearchOptions no_layout;
    no_layout.refusal = [](const FoundImage& image) {
        return std::string(image.path.find("/layouts/") == std::string::npos ? "" : "it is a layout");
    };
    const auto picture = index.find("D:layouts:pic.tif", no_layout);
    ASSERT_TRUE(picture.has_value()) << picture.error().text;
    EXPECT_EQ(picture->path, store.root() + "/hires/PIC.tif");
    const auto lone = index.find("lone.tif", no_layout);
    ASSERT_FALSE(lone.has_value());
    EXPECT_EQ(lone.error().code, Code::not_found);
    EXPECT_THAT(lone.error().text,
                AllOf(HasSubstr("only a layout of that name exists"), HasSubstr("'layouts/lone.tif'")));
    const auto twice = index.find("D:layouts:dup.tif", no_layout);
    ASSERT_FALSE(twice.has_value());
    EXPECT_EQ(twice.error().code, Code::ambiguous);
    EXPECT_THAT(twice.error().text, Not(HasSubstr("layouts/dup.tif")));
    EXPECT_EQ(found(index, "D:layouts:dup.tif"), "layouts/dup.tif");
}

}  // namespace
}  // namespace opispool::opi

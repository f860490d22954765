// SPDX-License-Identifier: AGPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "opi/image_index.h"

namespace opispool::opi {
namespace {

using ::testing::HasSubstr;
using Style = ClientPath::Style;
using Components = std::vector<std::string>;

struct Case {
    std::string name;
    Style style;
    std::string volume;
    Components components;
};

class ClientPathSplit : public ::testing::TestWithParam<Case> {};

TEST_P(ClientPathSplit, keeps_volume_and_components) {
    const auto path = split_client_path(GetParam().name);
    ASSERT_TRUE(path.has_value()) << GetParam().name << ": " << path.error().text;
    EXPECT_EQ(path->style, GetParam().style) << GetParam().name;
    EXPECT_EQ(path->volume, GetParam().volume) << GetParam().name;
    EXPECT_EQ(path->components, GetParam().components) << GetParam().name;
}

INSTANTIATE_TEST_SUITE_P(
    Hfs, ClientPathSplit,
    ::testing::Values(Case{"Mac HD:Folder:file.tif", Style::hfs, "Mac HD", {"Folder", "file.tif"}},
                      Case{"D:pic.tif", Style::hfs, "D", {"pic.tif"}},
                      Case{":Folder:file.tif", Style::hfs, "", {"Folder", "file.tif"}},
                      Case{":file.tif", Style::hfs, "", {"file.tif"}},
                      Case{"Mac HD:1/2 page:a\\b.tif", Style::hfs, "Mac HD", {"1/2 page", "a\\b.tif"}},
                      Case{"D:Jobs:my%20pic.tif", Style::hfs, "D", {"Jobs", "my%20pic.tif"}},
                      Case{"D:pic.tif  ", Style::hfs, "D", {"pic.tif  "}},
                      Case{"Mac HD:caf\x8E.tif", Style::hfs, "Mac HD", {"caf\x8E.tif"}},
                      Case{"jobs/12:30.tif", Style::hfs, "jobs/12", {"30.tif"}},
                      Case{"D:a..b:v1.2.final.tif", Style::hfs, "D", {"a..b", "v1.2.final.tif"}}));

INSTANTIATE_TEST_SUITE_P(
    Windows, ClientPathSplit,
    ::testing::Values(Case{"P:\\jobs\\a.tif", Style::windows_drive, "P:", {"jobs", "a.tif"}},
                      Case{"p:/jobs/sub\\a.tif", Style::windows_drive, "p:", {"jobs", "sub", "a.tif"}},
                      Case{"C:\\\\Bilder\\\\a.tif", Style::windows_drive, "C:", {"Bilder", "a.tif"}},
                      Case{"C:\\.\\a.tif", Style::windows_drive, "C:", {"a.tif"}},
                      Case{"jobs\\a.tif", Style::windows_drive, "", {"jobs", "a.tif"}},
                      Case{"\\jobs\\a.tif", Style::windows_drive, "", {"jobs", "a.tif"}},
                      Case{"\\\\SERVER\\Share Name\\jobs\\a.tif", Style::unc, "SERVER/Share Name", {"jobs", "a.tif"}},
                      Case{"\\\\\\\\srv\\\\share\\\\a.tif", Style::unc, "srv/share", {"a.tif"}},
                      Case{"\\\\srv\\share\\12:30.tif", Style::unc, "srv/share", {"12:30.tif"}}));

INSTANTIATE_TEST_SUITE_P(
    Posix, ClientPathSplit,
    ::testing::Values(Case{"/Volumes/Jobs/1998/a.tif", Style::posix, "", {"Volumes", "Jobs", "1998", "a.tif"}},
                      Case{"//srv//jobs//pic.tif", Style::posix, "", {"srv", "jobs", "pic.tif"}},
                      Case{"jobs/./a.tif", Style::posix, "", {"jobs", "a.tif"}},
                      Case{"/jobs/12:30/we\\ird.tif", Style::posix, "", {"jobs", "12:30", "we\\ird.tif"}},
                      Case{"a.tif", Style::bare, "", {"a.tif"}}, Case{"-v.tif", Style::bare, "", {"-v.tif"}},
                      Case{"a%20b.tif", Style::bare, "", {"a%20b.tif"}}, Case{"...", Style::bare, "", {"..."}},
                      Case{" a b ", Style::bare, "", {" a b "}},
                      Case{std::string("a.tif\0\0", 7), Style::bare, "", {"a.tif"}}));

INSTANTIATE_TEST_SUITE_P(
    Url, ClientPathSplit,
    ::testing::Values(Case{"file:///Volumes/Jobs/a%20b.tif", Style::url, "", {"Volumes", "Jobs", "a b.tif"}},
                      Case{"FILE://localhost/jobs/a.tif", Style::url, "localhost", {"jobs", "a.tif"}},
                      Case{"file:/jobs/a%2520b.tif", Style::url, "", {"jobs", "a%20b.tif"}},
                      Case{"afp://anna:secret@srv/Jobs/caf%C3%A9.tif", Style::url, "srv", {"Jobs", "caf\xC3\xA9.tif"}},
                      Case{"smb://srv/Jobs/100%.tif", Style::url, "srv", {"Jobs", "100%.tif"}},
                      Case{"file:///a#1?.tif", Style::url, "", {"a#1?.tif"}}));

class ClientPathClimbs : public ::testing::TestWithParam<std::string> {};

TEST_P(ClientPathClimbs, is_not_permitted) {
    const auto path = split_client_path(GetParam());
    ASSERT_FALSE(path.has_value()) << GetParam();
    EXPECT_EQ(path.error().code, Code::not_permitted) << GetParam();
    EXPECT_THAT(path.error().text, HasSubstr("'..'"));
}

INSTANTIATE_TEST_SUITE_P(Styles, ClientPathClimbs,
                         ::testing::Values("../secret.tif", "../../../../etc/passwd", "/jobs/../../a.tif", "jobs/..",
                                           "..", "a/../b.tif", "P:\\jobs\\..\\a.tif", "P:\\..", "P:/../a.tif",
                                           "..\\a.tif", "\\\\srv\\share\\..\\a.tif", "\\\\srv\\share\\..",
                                           "\\\\srv\\share/../a.tif", "Mac HD::a.tif", "::a.tif", "Mac HD:x::a.tif",
                                           "Mac HD:..:a.tif", "..:a.tif", "Mac HD:..", "D:jobs/..", "D:x/../../a.tif",
                                           "D:x\\..\\a.tif", "file:///jobs/../a.tif", "file:///jobs/%2E%2E/a.tif",
                                           "file:///jobs/%2e%2e%2fa.tif", "afp://srv/.."));

class ClientPathBad : public ::testing::TestWithParam<std::string> {};

TEST_P(ClientPathBad, is_bad_syntax) {
    const auto path = split_client_path(GetParam());
    ASSERT_FALSE(path.has_value()) << GetParam();
    EXPECT_EQ(path.error().code, Code::bad_syntax) << GetParam();
}

INSTANTIATE_TEST_SUITE_P(EndsInAFolder, ClientPathBad,
                         ::testing::Values("/", "//", "jobs/", "/jobs/.", ".", "P:\\", "P:\\jobs\\", "P:/", "\\\\",
                                           "\\\\srv", "\\\\srv\\share", "\\\\srv\\share\\", "\\\\srv\\share\\jobs\\",
                                           ":", "Mac HD:", "Mac HD:Jobs:", "file:///", "file://srv", "afp://srv/a/"));
INSTANTIATE_TEST_SUITE_P(Empty, ClientPathBad, ::testing::Values("", " ", "\t ", std::string("\0", 1)));
INSTANTIATE_TEST_SUITE_P(Nul, ClientPathBad,
                         ::testing::Values(std::string("a\0b.tif", 7), std::string("D:x\0y:b.tif", 11),
                                           std::string("D\0:b.tif", 8), "file:///a%00.tif"));

}  // namespace
}  // namespace opispool::opi

// SPDX-License-Identifier: AGPL-3.0-or-later
// What stands in a store besides plain files, and what must not lead out of it.
#include "opi/image_index_tree.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include "opi/image_index_walk.h"
#include "tests/opi/temp_store.h"

namespace opispool::opi {
namespace {

using ::testing::AllOf;
using testing::found;
using ::testing::HasSubstr;
using testing::index_of;
using ::testing::StartsWith;
using testing::TempStore;
namespace fs = std::filesystem;

// Permissions mean nothing to root; this thread's file access goes on as somebody else.
class AsNobody {
  public:
    AsNobody() {
        if (::geteuid() == 0) ::setfsuid(65534);
    }
    AsNobody(const AsNobody&) = delete;
    AsNobody& operator=(const AsNobody&) = delete;
    ~AsNobody() { ::setfsuid(::geteuid()); }
};

TEST(ImageIndexOpen, names_a_root_that_can_not_be_used) {
    const TempStore store({"file"});
    for (const std::string& root : {store.root() + "/missing", store.root() + "/file"}) {
        const auto index = ImageIndex::open({store.root(), root});
        ASSERT_FALSE(index.has_value()) << root;
        EXPECT_EQ(index.error().code, Code::not_found);
        EXPECT_EQ(index.error().where, root);
    }
    const TempStore closed;
    fs::permissions(closed.root(), fs::perms::none);
    {
        const AsNobody nobody;
        const auto index = ImageIndex::open({closed.root()});
        ASSERT_FALSE(index.has_value());
        EXPECT_EQ(index.error().code, Code::not_permitted);
        EXPECT_EQ(index.error().where, closed.root());
    }
    fs::permissions(closed.root(), fs::perms::owner_all);
}

TEST(ImageIndexTree, the_tree_is_read_once) {
    const TempStore store({"a.tif"});
    const ImageIndex index = index_of({store.root()});
    store.add("early.tif");
    EXPECT_EQ(found(index, "early.tif"), "early.tif") << "nothing is read before the first find";
    store.add("late.tif");
    EXPECT_THAT(found(index, "late.tif"), StartsWith("not_found"));
    fs::remove(store.at("a.tif"));
    EXPECT_THAT(found(index, "a.tif"), AllOf(StartsWith("not_found"), HasSubstr("'a.tif' has vanished")));
}

TEST(ImageIndexTree, nothing_outside_is_reached_by_a_name) {
    const TempStore outer({"secret.tif", "store/other.tif"});
    const ImageIndex index = index_of({outer.root() + "/store"});
    for (const char* name : {"../secret.tif", "store/../../secret.tif", "P:\\..\\secret.tif", "D::secret.tif",
                             "D:..:secret.tif", "file:///%2e%2e/secret.tif"})
        EXPECT_THAT(found(index, name), StartsWith("not_permitted")) << name;
    EXPECT_THAT(found(index, outer.root() + "/secret.tif"), StartsWith("not_found"));
    EXPECT_THAT(found(index, "secret.tif"), StartsWith("not_found"));
}

TEST(ImageIndexTree, a_link_inside_the_store_is_usable) {
    const TempStore store({"real/a.tif"});
    store.link("real/a.tif", "b.tif");
    store.link("../b.tif", "sub/c.tif");
    const ImageIndex index = index_of({store.root()});
    EXPECT_EQ(found(index, "b.tif"), "real/a.tif");
    EXPECT_EQ(found(index, "c.tif"), "real/a.tif") << "a link to a link";
    const auto image = index.find("c.tif");
    ASSERT_TRUE(image.has_value());
    EXPECT_EQ(image->path, store.root() + "/sub/c.tif");
}

TEST(ImageIndexTree, links_to_one_file_are_one_candidate) {
    const TempStore store({"a/pic.tif"});
    store.link("../a/pic.tif", "b/pic.tif");
    store.hard_link("a/pic.tif", "c/pic.tif");
    EXPECT_EQ(found(index_of({store.root()}), "pic.tif"), "a/pic.tif");
}

TEST(ImageIndexTree, a_link_that_leads_out_is_refused) {
    const TempStore outer({"secret.tif", "store/other.tif", "hidden/deep.tif"});
    const TempStore* store = &outer;
    store->link("../secret.tif", "store/pic.tif");
    store->link(outer.root() + "/secret.tif", "store/absolute.tif");
    store->link(outer.root() + "/store/other.tif", "store/absolute_inside.tif");
    store->link("/proc/self/exe", "store/exe.tif");
    store->link("../hidden", "store/folder");
    const ImageIndex index = index_of({outer.root() + "/store"});
    for (const char* name : {"pic.tif", "absolute.tif", "absolute_inside.tif", "exe.tif", "folder"})
        EXPECT_THAT(found(index, name),
                    AllOf(StartsWith("not_permitted"), HasSubstr(name), HasSubstr("leads out of the store")))
            << name;
    EXPECT_THAT(found(index, "D:folder:deep.tif"), StartsWith("not_found")) << "folder links are not walked";
}

TEST(ImageIndexTree, a_link_that_can_not_be_used_still_competes) {
    const TempStore store({"old/pic.tif", "b/PIC.tif"});
    store.link("../../elsewhere/pic.tif", "now/pic.tif");
    const ImageIndex index = index_of({store.root()});
    EXPECT_THAT(found(index, "pic.tif"),
                AllOf(StartsWith("ambiguous"), HasSubstr("leads out"), HasSubstr("'old/pic.tif'")));
    EXPECT_THAT(found(index, "D:now:pic.tif"), StartsWith("not_permitted"));
    EXPECT_EQ(found(index, "D:old:pic.tif"), "old/pic.tif");
}

TEST(ImageIndexTree, dangling_links_and_rings_are_told) {
    const TempStore store({"other.tif", "sub/in.tif"});
    store.link("nowhere.tif", "pic.tif");
    store.link("ring2.tif", "ring1.tif");
    store.link("ring1.tif", "ring2.tif");
    store.link("..", "sub/up");
    store.link(".", "self");
    const ImageIndex index = index_of({store.root()});
    EXPECT_THAT(found(index, "pic.tif"),
                AllOf(StartsWith("not_found"), HasSubstr("'pic.tif' is a dangling symbolic link")));
    EXPECT_THAT(found(index, "ring1.tif"), AllOf(StartsWith("not_permitted"), HasSubstr("ring")));
    EXPECT_EQ(found(index, "other.tif"), "other.tif") << "a ring of folders shows a file only once";
    EXPECT_EQ(found(index, "D:sub:up:sub:in.tif"), "sub/in.tif");
    EXPECT_THAT(found(index, "up"), AllOf(StartsWith("not_found"), HasSubstr("'sub/up' is a folder")));
}

TEST(ImageIndexTree, a_folder_of_the_name_is_no_image) {
    const TempStore store({"pic.tif/other.tif", "acme/both.tif"});
    store.folder("both.tif");
    const ImageIndex index = index_of({store.root()});
    EXPECT_THAT(found(index, "D:Jobs:pic.tif"),
                AllOf(StartsWith("not_found"), HasSubstr("'pic.tif' is a folder, not a file")));
    EXPECT_EQ(found(index, "both.tif"), "acme/both.tif") << "and does not make a file ambiguous";
}

TEST(ImageIndexTree, special_files_are_refused_without_waiting_for_them) {
    const TempStore store;
    ASSERT_EQ(::mkfifo(store.at("fifo.tif").c_str(), 0600), 0);
    store.link("fifo.tif", "link.tif");
    const ImageIndex index = index_of({store.root()});
    for (const char* name : {"fifo.tif", "link.tif"})
        EXPECT_THAT(found(index, name), AllOf(StartsWith("not_permitted"), HasSubstr("is not a regular file"))) << name;
}

TEST(ImageIndexTree, what_can_not_be_read_is_told) {
    const TempStore store({"file.tif", "closed/in.tif", "open.tif"});
    fs::permissions(store.root(), fs::perms::all);
    fs::permissions(store.at("file.tif"), fs::perms::none);
    fs::permissions(store.at("closed"), fs::perms::none);
    fs::permissions(store.at("open.tif"), fs::perms::all);
    {
        const AsNobody nobody;
        const ImageIndex index = index_of({store.root()});
        EXPECT_THAT(found(index, "file.tif"),
                    AllOf(StartsWith("not_permitted"), HasSubstr("'file.tif' can't be read")));
        EXPECT_THAT(found(index, "FILE.tif"), StartsWith("not_permitted"));
        EXPECT_EQ(found(index, "open.tif"), "open.tif");
        EXPECT_THAT(found(index, "in.tif"),
                    AllOf(StartsWith("not_found"), HasSubstr("not searched: '" + store.root() + "/closed'"),
                          HasSubstr("Permission denied")));
    }
    fs::permissions(store.at("closed"), fs::perms::owner_all);
}

TEST(ImageIndexTree, folders_with_resource_forks_are_not_searched) {
    const TempStore store(
        {"pic.tif", ".AppleDouble/pic.tif", ".rsrc/pic.tif", ".HSResource/pic.tif", "RESOURCE.FRK/pic.tif"});
    EXPECT_EQ(found(index_of({store.root()}), "pic.tif"), "pic.tif");
}

TEST(ImageIndexTree, the_number_of_entries_is_limited) {
    const TempStore store({"a/1.tif", "a/2.tif"});  // with the root and the folder: 4 entries
    EXPECT_EQ(found(index_of({store.root()}, {}, {.max_entries = 4, .max_depth = 64}), "1.tif"), "a/1.tif");
    const ImageIndex index = index_of({store.root()}, {}, {.max_entries = 3, .max_depth = 64});
    EXPECT_THAT(found(index, "1.tif"), AllOf(StartsWith("too_large"), HasSubstr("more than 3 files and folders")));
    EXPECT_THAT(found(index, "2.tif"), StartsWith("too_large")) << "the answer stays";
}

TEST(ImageIndexTree, the_depth_is_limited) {
    const TempStore store({"1/2/a.tif", "1/2/3/b.tif"});
    const ImageIndex index = index_of({store.root()}, {}, {.max_entries = 100, .max_depth = 2});
    EXPECT_EQ(found(index, "a.tif"), "1/2/a.tif");
    EXPECT_THAT(found(index, "b.tif"), AllOf(StartsWith("not_found"), HasSubstr("/1/2/3' (more than 2 folders deep)")));
}

TEST(ImageIndexTree, many_unsearched_folders_are_summed_up) {
    const TempStore store({"1/a", "2/a", "3/a", "4/a"});
    EXPECT_THAT(found(index_of({store.root()}, {}, {.max_entries = 100, .max_depth = 0}), "a"), HasSubstr(" and more"));
}

TEST(StoreTree, names_of_thousands_of_files_are_all_found) {
    const TempStore store;
    for (int i = 0; i < 3000; ++i) store.add(std::to_string(i % 7) + "/" + std::to_string(i) + ".tif");
    const ImageIndex index = index_of({store.root()});
    for (int i = 0; i < 3000; ++i)
        ASSERT_EQ(found(index, std::to_string(i) + ".TIF"), std::to_string(i % 7) + "/" + std::to_string(i) + ".tif");
}

TEST(OpenBeneath, never_leaves_the_folder) {
    const TempStore outer({"secret.tif", "store/in.tif"});
    outer.link("in.tif", "store/link.tif");
    const UniqueFd folder(::open((outer.root() + "/store").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_TRUE(folder);
    EXPECT_TRUE(open_beneath(folder.get(), "in.tif", O_RDONLY, false));
    EXPECT_TRUE(open_beneath(folder.get(), "link.tif", O_RDONLY, true));
    EXPECT_FALSE(open_beneath(folder.get(), "link.tif", O_RDONLY, false));
    EXPECT_FALSE(open_beneath(folder.get(), "../secret.tif", O_RDONLY, true));
    EXPECT_FALSE(open_beneath(folder.get(), outer.root() + "/secret.tif", O_RDONLY, true));
}

}  // namespace
}  // namespace opispool::opi

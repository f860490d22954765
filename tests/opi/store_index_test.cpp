// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/store_index.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/fsuid.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/opi/temp_store.h"

namespace opispool::opi {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TempStore;
namespace fs = std::filesystem;

std::vector<std::string> paths_in(const StoreTree& tree) {
    std::vector<std::string> paths;
    for (StoreTree::Id id = 1; id < tree.size(); ++id)
        if (tree.kind(id) != StoreTree::Kind::folder) paths.push_back(tree.relative_path(id));
    std::sort(paths.begin(), paths.end());
    return paths;
}

// What the index holds, after a look at every name by its hash.
std::vector<std::string> paths_in(StoreIndex& index) {
    const auto tree = index.current();
    if (!tree) return {std::string(name_of(tree.error().code)) + ": " + tree.error().text};
    for (StoreTree::Id id = 1; id < (*tree)->size(); ++id)
        EXPECT_EQ((*tree)->child((*tree)->parent(id), (*tree)->name(id)), id) << (*tree)->relative_path(id);
    return paths_in(**tree);
}

// A fresh walk finds the same, and the kernel told us all of it.
void expect_true(StoreIndex& index) {
    const auto kept = index.current();
    ASSERT_TRUE(kept.has_value());
    const auto root = open_store_root(index.path());
    ASSERT_TRUE(root.has_value());
    const auto fresh = read_store(*root, {});
    ASSERT_TRUE(fresh.has_value());
    EXPECT_EQ(paths_in(**kept), paths_in(**fresh));
    EXPECT_TRUE(hold_the_same(**kept, **fresh));
    EXPECT_EQ((*kept)->file_count(), (*fresh)->file_count());
}

class StoreIndexTest : public ::testing::Test {
  protected:
    void SetUp() override {
        struct statfs system {};
        ASSERT_EQ(::statfs(store.root().c_str(), &system), 0);
        ASSERT_TRUE(reports_changes(static_cast<std::uint64_t>(system.f_type)))
            << store.root() << " lies on a file system that does not report changes; set TMPDIR to a local one";
    }
    TempStore store{{"a.tif", "one/b.tif", "one/two/c.tif"}};
    StoreIndex index{store.root()};
};

TEST_F(StoreIndexTest, reads_the_store_once_and_shares_it) {
    const auto first = index.current();
    ASSERT_TRUE(first.has_value());
    EXPECT_THAT(paths_in(**first), ElementsAre("a.tif", "one/b.tif", "one/two/c.tif"));
    const auto second = index.current();
    EXPECT_EQ(*first, *second) << "nothing has changed: the same tree";
    EXPECT_EQ(index.state().readings, 1U);
    EXPECT_EQ(index.state().files, 3U);
    EXPECT_THAT(index.state().trouble, IsEmpty());
}

TEST_F(StoreIndexTest, a_file_that_was_closed_before_the_call_is_there) {
    for (int i = 0; i < 50; ++i) {
        const std::string name = "one/new" + std::to_string(i) + ".tif";
        store.add(name);
        EXPECT_THAT(paths_in(index), ::testing::Contains(name));
    }
    expect_true(index);
    EXPECT_EQ(index.state().readings, 1U);
}

TEST_F(StoreIndexTest, follows_removals_and_renames) {
    paths_in(index);
    fs::remove(store.at("a.tif"));
    EXPECT_THAT(paths_in(index), ElementsAre("one/b.tif", "one/two/c.tif"));
    fs::rename(store.at("one/b.tif"), store.at("one/B.tif"));
    EXPECT_THAT(paths_in(index), ElementsAre("one/B.tif", "one/two/c.tif"));
    fs::rename(store.at("one/B.tif"), store.at("one/two/c.tif"));
    EXPECT_THAT(paths_in(index), ElementsAre("one/two/c.tif"));
    store.link("one/two/c.tif", "link.tif");
    store.add("gone.tif");
    fs::remove(store.at("gone.tif"));
    EXPECT_THAT(paths_in(index), ElementsAre("link.tif", "one/two/c.tif"));
    store.folder("one/c");
    fs::remove(store.at("link.tif"));
    store.folder("link.tif");
    store.add("link.tif/inside.tif");
    EXPECT_THAT(paths_in(index), ElementsAre("link.tif/inside.tif", "one/two/c.tif")) << "now it is a folder";
    expect_true(index);
    EXPECT_EQ(index.state().readings, 1U);
}

TEST_F(StoreIndexTest, an_older_tree_stays_as_it_was) {
    const auto before = index.current();
    store.add("later.tif");
    fs::remove_all(store.at("one"));
    EXPECT_THAT(paths_in(index), ElementsAre("a.tif", "later.tif"));
    EXPECT_THAT(paths_in(**before), ElementsAre("a.tif", "one/b.tif", "one/two/c.tif"));
}

TEST_F(StoreIndexTest, folders_come_with_all_they_hold) {
    paths_in(index);
    store.add("new/deep/er/d.tif");
    paths_in(index);
    store.add("new/deep/er/e.tif");
    store.add("new/deep/f.tif");
    EXPECT_THAT(paths_in(index), ElementsAre("a.tif", "new/deep/er/d.tif", "new/deep/er/e.tif", "new/deep/f.tif",
                                             "one/b.tif", "one/two/c.tif"));
    const TempStore outside({"box/g.tif"});
    fs::rename(outside.at("box"), store.at("one/box"));
    EXPECT_THAT(paths_in(index), ::testing::Contains("one/box/g.tif"));
    store.add("one/box/h.tif");
    EXPECT_THAT(paths_in(index), ::testing::Contains("one/box/h.tif"));
    fs::rename(store.at("one/box"), outside.at("box"));
    outside.add("box/not_ours.tif");
    EXPECT_THAT(paths_in(index), ::testing::Not(::testing::Contains(HasSubstr("box"))));
    expect_true(index);
    EXPECT_EQ(index.state().readings, 1U);
}

TEST_F(StoreIndexTest, a_moved_folder_is_still_watched) {
    paths_in(index);
    fs::rename(store.at("one"), store.at("uno"));
    store.add("uno/late.tif");
    store.add("uno/two/later.tif");
    EXPECT_THAT(paths_in(index),
                ElementsAre("a.tif", "uno/b.tif", "uno/late.tif", "uno/two/c.tif", "uno/two/later.tif"));
    store.add("uno/two/latest.tif");
    EXPECT_THAT(paths_in(index), ::testing::Contains("uno/two/latest.tif"));
    // Two folders change places.
    store.add("other/x.tif");
    paths_in(index);
    fs::rename(store.at("uno"), store.at("t"));
    fs::rename(store.at("other"), store.at("uno"));
    fs::rename(store.at("t"), store.at("other"));
    store.add("uno/y.tif");
    store.add("other/two/z.tif");
    EXPECT_THAT(paths_in(index),
                ElementsAre("a.tif", "other/b.tif", "other/late.tif", "other/two/c.tif", "other/two/later.tif",
                            "other/two/latest.tif", "other/two/z.tif", "uno/x.tif", "uno/y.tif"));
    expect_true(index);
    EXPECT_EQ(index.state().readings, 1U);
}

TEST_F(StoreIndexTest, what_is_passed_over_in_a_walk_is_passed_over_when_it_comes_later) {
    paths_in(index);
    store.add(".AppleDouble/a.tif");
    store.add("one/._b.tif");
    store.add("upload.tif.part");
    EXPECT_THAT(paths_in(index), ElementsAre("a.tif", "one/b.tif", "one/two/c.tif"));
    fs::rename(store.at("upload.tif.part"), store.at("upload.tif"));
    EXPECT_THAT(paths_in(index), ::testing::Contains("upload.tif"));
    expect_true(index);
}

TEST_F(StoreIndexTest, a_replaced_root_is_read_anew) {
    const TempStore parent({"s/old.tif"});
    StoreIndex moved(parent.root() + "/s");
    EXPECT_THAT(paths_in(moved), ElementsAre("old.tif"));
    fs::rename(parent.at("s"), parent.at("away"));
    EXPECT_THAT(paths_in(moved), ElementsAre(HasSubstr("not_found")));
    parent.add("s/new.tif");
    parent.add("away/nobodys.tif");
    EXPECT_THAT(paths_in(moved), ElementsAre("new.tif"));
    parent.add("s/newer.tif");
    EXPECT_THAT(paths_in(moved), ElementsAre("new.tif", "newer.tif"));
    fs::remove_all(parent.at("s"));
    EXPECT_THAT(paths_in(moved), ElementsAre(HasSubstr("not_found")));
    parent.add("s/again.tif");
    EXPECT_THAT(paths_in(moved), ElementsAre("again.tif"));
    parent.add("s/x/y.tif");
    expect_true(moved);
}

TEST_F(StoreIndexTest, lost_events_lead_to_a_new_reading) {
    std::ifstream file("/proc/sys/fs/inotify/max_queued_events");
    long limit = 0;
    ASSERT_TRUE(file >> limit);
    paths_in(index);
    const std::string flicker = store.at("flicker.tif").string();
    for (long i = 0; i < limit; ++i) {
        ::close(::open(flicker.c_str(), O_CREAT | O_RDONLY | O_CLOEXEC, 0600));
        ::unlink(flicker.c_str());
    }
    store.add("unheard.tif");
    store.add("one/new/unheard.tif");
    EXPECT_THAT(paths_in(index), ::testing::IsSupersetOf({"unheard.tif", "one/new/unheard.tif"}));
    EXPECT_EQ(index.state().readings, 2U);
    store.add("one/new/heard.tif");
    expect_true(index);
    EXPECT_EQ(index.state().readings, 2U);
}

TEST_F(StoreIndexTest, where_folders_can_not_be_watched_the_store_is_read_every_time) {
    StoreIndex blind(store.root(), {.max_entries = 100, .max_depth = 64, .max_watches = 2});
    EXPECT_EQ(paths_in(blind).size(), 3U);
    EXPECT_THAT(blind.state().trouble, AllOf(HasSubstr("2 folders"), HasSubstr("max_user_watches")));
    store.add("one/two/late.tif");
    EXPECT_EQ(paths_in(blind).size(), 4U);
    store.add("one/later.tif");
    EXPECT_EQ(paths_in(blind).size(), 5U);
    EXPECT_EQ(blind.state().readings, 3U);
}

TEST_F(StoreIndexTest, limits_hold_for_what_comes_later) {
    StoreIndex small(store.root(), {.max_entries = 7, .max_depth = 2});  // with the root and two folders: 6 entries
    EXPECT_EQ(paths_in(small).size(), 3U);
    store.add("d.tif");
    EXPECT_EQ(paths_in(small).size(), 4U);
    store.add("e.tif");
    EXPECT_THAT(paths_in(small), ElementsAre(AllOf(HasSubstr("too_large"), HasSubstr("more than 7"))));
    fs::remove(store.at("e.tif"));
    EXPECT_EQ(paths_in(small).size(), 4U);
    fs::remove(store.at("d.tif"));
    store.add("one/two/3/too_deep.tif");
    const auto tree = small.current();
    ASSERT_TRUE(tree.has_value());
    EXPECT_THAT((*tree)->skipped(), ElementsAre(HasSubstr("one/two/3' (more than 2 folders deep)")));
    fs::remove_all(store.at("one/two/3"));
    EXPECT_EQ((*small.current())->skipped_count(), 0U);
}

// Permissions mean nothing to root; this thread's file access goes on as somebody else.
void as_somebody(bool else_) {
    if (::geteuid() == 0) ::setfsuid(else_ ? 65534 : 0);
}

TEST_F(StoreIndexTest, a_folder_that_becomes_readable_is_read) {
    fs::permissions(store.root(), fs::perms::all);
    fs::permissions(store.at("one"), fs::perms::none);
    as_somebody(true);
    EXPECT_THAT(paths_in(index), ElementsAre("a.tif"));
    EXPECT_EQ((*index.current())->skipped_count(), 1U);
    as_somebody(false);
    fs::permissions(store.at("one"), fs::perms::all);
    as_somebody(true);
    EXPECT_THAT(paths_in(index), ElementsAre("a.tif", "one/b.tif", "one/two/c.tif"));
    EXPECT_EQ((*index.current())->skipped_count(), 0U);
    as_somebody(false);
    EXPECT_EQ(index.state().readings, 1U);
}

TEST_F(StoreIndexTest, tells_when_something_has_changed) {
    paths_in(index);
    pollfd waiting{index.descriptor(), POLLIN, 0};
    EXPECT_EQ(::poll(&waiting, 1, 0), 0);
    store.add("one/new.tif");
    EXPECT_EQ(::poll(&waiting, 1, 0), 1);
    paths_in(index);
    EXPECT_EQ(::poll(&waiting, 1, 0), 0);
}

TEST_F(StoreIndexTest, comes_to_the_truth_though_the_store_changes_while_it_looks) {
    std::atomic<bool> done = false;
    std::thread writer([&] {
        for (int i = 0; i < 300; ++i) {
            const std::string folder = "m" + std::to_string(i % 5);
            store.add(folder + "/" + std::to_string(i) + ".tif");
            if (i % 7 == 0) fs::rename(store.at(folder), store.at("one/" + std::to_string(i)));
            if (i % 11 == 0) fs::remove_all(store.at("one/" + std::to_string(i - i % 7)));
        }
        done = true;
    });
    while (!done) EXPECT_GE(paths_in(index).size(), 2U);
    writer.join();
    expect_true(index);
}

TEST(StoreIndex, memory_per_file_is_small) {
    const TempStore store;
    for (int i = 0; i < 2000; ++i) store.add("f" + std::to_string(i % 9) + "/a picture of length " + std::to_string(i));
    StoreIndex index(store.root());
    ASSERT_TRUE(index.current().has_value());
    EXPECT_EQ(index.state().files, 2000U);
    EXPECT_LE(index.state().memory_bytes, 2000U * 60);
    store.add("one_more");
    ASSERT_TRUE(index.current().has_value());
    EXPECT_LE(index.state().memory_bytes, 2000U * 60) << "a change does not double it";
}

TEST(StoreIndex, file_systems_that_others_change_are_not_trusted) {
    for (const std::uint64_t local : {0xEF53U, 0x58465342U, 0x9123683EU, 0x01021994U, 0x794C7630U})
        EXPECT_TRUE(reports_changes(local)) << local;
    for (const std::uint64_t remote : {0x6969U, 0xFF534D42U, 0xFE534D42U, 0x65735546U, 0x01021997U, 0x00C36400U, 0U})
        EXPECT_FALSE(reports_changes(remote)) << remote;
}

}  // namespace
}  // namespace opispool::opi

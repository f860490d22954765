// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/intake/spool_writer.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <memory>

#include "tests/spooler/daemon_fixture.h"

namespace opispool::spooler {
namespace {

class SpoolWriterTest : public testing::Test {
  protected:
    SpoolWriterTest() { open(0); }
    ~SpoolWriterTest() override { pool_.join(); }

    void open(std::uint64_t min_free_bytes) {
        spool_.reset();
        auto opened = Spool::open(folder_.path(), min_free_bytes);
        ASSERT_TRUE(opened.has_value()) << describe(opened.error());
        spool_ = std::make_unique<Spool>(std::move(*opened));
    }
    template <typename T>
    T run(boost::asio::awaitable<T> step) {
        boost::asio::io_context loop;
        auto answer = boost::asio::co_spawn(loop, std::move(step), boost::asio::use_future);
        loop.run();
        return answer.get();
    }
    static std::span<const std::byte> as_bytes(std::string_view text) {
        return std::as_bytes(std::span<const char>(text.data(), text.size()));
    }

    TempFolder folder_;
    std::unique_ptr<Spool> spool_;
    boost::asio::thread_pool pool_{1};
};

TEST_F(SpoolWriterTest, CommitsWhatWasAppended) {
    SpoolWriter writer(*spool_, pool_.get_executor());
    ASSERT_TRUE(run(writer.open()));
    ASSERT_TRUE(run(writer.append(as_bytes("abc"))));
    ASSERT_TRUE(run(writer.append(as_bytes("defg"))));
    EXPECT_EQ(writer.size_bytes(), 7U);
    EXPECT_TRUE(list_folder(folder_.path() + "/jobs").empty()) << "nothing is there before it is whole";
    ASSERT_TRUE(run(writer.truncate(6)));
    const auto name = run(writer.commit());
    ASSERT_TRUE(name.has_value()) << describe(name.error());
    EXPECT_EQ(read_file(spool_->job_path(*name)), "abcdef");
    EXPECT_TRUE(spool_->job_exists(*name));
    EXPECT_TRUE(list_folder(folder_.path() + "/tmp").empty());
}

TEST_F(SpoolWriterTest, LeavesNothingWhenItIsDropped) {
    {
        SpoolWriter writer(*spool_, pool_.get_executor());
        ASSERT_TRUE(run(writer.open()));
        ASSERT_TRUE(run(writer.append(as_bytes("abc"))));
        EXPECT_EQ(list_folder(folder_.path() + "/tmp").size(), 1U);
    }
    EXPECT_TRUE(list_folder(folder_.path() + "/tmp").empty());
}

TEST_F(SpoolWriterTest, WhatWasPublishedGrowsInItsPlaceAndStays) {
    std::string name;
    {
        SpoolWriter writer(*spool_, pool_.get_executor());
        ASSERT_TRUE(run(writer.open()));
        ASSERT_TRUE(run(writer.append(as_bytes("abc"))));
        name = run(writer.publish()).value();
        ASSERT_TRUE(run(writer.append(as_bytes("defg"))));
        EXPECT_EQ(read_file(spool_->job_path(name)), "abcdefg");
        EXPECT_TRUE(list_folder(folder_.path() + "/tmp").empty());
    }
    EXPECT_EQ(read_file(spool_->job_path(name)), "abcdefg") << "its record says what became of it";
}

TEST_F(SpoolWriterTest, APublishedFileWithoutARecordIsTakenBack) {
    SpoolWriter writer(*spool_, pool_.get_executor());
    ASSERT_TRUE(run(writer.open()));
    ASSERT_TRUE(run(writer.publish()).has_value());
    writer.discard();
    EXPECT_TRUE(list_folder(folder_.path() + "/jobs").empty());
}

TEST_F(SpoolWriterTest, RefusesBelowTheFreeSpaceLimit) {
    open(UINT64_MAX / 2);
    SpoolWriter writer(*spool_, pool_.get_executor());
    const auto opened = run(writer.open(1));
    ASSERT_FALSE(opened.has_value());
    EXPECT_EQ(opened.error().code, Code::no_space);
    EXPECT_TRUE(list_folder(folder_.path() + "/tmp").empty());
}

TEST_F(SpoolWriterTest, RefusesMoreThanTheDiskHas) {
    SpoolWriter writer(*spool_, pool_.get_executor());
    const auto opened = run(writer.open(UINT64_MAX / 4));
    ASSERT_FALSE(opened.has_value());
    EXPECT_EQ(opened.error().code, Code::no_space);
}

TEST_F(SpoolWriterTest, NeverReplacesAnOlderJob) {
    // As after a clock that was set back.
    SpoolWriter writer(*spool_, pool_.get_executor());
    ASSERT_TRUE(run(writer.open()));
    const std::string name = list_folder(folder_.path() + "/tmp").at(0);
    write_file(folder_.path() + "/jobs/" + name, "older");
    const auto committed = run(writer.commit());
    ASSERT_TRUE(committed.has_value());
    EXPECT_NE(*committed, name);
    EXPECT_EQ(read_file(folder_.path() + "/jobs/" + name), "older");
}

TEST_F(SpoolWriterTest, AnswersOnlyItsOwnNames) {
    EXPECT_EQ(spool_->job_path("../lock"), "");
    EXPECT_EQ(spool_->job_path("/etc/passwd"), "");
    EXPECT_EQ(spool_->job_path(""), "");
    EXPECT_FALSE(spool_->job_exists("1-1.job"));
    EXPECT_TRUE(spool_->remove_job("1-1.job").has_value());
}

TEST_F(SpoolWriterTest, LinksAFurtherPrinting) {
    write_file(folder_.path() + "/jobs/1-1.job", "abc");
    const auto second = spool_->link_job("1-1.job");
    ASSERT_TRUE(second.has_value());
    ASSERT_TRUE(spool_->remove_job("1-1.job").has_value());
    EXPECT_EQ(read_file(spool_->job_path(*second)), "abc");
}

}  // namespace
}  // namespace opispool::spooler

// SPDX-License-Identifier: AGPL-3.0-or-later
#include "base/child_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/unique_fd.h"

namespace opispool {
namespace {

ChildRequest shell(const std::string& script) {
    ChildRequest request;
    request.program = "/bin/sh";
    request.arguments = {"-c", script};
    return request;
}

TEST(ChildProcess, GivesOutputAndExitCode) {
    const auto outcome = run_child(shell("printf 'a b'; exit 7"));
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->output, "a b");
    EXPECT_EQ(outcome->exit_code, 7);
}

TEST(ChildProcess, HasItsOwnInputAndNotOurEnvironment) {
    ASSERT_EQ(::setenv("OPISPOOL_SECRET", "x", 1), 0);
    const auto outcome = run_child(shell("printf '%s' \"$OPISPOOL_SECRET\"; cat; echo end"));
    ::unsetenv("OPISPOOL_SECRET");
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->output, "end\n");
}

TEST(ChildProcess, SeesTheDescriptorsItIsGiven) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    UniqueFd reading(ends[0]), writing(ends[1]);
    ASSERT_EQ(::write(writing.get(), "hello", 5), 5);
    writing.reset();
    ChildRequest request = shell("cat <&3");
    request.more_fds = {reading.get()};
    const auto outcome = run_child(request);
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->output, "hello");
}

TEST(ChildProcess, IsKilledWhenItTakesTooLongOrSaysTooMuch) {
    ChildRequest slow = shell("while :; do :; done");
    slow.time_limit_ms = 100;
    const auto late = run_child(slow);
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, Code::timeout);
    ChildRequest loud = shell("while :; do echo 0123456789; done");
    loud.most_output_bytes = 1000;
    const auto many = run_child(loud);
    ASSERT_FALSE(many);
    EXPECT_EQ(many.error().code, Code::too_large);
}

TEST(ChildProcess, ASignalIsNoExitCode) {
    const auto outcome = run_child(shell("kill -KILL $$"));
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->exit_code, -1);
}

TEST(ChildProcess, NamesAMissingProgram) {
    ChildRequest request;
    request.program = "/no/such/program";
    const auto outcome = run_child(request);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, Code::not_found);
}

}  // namespace
}  // namespace opispool

// SPDX-License-Identifier: AGPL-3.0-or-later
// Runs the built `opispool` as a user's shell would, and keeps what it said.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "tests/base/scratch_folder.h"

namespace opispool::cli {

inline std::string content_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

struct ToolRun {
    int exit_code = -1;  // 128 + N if it died of signal N
    std::string out, err;
};

enum class Input { closed_pipe, file, pipe };

struct ToolSetup {
    std::string standard_input;  // fed as `input` says
    Input input = Input::closed_pipe;
    bool reader_is_gone = false;  // standard output is a pipe nobody reads
    std::vector<std::string> environment;
};

inline ToolSetup fed(Input input, std::string text) {
    ToolSetup setup;
    setup.input = input;
    setup.standard_input = std::move(text);
    return setup;
}
inline ToolSetup piped(std::string text) {
    return fed(Input::pipe, std::move(text));
}
inline ToolSetup redirected(std::string text) {
    return fed(Input::file, std::move(text));
}

inline UniqueFd opened(const std::string& path, int flags) {
    UniqueFd fd(::open(path.c_str(), flags | O_CLOEXEC, 0600));
    EXPECT_TRUE(fd) << path;
    return fd;
}

// In the child: only calls that are safe after fork.
[[noreturn]] inline void become_tool(char* const* words, char* const* variables, int in, int out, int err) {
    ::dup2(in, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    std::signal(SIGPIPE, SIG_DFL);
    ::execve(OPISPOOL_TOOL, words, variables);
    ::_exit(127);
}

inline ToolRun run_tool(std::vector<std::string> arguments, const ToolSetup& setup = {}) {
    const ScratchFolder folder;
    const std::string out_path = folder.file("out", ""), err_path = folder.file("err", "");
    UniqueFd in, in_feed, out, err = opened(err_path, O_WRONLY);
    int ends[2];
    if (setup.input == Input::file) {
        in = opened(folder.file("in", setup.standard_input), O_RDONLY);
    } else {
        EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
        in.reset(ends[0]);
        in_feed.reset(ends[1]);
    }
    if (setup.reader_is_gone) {
        EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
        out.reset(ends[1]);
        ::close(ends[0]);
    } else {
        out = opened(out_path, O_WRONLY);
    }
    arguments.insert(arguments.begin(), "opispool");
    std::vector<std::string> environment = setup.environment;
    for (const char* name : {"PATH", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"})
        if (const char* value = std::getenv(name)) environment.push_back(std::string(name) + "=" + value);
    std::vector<char*> words, variables;
    for (std::string& word : arguments) words.push_back(word.data());
    for (std::string& variable : environment) variables.push_back(variable.data());
    words.push_back(nullptr);
    variables.push_back(nullptr);

    const pid_t child = ::fork();
    if (child == 0) become_tool(words.data(), variables.data(), in.get(), out.get(), err.get());
    in.reset();
    if (setup.input == Input::pipe) {
        std::string_view rest = setup.standard_input;
        struct sigaction ignore {
        }, old{};
        ignore.sa_handler = SIG_IGN;
        ::sigaction(SIGPIPE, &ignore, &old);
        while (!rest.empty()) {
            const ssize_t fed = ::write(in_feed.get(), rest.data(), rest.size());
            if (fed <= 0) break;
            rest.remove_prefix(static_cast<std::size_t>(fed));
        }
        ::sigaction(SIGPIPE, &old, nullptr);
    }
    in_feed.reset();
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content_of(out_path),
            content_of(err_path)};
}

}  // namespace opispool::cli

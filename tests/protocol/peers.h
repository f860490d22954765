// SPDX-License-Identifier: AGPL-3.0-or-later
// Programs of other people: finding them, and running them to their end.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace opispool::peers {

// The first of the paths that can be run; empty if none.
inline std::string find_peer(const std::vector<std::string>& paths) {
    for (const std::string& path : paths)
        if (::access(path.c_str(), X_OK) == 0) return path;
    return {};
}

// returns  its exit status
inline int run(const std::vector<std::string>& command, const std::vector<std::string>& environment = {}) {
    std::vector<char*> arguments, variables;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    for (const std::string& word : environment) variables.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    variables.push_back(nullptr);
    const pid_t pid = ::fork();
    if (pid == 0) {
        // CUPS's scheduler gives its backends a back channel as descriptor 3 and a side channel as 4. Without them the
        // backend's own document may get these numbers, and be read away as side channel messages.
        int side[2];
        if (::pipe(side) != 0) ::_exit(126);
        const int reading = ::fcntl(side[0], F_DUPFD, 10), writing = ::fcntl(side[1], F_DUPFD, 10);
        const int back = ::fcntl(::open("/dev/null", O_WRONLY), F_DUPFD, 10);
        if (writing < 0 || ::dup2(back, 3) < 0 || ::dup2(reading, 4) < 0) ::_exit(126);
        ::execve(arguments[0], arguments.data(), variables.data());
        ::_exit(127);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// For the body of a test.
#ifdef OPISPOOL_PEERS_REQUIRED
#define NEED_PEER(path) ASSERT_FALSE((path).empty()) << "the client is not installed"
#else
#define NEED_PEER(path) \
    if ((path).empty()) GTEST_SKIP() << "the client is not installed"
#endif

}  // namespace opispool::peers

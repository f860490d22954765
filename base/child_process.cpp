// SPDX-License-Identifier: AGPL-3.0-or-later
#include "base/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>

#include "base/unique_fd.h"

// glibc 2.36 declares it without C linkage.
extern "C" int pidfd_open(pid_t pid, unsigned int flags) noexcept;

namespace opispool {

namespace {

// Above every number a child gets, so that no dup2 overwrites what a later one needs.
constexpr int first_safe_fd = 64;

class Setup {
  public:
    Setup() {
        ::posix_spawn_file_actions_init(&actions_);
        ::posix_spawnattr_init(&attributes_);
        sigset_t none, all;
        ::sigemptyset(&none);
        ::sigfillset(&all);
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        ::posix_spawnattr_setsigdefault(&attributes_, &all);
        ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    Setup(const Setup&) = delete;
    Setup& operator=(const Setup&) = delete;
    ~Setup() {
        ::posix_spawnattr_destroy(&attributes_);
        ::posix_spawn_file_actions_destroy(&actions_);
    }

    bool give(int fd, int as) {
        UniqueFd safe(::fcntl(fd, F_DUPFD_CLOEXEC, first_safe_fd));
        if (!safe || ::posix_spawn_file_actions_adddup2(&actions_, safe.get(), as) != 0) return false;
        safe_.push_back(std::move(safe));
        return true;
    }

    bool give_input(int fd) {
        if (fd >= 0) return give(fd, STDIN_FILENO);
        return ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0;
    }

    int spawn(const ChildRequest& request, pid_t& pid) {
        ::posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        std::vector<std::string> words{request.program};
        words.insert(words.end(), request.arguments.begin(), request.arguments.end());
        std::vector<char*> pointers;
        for (std::string& word : words) pointers.push_back(word.data());
        pointers.push_back(nullptr);
        char* no_environment[] = {nullptr};
        return ::posix_spawn(&pid, request.program.c_str(), &actions_, &attributes_, pointers.data(), no_environment);
    }

  private:
    posix_spawn_file_actions_t actions_{};
    posix_spawnattr_t attributes_{};
    std::vector<UniqueFd> safe_;
};

// A running child: killed and reaped by its owner's end.
class Child {
  public:
    explicit Child(pid_t pid) : pid_(pid) {}
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        if (pid_ > 0) reap(true);
    }

    int reap(bool kill_first) {
        if (kill_first) ::kill(pid_, SIGKILL);
        int status = 0;
        while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
        pid_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

  private:
    pid_t pid_;
};

tl::unexpected<Error> failed(int errno_value, const ChildRequest& request) {
    return fail(error_from_errno(errno_value, Operation::execute, request.program));
}

// Reads until the child closes its output.
Result<void> read_output(const ChildRequest& request, int fd, std::string& output) {
    using std::chrono::steady_clock;
    const auto deadline = steady_clock::now() + std::chrono::milliseconds(request.time_limit_ms);
    std::string buffer(64U << 10U, '\0');
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - steady_clock::now()).count();
        if (left <= 0)
            return fail(Code::timeout, Operation::execute,
                        "not finished after " + std::to_string(request.time_limit_ms / 1000) + " s, stopped",
                        request.program);
        pollfd wait{fd, POLLIN, 0};
        const int ready = ::poll(&wait, 1, static_cast<int>(std::min<std::int64_t>(left, 60'000)));
        if (ready < 0 && errno != EINTR) return failed(errno, request);
        if (ready <= 0) continue;
        const ssize_t got = ::read(fd, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return failed(errno, request);
        if (got == 0) return {};
        output.append(buffer, 0, static_cast<std::size_t>(got));
        if (output.size() > request.most_output_bytes)
            return fail(Code::too_large, Operation::execute, "wrote too much, stopped", request.program);
    }
}

// Whoever closes his output is about to end.
bool ends_soon(pid_t pid) {
    const UniqueFd process(::pidfd_open(pid, 0));
    pollfd wait{process.get(), POLLIN, 0};
    return process && ::poll(&wait, 1, 5'000) == 1;
}

}  // namespace

Result<ChildOutcome> run_child(const ChildRequest& request) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return failed(errno, request);
    UniqueFd reading(ends[0]), writing(ends[1]);
    pid_t pid = -1;
    {
        Setup setup;
        bool given = setup.give_input(request.stdin_fd) && setup.give(writing.get(), STDOUT_FILENO);
        int number = STDERR_FILENO + 1;
        for (const int fd : request.more_fds) given = given && setup.give(fd, number++);
        if (!given) return failed(errno, request);
        if (const int code = setup.spawn(request, pid); code != 0) return failed(code, request);
    }
    Child child(pid);
    writing.reset();
    ChildOutcome outcome;
    if (auto read = read_output(request, reading.get(), outcome.output); !read) return fail(std::move(read.error()));
    outcome.exit_code = child.reap(!ends_soon(pid));
    return outcome;
}

}  // namespace opispool

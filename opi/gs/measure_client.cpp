// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/gs/measure_client.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include "base/child_process.h"
#include "base/unique_fd.h"
#include "opi/gs/measure_records.h"

namespace opispool::opi {

namespace {

constexpr std::size_t kept_answers = 8;
constexpr std::uint64_t least_seconds = 20, most_seconds = 300, bytes_a_second = 4U << 20U;

std::string beside_this_program() {
    std::array<char, PATH_MAX> path{};
    const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
    const std::string self(path.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
    return self.substr(0, self.rfind('/') + 1) + "opispool-gs";
}

std::string marks_text(const std::vector<ByteRange>& bodies) {
    struct Mark {
        std::uint64_t offset;
        std::string text;
    };
    std::vector<Mark> marks;
    std::vector<std::size_t> open;
    const auto close = [&] {
        const std::size_t id = open.back();
        open.pop_back();
        marks.push_back({bodies[id].end, " E " + std::to_string(id) + "\n"});
    };
    for (std::size_t id = 0; id < bodies.size(); ++id) {
        while (!open.empty() && bodies[open.back()].end <= bodies[id].begin) close();
        marks.push_back({bodies[id].begin, " B " + std::to_string(id) + "\n"});
        open.push_back(id);
    }
    while (!open.empty()) close();
    std::stable_sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) { return a.offset < b.offset; });
    std::string text;
    for (const Mark& mark : marks) text += std::to_string(mark.offset) + mark.text;
    return text;
}

// A nameless file in memory: unlike a pipe it can't make two programs wait for each other.
Result<UniqueFd> file_of(const std::string& text) {
    UniqueFd fd(::memfd_create("marks", MFD_CLOEXEC));
    if (!fd || ::pwrite(fd.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
        return fail(error_from_errno(errno, Operation::write, "memory file"));
    return fd;
}

}  // namespace

MeasureClient::MeasureClient(std::string program)
    : program_(program.empty() ? beside_this_program() : std::move(program)) {}

Result<Measurements> MeasureClient::measure(const MeasureRequest& request) {
    std::vector<std::uint64_t> bodies;
    for (const ByteRange& body : request.bodies) bodies.push_back(body.begin);
    for (const Kept& kept : kept_)
        if (kept.identity == request.file->identity() && kept.begin_bytes == request.begin_bytes &&
            kept.end_bytes == request.end_bytes && kept.bodies == bodies)
            return kept.answer;
    Result<Measurements> answer = run(request);
    if (kept_.size() == kept_answers) kept_.pop_front();
    kept_.push_back(Kept{request.file->identity(), request.begin_bytes, request.end_bytes, std::move(bodies), answer});
    return answer;
}

Result<Measurements> MeasureClient::run(const MeasureRequest& request) const {
    auto marks = file_of(marks_text(request.bodies));
    if (!marks) return fail(std::move(marks.error()));
    const std::uint64_t seconds =
        std::min(most_seconds, least_seconds + (request.end_bytes - request.begin_bytes) / bytes_a_second);
    ChildRequest child;
    child.program = program_;
    child.arguments = {"measure", "fd:3", std::to_string(request.begin_bytes), std::to_string(request.end_bytes),
                       std::to_string(seconds)};
    child.stdin_fd = marks->get();
    child.more_fds = {request.file->fd()};
    child.time_limit_ms = static_cast<std::int64_t>(seconds) * 1500;
    auto outcome = run_child(child);
    if (!outcome && outcome.error().code == Code::not_found)
        return fail(Code::not_found, Operation::execute,
                    "the program opispool-gs is missing beside this one; install it", program_);
    if (!outcome) return fail(std::move(outcome.error()));
    return parse_measure_records(outcome->output, request.bodies);
}

}  // namespace opispool::opi

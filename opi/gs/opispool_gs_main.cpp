// SPDX-License-Identifier: AGPL-3.0-or-later
// opispool-gs: runs a customer's PostScript in a process of its own, fenced in, and says where its pictures land.
//
//   opi/gs/measure_client --marks, job--> opispool-gs measure --records--> measure_client
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "base/unique_fd.h"
#include "opi/gs/gs_instance.h"
#include "opi/gs/measure_program.h"

namespace {

using opispool::UniqueFd;
using opispool::opi::GsInstance;

constexpr rlim_t memory_bytes = rlim_t{1} << 30U;
constexpr std::size_t most_output_bytes = std::size_t{16} << 20U;
constexpr std::size_t longest_line_bytes = std::size_t{64} << 10U;
constexpr std::size_t read_bytes = std::size_t{64} << 10U;

constexpr const char* usage =
    "Usage: opispool-gs measure JOB [BEGIN END [SECONDS]] < MARKS\n"
    "Runs the PostScript job (a path, or fd:N; bytes BEGIN to END of it) once without printing and writes where\n"
    "its image operators paint. MARKS: lines 'OFFSET B|E ID', ascending, stretches of the job to look at.\n"
    "SECONDS limits the processor time (60).\n";

constexpr std::string_view error_words = "Unrecoverable error: ";

struct Mark {
    std::uint64_t offset_bytes = 0;
    std::string text;
};

struct Task {
    UniqueFd job;
    std::uint64_t begin_bytes = 0, end_bytes = UINT64_MAX;
    std::uint64_t seconds = 60;
    std::vector<Mark> marks;
};

bool write_whole(std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

// Picks our records out of what the job prints, and gs's own first line about an error.
class RecordFilter {
  public:
    explicit RecordFilter(std::string nonce) : nonce_(std::move(nonce)) {}

    void take(std::string_view text) {
        for (const char c : text) {
            if (c != '\n') {
                if (line_.size() < longest_line_bytes) line_ += c;
                continue;
            }
            finish_line();
            line_.clear();
        }
    }

    const std::string& complaint() const { return complaint_; }

  private:
    void finish_line() {
        if (line_.starts_with(nonce_)) {
            const std::string record = line_.substr(nonce_.size() + 1) + "\n";
            written_bytes_ += record.size();
            // Nothing more can be said in time; the reader takes an answer without its last line as none.
            if (written_bytes_ > most_output_bytes || !write_whole(record)) ::_exit(4);
        } else if (complaint_.empty()) {
            // "Unrecoverable error: undefined in foo": what gs says when nothing caught an error.
            const std::size_t at = line_.find(error_words);
            if (at != std::string::npos) complaint_ = line_.substr(at + error_words.size(), 200);
        }
    }

    std::string nonce_, line_, complaint_;
    std::size_t written_bytes_ = 0;
};

std::string random_nonce() {
    unsigned char bytes[16];
    if (::getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return {};
    std::string nonce = "opispool-";
    for (const unsigned char byte : bytes) {
        nonce += static_cast<char>('a' + byte / 16);
        nonce += static_cast<char>('a' + byte % 16);
    }
    return nonce;
}

// The fence: the job has its input and its output, a minute, a gigabyte, and no way to a file or a process.
bool fence_in(std::uint64_t seconds) {
    const auto limit = [](int resource, rlim_t value) {
        const rlimit both{value, value};
        return ::setrlimit(static_cast<__rlimit_resource_t>(resource), &both) == 0;
    };
    ::signal(SIGXFSZ, SIG_IGN);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && limit(RLIMIT_CPU, seconds) &&
           limit(RLIMIT_AS, memory_bytes) && limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_CORE, 0) && limit(RLIMIT_NPROC, 0);
}

bool read_marks(std::vector<Mark>& marks) {
    for (std::string line; std::getline(std::cin, line);) {
        const auto fields = opispool::split_blank(line);
        const auto offset = fields.size() == 3 ? opispool::parse_u64(fields[0]) : std::nullopt;
        const auto id = offset ? opispool::parse_u64(fields[2]) : std::nullopt;
        if (!id || (fields[1] != "B" && fields[1] != "E")) return false;
        if (!marks.empty() && marks.back().offset_bytes > *offset) return false;
        marks.push_back({*offset, std::to_string(*id) + (fields[1] == "B" ? " .opispoolBegin\n" : " .opispoolEnd\n")});
    }
    return true;
}

bool read_arguments(int count, char** words, Task& task) {
    if (count < 3 || count > 6 || std::string_view(words[1]) != "measure") return false;
    const std::string_view job = words[2];
    if (job.starts_with("fd:")) {
        const auto fd = opispool::parse_u64(job.substr(3));
        task.job.reset(fd && *fd < 1024 ? static_cast<int>(*fd) : -1);
    } else {
        task.job.reset(::open(words[2], O_RDONLY | O_CLOEXEC | O_NOCTTY));
    }
    std::uint64_t* const numbers[] = {&task.begin_bytes, &task.end_bytes, &task.seconds};
    for (int i = 3; i < count; ++i) {
        const auto number = opispool::parse_u64(words[i]);
        if (!number) return false;
        *numbers[i - 3] = *number;
    }
    return task.begin_bytes <= task.end_bytes && task.seconds > 0 && read_marks(task.marks);
}

// Feeds the job with the marks between its bytes.   returns  false if the file can't be read
bool feed_job(const Task& task, GsInstance& gs) {
    std::string buffer(read_bytes, '\0');
    auto mark = task.marks.begin();
    std::uint64_t at = task.begin_bytes;
    while (gs.state() == GsInstance::State::running && at < task.end_bytes) {
        for (; mark != task.marks.end() && task.begin_bytes + mark->offset_bytes <= at; ++mark) gs.feed(mark->text);
        std::uint64_t wanted = std::min<std::uint64_t>(buffer.size(), task.end_bytes - at);
        if (mark != task.marks.end()) wanted = std::min(wanted, task.begin_bytes + mark->offset_bytes - at);
        const ssize_t got =
            ::pread(task.job.get(), buffer.data(), static_cast<std::size_t>(wanted), static_cast<off_t>(at));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return false;
        if (got == 0) break;
        gs.feed(std::string_view(buffer).substr(0, static_cast<std::size_t>(got)));
        at += static_cast<std::uint64_t>(got);
    }
    for (; mark != task.marks.end(); ++mark) gs.feed(mark->text);
    gs.finish();
    return true;
}

int measure(const Task& task) {
    const std::string nonce = random_nonce();
    if (nonce.empty() || !fence_in(task.seconds)) {
        std::cerr << "opispool-gs: this system gives no limits or no random numbers\n";
        return 1;
    }
    RecordFilter filter(nonce);
    // 1440 ppi: what clips are rounded to. The device keeps no pixels. Its page is fixed: a matrix that a job took
    // before it chose a page size stays true.
    std::optional<GsInstance> gs;
    gs.emplace(std::vector<std::string>{"-dSAFER", "-dQUIET", "-dNOPAUSE", "-dBATCH", "-dNONATIVEFONTMAP",
                                        "-dWRITESYSTEMDICT", "-sDEVICE=nullpage", "-r1440", "-dFIXEDMEDIA",
                                        "-dDEVICEWIDTHPOINTS=14400", "-dDEVICEHEIGHTPOINTS=14400"},
               [&filter](std::string_view text) { filter.take(text); });
    gs->feed(opispool::opi::measure_program(nonce));
    if (gs->state() != GsInstance::State::running) {
        std::cerr << "opispool-gs: Ghostscript does not start: " << filter.complaint() << "\n";
        return 1;
    }
    if (!feed_job(task, *gs)) {
        std::cerr << "opispool-gs: the job can't be read\n";
        return 1;
    }
    const bool failed = gs->state() == GsInstance::State::failed;
    gs.reset();  // what it still held back comes now
    filter.take("\n");
    return write_whole(failed ? "failed " + opispool::printable(filter.complaint()) + "\n" : "ended\n") ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
    Task task;
    if (!read_arguments(count, words, task)) {
        std::cerr << usage;
        return 2;
    }
    if (!task.job) {
        std::cerr << "opispool-gs: " << words[2] << " can't be opened\n";
        return 1;
    }
    return measure(task);
}

// SPDX-License-Identifier: AGPL-3.0-or-later
// `opispool resolve`: thin job in, press-ready job out.
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/text.h"
#include "opi/plan_cursor.h"
#include "spooler/cli/command.h"
#include "spooler/cli/file_job.h"
#include "spooler/cli/file_output.h"
#include "spooler/cli/progress_bar.h"

namespace opispool::cli {

namespace {

// Below this a result is there before anybody could read the bar.
constexpr std::uint64_t long_work_bytes = 64'000'000;

// File to file the kernel copies without our buffer.   returns  bytes copied; 0 where it can't (a pipe, an old file
// system, a source that shrank): then the plain way does it, or says what is wrong
std::uint64_t copy_in_kernel(const opi::PlanCursor::FileStretch& stretch, int fd) {
    constexpr std::uint64_t step_bytes = 64U << 20U;
    auto from = static_cast<off_t>(stretch.offset_bytes);
    const auto length = static_cast<std::size_t>(std::min(stretch.length_bytes, step_bytes));
    const ssize_t copied = ::copy_file_range(stretch.source.fd(), &from, fd, nullptr, length, 0);
    return copied > 0 ? static_cast<std::uint64_t>(copied) : 0;
}

// Writes the plan front to back and looks at the sources once more: bytes of a picture that was replaced meanwhile must
// not count as the result.   errors  changed, bad_image, io; write errors have an empty `where`
Result<void> write_plan(const std::shared_ptr<const opi::SplicePlan>& plan, int fd, ProgressBar& progress) {
    opi::PlanCursor cursor(plan);
    std::vector<std::byte> window(opi::PlanCursor::window_bytes);
    bool kernel_copies = true;
    while (!cursor.done()) {
        const auto stretch = kernel_copies ? cursor.file_stretch() : std::nullopt;
        if (stretch && stretch->length_bytes >= window.size()) {
            const std::uint64_t copied = copy_in_kernel(*stretch, fd);
            cursor.skip(copied);
            progress.show(cursor.position_bytes());
            kernel_copies = copied > 0;
            continue;
        }
        auto filled = cursor.read(window);
        if (!filled) return fail(std::move(filled.error()));
        auto written = write_all(fd, std::string_view(reinterpret_cast<const char*>(window.data()), *filled));
        if (!written) return written;
        progress.show(cursor.position_bytes());
    }
    return opi::check_sources(*plan);
}

int give_up(const FileJob& job, Error error, const std::string& target) {
    if (error.where.empty()) error.where = target;
    complain(printable(job.name) + ": " + printable(describe(error)));
    return error.code == Code::bad_image ? exit_unresolved : exit_failed;
}

int write_result(const FileJob& job, const std::shared_ptr<const opi::SplicePlan>& plan, const std::string& path) {
    std::optional<OutputFile> file;
    if (!path.empty()) {
        auto created = OutputFile::create(path, plan->total_bytes());
        if (!created) return give_up(job, std::move(created.error()), path);
        file.emplace(std::move(*created));
    }
    const std::string target = path.empty() ? "standard output" : path;
    {
        ProgressBar progress("resolving " + printable(job.name), plan->total_bytes(),
                             plan->total_bytes() > long_work_bytes && (file || ::isatty(STDOUT_FILENO) == 0));
        auto written = write_plan(plan, file ? file->fd() : STDOUT_FILENO, progress);
        if (!written) return give_up(job, std::move(written.error()), target);
    }
    if (file)
        if (auto kept = file->commit(); !kept) return give_up(job, std::move(kept.error()), target);
    return exit_ok;
}

}  // namespace

int run_resolve(const std::vector<std::string>& arguments) {
    CommandLine line(
        "resolve --store DIR [OPTION]... [-o OUT.ps] [IN.ps]",
        "Replaces every OPI reference of a job by its high-resolution picture. Reads standard input without\n"
        "IN.ps or for '-'; writes standard output without -o. OUT.ps is complete or it is not touched.\n"
        "Exit status 3: the job can't be resolved, one line on standard error for each problem.\n");
    declare_store_option(line);
    declare_plan_options(line);
    line.value("output,o", "OUT.ps", "where the result goes");
    if (const auto end = line.parse(arguments)) return *end;
    if (line.has("output") && line.get("output").empty()) return line.usage_error("-o names no file");
    const auto job = open_file_job(line);
    if (!job) return job.error();
    const auto plan = plan_file_job(*job, line.has("verbose"));
    if (!plan) return plan.error();
    const std::string path = line.get("output");
    return write_result(*job, *plan, path == "-" ? "" : path);
}

}  // namespace opispool::cli

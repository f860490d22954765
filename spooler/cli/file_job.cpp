// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/cli/file_job.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "base/work_crew.h"
#include "opi/gs/measure_client.h"
#include "opi/ink_setting.h"
#include "spooler/cli/command.h"
#include "spooler/cli/file_output.h"
#include "spooler/cli/search_options.h"

namespace opispool::cli {

namespace {

constexpr std::size_t copy_bytes = 1U << 20U;

// The daemon's spool files never change, but a file named on the command line may be cut by its owner while its map is
// read: that is an input error and no crash.
extern "C" void report_cut_input(int) {
    constexpr std::string_view text =
        "opispool: the job's file became shorter while it was read; nothing was written\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
    ::_exit(exit_failed);
}

Result<UniqueFd> copy_to_temporary(int from, const std::string& name) {
    auto copy = open_unnamed_temporary();
    if (!copy) return copy;
    std::string buffer(copy_bytes, '\0');
    for (;;) {
        const ssize_t got = ::read(from, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail(error_from_errno(errno, Operation::read, name));
        if (got == 0) return copy;
        auto written = write_all(copy->get(), std::string_view(buffer).substr(0, static_cast<std::size_t>(got)));
        if (!written) return fail(std::move(written.error()));
    }
}

// A standard input somebody has already read from stands for the rest only, and that can't be mapped.
bool can_be_mapped(int fd) {
    struct stat status {};
    return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && ::lseek(fd, 0, SEEK_CUR) == 0;
}

// The option's value in a short list of words; `otherwise` if it was not given; nothing if it is another word.
template <typename T>
std::optional<T> choose(const CommandLine& line, const char* option,
                        std::initializer_list<std::pair<const char*, T>> words, T otherwise) {
    if (!line.has(option)) return otherwise;
    std::string choice, list;
    for (const auto& [word, value] : words) {
        if (line.get(option) == word) return value;
        list += (list.empty() ? "" : ", ") + std::string(word);
    }
    line.usage_error("--" + std::string(option) + " is '" + printable(line.get(option)) + "', not one of " + list);
    return std::nullopt;
}

bool choose_profile(const CommandLine& line, opi::PlanRequest& request) {
    using opi::ChannelEncoding;
    const auto encoding = choose<ChannelEncoding>(
        line, "encoding",
        {{"binary", ChannelEncoding::binary}, {"ascii85", ChannelEncoding::ascii85}, {"hex", ChannelEncoding::hex}},
        request.profile.encoding);
    if (!encoding) return false;
    const auto level = choose<int>(line, "level", {{"2", 2}, {"3", 3}}, request.profile.language_level);
    if (!level) return false;
    const auto on_missing = choose<opi::OnMissing>(
        line, "on-missing", {{"fail", opi::OnMissing::fail}, {"proxy", opi::OnMissing::proxy}}, request.on_missing);
    if (!on_missing) return false;
    const auto measure = choose<opi::MeasureMode>(line, "measure",
                                                  {{"never", opi::MeasureMode::never},
                                                   {"when_needed", opi::MeasureMode::when_needed},
                                                   {"always", opi::MeasureMode::always}},
                                                  request.measuring.mode);
    if (!measure) return false;
    request.measuring.mode = *measure;
    request.profile.encoding = *encoding;
    request.profile.language_level = *level;
    request.on_missing = *on_missing;
    request.profile.gray_as_black = line.has("gray-as-black");
    for (const std::string& text : line.all("ink")) {
        auto ink = opi::parse_ink_setting(text);
        if (!ink) {
            line.usage_error("--ink '" + printable(text) + "': " + ink.error().text);
            return false;
        }
        request.profile.inks.push_back(std::move(*ink));
    }
    return true;
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> open_thin_job(const std::string& path) {
    const bool standard_input = path.empty() || path == "-";
    const std::string name = standard_input ? "<stdin>" : path;
    UniqueFd fd(standard_input ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                               : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (!fd) return fail(error_from_errno(errno, Operation::open, name));
    std::signal(SIGBUS, report_cut_input);
    if (can_be_mapped(fd.get())) return MappedFile::adopt(std::move(fd), name);
    auto copy = copy_to_temporary(fd.get(), name);
    if (!copy) return fail(std::move(copy.error()));
    return MappedFile::adopt(std::move(*copy), name);
}

void declare_store_option(CommandLine& line) {
    declare_search_options(line);
    line.arguments(1);
}

void declare_plan_options(CommandLine& line) {
    line.value("encoding", "WORD", "what the way to the RIP lets through: binary (default), ascii85 or hex");
    line.value("level", "N", "PostScript language level of the RIP: 3 (default) or 2");
    line.flag("gray-as-black", "send gray pictures as the black ink alone, not as DeviceGray");
    line.values("ink", "NAME=C,M,Y,K", "a spot ink of the RIP, 0 to 1 each; repeat it for more");
    line.value("on-missing", "WORD", "fail (default), or proxy: keep the preview of a picture that is missing");
    line.value("measure", "WORD",
               "run the job by opispool-gs to see where its previews land: when_needed (default), always, never");
    line.flag("verbose", "show warnings too");
}

tl::expected<FileJob, int> open_file_job(const CommandLine& line) {
    FileJob job;
    if (!choose_profile(line, job.request)) return tl::unexpected(exit_usage);
    job.request.profile.crew = WorkCrew::usual();
    auto index = open_index(line);
    if (!index) return tl::unexpected(index.error());
    job.index = std::make_unique<opi::ImageIndex>(std::move(*index));
    job.request.index = job.index.get();
    job.measurer = std::make_unique<opi::MeasureClient>();
    job.request.measuring.measurer = job.measurer.get();

    const std::string path = line.arguments().empty() ? "-" : line.arguments().front();
    auto thin = open_thin_job(path);
    if (!thin) return tl::unexpected(line.usage_error(printable(describe(thin.error()))));
    job.name = (*thin)->name();
    job.request.thin = std::move(*thin);
    return job;
}

int exit_code_for(Code code) {
    switch (code) {
        case Code::bad_syntax:
        case Code::bad_image:
        case Code::unsupported:
        case Code::not_found:
        case Code::ambiguous:
        case Code::not_permitted:
        case Code::too_large:
            return exit_unresolved;
        default:
            return exit_failed;
    }
}

tl::expected<std::shared_ptr<const opi::SplicePlan>, int> plan_file_job(const FileJob& job, bool verbose) {
    auto outcome = opi::make_plan(job.request);
    if (!outcome) {
        complain(printable(job.name) + ": " + printable(describe(outcome.error())));
        return tl::unexpected(exit_code_for(outcome.error().code));
    }
    std::string lines;
    for (const opi::Problem& problem : outcome->problems) lines += opi::problem_line(job.name, problem) + "\n";
    if (verbose)
        for (const std::string& warning : outcome->warnings)
            lines += printable(job.name) + ": warning: " + printable(warning) + "\n";
    // Standard error that can't be written has nobody left to tell; the exit code still does.
    [[maybe_unused]] const auto told = write_all(STDERR_FILENO, lines);
    if (!outcome->problems.empty() || outcome->plan == nullptr) {
        int code = exit_unresolved;
        // A store that can't be read is no fault of the job: trying again may help.
        for (const opi::Problem& problem : outcome->problems)
            if (exit_code_for(problem.code) == exit_failed) code = exit_failed;
        return tl::unexpected(code);
    }
    if (auto checked = opi::check_plan(*outcome->plan); !checked) {
        complain(describe(checked.error()));
        return tl::unexpected(exit_failed);
    }
    return outcome->plan;
}

}  // namespace opispool::cli

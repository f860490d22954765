// SPDX-License-Identifier: AGPL-3.0-or-later
// `opispool submit`: a document into a daemon's queue.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/percent_code.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "spooler/cli/command.h"
#include "spooler/cli/progress_bar.h"
#include "spooler/cli/server_command.h"
#include "spooler/cli/time_option.h"

namespace opispool::cli {

namespace {

// What is left to read of a regular file; nothing for a pipe.
std::optional<std::uint64_t> length_of(int fd) {
    struct stat status {};
    const off_t position = ::lseek(fd, 0, SEEK_CUR);
    if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || position < 0 || position > status.st_size)
        return std::nullopt;
    return static_cast<std::uint64_t>(status.st_size - position);
}

std::string target_of(const CommandLine& line, const std::string& path, const std::string& at_ms) {
    const std::string file_name = path == "-" ? "" : path.substr(path.rfind('/') + 1);
    std::string target = "/api/queues/" + percent_encoded(line.get("queue")) +
                         "/jobs?title=" + percent_encoded(line.get("title", file_name)) +
                         "&user=" + percent_encoded(user_name());
    if (!at_ms.empty()) target += "&at=" + at_ms;
    for (const char* name : {"priority", "note"})
        if (line.has(name)) target += "&" + std::string(name) + "=" + percent_encoded(line.get(name));
    return target;
}

}  // namespace

int run_submit(const std::vector<std::string>& arguments) {
    CommandLine line(
        "submit -q QUEUE [OPTION]... [FILE]",
        "Sends a document to a queue and prints its job number once the daemon has it safe on disk. Reads\n"
        "standard input without FILE or for '-'.\n");
    line.value("queue,q", "QUEUE", "where it is to be printed");
    line.value("title,t", "TEXT", "the job's title; default the file's name");
    line.value("at,a", "TIME", ("not before this time: " + std::string(time_option_help)).c_str());
    line.value("priority,p", "NUMBER", "1 to 100, the higher one prints first; default 50");
    line.value("note,n", "TEXT", "a note, for people");
    declare_server_options(line);
    line.arguments(1);
    if (const auto end = line.parse(arguments)) return *end;
    if (line.get("queue").empty()) return line.usage_error("-q QUEUE is missing");
    const auto at_ms = line.has("at") ? read_time_option(line.get("at")) : Result<std::string>();
    if (!at_ms) return line.usage_error(at_ms.error().text);
    const auto server = choose_server(line);
    if (!server) return server.error();

    const std::string path = line.arguments().empty() ? "-" : line.arguments().front();
    UploadSource source;
    source.name = path == "-" ? "<stdin>" : path;
    UniqueFd fd(path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                            : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    struct stat status {};
    if (fd && ::fstat(fd.get(), &status) == 0 && S_ISDIR(status.st_mode)) {
        fd.reset();
        errno = EISDIR;
    }
    if (!fd) return line.usage_error(printable(describe(error_from_errno(errno, Operation::open, source.name))));
    source.fd = fd.get();
    source.length_bytes = length_of(fd.get());

    tl::expected<boost::json::object, int> job;
    std::string body;
    {
        ProgressBar progress("sending " + printable(source.name), source.length_bytes.value_or(0));
        source.progress = [&progress](std::uint64_t sent_bytes) { progress.show(sent_bytes); };
        auto reply = send_upload(*server, target_of(line, path, *at_ms), source);
        if (reply) body = reply->body;
        job = read_reply(reply, "");
    }
    if (!job) return job.error();
    return print(line.has("json") ? body : std::to_string(number_field(*job, "id")) + "\n");
}

}  // namespace opispool::cli

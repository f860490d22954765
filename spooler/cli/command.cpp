// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/cli/command.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "spooler/cli/file_output.h"

namespace opispool::cli {

namespace {

constexpr std::array<Command, 31> all_commands{{
    {"resolve", "replace a job's OPI references by the high-resolution pictures", run_resolve},
    {"scan", "list a job's OPI references and the files they mean", run_scan},
    {"explain", "tell how a job's pictures were looked for", run_explain},
    {"plan", "show what the result of a job would be made of", run_plan},
    {"submit", "send a document to a queue", run_submit},
    {"queues", "list the queues", run_queues},
    {"ppd", "print a queue's PPD, for workstations' drivers", run_ppd},
    {"jobs", "list the jobs", run_jobs},
    {"job", "show one job", run_job},
    {"hold", "keep jobs from printing", run_hold},
    {"release", "let held jobs print", run_release},
    {"cancel", "end jobs", run_cancel},
    {"redo", "print finished jobs again", run_redo},
    {"stop-and-hold", "stop jobs that are being sent, and hold them", run_stop_and_hold},
    {"topq", "print jobs before all others of their queue", run_topq},
    {"priority", "say how urgent jobs are", run_priority},
    {"move", "give jobs to another queue", run_move},
    {"schedule", "let jobs print, but not before a time", run_schedule},
    {"note", "write a note on jobs", run_note},
    {"copy", "make a second job of a document", run_copy},
    {"why", "say why a job does not move, and what to do", run_why},
    {"log", "show who did what to a job", run_log},
    {"ledger", "show what became of each picture of a job", run_ledger},
    {"status", "show the queues, and why jobs wait", run_status},
    {"pause", "let a queue start no job", run_pause},
    {"resume", "let a paused queue go on", run_resume},
    {"accept", "let a queue take jobs", run_accept},
    {"reject", "let a queue refuse new jobs", run_reject},
    {"holdall", "hold every new job of a queue", run_holdall},
    {"noholdall", "print new jobs of a queue at once", run_noholdall},
    {"redirect", "send a queue's jobs to another queue", run_redirect},
}};

std::string help_text() {
    std::string text =
        "opispool: resolve OPI jobs and look after print queues\n\n"
        "Usage: opispool COMMAND [OPTION]... [ARGUMENT]...\n\nCommands:\n";
    for (const Command& command : all_commands) {
        text += "  ";
        text += command.name;
        text.append(15 - command.name.size(), ' ');
        text += command.summary;
        text += '\n';
    }
    return text +
           "\n'opispool COMMAND --help' explains a command.\n"
           "Exit status: 0 done, 1 failed, 2 wrong usage, 3 the job can't be resolved.\n";
}

}  // namespace

std::span<const Command> commands() {
    return all_commands;
}

void complain(std::string_view text) {
    const std::string line = "opispool: " + std::string(text) + "\n";
    // Standard error that can't be written has nobody left to tell.
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

int usage_error(std::string_view command, std::string_view text) {
    const std::string of = command.empty() ? "" : std::string(command) + " ";
    complain(of.empty()
                 ? std::string(text) + " (see 'opispool --help')"
                 : of.substr(0, of.size() - 1) + ": " + std::string(text) + " (see 'opispool " + of + "--help')");
    return exit_usage;
}

int print(std::string_view text) {
    if (auto written = write_all(STDOUT_FILENO, text); !written) {
        complain("write to standard output: " + written.error().text);
        return exit_failed;
    }
    return exit_ok;
}

int run_program(const std::vector<std::string>& arguments) {
    if (arguments.empty()) return usage_error("", "a command is missing");
    const std::string& name = arguments.front();
    if (name == "--help" || name == "-h" || name == "help") return print(help_text());
    if (name == "--version") return print("opispool " OPISPOOL_VERSION "\n");
    const auto found = std::find_if(all_commands.begin(), all_commands.end(),
                                    [&](const Command& command) { return command.name == name; });
    if (found == all_commands.end()) return usage_error("", "'" + printable(name) + "' is not a command");
    return found->run(std::vector<std::string>(arguments.begin() + 1, arguments.end()));
}

}  // namespace opispool::cli

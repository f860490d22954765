// SPDX-License-Identifier: AGPL-3.0-or-later
// What every subcommand of `opispool` has in common: its name, its exit codes and how it complains.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace opispool::cli {

// Scripts rely on these.
enum ExitCode : int {
    exit_ok = 0,
    exit_failed = 1,      // anything that is neither of the others: I/O, a server that says no
    exit_usage = 2,       // the command line, a store or the input can't be used as given
    exit_unresolved = 3,  // the job can't be resolved; every problem is a line on standard error
};

struct Command {
    std::string_view name;
    std::string_view summary;  // one line for `opispool --help`
    int (*run)(const std::vector<std::string>& arguments);
};

// In the order of `opispool --help`.
std::span<const Command> commands();

// Runs the program: `arguments` are those behind the program's name.   returns  the exit code
int run_program(const std::vector<std::string>& arguments);

// One line on standard error, "opispool: TEXT".
void complain(std::string_view text);
// complain() with a hint where help is; returns exit_usage.   command  may be empty
int usage_error(std::string_view command, std::string_view text);

// Writes all of `text` to standard output.   returns  exit_ok, or exit_failed (and a complaint) when nobody takes it
int print(std::string_view text);

// ---- the subcommands
int run_resolve(const std::vector<std::string>& arguments);
int run_scan(const std::vector<std::string>& arguments);
int run_explain(const std::vector<std::string>& arguments);
int run_plan(const std::vector<std::string>& arguments);
int run_submit(const std::vector<std::string>& arguments);
int run_queues(const std::vector<std::string>& arguments);
int run_ppd(const std::vector<std::string>& arguments);
int run_jobs(const std::vector<std::string>& arguments);
int run_job(const std::vector<std::string>& arguments);
int run_hold(const std::vector<std::string>& arguments);
int run_release(const std::vector<std::string>& arguments);
int run_cancel(const std::vector<std::string>& arguments);
int run_redo(const std::vector<std::string>& arguments);
int run_stop_and_hold(const std::vector<std::string>& arguments);
int run_topq(const std::vector<std::string>& arguments);
int run_priority(const std::vector<std::string>& arguments);
int run_move(const std::vector<std::string>& arguments);
int run_schedule(const std::vector<std::string>& arguments);
int run_note(const std::vector<std::string>& arguments);
int run_copy(const std::vector<std::string>& arguments);
int run_why(const std::vector<std::string>& arguments);
int run_log(const std::vector<std::string>& arguments);
int run_ledger(const std::vector<std::string>& arguments);
int run_status(const std::vector<std::string>& arguments);
int run_pause(const std::vector<std::string>& arguments);
int run_resume(const std::vector<std::string>& arguments);
int run_accept(const std::vector<std::string>& arguments);
int run_reject(const std::vector<std::string>& arguments);
int run_holdall(const std::vector<std::string>& arguments);
int run_noholdall(const std::vector<std::string>& arguments);
int run_redirect(const std::vector<std::string>& arguments);

}  // namespace opispool::cli

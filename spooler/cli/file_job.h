// SPDX-License-Identifier: AGPL-3.0-or-later
// What `resolve`, `scan`, `plan` and `explain` share: the input, the stores, and how problems are told.
#pragma once

#include <memory>
#include <string>

#include "opi/planner.h"
#include "spooler/cli/command_line.h"

namespace opispool::cli {

// A thin job opened for planning.
struct FileJob {
    std::string name;  // as given, for messages; "<stdin>" for standard input
    std::unique_ptr<const opi::ImageIndex> index;
    std::unique_ptr<opi::Measurer> measurer;
    opi::PlanRequest request;  // its pointers are to ours
};

// A job from a regular file is mapped where it lies; from a pipe it is first copied to a nameless temporary file, since
// planning needs to see all of it at any time.
//   path     "-" or empty = standard input
//   errors   open, read, write (the temporary folder is full)
Result<std::shared_ptr<const MappedFile>> open_thin_job(const std::string& path);

void declare_store_option(CommandLine& line);  // --store, how names are looked for in it, and IN
void declare_plan_options(CommandLine& line);  // --encoding, --level, --ink, --on-missing, --measure, --verbose

// Opens what the command line names; every mistake is told there.   returns  the exit code to end with
tl::expected<FileJob, int> open_file_job(const CommandLine& line);

// Plans the job; problems go to standard error, a line each, warnings too if --verbose was given.
//   returns  the plan, checked, or the exit code to end with
tl::expected<std::shared_ptr<const opi::SplicePlan>, int> plan_file_job(const FileJob& job, bool verbose);

// The exit code for a job that failed with `code`: the job's and its pictures' own faults are exit_unresolved.
int exit_code_for(Code code);

}  // namespace opispool::cli

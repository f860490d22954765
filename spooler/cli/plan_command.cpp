// SPDX-License-Identifier: AGPL-3.0-or-later
// `opispool plan`: what a result would be made of, and how long it would be.
#include "spooler/cli/command.h"
#include "spooler/cli/file_job.h"

namespace opispool::cli {

int run_plan(const std::vector<std::string>& arguments) {
    CommandLine line(
        "plan --store DIR [OPTION]... [IN.ps]",
        "Shows the spans of the result, one per line (offset, length, where the bytes come from), and its exact\n"
        "total size; writes no result. Reads standard input without IN.ps or for '-'.\n");
    declare_store_option(line);
    declare_plan_options(line);
    if (const auto end = line.parse(arguments)) return *end;
    auto job = open_file_job(line);
    if (!job) return job.error();
    job->request.profile.prove_pictures = false;  // nothing is sent: the headers are enough
    const auto plan = plan_file_job(*job, line.has("verbose"));
    if (!plan) return plan.error();
    return print(opi::text_form(**plan));
}

}  // namespace opispool::cli

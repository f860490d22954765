// SPDX-License-Identifier: AGPL-3.0-or-later
// `opispool scan`: which pictures a job asks for, and whether they are there.
#include <algorithm>

#include "base/text.h"
#include "opi/explain.h"
#include "spooler/cli/command.h"
#include "spooler/cli/file_job.h"
#include "spooler/cli/table.h"

namespace opispool::cli {

namespace {

using References = std::vector<opi::ScannedReference>;

std::string version_text(opi::OpiVersion version) {
    return version == opi::OpiVersion::v1_3 ? "1.3" : "2.0";
}

std::string table_text(const References& references) {
    std::vector<std::vector<std::string>> rows{{"PAGE", "LINE", "OPI", "NAME", "FILE OR PROBLEM"}};
    for (const opi::ScannedReference& reference : references)
        rows.push_back({std::to_string(reference.page), std::to_string(reference.line), version_text(reference.version),
                        printable(reference.filename),
                        reference.problem.empty() ? printable(reference.file) : "! " + printable(reference.problem)});
    return format_table(rows, {0, 1});
}

}  // namespace

int run_scan(const std::vector<std::string>& arguments) {
    CommandLine line(
        "scan --store DIR [--json] [IN.ps]",
        "Lists the OPI references of a job with the files they mean; reads no pixels. Reads standard input\n"
        "without IN.ps or for '-'. Exit status 3: at least one reference has a problem.\n");
    declare_store_option(line);
    line.flag("json", "machine-readable output");
    if (const auto end = line.parse(arguments)) return *end;
    const auto job = open_file_job(line);
    if (!job) return job.error();
    const auto references = opi::scan_references(job->request);
    if (!references) {
        complain(printable(job->name) + ": " + printable(describe(references.error())));
        return exit_code_for(references.error().code);
    }
    if (!line.has("json") && references->empty()) return print(printable(job->name) + ": no OPI references\n");
    if (const int printed = print(line.has("json") ? opi::references_json(*references, opi::ScanDetail::files)
                                                   : table_text(*references));
        printed != exit_ok)
        return printed;
    const bool any = std::any_of(references->begin(), references->end(),
                                 [](const opi::ScannedReference& reference) { return !reference.problem.empty(); });
    return any ? exit_unresolved : exit_ok;
}

}  // namespace opispool::cli

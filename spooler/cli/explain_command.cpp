// SPDX-License-Identifier: AGPL-3.0-or-later
// `opispool explain`: how every picture of a job was looked for, step by step.
#include <algorithm>

#include "base/text.h"
#include "opi/explain.h"
#include "spooler/cli/command.h"
#include "spooler/cli/file_job.h"
#include "spooler/cli/server_command.h"

namespace opispool::cli {

namespace {

int explain_file(const CommandLine& line) {
    const auto job = open_file_job(line);
    if (!job) return job.error();
    const auto references = opi::scan_references(job->request, opi::ScanDetail::steps);
    if (!references) {
        complain(printable(job->name) + ": " + printable(describe(references.error())));
        return exit_code_for(references.error().code);
    }
    const int printed = print(line.has("json") ? opi::references_json(*references, opi::ScanDetail::steps)
                                               : opi::explain_text(job->name, *references));
    const bool any = std::any_of(references->begin(), references->end(),
                                 [](const opi::ScannedReference& reference) { return !reference.problem.empty(); });
    return printed != exit_ok || !any ? printed : exit_unresolved;
}

int explain_job(const CommandLine& line, const std::string& id) {
    const auto server = choose_server(line);
    if (!server) return server.error();
    const auto reply = send_request(*server, "GET", "/api/jobs/" + id + "/explain");
    const auto object = read_reply(reply, "job " + id + ": ");
    if (!object) return object.error();
    return print(line.has("json") ? reply->body : text_field(*object, "text"));
}

}  // namespace

int run_explain(const std::vector<std::string>& arguments) {
    CommandLine line(
        "explain ID | --store DIR [OPTION]... [IN.ps]",
        "Tells step by step how every picture of a job was looked for: names, rules, candidates, and why each was\n"
        "taken or not. A job of the daemon by its number, with its queue's stores; or a file, with the stores given.\n"
        "Exit status 3: at least one reference of the file has a problem.\n");
    declare_store_option(line);
    declare_server_options(line);
    if (const auto end = line.parse(arguments)) return *end;
    if (line.has("store")) return explain_file(line);
    const std::string id = line.arguments().empty() ? "" : line.arguments().front();
    if (!parse_u64(id)) return line.usage_error("want the number of a job, or --store DIR and a file");
    return explain_job(line, id);
}

}  // namespace opispool::cli

// SPDX-License-Identifier: AGPL-3.0-or-later
// `opispool hold`, `release`, `cancel`, `redo`, `stop-and-hold`: an operator's word to one job or several.
#include <algorithm>
#include <boost/json/serialize.hpp>

#include "base/percent_code.h"
#include "base/text.h"
#include "spooler/cli/command.h"
#include "spooler/cli/server_command.h"

namespace opispool::cli {

namespace {

std::string outcome_text(const boost::json::object& job) {
    const std::string reason = text_field(job, "reason");
    return "job " + std::to_string(number_field(job, "id")) + ": " + printable(text_field(job, "state")) +
           (reason.empty() ? "" : " (" + printable(reason) + ")") + "\n";
}

// The same word to each job; a refusal for one does not keep the others from it.
int tell_jobs(const std::vector<std::string>& arguments, const std::string& verb, const char* about) {
    CommandLine line(verb + " ID... [OPTION]...", about);
    declare_server_options(line);
    line.arguments(-1);
    if (const auto end = line.parse(arguments)) return *end;
    const std::vector<std::string> ids = line.arguments();
    if (ids.empty()) return line.usage_error("the job's number is missing");
    for (const std::string& id : ids)
        if (!parse_u64(id)) return line.usage_error("'" + printable(id) + "' is not a job number");
    const auto server = choose_server(line);
    if (!server) return server.error();

    int code = exit_ok;
    for (const std::string& id : ids) {
        const std::string target = "/api/jobs/" + id + "/" + verb + "?by=" + percent_encoded(actor_name());
        const auto reply = send_request(*server, "POST", target);
        const auto job = read_reply(reply, "job " + id + ": ");
        const int one = !job ? job.error() : print(line.has("json") ? reply->body : outcome_text(*job));
        code = std::max(code, one);
    }
    return code;
}

}  // namespace

int run_hold(const std::vector<std::string>& arguments) {
    return tell_jobs(arguments, "hold", "Keeps jobs from printing until they are released.\n");
}

int run_release(const std::vector<std::string>& arguments) {
    return tell_jobs(arguments, "release",
                     "Lets held jobs print. One that was interrupted while sending is sent again from its start.\n");
}

int run_cancel(const std::vector<std::string>& arguments) {
    return tell_jobs(arguments, "cancel", "Ends jobs for good; one that is being sent is stopped.\n");
}

int run_redo(const std::vector<std::string>& arguments) {
    return tell_jobs(arguments, "redo", "Prints finished jobs again.\n");
}

int run_stop_and_hold(const std::vector<std::string>& arguments) {
    return tell_jobs(arguments, "stop-and-hold",
                     "Stops jobs that are being sent and holds them; the RIP may print what it already has.\n");
}

}  // namespace opispool::cli

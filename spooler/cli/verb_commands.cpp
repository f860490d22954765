// SPDX-License-Identifier: AGPL-3.0-or-later
// `opispool hold`, `release`, `cancel`, `move` and the like: an operator's word to one job or several.
#include <algorithm>
#include <cstring>
#include <functional>

#include "base/text.h"
#include "spooler/cli/command.h"
#include "spooler/cli/server_command.h"
#include "spooler/cli/time_option.h"

namespace opispool::cli {

namespace {

std::string outcome_text(const boost::json::object& job) {
    const std::string reason = text_field(job, "reason");
    return "job " + std::to_string(number_field(job, "id")) + ": " + printable(text_field(job, "state")) +
           (reason.empty() ? "" : " (" + printable(reason) + ")") + "\n";
}

// The same word to each job; a refusal for one does not keep the others from it.
int tell_each(const CommandLine& line, const std::vector<std::string>& ids, const std::string& verb,
              const Query& query) {
    if (ids.empty()) return line.usage_error("the job's number is missing");
    for (const std::string& id : ids)
        if (!parse_u64(id)) return line.usage_error("'" + printable(id) + "' is not a job number");
    const auto server = choose_server(line);
    if (!server) return server.error();

    int code = exit_ok;
    for (const std::string& id : ids) {
        const auto reply = send_request(*server, "POST", with_actor("/api/jobs/" + id + "/" + verb, query));
        const auto job = read_reply(reply, "job " + id + ": ");
        const int one = !job ? job.error() : print(line.has("json") ? reply->body : outcome_text(*job));
        code = std::max(code, one);
    }
    return code;
}

int tell_matching(const CommandLine& line, const std::string& verb, const Query& query) {
    const auto server = choose_server(line);
    if (!server) return server.error();
    const auto reply = send_request(*server, "POST", with_actor("/api/jobs/" + verb, query));
    const auto object = read_reply(reply, "");
    if (!object) return object.error();
    int code = exit_ok;
    for (const boost::json::value& value : list_field(*object, "refused")) {
        if (!value.is_object()) continue;
        complain(printable(text_field(value.get_object(), "error")));
        code = exit_failed;
    }
    std::string text;
    for (const boost::json::value& value : list_field(*object, "jobs"))
        if (value.is_object()) text += outcome_text(value.get_object());
    return std::max(code, print(line.has("json") ? reply->body : text));
}

// Jobs by number, or by what is known of them.
int tell_jobs(const std::vector<std::string>& arguments, const std::string& verb, const std::string& about) {
    CommandLine line(
        verb + " [ID]... [OPTION]...",
        about + "Instead of numbers: patterns, with * and ? for any characters; all of those given fit.\n");
    line.value("title,t", "PATTERN", "jobs with this title");
    line.value("user,u", "PATTERN", "jobs of this user");
    line.value("queue,q", "PATTERN", "jobs on this queue");
    declare_server_options(line);
    line.arguments(-1);
    if (const auto end = line.parse(arguments)) return *end;
    Query patterns;
    for (const char* name : {"title", "user", "queue"})
        if (!line.get(name).empty()) patterns.emplace_back(name, line.get(name));
    const std::vector<std::string> ids = line.arguments();
    if (patterns.empty()) return tell_each(line, ids, verb, {});
    if (!ids.empty()) return line.usage_error("give numbers or patterns, not both");
    return tell_matching(line, verb, patterns);
}

struct Option {
    const char *declaration, *name, *metavariable, *help;
};

// A verb with one thing to say besides the jobs.   read  turns the option's text into what the API wants
int tell_with(const std::vector<std::string>& arguments, const std::string& verb, const std::string& about,
              const Option& option, const std::function<Result<std::string>(const std::string&)>& read) {
    CommandLine line(verb + " ID... -" + option.declaration[std::strlen(option.declaration) - 1] + " " +
                         option.metavariable + " [OPTION]...",
                     about);
    line.value(option.declaration, option.metavariable, option.help);
    declare_server_options(line);
    line.arguments(-1);
    if (const auto end = line.parse(arguments)) return *end;
    const std::string long_name = std::string(option.declaration).substr(0, std::strcspn(option.declaration, ","));
    if (!line.has(long_name.c_str())) return line.usage_error("--" + long_name + " is missing");
    const auto value = read(line.get(long_name.c_str()));
    if (!value) return line.usage_error(value.error().text);
    return tell_each(line, line.arguments(), verb, {{option.name, *value}});
}

Result<std::string> as_it_is(const std::string& text) {
    return text;
}

int tell_numbered(const std::vector<std::string>& arguments, const std::string& verb, const char* about) {
    CommandLine line(verb + " ID... [OPTION]...", about);
    declare_server_options(line);
    line.arguments(-1);
    if (const auto end = line.parse(arguments)) return *end;
    return tell_each(line, line.arguments(), verb, {});
}

}  // namespace

int run_hold(const std::vector<std::string>& arguments) {
    return tell_jobs(arguments, "hold", "Keeps jobs from printing until they are released.\n");
}

int run_release(const std::vector<std::string>& arguments) {
    return tell_jobs(arguments, "release",
                     "Lets held jobs print. One that was interrupted while sending is sent again from its start; one\n"
                     "that waits for its time or its next try prints now.\n");
}

int run_cancel(const std::vector<std::string>& arguments) {
    return tell_jobs(arguments, "cancel", "Ends jobs for good; one that is being sent is stopped.\n");
}

int run_stop_and_hold(const std::vector<std::string>& arguments) {
    return tell_jobs(arguments, "stop-and-hold",
                     "Stops jobs that are being sent and holds them; the RIP may print what it already has.\n");
}

int run_redo(const std::vector<std::string>& arguments) {
    return tell_numbered(arguments, "redo", "Prints finished jobs again.\n");
}

int run_topq(const std::vector<std::string>& arguments) {
    return tell_numbered(
        arguments, "topq",
        "Prints jobs before all others of their queue, whatever their priority. The latest one told so\n"
        "goes first.\n");
}

int run_priority(const std::vector<std::string>& arguments) {
    return tell_with(
        arguments, "priority",
        "Says how urgent jobs are: of 1 to 100, the higher one prints first; jobs come in with 50. Undoes\n"
        "topq.\n",
        {"to,p", "priority", "NUMBER", "1 to 100"}, as_it_is);
}

int run_move(const std::vector<std::string>& arguments) {
    return tell_with(arguments, "move", "Gives jobs that wait or are held to another queue.\n",
                     {"queue,q", "queue", "QUEUE", "where they are to print"}, as_it_is);
}

int run_schedule(const std::vector<std::string>& arguments) {
    return tell_with(arguments, "schedule", "Lets jobs print, but not before a time.\n",
                     {"at,a", "at", "TIME", time_option_help}, read_time_option);
}

int run_note(const std::vector<std::string>& arguments) {
    return tell_with(arguments, "note", "Writes a note on jobs, for people; an empty one removes it.\n",
                     {"text,t", "note", "TEXT", "at most 1000 bytes"}, as_it_is);
}

int run_copy(const std::vector<std::string>& arguments) {
    CommandLine line(
        "copy ID... [-q QUEUE] [OPTION]...",
        "Makes a new job of a job's document, which may have been printed long ago, as long as it is kept.\n");
    line.value("queue,q", "QUEUE", "where it is to print; default the job's own queue");
    declare_server_options(line);
    line.arguments(-1);
    if (const auto end = line.parse(arguments)) return *end;
    Query query;
    if (line.has("queue")) query.emplace_back("queue", line.get("queue"));
    return tell_each(line, line.arguments(), "copy", query);
}

}  // namespace opispool::cli

// SPDX-License-Identifier: AGPL-3.0-or-later
// `opispool pause`, `accept`, `redirect` and the like: an operator's order to a whole queue.
#include <algorithm>

#include "base/percent_code.h"
#include "base/text.h"
#include "spooler/cli/command.h"
#include "spooler/cli/server_command.h"

namespace opispool::cli {

namespace {

std::string outcome_text(const boost::json::object& queue) {
    return "queue " + printable(text_field(queue, "name")) + ": " + queue_state_text(queue) + "\n";
}

int order_queue(const CommandLine& line, const ServerAddress& server, const std::string& name, const std::string& word,
                const Query& query) {
    const std::string target = "/api/queues/" + percent_encoded(name) + "/" + word;
    const auto reply = send_request(server, "POST", with_actor(target, query));
    const auto queue = read_reply(reply, "");
    if (!queue) return queue.error();
    return print(line.has("json") ? reply->body : outcome_text(*queue));
}

int order(const std::vector<std::string>& arguments, const std::string& word, const char* about) {
    CommandLine line(word + " QUEUE... [OPTION]...", about);
    declare_server_options(line);
    line.arguments(-1);
    if (const auto end = line.parse(arguments)) return *end;
    if (line.arguments().empty()) return line.usage_error("the queue's name is missing");
    const auto server = choose_server(line);
    if (!server) return server.error();
    int code = exit_ok;
    for (const std::string& name : line.arguments()) code = std::max(code, order_queue(line, *server, name, word, {}));
    return code;
}

}  // namespace

int run_pause(const std::vector<std::string>& arguments) {
    return order(arguments, "pause", "Lets queues start no job; what is being printed goes on, new jobs are taken.\n");
}

int run_resume(const std::vector<std::string>& arguments) {
    return order(arguments, "resume", "Lets paused queues go on.\n");
}

int run_accept(const std::vector<std::string>& arguments) {
    return order(arguments, "accept", "Lets queues take new jobs.\n");
}

int run_reject(const std::vector<std::string>& arguments) {
    return order(arguments, "reject", "Lets queues refuse new jobs; those they have are printed.\n");
}

int run_holdall(const std::vector<std::string>& arguments) {
    return order(arguments, "holdall", "Holds every job that comes in for the queues from now on.\n");
}

int run_noholdall(const std::vector<std::string>& arguments) {
    return order(arguments, "noholdall", "Prints new jobs of the queues without a person's word again.\n");
}

int run_redirect(const std::vector<std::string>& arguments) {
    CommandLine line(
        "redirect QUEUE {TO|--off} [OPTION]...",
        "Gives the jobs that wait on a queue, and those that come for it from now on, to another queue. What\n"
        "is being printed goes on.\n");
    line.flag("off", "no longer");
    declare_server_options(line);
    line.arguments(2);
    if (const auto end = line.parse(arguments)) return *end;
    const std::vector<std::string> names = line.arguments();
    if (names.size() != (line.has("off") ? 1U : 2U)) return line.usage_error("say QUEUE and TO, or QUEUE and --off");
    const auto server = choose_server(line);
    if (!server) return server.error();
    return order_queue(line, *server, names[0], "redirect", {{"to", line.has("off") ? "" : names[1]}});
}

}  // namespace opispool::cli

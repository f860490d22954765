// SPDX-License-Identifier: AGPL-3.0-or-later
// `opispool why`, `log` and `status`: what is going on, and what to do about it.
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "spooler/cli/command.h"
#include "spooler/cli/server_command.h"
#include "spooler/cli/table.h"

namespace opispool::cli {

namespace {

namespace json = boost::json;

std::string why_text(const json::object& reply) {
    const std::string line = text_field(why_of(reply), "line");
    const std::string job = "job " + std::to_string(number_field(reply, "id"));
    if (line.empty()) return job + " does not wait: it is " + printable(text_field(reply, "state")) + "\n";
    return job + ": " + printable(line) + "\n";
}

std::string log_table(const json::object& reply) {
    std::vector<std::vector<std::string>> rows{{"WHEN", "WHAT", "WHO", "DETAIL"}};
    for (const json::value& value : list_field(reply, "events")) {
        if (!value.is_object()) continue;
        const json::object& event = value.get_object();
        rows.push_back({local_time_text(number_field(event, "at_ms")), printable(text_field(event, "event")),
                        printable(text_field(event, "by")), printable(text_field(event, "detail"))});
    }
    return format_table(rows);
}

std::string ledger_table(const json::object& reply) {
    std::vector<std::vector<std::string>> rows{{"PAGE", "LINE", "PPI", "PIXELS", "COLOUR", "BYTES", "ASKED", "FILE"}};
    for (const json::value& value : list_field(reply, "references")) {
        if (!value.is_object()) continue;
        const json::object& entry = value.get_object();
        const std::int64_t width = number_field(entry, "width_px"), height = number_field(entry, "height_px");
        const std::string problem = text_field(entry, "problem");
        rows.push_back({std::to_string(number_field(entry, "page")), std::to_string(number_field(entry, "line")),
                        std::to_string(number_field(entry, "ppi")),
                        width > 0 ? std::to_string(width) + "x" + std::to_string(height) : "-",
                        printable(text_field(entry, "colour")),
                        format_bytes(static_cast<std::uint64_t>(number_field(entry, "bytes"))),
                        printable(text_field(entry, "asked")),
                        problem.empty() ? printable(text_field(entry, "file")) : "(" + printable(problem) + ")"});
    }
    std::string text = format_table(rows, {0, 1, 2, 5});
    for (const json::value& line : list_field(reply, "differences"))
        if (line.is_string())
            text += printable(std::string_view(line.get_string().data(), line.get_string().size())) + "\n";
    return text;
}

// A job is one line: what it does, or what it waits for.
std::string job_line(const json::object& job) {
    std::string text = "job " + std::to_string(number_field(job, "id")) + " on " + printable(text_field(job, "queue")) +
                       " (" + printable(text_field(job, "title")) + "): ";
    const std::string why = text_field(why_of(job), "line");
    if (!why.empty()) return text + printable(why) + "\n";
    text += printable(text_field(job, "state"));
    const auto total = static_cast<std::uint64_t>(number_field(job, "result_bytes"));
    if (total > 0)
        text += ", " + format_bytes(static_cast<std::uint64_t>(number_field(job, "sent_bytes"))) + " of " +
                format_bytes(total) + " sent";
    return text + "\n";
}

std::string job_lines(const json::object& reply) {
    std::string text;
    for (const json::value& value : list_field(reply, "jobs"))
        if (value.is_object()) text += job_line(value.get_object());
    return text.empty() ? "No job waits.\n" : text;
}

}  // namespace

int run_why(const std::vector<std::string>& arguments) {
    CommandLine line(
        "why ID [OPTION]...",
        "Says in one line why a job does not move: the reason, since when, who can do something about it, and\n"
        "the command to type.\n");
    return ask_about_job(line, arguments, "/why", why_text);
}

int run_log(const std::vector<std::string>& arguments) {
    CommandLine line("log ID [OPTION]...", "Shows who did what to a job, and when.\n");
    return ask_about_job(line, arguments, "/log", log_table);
}

int run_ledger(const std::vector<std::string>& arguments) {
    CommandLine line(
        "ledger ID [--csv] [OPTION]...",
        "Shows what became of each picture a job asked for: the file, its pixels, pixels per inch as printed,\n"
        "colours and bytes; and after a redo, which pictures differ from the printing before.\n");
    line.flag("csv", "for spreadsheets, with every column");
    const auto id = read_job_number(line, arguments);
    if (!id) return id.error();
    const std::string target = "/api/jobs/" + *id + "/ledger";
    if (!line.has("csv")) return ask(line, target, ledger_table);
    const auto server = choose_server(line);
    if (!server) return server.error();
    const auto reply = send_request(*server, "GET", target + ".csv");
    if (reply && reply->ok()) return print(reply->body);
    const auto refusal = read_reply(reply, "");
    return refusal ? exit_failed : refusal.error();
}

int run_status(const std::vector<std::string>& arguments) {
    CommandLine line("status [OPTION]...",
                     "Shows the queues, and for each job that is not finished what it does or what it waits for.\n");
    declare_server_options(line);
    if (const auto end = line.parse(arguments)) return *end;
    if (const int code = ask(line, "/api/queues", queues_table); code != exit_ok) return code;
    return ask(line, "/api/jobs", job_lines);
}

}  // namespace opispool::cli

// SPDX-License-Identifier: AGPL-3.0-or-later
// `opispool queues`, `jobs` and `job`: looking at a daemon.
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <ctime>

#include "base/percent_code.h"
#include "base/text.h"
#include "spooler/cli/command.h"
#include "spooler/cli/server_command.h"
#include "spooler/cli/table.h"

namespace opispool::cli {

namespace {

namespace json = boost::json;
constexpr std::size_t shown_characters = 60;

const json::array& list_field(const json::object& object, const char* name) {
    static const json::array none;
    const json::value* value = object.if_contains(name);
    return value != nullptr && value->is_array() ? value->get_array() : none;
}

std::string bytes_field(const json::object& object, const char* name) {
    return format_bytes(static_cast<std::uint64_t>(number_field(object, name)));
}

// At most `shown_characters`, never cut inside a character.
std::string shortened(const std::string& text) {
    std::size_t characters = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U) continue;
        if (characters++ == shown_characters) return text.substr(0, i) + "...";
    }
    return text;
}

std::string queues_table(const json::object& reply) {
    std::vector<std::vector<std::string>> rows{{"QUEUE", "STATE", "PENDING", "HELD", "PROCESSING"}};
    for (const json::value& value : list_field(reply, "queues")) {
        if (!value.is_object()) continue;
        const json::object& queue = value.get_object();
        std::string state = flag_field(queue, "accepting") ? "accepting" : "rejecting";
        if (flag_field(queue, "paused")) state += ", paused";
        if (flag_field(queue, "hold_new")) state += ", holds new jobs";
        rows.push_back({printable(text_field(queue, "name")), state, std::to_string(number_field(queue, "pending")),
                        std::to_string(number_field(queue, "held")),
                        std::to_string(number_field(queue, "processing"))});
    }
    return format_table(rows, {2, 3, 4});
}

std::string state_text(const json::object& job) {
    std::string state = text_field(job, "state");
    const std::int64_t total = number_field(job, "result_bytes"), sent = number_field(job, "sent_bytes");
    if (state == "processing" && total > 0 && sent >= 0)
        state +=
            " " + std::to_string(static_cast<int>(static_cast<double>(sent) / static_cast<double>(total) * 100)) + " %";
    return state;
}

std::string jobs_table(const json::object& reply) {
    std::vector<std::vector<std::string>> rows{{"JOB", "QUEUE", "STATE", "SIZE", "USER", "TITLE", "REASON"}};
    for (const json::value& value : list_field(reply, "jobs")) {
        if (!value.is_object()) continue;
        const json::object& job = value.get_object();
        rows.push_back({std::to_string(number_field(job, "id")), printable(text_field(job, "queue")), state_text(job),
                        bytes_field(job, "size_bytes"), printable(text_field(job, "user")),
                        shortened(printable(text_field(job, "title"))),
                        shortened(printable(text_field(job, "reason")))});
    }
    return format_table(rows, {0, 3});
}

std::string time_text(std::int64_t unix_ms) {
    const std::time_t seconds = unix_ms / 1000;
    std::tm parts{};
    char text[40];
    if (::localtime_r(&seconds, &parts) == nullptr ||
        std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts) == 0)
        return "?";
    return text;
}

// Everything about one job; a reason of several lines (one for each problem) keeps them.
std::string job_text(const json::object& job) {
    auto row = [](const char* label, const std::string& text) {
        return text.empty() ? "" : "  " + std::string(label) + printable(text) + "\n";
    };
    std::string text = "Job " + std::to_string(number_field(job, "id")) + " on " + printable(text_field(job, "queue")) +
                       ": " + state_text(job) + "\n";
    std::string reason = text_field(job, "reason");
    const char* label = "Reason    ";
    while (!reason.empty()) {
        const auto end = reason.find('\n');
        text += row(label, reason.substr(0, end));
        reason = end == std::string::npos ? "" : reason.substr(end + 1);
        label = "          ";
    }
    text += row("Title     ", text_field(job, "title"));
    text += row("User      ", text_field(job, "user"));
    text += row("Host      ", text_field(job, "host"));
    text += row("Came by   ", text_field(job, "door"));
    text += row("Came at   ", time_text(number_field(job, "created_ms")));
    text += row("Changed   ", time_text(number_field(job, "changed_ms")));
    if (number_field(job, "not_before_ms") > 0)
        text += row("Next try  ", time_text(number_field(job, "not_before_ms")));
    text += row("Size      ", bytes_field(job, "size_bytes"));
    if (number_field(job, "result_bytes") > 0)
        text += row("Result    ", bytes_field(job, "result_bytes") + ", " + bytes_field(job, "sent_bytes") + " sent");
    if (number_field(job, "attempts") > 1) text += row("Attempts  ", std::to_string(number_field(job, "attempts")));
    for (const json::value& message : list_field(job, "messages"))
        if (message.is_string())
            text += row("Message   ", std::string(message.get_string().c_str(), message.get_string().size()));
    return text;
}

// One GET and its answer, as it came with --json, else through `show`.
int ask(const CommandLine& line, const std::string& target, std::string (*show)(const json::object&)) {
    const auto server = choose_server(line);
    if (!server) return server.error();
    const auto reply = send_request(*server, "GET", target);
    const auto object = read_reply(reply, "");
    if (!object) return object.error();
    return print(line.has("json") ? reply->body : show(*object));
}

}  // namespace

int run_queues(const std::vector<std::string>& arguments) {
    CommandLine line("queues [OPTION]...", "Lists the queues and how many jobs wait in each.\n");
    declare_server_options(line);
    if (const auto end = line.parse(arguments)) return *end;
    return ask(line, "/api/queues", queues_table);
}

int run_jobs(const std::vector<std::string>& arguments) {
    CommandLine line("jobs [-q QUEUE] [OPTION]...", "Lists jobs in printing order.\n");
    line.value("queue,q", "QUEUE", "only this queue");
    line.flag("all", "finished jobs too, newest first");
    declare_server_options(line);
    if (const auto end = line.parse(arguments)) return *end;
    std::string target = std::string("/api/jobs?finished=") + (line.has("all") ? "1" : "0");
    if (line.has("queue")) target += "&queue=" + percent_encoded(line.get("queue"));
    return ask(line, target, jobs_table);
}

int run_job(const std::vector<std::string>& arguments) {
    CommandLine line("job ID [OPTION]...", "Shows everything about one job; a held one says in full why.\n");
    declare_server_options(line);
    line.arguments(1);
    if (const auto end = line.parse(arguments)) return *end;
    if (line.arguments().empty()) return line.usage_error("the job's number is missing");
    const std::string id = line.arguments().front();
    if (!parse_u64(id)) return line.usage_error("'" + printable(id) + "' is not a job number");
    return ask(line, "/api/jobs/" + id, job_text);
}

}  // namespace opispool::cli

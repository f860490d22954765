// SPDX-License-Identifier: AGPL-3.0-or-later
// `opispool queues`, `jobs` and `job`: looking at a daemon.
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "base/clock.h"
#include "base/percent_code.h"
#include "base/text.h"
#include "spooler/cli/command.h"
#include "spooler/cli/server_command.h"
#include "spooler/cli/table.h"

namespace opispool::cli {

namespace {

namespace json = boost::json;
constexpr std::size_t shown_characters = 60;

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
        const std::string reason = text_field(job, "reason");
        rows.push_back({std::to_string(number_field(job, "id")), printable(text_field(job, "queue")), state_text(job),
                        bytes_field(job, "size_bytes"), printable(text_field(job, "user")),
                        shortened(printable(text_field(job, "title"))),
                        shortened(printable(reason.empty() ? text_field(why_of(job), "reason") : reason))});
    }
    return format_table(rows, {0, 3});
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
    text += row("Waits     ", text_field(why_of(job), "line"));
    text += row("Title     ", text_field(job, "title"));
    text += row("Note      ", text_field(job, "note"));
    text += row("User      ", text_field(job, "user"));
    text += row("Host      ", text_field(job, "host"));
    text += row("Came by   ", text_field(job, "door"));
    text += row("Came at   ", local_time_text(number_field(job, "created_ms")));
    text += row("Changed   ", local_time_text(number_field(job, "changed_ms")));
    if (number_field(job, "not_before_ms") > 0)
        text += row("Next try  ", local_time_text(number_field(job, "not_before_ms")));
    if (number_field(job, "priority") != 50) text += row("Priority  ", std::to_string(number_field(job, "priority")));
    text += row("Size      ", bytes_field(job, "size_bytes"));
    if (number_field(job, "result_bytes") > 0)
        text += row("Result    ", bytes_field(job, "result_bytes") + ", " + bytes_field(job, "sent_bytes") + " sent");
    if (number_field(job, "attempts") > 1) text += row("Attempts  ", std::to_string(number_field(job, "attempts")));
    for (const json::value& message : list_field(job, "messages"))
        if (message.is_string())
            text += row("Message   ", std::string(message.get_string().c_str(), message.get_string().size()));
    return text;
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
    return ask_about_job(line, arguments, "", job_text);
}

}  // namespace opispool::cli

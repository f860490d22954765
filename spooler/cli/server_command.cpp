// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/cli/server_command.h"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <boost/json/parse.hpp>
#include <cstdlib>

#include "base/percent_code.h"
#include "base/text.h"
#include "spooler/cli/command.h"
#include "spooler/cli/table.h"

namespace opispool::cli {

namespace json = boost::json;

void declare_server_options(CommandLine& line) {
    line.value("server", "HOST:PORT", "the daemon; default $OPISPOOL_SERVER, else 127.0.0.1:8632");
    line.flag("json", "machine-readable output");
}

tl::expected<ServerAddress, int> choose_server(const CommandLine& line) {
    const char* environment = std::getenv("OPISPOOL_SERVER");
    const bool in_environment = environment != nullptr && *environment != '\0';
    if (!line.has("server") && !in_environment) return ServerAddress();
    auto server = parse_server_address(line.has("server") ? line.get("server") : environment);
    if (!server)
        return tl::unexpected(
            line.usage_error((line.has("server") ? "--server " : "OPISPOOL_SERVER ") + server.error().text));
    return std::move(*server);
}

tl::expected<json::object, int> read_reply(const Result<HttpReply>& reply, const std::string& prefix) {
    if (!reply) {
        const bool own_words = reply.error().code == Code::refused;
        complain(prefix + printable(own_words ? reply.error().text : describe(reply.error())));
        return tl::unexpected(exit_failed);
    }
    json::error_code wrong;
    const json::value value = json::parse(reply->body, wrong);
    if (wrong || !value.is_object()) {
        complain(prefix + "the server's answer can't be read (status " + std::to_string(reply->status) +
                 "); is it opispoold?");
        return tl::unexpected(exit_failed);
    }
    if (!reply->ok()) {
        complain(prefix + printable(text_field(value.get_object(), "error")));
        return tl::unexpected(exit_failed);
    }
    return value.get_object();
}

std::string user_name() {
    const passwd* entry = ::getpwuid(::getuid());
    return entry != nullptr ? entry->pw_name : std::to_string(::getuid());
}

std::string actor_name() {
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) return user_name();
    return user_name() + "@" + host.data();
}

std::string with_actor(std::string target, const Query& query) {
    target += "?by=" + percent_encoded(actor_name());
    for (const auto& [name, value] : query) target += "&" + std::string(name) + "=" + percent_encoded(value);
    return target;
}

std::string text_field(const json::object& object, const char* name) {
    const json::value* value = object.if_contains(name);
    return value != nullptr && value->is_string() ? std::string(value->get_string().c_str(), value->get_string().size())
                                                  : "";
}

std::int64_t number_field(const json::object& object, const char* name) {
    const json::value* value = object.if_contains(name);
    return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

bool flag_field(const json::object& object, const char* name) {
    const json::value* value = object.if_contains(name);
    return value != nullptr && value->is_bool() && value->get_bool();
}

const json::array& list_field(const json::object& object, const char* name) {
    static const json::array none;
    const json::value* value = object.if_contains(name);
    return value != nullptr && value->is_array() ? value->get_array() : none;
}

std::string queue_state_text(const json::object& queue) {
    std::string state = flag_field(queue, "accepting") ? "accepting" : "rejecting";
    if (flag_field(queue, "paused")) state += ", paused";
    if (flag_field(queue, "hold_new")) state += ", holds new jobs";
    if (const std::string to = text_field(queue, "redirect"); !to.empty()) state += ", redirected to " + printable(to);
    return state;
}

std::string queues_table(const json::object& reply) {
    std::vector<std::vector<std::string>> rows{{"QUEUE", "STATE", "PENDING", "HELD", "PROCESSING"}};
    for (const json::value& value : list_field(reply, "queues")) {
        if (!value.is_object()) continue;
        const json::object& queue = value.get_object();
        const std::string state = queue_state_text(queue);
        rows.push_back({printable(text_field(queue, "name")), state, std::to_string(number_field(queue, "pending")),
                        std::to_string(number_field(queue, "held")),
                        std::to_string(number_field(queue, "processing"))});
    }
    return format_table(rows, {2, 3, 4});
}

const json::object& why_of(const json::object& job) {
    static const json::object none;
    const json::value* value = job.if_contains("why");
    return value != nullptr && value->is_object() ? value->get_object() : none;
}

int ask(const CommandLine& line, const std::string& target, Show show) {
    const auto server = choose_server(line);
    if (!server) return server.error();
    const auto reply = send_request(*server, "GET", target);
    const auto object = read_reply(reply, "");
    if (!object) return object.error();
    return print(line.has("json") ? reply->body : show(*object));
}

tl::expected<std::string, int> read_job_number(CommandLine& line, const std::vector<std::string>& arguments) {
    declare_server_options(line);
    line.arguments(1);
    if (const auto end = line.parse(arguments)) return tl::unexpected(*end);
    if (line.arguments().empty()) return tl::unexpected(line.usage_error("the job's number is missing"));
    std::string id = line.arguments().front();
    if (!parse_u64(id)) return tl::unexpected(line.usage_error("'" + printable(id) + "' is not a job number"));
    return id;
}

int ask_about_job(CommandLine& line, const std::vector<std::string>& arguments, const std::string& part, Show show) {
    const auto id = read_job_number(line, arguments);
    return id ? ask(line, "/api/jobs/" + *id + part, show) : id.error();
}

}  // namespace opispool::cli

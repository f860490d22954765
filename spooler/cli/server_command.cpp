// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/cli/server_command.h"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <boost/json/parse.hpp>
#include <cstdlib>

#include "base/text.h"
#include "spooler/cli/command.h"

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

}  // namespace opispool::cli

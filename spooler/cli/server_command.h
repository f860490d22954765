// SPDX-License-Identifier: AGPL-3.0-or-later
// What the subcommands that talk to a daemon share: --server, --json, and how a refusal is told.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "spooler/cli/command_line.h"
#include "spooler/cli/http_client.h"

namespace opispool::cli {

void declare_server_options(CommandLine& line);  // --server and --json

// --server, else OPISPOOL_SERVER, else the default; a mistake is told there.    returns  the exit code to end with
tl::expected<ServerAddress, int> choose_server(const CommandLine& line);

// The JSON object of a good reply. Everything else (no server, a refusal, no JSON) is told on standard error.
//   prefix   "job 42: ", may be empty            returns  exit_failed
tl::expected<boost::json::object, int> read_reply(const Result<HttpReply>& reply, const std::string& prefix);

// Who acts, for the job's history: "anna@press-1".
std::string actor_name();
std::string user_name();

// ---- fields of a reply; a missing one is empty or 0, so that a newer command can talk to an older daemon
std::string text_field(const boost::json::object& object, const char* name);
std::int64_t number_field(const boost::json::object& object, const char* name);
bool flag_field(const boost::json::object& object, const char* name);

}  // namespace opispool::cli

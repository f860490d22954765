// SPDX-License-Identifier: AGPL-3.0-or-later
// What the subcommands that talk to a daemon share: --server, --json, and how a refusal is told.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <utility>
#include <vector>

#include "spooler/cli/command_line.h"
#include "spooler/cli/http_client.h"

namespace opispool::cli {

void declare_server_options(CommandLine& line);  // --server and --json

// --server, else OPISPOOL_SERVER, else the default; a mistake is told there.    returns  the exit code to end with
tl::expected<ServerAddress, int> choose_server(const CommandLine& line);

// The JSON object of a good reply. Everything else (no server, a refusal, no JSON) is told on standard error.
//   prefix   "job 42: ", may be empty            returns  exit_failed
tl::expected<boost::json::object, int> read_reply(const Result<HttpReply>& reply, const std::string& prefix);

// Parameters of a request besides who asks.
using Query = std::vector<std::pair<const char*, std::string>>;
std::string with_actor(std::string target, const Query& query);

// Who acts, for the job's history: "anna@press-1".
std::string actor_name();
std::string user_name();

// ---- fields of a reply; a missing one is empty or 0, so that a newer command can talk to an older daemon
std::string text_field(const boost::json::object& object, const char* name);
std::int64_t number_field(const boost::json::object& object, const char* name);
bool flag_field(const boost::json::object& object, const char* name);
const boost::json::array& list_field(const boost::json::object& object, const char* name);

// "accepting, paused, redirected to inside"
std::string queue_state_text(const boost::json::object& queue);

std::string queues_table(const boost::json::object& reply);
// What a job waits for; an empty object if it does not.
const boost::json::object& why_of(const boost::json::object& job);

// ---- whole commands
using Show = std::string (*)(const boost::json::object&);
// One GET and its answer, as it came with --json, else through `show`.
int ask(const CommandLine& line, const std::string& target, Show show);
// Declares the options of a command about one job and parses; a mistake is told there.   returns  the code to end with
tl::expected<std::string, int> read_job_number(CommandLine& line, const std::vector<std::string>& arguments);
// The same about the job whose number is the only argument; declares the options and parses.   part  "/why" or ""
int ask_about_job(CommandLine& line, const std::vector<std::string>& arguments, const std::string& part, Show show);

}  // namespace opispool::cli

// SPDX-License-Identifier: AGPL-3.0-or-later
// opispoold: the print server.
#include <csignal>
#include <iostream>
#include <memory>
#include <utility>

#include "base/log.h"
#include "queues/sqlite_job_store.h"
#include "spooler/command_line.h"
#include "spooler/config.h"
#include "spooler/daemon.h"
#include "spooler/log_events.h"

namespace {

using namespace opispool;
using namespace opispool::spooler;

constexpr int exit_failed = 1, exit_usage = 2;

int complain(const Error& error) {
    std::cerr << "opispoold: " << (error.where.empty() ? "" : error.where + ": ") << error.text << "\n";
    return exit_usage;
}

int give_up(const Error& error) {
    log_event(LogLevel::error, log_id::daemon_failed, {{"text", describe(error)}});
    return exit_failed;
}

int serve(Config config) {
    log_event(LogLevel::notice, log_id::daemon_start, {{"version", OPISPOOL_VERSION}});
    // Beyond this point no other daemon uses our spool.
    auto spool = Spool::open(config.spool_directory, config.min_free_bytes);
    if (!spool) return give_up(spool.error());
    // Beyond this point every job ever acknowledged is known.
    auto store = queues::SqliteJobStore::open(config.spool_directory + "/jobs.sqlite");
    if (!store) return give_up(store.error());
    Daemon daemon(std::move(config), std::move(*spool), std::move(*store));
    if (auto started = daemon.start(); !started) return give_up(started.error());
    // Beyond this point clients are served and may have been promised something.
    daemon.watch_signals();
    daemon.run();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const auto options = parse_daemon_options(argc, argv);
    if (!options) return complain(options.error());
    if (options->help || options->version) {
        std::cout << (options->help ? daemon_help() : "opispoold " OPISPOOL_VERSION "\n");
        return 0;
    }
    if (options->debug) set_log_level(LogLevel::debug);
    auto config = load_config(options->config_path, options->overrides);
    if (!config) return complain(config.error());
    if (options->check_config) {
        std::cout << print_config(*config);
        return 0;
    }
    // A peer that goes away is an error of its write, never of the process.
    std::signal(SIGPIPE, SIG_IGN);
    return serve(std::move(*config));
}

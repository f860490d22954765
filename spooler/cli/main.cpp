// SPDX-License-Identifier: AGPL-3.0-or-later
// The `opispool` command.
#include <csignal>
#include <exception>
#include <string>
#include <vector>

#include "spooler/cli/command.h"

int main(int argc, char** argv) {
    // A closed pipe is an error with a text and exit code 1, not a death by signal.
    std::signal(SIGPIPE, SIG_IGN);
    try {
        return opispool::cli::run_program(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
    } catch (const std::exception& problem) {
        opispool::cli::complain(std::string("internal error: ") + problem.what());
        return opispool::cli::exit_failed;
    }
}

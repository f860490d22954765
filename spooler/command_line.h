// SPDX-License-Identifier: AGPL-3.0-or-later
// opispoold's own command line.
#pragma once

#include <string>

#include "base/result.h"
#include "spooler/config.h"

namespace opispool::spooler {

struct DaemonOptions {
    std::string config_path;
    bool check_config = false, help = false, version = false, debug = false;
    Overrides overrides;
};

//   errors  bad_syntax
Result<DaemonOptions> parse_daemon_options(int argc, const char* const* argv);
std::string daemon_help();

}  // namespace opispool::spooler

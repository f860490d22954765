// SPDX-License-Identifier: AGPL-3.0-or-later
// The stores of a command line and how names are looked for in them: the counterpart of a queue's keys.
#pragma once

#include <tl/expected.hpp>

#include "opi/image_index.h"
#include "spooler/cli/command_line.h"

namespace opispool::cli {

void declare_search_options(CommandLine& line);  // --store, --map, --layouts, --layout-suffix, --foreign-folders

// Every mistake is told there.   returns  the exit code to end with
tl::expected<opi::ImageIndex, int> open_index(const CommandLine& line);

}  // namespace opispool::cli

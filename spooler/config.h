// SPDX-License-Identifier: AGPL-3.0-or-later
// opispool.conf as values. Every key is checked; what is unknown or wrong is an error that names file and line.
//   format  INI read with Boost.Program_options; relative paths are relative to the file's own folder
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "opi/image_request.h"
#include "opi/planner.h"
#include "opi/search_rules.h"
#include "queues/queue.h"
#include "rip_out/sender.h"

namespace opispool::spooler {

struct ListenAddress {
    std::string host;        // numeric, IPv4 or IPv6
    std::uint16_t port = 0;  // 0: the system chooses, the log says which
};

struct StoreConfig {
    std::string name, path;
    std::vector<opi::PrefixMap> maps;  // their `store` is filled in by each queue
};

struct QueueConfig {
    std::string name;
    std::vector<std::string> stores;       // names, in the order of search
    std::vector<std::string> store_paths;  // the same, as folders
    std::optional<ListenAddress> socket;   // AppSocket door of this queue
    bool lpd = true;                       // reachable by LPD under its name
    bool early_start = false;              // sending begins while the job still arrives
    bool paused = false, hold_new = false, accepting = true;
    opi::OnMissing on_missing = opi::OnMissing::fail;
    opi::SearchRules search;     // its maps are those of the stores
    std::int64_t settle_ms = 0;  // a picture changed since then waits; 0: only the kernel is asked
    opi::MeasureMode measure = opi::MeasureMode::when_needed;
    opi::OutputProfile profile;
    unsigned min_ppi = 0;   // a picture with fewer pixels per inch at its printed size is worth a warning; 0: none is
    bool warn_rgb = false;  // so is one in RGB or Lab, for a press that prints CMYK
    std::optional<std::size_t> keep_finished;  // as in Config, for this queue
    std::int64_t keep_days = 0;                // documents of finished jobs older than this go; 0: no limit
    std::uint64_t keep_bytes = 0;              // the oldest go while all of them are larger; 0: no limit
    rip_out::SenderSettings sender;
};

// What every door allows.
struct IntakeLimits {
    std::int64_t idle_timeout_ms = 300'000;
    std::size_t max_connections = 200;  // per door
};

struct Config {
    std::optional<ListenAddress> http = ListenAddress{"127.0.0.1", 8632};
    std::optional<ListenAddress> lpd = ListenAddress{"0.0.0.0", 515};
    IntakeLimits intake;
    std::string spool_directory;
    std::uint64_t min_free_bytes = 256U << 20U;
    std::size_t keep_finished = 100;  // per queue: finished jobs whose document is kept for `redo`
    std::vector<StoreConfig> stores;
    std::vector<QueueConfig> queues;

    const QueueConfig* queue(const std::string& name) const;
    std::vector<queues::Queue> queue_records() const;
};

// "listen.lpd" -> "127.0.0.1:5515" and the like, from the command line; they win over the file.
using Overrides = std::vector<std::pair<std::string, std::string>>;

//   errors  configure: "FILE:LINE: what is wrong"; io and not_found for the file itself
Result<Config> load_config(const std::string& path, const Overrides& overrides = {});
//   folder  what relative paths are relative to      name  for messages
Result<Config> parse_config(const std::string& text, const std::string& name, const std::string& folder,
                            const Overrides& overrides = {});

// Every effective value, defaults too, in the file's own format.
std::string print_config(const Config& config);

// "127.0.0.1:515", "[::1]:515", ":515" (every IPv4 address), "515"      errors  bad_syntax
Result<ListenAddress> parse_listen_address(const std::string& text);
std::string to_string(const ListenAddress& address);

}  // namespace opispool::spooler

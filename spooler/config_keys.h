// SPDX-License-Identifier: AGPL-3.0-or-later
// The keys of opispool.conf, one function per section: text in, checked value set. Also the way back, for
// --check-config.
//   errors  bad_syntax; `where` is left empty for the caller, who knows the line
#pragma once

#include <string>

#include "base/result.h"
#include "spooler/config.h"

namespace opispool::spooler {

//   folder  what relative paths are relative to
Result<void> set_listen_key(Config& config, const std::string& key, const std::string& value);
Result<void> set_spool_key(Config& config, const std::string& key, const std::string& value, const std::string& folder);
Result<void> set_store_key(StoreConfig& store, const std::string& key, const std::string& value,
                           const std::string& folder);
// A key that may stand more than once in its section.
bool may_repeat(const std::string& key);
Result<void> set_queue_key(QueueConfig& queue, const std::string& key, const std::string& value);

}  // namespace opispool::spooler

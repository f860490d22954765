// SPDX-License-Identifier: AGPL-3.0-or-later
// The pictures of one queue: its stores, read by its rules; and how the names of a job were looked for in them.
//   thread  any, blocks on disk; run it on the pool
#pragma once

#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "opi/image_index.h"
#include "spooler/config.h"

namespace opispool::spooler {

//   now_ms  what the queue's settle_ms counts back from
Result<opi::ImageIndex> open_queue_index(const QueueConfig& queue, UnixMs now_ms);

// {"references":[...],"text":"..."}: every step of the search for every reference of a document, for programs and for
// people.
//   path  the document      name  of the job, for the text      errors  not_found: the document is gone; io
Result<std::string> explain_document(const std::string& path, const std::string& name, const QueueConfig& queue,
                                     UnixMs now_ms);

}  // namespace opispool::spooler

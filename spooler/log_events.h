// SPDX-License-Identifier: AGPL-3.0-or-later
// Every event the daemon logs, by its id. Each one is explained to an operator in spooler/man/opispoold.8.
#pragma once

#include <string_view>

namespace opispool::spooler::log_id {

inline constexpr std::string_view daemon_start = "daemon.start";
inline constexpr std::string_view daemon_ready = "daemon.ready";
inline constexpr std::string_view daemon_not_reloaded = "daemon.not_reloaded";
inline constexpr std::string_view daemon_stopping = "daemon.stopping";
inline constexpr std::string_view daemon_stopped = "daemon.stopped";
inline constexpr std::string_view daemon_failed = "daemon.failed";
inline constexpr std::string_view internal_exception = "internal.exception";
inline constexpr std::string_view listen_ready = "listen.ready";
inline constexpr std::string_view listen_failed = "listen.failed";
inline constexpr std::string_view spool_orphan_removed = "spool.orphan_removed";
inline constexpr std::string_view spool_failed = "spool.failed";
inline constexpr std::string_view store_read = "store.read";
inline constexpr std::string_view store_unwatched = "store.unwatched";
inline constexpr std::string_view intake_refused = "intake.refused";
inline constexpr std::string_view intake_discarded = "intake.discarded";
inline constexpr std::string_view job_accepted = "job.accepted";
inline constexpr std::string_view job_arrived = "job.arrived";
inline constexpr std::string_view job_held = "job.held";
inline constexpr std::string_view job_started = "job.started";
inline constexpr std::string_view job_sending = "job.sending";
inline constexpr std::string_view job_waiting = "job.waiting";
inline constexpr std::string_view job_printed = "job.printed";
inline constexpr std::string_view job_released = "job.released";
inline constexpr std::string_view job_canceled = "job.canceled";
inline constexpr std::string_view job_aborted = "job.aborted";
inline constexpr std::string_view job_redo = "job.redo";
inline constexpr std::string_view document_removed = "document.removed";
inline constexpr std::string_view job_changed = "job.changed";
inline constexpr std::string_view queue_ordered = "queue.ordered";
inline constexpr std::string_view job_record_failed = "job.record_failed";

}  // namespace opispool::spooler::log_id

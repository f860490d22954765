// SPDX-License-Identifier: AGPL-3.0-or-later
// How an ended transfer is told to the operator: which outcome, and one line that says what happened and what to do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "opi/splice_plan.h"
#include "rip_out/connection.h"
#include "rip_out/plan_writer.h"
#include "rip_out/sender.h"

namespace opispool::rip_out {

// "1234 of 5678 bytes (inside image 'car.tif' on page 2)"
std::string describe_position(const opi::SplicePlan& plan, std::uint64_t sent_bytes);

// The transfer did not reach its end.
//   written  end is not ok      peer_error  Connection::last_error()
//   returns  not_started only if not a single byte of the job was taken
SendResult report_broken(const opi::SplicePlan& plan, const PlanWritten& written, const std::string& peer,
                         const std::string& peer_error);

// A PostScript error came back.
SendResult report_rip_error(const opi::SplicePlan& plan, std::uint64_t sent_bytes, const RipMessage& failure);

// A source is no longer what was planned: nothing was sent yet (sent_bytes 0), or the RIP has a mixture.
SendResult report_source(const opi::SplicePlan& plan, std::uint64_t sent_bytes, const Error& error);

// What was reported of one plan of a job that was planned in parts; other plans had been sent before it. What was
// `not_started` is `interrupted` then.
SendResult report_later_part(SendResult result, std::uint64_t before_bytes);

SendResult report(Outcome outcome, std::uint64_t sent_bytes, std::string text);

}  // namespace opispool::rip_out

// SPDX-License-Identifier: AGPL-3.0-or-later
// A job's ledger for programs and for spreadsheets. Pure.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "queues/ledger.h"
#include "queues/queue_service.h"

namespace opispool::http {

// {"id","references":[...],"differences":["image ..."]}
boost::json::object json_of(queues::JobId id, const queues::Ledger& ledger);

// One heading line, one line for each reference (RFC 4180). A text that a spreadsheet would take for a formula gets an
// apostrophe.
std::string csv_of(const queues::Ledger& ledger);

}  // namespace opispool::http

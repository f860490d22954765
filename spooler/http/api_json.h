// SPDX-License-Identifier: AGPL-3.0-or-later
// Jobs and queues as the API shows them.
#pragma once

#include <boost/json/object.hpp>
#include <span>
#include <string_view>

#include "queues/queue_service.h"

namespace opispool::http {

// {"id","queue","title","user","host","door","state","reason","messages":[],"size_bytes","result_bytes","sent_bytes",
//  "attempts","created_ms","changed_ms","not_before_ms"}: state is IPP's word, times are Unix milliseconds.
boost::json::object json_of(const queues::JobSnapshot& job);

// {"name","accepting","paused","hold_new","pending","held","processing"}: the last three count its jobs.
boost::json::object json_of(const queues::Queue& queue, std::span<const queues::JobSnapshot> jobs);

boost::json::object json_of_error(std::string_view text);

}  // namespace opispool::http

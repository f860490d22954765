// SPDX-License-Identifier: AGPL-3.0-or-later
// Jobs and queues as the API shows them; openapi.json says what each field means.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <span>
#include <string_view>

#include "queues/queue_service.h"

namespace opispool::http {

//   why  nothing for a job that moves or has ended
boost::json::object json_of(const queues::JobSnapshot& job, const std::optional<queues::Waiting>& why);
boost::json::value json_of(const std::optional<queues::Waiting>& why);  // null, or an object
boost::json::object json_of(const queues::EventRecord& event);
//   jobs  those to count; of other queues too
boost::json::object json_of(const queues::Queue& queue, std::span<const queues::JobSnapshot> jobs);
boost::json::object json_of_error(std::string_view text);

}  // namespace opispool::http

// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/http/api_json.h"

#include <boost/json/array.hpp>
#include <string>

#include "base/text.h"

namespace opispool::http {

namespace {

// JSON is UTF-8; a record written by an older program must not make the whole answer unreadable.
std::string utf8(std::string_view text) {
    return is_valid_utf8(text) ? std::string(text) : printable(text);
}

}  // namespace

boost::json::value json_of(const std::optional<queues::Waiting>& why) {
    if (!why) return nullptr;
    boost::json::object object;
    object["line"] = utf8(queues::to_line(*why));
    object["reason"] = utf8(why->reason);
    object["since_ms"] = why->since_ms;
    object["who"] = utf8(why->who);
    object["command"] = utf8(why->command);
    return object;
}

boost::json::object json_of(const queues::EventRecord& event) {
    boost::json::object object;
    object["event"] = queues::name_of(event.event);
    object["by"] = utf8(event.actor);
    object["at_ms"] = event.at_ms;
    object["detail"] = utf8(event.detail);
    return object;
}

boost::json::object json_of(const queues::JobSnapshot& job, const std::optional<queues::Waiting>& why) {
    boost::json::array messages;
    for (const std::string& message : job.messages) messages.emplace_back(utf8(message));
    boost::json::object object;
    object["id"] = job.id.value;
    object["queue"] = utf8(job.queue);
    object["title"] = utf8(job.title);
    object["user"] = utf8(job.user);
    object["host"] = utf8(job.host);
    object["door"] = utf8(job.door);
    object["state"] = queues::name_of(job.state);
    object["reason"] = utf8(job.reason);
    object["messages"] = std::move(messages);
    object["size_bytes"] = job.size_bytes;
    object["result_bytes"] = job.result_bytes;
    object["sent_bytes"] = job.sent_bytes;
    object["attempts"] = job.attempts;
    object["created_ms"] = job.created_ms;
    object["changed_ms"] = job.changed_ms;
    object["not_before_ms"] = job.not_before_ms;
    object["priority"] = job.priority;
    object["note"] = utf8(job.note);
    object["since_ms"] = job.since_ms;
    object["changed_by"] = utf8(job.cause_by);
    object["why"] = json_of(why);
    return object;
}

boost::json::object json_of(const queues::Queue& queue, std::span<const queues::JobSnapshot> jobs) {
    std::uint64_t pending = 0, held = 0, processing = 0;
    for (const queues::JobSnapshot& job : jobs) {
        if (job.queue != queue.name) continue;
        switch (job.state) {
            case queues::JobState::pending:
                ++pending;
                break;
            case queues::JobState::pending_held:
                ++held;
                break;
            case queues::JobState::processing:
            case queues::JobState::processing_stopped:
                ++processing;
                break;
            case queues::JobState::canceled:
            case queues::JobState::aborted:
            case queues::JobState::completed:
                break;
        }
    }
    boost::json::object object;
    object["name"] = utf8(queue.name);
    object["accepting"] = queue.accepting;
    object["paused"] = queue.paused;
    object["hold_new"] = queue.hold_new;
    object["redirect"] = utf8(queue.redirect);
    boost::json::array orders;
    for (const auto& [word, order] : queue.orders) {
        boost::json::object one;
        one["word"] = queues::name_of(word);
        one["value"] = utf8(order.value);
        one["by"] = utf8(order.actor);
        one["at_ms"] = order.at_ms;
        orders.emplace_back(std::move(one));
    }
    object["orders"] = std::move(orders);
    object["pending"] = pending;
    object["held"] = held;
    object["processing"] = processing;
    return object;
}

boost::json::object json_of_error(std::string_view text) {
    boost::json::object object;
    object["error"] = utf8(text);
    return object;
}

}  // namespace opispool::http

// SPDX-License-Identifier: AGPL-3.0-or-later
#include "queues/queue.h"

namespace opispool::queues {
namespace {

bool* switch_of(Queue& queue, QueueWord word) {
    switch (word) {
        case QueueWord::paused:
            return &queue.paused;
        case QueueWord::accepting:
            return &queue.accepting;
        case QueueWord::hold_new:
            return &queue.hold_new;
        case QueueWord::redirect:
            break;
    }
    return nullptr;
}

}  // namespace

std::string_view name_of(QueueWord word) {
    switch (word) {
        case QueueWord::paused:
            return "paused";
        case QueueWord::accepting:
            return "accepting";
        case QueueWord::hold_new:
            return "hold_new";
        case QueueWord::redirect:
            break;
    }
    return "redirect";
}

std::optional<QueueWord> parse_queue_word(std::string_view name) {
    for (const QueueWord word : all_queue_words)
        if (name_of(word) == name) return word;
    return std::nullopt;
}

std::string value_of(const Queue& queue, QueueWord word) {
    Queue copy = queue;
    const bool* on = switch_of(copy, word);
    if (on == nullptr) return queue.redirect;
    return *on ? "yes" : "no";
}

void obey(Queue& queue, const QueueOrder& order) {
    bool* on = switch_of(queue, order.word);
    if (on == nullptr)
        queue.redirect = order.value;
    else if (order.value == "yes" || order.value == "no")
        *on = order.value == "yes";
    queue.orders[order.word] = order;
}

}  // namespace opispool::queues

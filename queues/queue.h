// SPDX-License-Identifier: AGPL-3.0-or-later
// A queue as the configuration defines it, with what people ordered since: plain record.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace opispool::queues {

// What people may order a queue to do; an order holds over restarts until the configuration says the same.
enum class QueueWord : std::uint8_t { paused, accepting, hold_new, redirect };

struct QueueOrder {
    std::string queue;
    QueueWord word = QueueWord::paused;
    std::string value;  // "yes" or "no"; of redirect the other queue's name, empty: none
    std::string actor;
    UnixMs at_ms = 0;
};

struct Queue {
    std::string name;
    bool accepting = true;                        // takes new jobs
    bool paused = false;                          // starts no job
    bool hold_new = false;                        // every new job waits for a person
    std::string redirect = {};                    // its jobs go to this queue instead
    std::map<QueueWord, QueueOrder> orders = {};  // those in force
};

inline constexpr std::array all_queue_words{QueueWord::paused, QueueWord::accepting, QueueWord::hold_new,
                                            QueueWord::redirect};
std::string_view name_of(QueueWord word);  // as kept in the store
std::optional<QueueWord> parse_queue_word(std::string_view name);
std::string value_of(const Queue& queue, QueueWord word);
// Obeys; the order is remembered with the queue.     a value that is none of the word's is ignored
void obey(Queue& queue, const QueueOrder& order);

}  // namespace opispool::queues

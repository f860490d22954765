// SPDX-License-Identifier: AGPL-3.0-or-later
// A queue as the configuration defines it: plain record, run-time state lives with the jobs.
#pragma once

#include <string>

namespace opispool::queues {

struct Queue {
    std::string name;
    bool accepting = true;  // takes new jobs
    bool paused = false;    // starts no job
    bool hold_new = false;  // every new job waits for a person
};

}  // namespace opispool::queues

// SPDX-License-Identifier: AGPL-3.0-or-later
// The query of a request as values. Names are shortened and made printable; a number that is none is an error.
#pragma once

#include <string>

#include "base/result.h"
#include "queues/queue_service.h"
#include "spooler/http/router.h"

namespace opispool::http {

std::string parameter(const Route& route, const char* name, std::string otherwise = {});

// What the verb of `route` needs.      errors  bad_syntax: a parameter is missing or no number
Result<queues::VerbRequest> read_verb(const Route& route);

// What a new job may ask for: when, how urgent, a note.      errors  bad_syntax
Result<queues::NewJob> read_wishes(const Route& route);

}  // namespace opispool::http

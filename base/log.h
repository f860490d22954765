// SPDX-License-Identifier: AGPL-3.0-or-later
// One line per event on standard error, with journald's priority prefix: `<6>job.held id=42 queue=cover by=anna`.
// Event ids are constants in one place of the program that logs. Never document bytes.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace opispool {

enum class LogLevel : int { error = 3, warning = 4, notice = 5, info = 6, debug = 7 };

struct LogField {
    std::string_view key;
    std::string value;  // quoted when it holds a blank, a quote or a control character
};

// thread   any; a line is one write(2) and never interleaves
void log_event(LogLevel level, std::string_view event_id, std::initializer_list<LogField> fields = {});

// Events above this level are dropped (default info).
void set_log_level(LogLevel level);

std::string format_log_line(LogLevel level, std::string_view event_id, std::initializer_list<LogField> fields);

}  // namespace opispool

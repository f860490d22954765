// SPDX-License-Identifier: AGPL-3.0-or-later
#include "base/log.h"

#include <unistd.h>

#include <atomic>

#include "base/text.h"

namespace opispool {

namespace {
std::atomic<int> max_level{static_cast<int>(LogLevel::info)};
}

void set_log_level(LogLevel level) {
    max_level = static_cast<int>(level);
}

std::string format_log_line(LogLevel level, std::string_view event_id, std::initializer_list<LogField> fields) {
    std::string line = "<" + std::to_string(static_cast<int>(level)) + ">";
    line += event_id;
    for (const LogField& field : fields) {
        line += ' ';
        line += field.key;
        line += '=';
        const bool plain = !field.value.empty() && field.value.find_first_of(" \"\\=") == std::string::npos &&
                           printable(field.value) == field.value;
        line += plain ? field.value : json_quoted(printable(field.value));
    }
    return line + "\n";
}

void log_event(LogLevel level, std::string_view event_id, std::initializer_list<LogField> fields) {
    if (static_cast<int>(level) > max_level) return;
    const std::string line = format_log_line(level, event_id, fields);
    // A log that cannot be written has nobody left to tell.
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace opispool

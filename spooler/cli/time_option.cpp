// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/cli/time_option.h"

#include <array>
#include <ctime>
#include <optional>

#include "base/text.h"

namespace opispool::cli {

namespace {

constexpr std::int64_t second_ms = 1000, minute_ms = 60 * second_ms, hour_ms = 60 * minute_ms, day_ms = 24 * hour_ms;
constexpr std::uint64_t longest_wait = 100'000;

// The whole of `text` by one of strptime's formats, on top of `day`.
std::optional<std::tm> read(const std::string& text, const char* format, const std::tm& day) {
    std::tm parts = day;
    const char* end = ::strptime(text.c_str(), format, &parts);
    if (end == nullptr || *end != '\0') return std::nullopt;
    parts.tm_isdst = -1;
    return parts;
}

std::optional<UnixMs> after(std::string_view text, UnixMs now_ms) {
    if (text.size() < 3 || text.front() != '+') return std::nullopt;
    const auto count = parse_u64(text.substr(1, text.size() - 2));
    if (!count || *count > longest_wait) return std::nullopt;
    const auto number = static_cast<std::int64_t>(*count);
    switch (text.back()) {
        case 'm':
            return now_ms + number * minute_ms;
        case 'h':
            return now_ms + number * hour_ms;
        case 'd':
            return now_ms + number * day_ms;
        default:
            return std::nullopt;
    }
}

}  // namespace

Result<UnixMs> parse_time_option(const std::string& text, UnixMs now_ms) {
    if (const auto time = after(text, now_ms)) return *time;
    const std::time_t now = now_ms / second_ms;
    std::tm today{};
    ::localtime_r(&now, &today);
    today.tm_sec = 0;
    if (auto time = read(text, "%H:%M", today)) {
        if (std::mktime(&*time) <= now) {
            ++time->tm_mday;
            time->tm_isdst = -1;
        }
        return std::int64_t{std::mktime(&*time)} * second_ms;
    }
    static constexpr std::array<const char*, 4> formats{"%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M",
                                                        "%Y-%m-%dT%H:%M:%S"};
    for (const char* format : formats)
        if (auto time = read(text, format, today)) return std::int64_t{std::mktime(&*time)} * second_ms;
    return fail(Code::bad_syntax, Operation::execute, "'" + printable(text) + "' is no time; want " + time_option_help);
}

Result<std::string> read_time_option(const std::string& text) {
    const auto time = parse_time_option(text, SystemClock().now_ms());
    if (!time) return fail(time.error());
    return std::to_string(*time);
}

}  // namespace opispool::cli

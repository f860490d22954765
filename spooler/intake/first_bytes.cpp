// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/intake/first_bytes.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace opispool::spooler {

namespace {

constexpr std::string_view uel = "\x1b%-12345X";

std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Sniffed sniff(std::span<const std::byte> first_bytes) {
    static constexpr std::array<std::string_view, 6> beginnings{
        "%", uel, "\x01M", "\xC5\xD0\xD3\xC6", "\xEF\xBB\xBF%", "@PJL"};
    std::string_view text = text_of(first_bytes);
    // A ^D left over from a serial line's habit, and blank lines before the first comment, are common.
    const std::size_t begin = text.find_first_not_of(" \t\r\n\x04");
    if (begin == std::string_view::npos) return text.size() < sniff_bytes ? Sniffed::need_more : Sniffed::rubbish;
    text.remove_prefix(begin);
    for (const std::string_view beginning : beginnings) {
        if (text.starts_with(beginning)) return Sniffed::document;
    }
    for (const std::string_view beginning : beginnings) {
        if (beginning.starts_with(text)) return Sniffed::need_more;
    }
    return Sniffed::rubbish;
}

std::string find_header_comment(std::span<const std::byte> first_bytes, std::string_view comment) {
    std::string_view text = text_of(first_bytes.first(std::min(first_bytes.size(), header_bytes)));
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
        std::string_view line = text.substr(0, end);
        if (line.starts_with("%%EndComments")) return {};
        if (line.starts_with(comment)) {
            line = trim(line.substr(comment.size()));
            if (line.size() >= 2 && line.front() == '(' && line.back() == ')') line = line.substr(1, line.size() - 2);
            return line == "atend" ? std::string() : printable(line);
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return {};
}

}  // namespace opispool::spooler

// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/cli/table.h"

#include <algorithm>

namespace opispool::cli {

namespace {

// Characters of UTF-8: every byte that does not continue another one.
std::size_t width_of(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

std::string format_table(const std::vector<std::vector<std::string>>& rows, const std::vector<std::size_t>& right) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i == widths.size()) widths.push_back(0);
            widths[i] = std::max(widths[i], width_of(row[i]));
        }
    std::string text;
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            const bool is_right = std::find(right.begin(), right.end(), i) != right.end();
            const std::string padding(widths[i] - width_of(row[i]), ' ');
            if (is_right) text += padding;
            text += row[i];
            if (i + 1 == row.size()) break;
            text += (is_right ? "" : padding) + "  ";
        }
        text += '\n';
    }
    return text;
}

}  // namespace opispool::cli

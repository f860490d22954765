// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/cli/progress_bar.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"

namespace opispool::cli {

namespace {

constexpr std::size_t bar_columns = 30;

void draw(const std::string& line) {
    // A terminal that goes away must not end the transfer.
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

std::size_t terminal_columns() {
    winsize size{};
    if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
    return size.ws_col;
}

}  // namespace

ProgressBar::ProgressBar(std::string label, std::uint64_t total_bytes, bool enabled)
    : label_(std::move(label)), total_bytes_(total_bytes), enabled_(enabled && ::isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
    if (enabled_ && drawn_ != begin_) draw("\r\x1b[K");
}

void ProgressBar::show(std::uint64_t done_bytes) {
    if (!enabled_) return;
    const auto now = SteadyClock::now();
    if (now - drawn_ < std::chrono::milliseconds(100)) return;
    drawn_ = now;
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    draw("\r" + progress_line(label_, done_bytes, total_bytes_, seconds, terminal_columns() - 1) + "\x1b[K");
}

std::string progress_line(const std::string& label, std::uint64_t done_bytes, std::uint64_t total_bytes, double seconds,
                          std::size_t columns) {
    std::string line = label;
    if (total_bytes > 0) {
        const double part = std::min(1.0, static_cast<double>(done_bytes) / static_cast<double>(total_bytes));
        const auto filled = static_cast<std::size_t>(part * bar_columns);
        const std::string percent = std::to_string(static_cast<int>(part * 100));
        line += " [" + std::string(filled, '=') + std::string(bar_columns - filled, ' ') + "] " +
                std::string(3 - std::min<std::size_t>(3, percent.size()), ' ') + percent + " %";
    }
    line += "  " + format_bytes(done_bytes);
    if (total_bytes > 0) line += " of " + format_bytes(total_bytes);
    if (seconds > 0)
        line += "  " + format_bytes(static_cast<std::uint64_t>(static_cast<double>(done_bytes) / seconds)) + "/s";
    if (line.size() <= columns) return line;
    // UTF-8 in the label must not be cut in the middle of a character.
    while (columns > 0 && (static_cast<unsigned char>(line[columns]) & 0xC0U) == 0x80U) --columns;
    return line.substr(0, columns);
}

}  // namespace opispool::cli

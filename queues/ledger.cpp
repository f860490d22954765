// SPDX-License-Identifier: AGPL-3.0-or-later
#include "queues/ledger.h"

#include <algorithm>

#include "base/clock.h"
#include "base/text.h"

namespace opispool::queues {
namespace {

constexpr std::int64_t ns_per_ms = 1'000'000;

std::string change_of(const LedgerEntry& before, const LedgerEntry& now) {
    if (before.file != now.file)
        return "is " + (now.file.empty() ? "no file" : "the file " + printable(now.file)) + ", was " +
               (before.file.empty() ? "none" : printable(before.file));
    if (before.size_bytes != now.size_bytes)
        return "has " + std::to_string(now.size_bytes) + " bytes, had " + std::to_string(before.size_bytes);
    if (before.mtime_ns != now.mtime_ns)
        return "was saved " + local_time_text(now.mtime_ns / ns_per_ms) + ", the one before " +
               local_time_text(before.mtime_ns / ns_per_ms);
    if (before.device != now.device || before.inode != now.inode) return "is another file of the same name and size";
    return {};
}

}  // namespace

std::vector<std::string> differences(const Ledger& ledger) {
    std::vector<std::string> lines;
    if (ledger.before.empty()) return lines;
    for (const LedgerEntry& entry : ledger.now) {
        const auto old = std::find_if(ledger.before.begin(), ledger.before.end(), [&](const LedgerEntry& each) {
            return each.line == entry.line && each.asked == entry.asked;
        });
        if (old == ledger.before.end()) continue;
        if (const std::string change = change_of(*old, entry); !change.empty())
            lines.push_back("image '" + printable(entry.asked) + "' on page " + std::to_string(entry.page) +
                            " differs from the last printing: it " + change);
    }
    return lines;
}

}  // namespace opispool::queues

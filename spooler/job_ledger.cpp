// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/job_ledger.h"

#include <cmath>

#include "base/text.h"

namespace opispool::spooler {

namespace {

constexpr std::size_t max_search_bytes = 4096;

std::string search_text(const opi::SearchTrace& search) {
    std::string text;
    for (const opi::SearchStep& step : search) {
        if (step.kind != opi::SearchStep::Kind::candidate && step.kind != opi::SearchStep::Kind::look_up) continue;
        if (text.size() > max_search_bytes) return text + "\n...";
        text += (text.empty() ? "" : "\n") + printable(step.subject) + (step.subject.empty() ? "" : ": ") +
                printable(step.text);
    }
    return text;
}

std::string picture_name(const queues::LedgerEntry& entry) {
    return "image '" + printable(entry.asked) + "' on page " + std::to_string(entry.page);
}

}  // namespace

std::vector<queues::LedgerEntry> ledger_of(const std::vector<opi::ReferenceRecord>& references) {
    std::vector<queues::LedgerEntry> entries;
    for (const opi::ReferenceRecord& reference : references) {
        queues::LedgerEntry entry;
        entry.page = reference.page;
        entry.line = reference.line;
        entry.asked = printable(reference.asked);
        entry.search = search_text(reference.search);
        entry.file = printable(reference.file);
        entry.size_bytes = reference.identity.size_bytes;
        entry.device = reference.identity.device;
        entry.inode = reference.identity.inode;
        entry.mtime_ns = reference.identity.mtime_ns;
        entry.width_px = reference.width_px;
        entry.height_px = reference.height_px;
        entry.ppi = reference.ppi;
        entry.colour = reference.colour;
        entry.crop = reference.crop;
        entry.bytes = reference.bytes;
        entry.problem = printable(reference.problem);
        entries.push_back(std::move(entry));
    }
    return entries;
}

std::vector<std::string> quality_warnings(const std::vector<queues::LedgerEntry>& entries, const QueueConfig& queue) {
    std::vector<std::string> warnings;
    for (const queues::LedgerEntry& entry : entries) {
        if (entry.ppi > 0 && entry.ppi < queue.min_ppi)
            warnings.push_back("warning: " + picture_name(entry) + " has " + std::to_string(std::lround(entry.ppi)) +
                               " ppi at its printed size, less than the " + std::to_string(queue.min_ppi) +
                               " of this queue");
        if (queue.warn_rgb && (entry.colour == "RGB" || entry.colour == "Lab" || entry.colour == "indexed"))
            warnings.push_back("warning: " + picture_name(entry) + " is in " + entry.colour +
                               "; the RIP has to turn it into CMYK");
    }
    return warnings;
}

}  // namespace opispool::spooler

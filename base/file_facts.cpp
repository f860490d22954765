// SPDX-License-Identifier: AGPL-3.0-or-later
#include "base/file_facts.h"

namespace opispool {

namespace {

// Time stamps advance with the kernel's tick, on some file systems once in two seconds.
constexpr std::int64_t settled_ns = 3'000'000'000;
constexpr std::size_t entry_bytes = 256;

}  // namespace

void FileFacts::keep(const FileIdentity& file, std::string what, std::any value, std::size_t bytes) {
    const std::int64_t age_ns = now_ns_() - file.mtime_ns;
    if (age_ns < settled_ns) return;
    bytes += entry_bytes;
    if (bytes > max_bytes_) return;
    const std::lock_guard lock(mutex_);
    const auto [entry, is_new] = answers_.try_emplace(Key{file, std::move(what)}, Answer{std::move(value), bytes});
    if (!is_new) return;
    bytes_ += bytes;
    oldest_first_.push_back(entry->first);
    while (bytes_ > max_bytes_) {
        const auto oldest = answers_.find(oldest_first_.front());
        bytes_ -= oldest->second.bytes;
        answers_.erase(oldest);
        oldest_first_.pop_front();
    }
}

}  // namespace opispool

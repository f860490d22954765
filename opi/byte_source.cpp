// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/byte_source.h"

namespace opispool::opi {

std::string_view MappedByteSource::window(std::uint64_t offset_bytes) {
    if (offset_bytes >= size_bytes()) return {};
    // Two windows stay: line counting and string checks read a little behind the scanner. A page that is asked for
    // again comes back from the page cache.
    if (offset_bytes > released_to_ + 3 * window_bytes) {
        const std::uint64_t upto = offset_bytes - 2 * window_bytes;
        file_->release(released_to_, upto - released_to_);
        released_to_ = upto;
    }
    const std::span<const std::byte> bytes = file_->bytes().subspan(static_cast<std::size_t>(offset_bytes));
    const std::size_t length = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), window_bytes));
    return {reinterpret_cast<const char*>(bytes.data()), length};
}

std::string_view FileByteSource::window(std::uint64_t offset_bytes) {
    if (offset_bytes >= size_bytes() || !status_) return {};
    const bool inside =
        buffer_length_ > 0 && offset_bytes >= buffer_offset_ && offset_bytes < buffer_offset_ + buffer_length_;
    if (!inside) {
        const auto wanted =
            static_cast<std::size_t>(std::min<std::uint64_t>(buffer_.size(), size_bytes() - offset_bytes));
        auto got = file_->read_at(begin_ + offset_bytes, std::as_writable_bytes(std::span(buffer_.data(), wanted)));
        if (!got) {
            status_ = fail(std::move(got.error()));
            return {};
        }
        if (*got < wanted) {
            status_ = fail(Code::changed, Operation::read, "the file became shorter while it was read", file_->name(),
                           begin_ + offset_bytes + *got);
            return {};
        }
        buffer_offset_ = offset_bytes;
        buffer_length_ = wanted;
    }
    const std::size_t skip = static_cast<std::size_t>(offset_bytes - buffer_offset_);
    return std::string_view(buffer_).substr(skip, buffer_length_ - skip);
}

}  // namespace opispool::opi

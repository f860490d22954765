// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/byte_source.h"

namespace opispool::opi {

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

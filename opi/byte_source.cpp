// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/byte_source.h"

namespace opispool::opi {

std::string_view FileByteSource::window(std::uint64_t offset_bytes) {
    if (offset_bytes >= size_bytes() || !status_) return {};
    Block* chosen = &blocks_.front();
    for (Block& block : blocks_) {
        if (offset_bytes - block.begin < block.length) {
            chosen = &block;
            break;
        }
        if (block.used < chosen->used) chosen = &block;
    }
    if (offset_bytes - chosen->begin >= chosen->length) {
        status_ = fill(*chosen, offset_bytes / block_bytes * block_bytes);
        if (!status_) return {};
    }
    chosen->used = ++calls_;
    return std::string_view(chosen->bytes)
        .substr(static_cast<std::size_t>(offset_bytes - chosen->begin),
                static_cast<std::size_t>(chosen->begin + chosen->length - offset_bytes));
}

Result<void> FileByteSource::fill(Block& block, std::uint64_t begin) {
    block.bytes.resize(block_bytes);
    block.length = 0;
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(block_bytes, size_bytes() - begin));
    auto got = file_->read_at(begin_ + begin, std::as_writable_bytes(std::span(block.bytes.data(), wanted)));
    if (!got) return fail(std::move(got.error()));
    if (*got < wanted)
        return fail(Code::changed, Operation::read, "the file became shorter while it was read", file_->name(),
                    begin_ + begin + *got);
    block.begin = begin;
    block.length = wanted;
    return {};
}

}  // namespace opispool::opi

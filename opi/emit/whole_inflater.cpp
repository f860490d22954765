// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/whole_inflater.h"

#include <libdeflate.h>

namespace opispool::opi {

void WholeInflater::Free::operator()(libdeflate_decompressor* state) const {
    libdeflate_free_decompressor(state);
}

std::optional<std::size_t> WholeInflater::run(std::span<const std::byte> in, std::span<std::byte> out) {
    if (!state_) state_.reset(libdeflate_alloc_decompressor());
    if (!state_) return std::nullopt;
    std::size_t read = 0, decoded = 0;
    const auto end =
        libdeflate_zlib_decompress_ex(state_.get(), in.data(), in.size(), out.data(), out.size(), &read, &decoded);
    if (end != LIBDEFLATE_SUCCESS) return std::nullopt;
    return decoded;
}

}  // namespace opispool::opi

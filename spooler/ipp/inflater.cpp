// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/ipp/inflater.h"

#include <zlib.h>

#include <limits>
#include <new>

namespace opispool::ipp {

namespace {

// zlib's windowBits for gzip and nothing else.
constexpr int gzip_window_bits = 15 + 16;

}  // namespace

struct Inflater::Stream {
    z_stream z{};
    bool member_ended = false;
};

Inflater::Inflater() : stream_(std::make_unique<Stream>()) {
    if (::inflateInit2(&stream_->z, gzip_window_bits) != Z_OK) throw std::bad_alloc();
}

Inflater::~Inflater() {
    ::inflateEnd(&stream_->z);
}

void Inflater::feed(std::span<const std::byte> packed) {
    static_assert(std::numeric_limits<uInt>::max() >= (1U << 30U));
    // zlib does not write there; its interface is older than const.
    stream_->z.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
    stream_->z.avail_in = static_cast<uInt>(packed.size());
}

Result<std::size_t> Inflater::produce(std::span<std::byte> room) {
    z_stream& z = stream_->z;
    z.next_out = reinterpret_cast<Bytef*>(room.data());
    z.avail_out = static_cast<uInt>(room.size());
    while (z.avail_out > 0) {
        if (stream_->member_ended) {
            if (z.avail_in == 0) break;
            // `cat a.gz b.gz` is a gzip file too.
            if (::inflateReset(&z) != Z_OK) return fail(Code::internal, Operation::decode, "zlib can't begin anew");
            stream_->member_ended = false;
        }
        const int answer = ::inflate(&z, Z_NO_FLUSH);
        if (answer == Z_STREAM_END) {
            stream_->member_ended = true;
            continue;
        }
        if (answer == Z_BUF_ERROR) break;
        if (answer == Z_MEM_ERROR) throw std::bad_alloc();
        if (answer != Z_OK)
            return fail(Code::bad_syntax, Operation::decode,
                        std::string("the gzip data is damaged: ") + (z.msg != nullptr ? z.msg : "unknown reason"));
        if (z.avail_in == 0 && z.avail_out > 0) break;
    }
    return room.size() - z.avail_out;
}

bool Inflater::at_end() const {
    return stream_->member_ended && stream_->z.avail_in == 0;
}

}  // namespace opispool::ipp

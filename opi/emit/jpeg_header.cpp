// SPDX-License-Identifier: AGPL-3.0-or-later
#include <algorithm>
#include <cstring>
#include <vector>

#include "opi/emit/jpeg_stream.h"

namespace opispool::opi {

namespace {

constexpr std::uint32_t max_side_px = 65500;  // libjpeg's own limit; the format's is 65535

// Bytes one by one and segments whole, over any supply.
class MarkerReader {
  public:
    MarkerReader(ByteReader& reader, const std::string& where) : reader_(reader), where_(where) {}

    Result<std::uint8_t> byte() {
        if (at_ == held_) {
            auto got = reader_.read(buffer_);
            if (!got) return fail(std::move(got.error()));
            if (*got == 0)
                return fail(Code::bad_image, Operation::probe,
                            "the JPEG data ends before the picture begins; it is truncated", where_);
            held_ = *got;
            at_ = 0;
        }
        return std::to_integer<std::uint8_t>(buffer_[at_++]);
    }
    // The next marker's code; bytes between segments are passed over, as decoders do.
    Result<std::uint8_t> marker() {
        for (;;) {
            auto b = byte();
            if (!b) return b;
            if (*b != 0xFF) continue;
            while (b && *b == 0xFF) b = byte();
            if (!b || *b != 0) return b;
        }
    }
    // The body of a segment with a length, at most `keep` bytes of it.
    Result<std::string> segment(std::size_t keep) {
        std::string out;
        std::size_t length = 0;
        for (int i = 0; i < 2; ++i) {
            auto b = byte();
            if (!b) return fail(std::move(b.error()));
            length = length << 8U | *b;
        }
        if (length < 2)
            return fail(Code::bad_image, Operation::probe, "a JPEG marker has an impossible length", where_);
        for (std::size_t i = 2; i < length; ++i) {
            auto b = byte();
            if (!b) return fail(std::move(b.error()));
            if (out.size() < keep) out += static_cast<char>(*b);
        }
        return out;
    }

  private:
    ByteReader& reader_;
    const std::string& where_;
    std::vector<std::byte> buffer_ = std::vector<std::byte>(8192);
    std::size_t at_ = 0, held_ = 0;
};

std::uint32_t number_at(const std::string& text, std::size_t at, std::size_t size, bool big_endian) {
    std::uint32_t out = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t k = big_endian ? i : size - 1 - i;
        out = out << 8U | static_cast<unsigned char>(text[at + k]);
    }
    return out;
}

// Tag 274 of the first directory inside an APP1 segment; 1 when there is none.
int exif_orientation(const std::string& segment) {
    constexpr std::size_t base = 6;
    if (!segment.starts_with(std::string_view("Exif\0\0", base)) || segment.size() < base + 8) return 1;
    const bool big = segment.compare(base, 2, "MM") == 0;
    const std::size_t ifd = base + number_at(segment, base + 4, 4, big);
    if (ifd + 2 > segment.size()) return 1;
    const std::size_t count = number_at(segment, ifd, 2, big);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t entry = ifd + 2 + i * 12;
        if (entry + 12 > segment.size()) return 1;
        if (number_at(segment, entry, 2, big) != 274) continue;
        const std::uint32_t value = number_at(segment, entry + 8, 2, big);
        return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
    }
    return 1;
}

Result<void> read_frame(const std::string& body, std::uint8_t marker, JpegHeader& header, const std::string& where) {
    if (body.size() < 6) return fail(Code::bad_image, Operation::probe, "the JPEG frame header is too short", where);
    header.frame = marker;
    header.precision = static_cast<std::uint8_t>(body[0]);
    header.height_px = number_at(body, 1, 2, true);
    header.width_px = number_at(body, 3, 2, true);
    header.components = static_cast<unsigned char>(body[5]);
    return {};
}

bool is_frame(std::uint8_t marker) {
    return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

}  // namespace

Result<JpegHeader> read_jpeg_header(const ByteSupply& data, const std::string& where) {
    auto reader = data.open();
    if (!reader) return fail(std::move(reader.error()));
    MarkerReader in(**reader, where);
    JpegHeader header;
    bool first = true;
    for (;;) {
        auto marker = in.marker();
        if (!marker) return fail(std::move(marker.error()));
        if (first && *marker != 0xD8)
            return fail(Code::bad_image, Operation::probe, "the JPEG data does not begin with a picture", where);
        first = false;
        if (*marker == 0xD8 || *marker == 0x01 || (*marker >= 0xD0 && *marker <= 0xD7)) continue;
        if (*marker == 0xD9)
            return fail(Code::bad_image, Operation::probe, "the JPEG data ends before the picture begins", where);
        auto body = in.segment(65536);
        if (!body) return fail(std::move(body.error()));
        if (is_frame(*marker)) {
            if (auto frame = read_frame(*body, *marker, header, where); !frame) return fail(std::move(frame.error()));
        } else if (*marker == 0xEE && body->starts_with("Adobe") && body->size() >= 12) {
            header.adobe_transform = static_cast<unsigned char>((*body)[11]);
        } else if (*marker == 0xE1 && header.orientation == 1) {
            header.orientation = exif_orientation(*body);
        } else if (*marker == 0xDA) {
            if (header.frame == 0)
                return fail(Code::bad_image, Operation::probe, "the JPEG data has no frame header", where);
            return header;
        }
    }
}

Result<void> check_jpeg_frame(const JpegHeader& header, const std::string& where) {
    auto unsupported = [&](const char* what) {
        return fail(Code::unsupported, Operation::probe, std::string(what) + "; save it as an ordinary 8-bit JPEG",
                    where);
    };
    if (header.frame == 0xC3 || (header.frame >= 0xC5 && header.frame <= 0xC7))
        return unsupported("the JPEG is lossless or hierarchical");
    if (header.frame >= 0xC9) return unsupported("the JPEG is arithmetic coded");
    if (header.precision != 8) return unsupported("the JPEG has more than 8 bits for each channel");
    if (header.width_px == 0 || header.height_px == 0)
        return fail(Code::bad_image, Operation::probe, "the JPEG does not give its width or height", where);
    if (header.width_px > max_side_px || header.height_px > max_side_px)
        return fail(Code::bad_image, Operation::probe,
                    "the JPEG claims " + std::to_string(header.width_px) + " x " + std::to_string(header.height_px) +
                        " pixels, which is not believable",
                    where);
    if (header.components != 1 && header.components != 3 && header.components != 4)
        return unsupported("the JPEG has an unusual number of channels");
    return {};
}

}  // namespace opispool::opi

// SPDX-License-Identifier: AGPL-3.0-or-later
#include <algorithm>
#include <cstring>
#include <vector>

#include "opi/emit/jpeg_input.h"
#include "opi/emit/jpeg_stream.h"

namespace opispool::opi {

namespace {

enum class JpegUse : std::uint8_t { check, rows };

class JpegDecoder {
  public:
    JpegDecoder(std::unique_ptr<ByteReader> reader, const std::string& where) : in_(std::move(reader), where) {}

    Result<void> start(JpegUse use) {
        use_ = use;
        if (auto header = in_.read_header(); !header) return header;
        return reading_coefficients() ? Result<void>{} : step(start_decompress);
    }
    // The next row; row_bytes() bytes.
    Result<void> row(std::byte* out) {
        row_ = reinterpret_cast<JSAMPROW>(out);
        if (auto done = step(read_row); !done) return done;
        return in_.spoiled() ? fail(in_.error()) : Result<void>{};
    }
    // Everything, keeping nothing. Many scans are proved by their coefficients.
    Result<void> prove() {
        if (reading_coefficients()) {
            if (auto done = step(read_coefficients); !done) return done;
            return in_.ended();
        }
        std::vector<std::byte> line(row_bytes());
        for (std::uint32_t at = 0; at < rows(); ++at)
            if (auto done = row(line.data()); !done) return done;
        if (auto done = step(finish_decompress); !done) return done;
        return in_.ended();
    }
    std::size_t row_bytes() const {
        return std::size_t{in_.info().output_width} * static_cast<std::size_t>(in_.info().output_components);
    }
    std::uint32_t rows() const { return in_.info().output_height; }
    const JpegInput& input() const { return in_; }

  private:
    bool reading_coefficients() const { return use_ == JpegUse::check && in_.many_scans(); }
    Result<void> step(void (*what)(void*)) {
        if (!in_.guarded(what, this)) return fail(in_.error());
        return {};
    }
    static JpegDecoder& self(void* of) { return *static_cast<JpegDecoder*>(of); }
    static void start_decompress(void* of) {
        JpegDecoder& d = self(of);
        jpeg_decompress_struct& info = d.in_.info();
        if (d.use_ == JpegUse::check) {
            // Only the data is of interest, not the colours.
            info.out_color_space = info.jpeg_color_space;
            info.do_fancy_upsampling = FALSE;
            info.dct_method = JDCT_IFAST;
            // An eighth of the size: all of the codes are still read and judged, but only one value of each block is
            // computed with.
            info.scale_num = 1;
            info.scale_denom = 8;
        } else if (info.num_components == 4) {
            info.out_color_space = JCS_CMYK;
        } else {
            info.out_color_space = info.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
        }
        jpeg_start_decompress(&info);
    }
    static void read_row(void* of) { jpeg_read_scanlines(&self(of).in_.info(), &self(of).row_, 1); }
    static void finish_decompress(void* of) { jpeg_finish_decompress(&self(of).in_.info()); }
    static void read_coefficients(void* of) { jpeg_read_coefficients(&self(of).in_.info()); }

    JpegInput in_;
    JpegUse use_ = JpegUse::check;
    JSAMPROW row_ = nullptr;
};

class JpegRowReader final : public RowByteReader {
  public:
    static Result<std::unique_ptr<ByteReader>> open(const ByteSupply& data, const std::string& where,
                                                    std::size_t row_bytes) {
        auto reader = data.open();
        if (!reader) return reader;
        auto out = std::make_unique<JpegRowReader>(std::move(*reader), where);
        if (auto started = out->decoder_.start(JpegUse::rows); !started) return fail(std::move(started.error()));
        if (out->decoder_.row_bytes() != row_bytes)
            return fail(Code::bad_image, Operation::decode, "the JPEG's frame header contradicts its data", where);
        out->expect(row_bytes, out->decoder_.rows());
        return out;
    }
    JpegRowReader(std::unique_ptr<ByteReader> reader, const std::string& where) : decoder_(std::move(reader), where) {}

  private:
    Result<void> make_row(std::span<std::byte> row) override { return decoder_.row(row.data()); }
    JpegDecoder decoder_;
};

class JpegRows final : public ByteSupply {
  public:
    JpegRows(std::shared_ptr<const ByteSupply> data, const JpegHeader& header, std::string where)
        : data_(std::move(data)),
          row_bytes_(std::size_t{header.width_px} * static_cast<std::size_t>(header.components)),
          rows_(header.height_px),
          where_(std::move(where)) {}
    std::uint64_t length_bytes() const override { return std::uint64_t{row_bytes_} * rows_; }
    Result<std::unique_ptr<ByteReader>> open() const override {
        return JpegRowReader::open(*data_, where_, row_bytes_);
    }
    std::string description() const override { return "decoded rows of " + where_; }

  private:
    std::shared_ptr<const ByteSupply> data_;
    std::size_t row_bytes_;
    std::uint32_t rows_;
    std::string where_;
};

Result<JpegColour> colour_of(J_COLOR_SPACE space, const std::string& where) {
    switch (space) {
        case JCS_GRAYSCALE:
            return JpegColour::gray;
        case JCS_RGB:
            return JpegColour::rgb;
        case JCS_YCbCr:
            return JpegColour::ycbcr;
        case JCS_CMYK:
            return JpegColour::cmyk;
        case JCS_YCCK:
            return JpegColour::ycck;
        default:
            return fail(Code::unsupported, Operation::decode, "the colour model of the JPEG is not known", where);
    }
}

}  // namespace

Result<JpegCheck> check_jpeg(const ByteSupply& data, const std::string& where) {
    auto reader = data.open();
    if (!reader) return fail(std::move(reader.error()));
    JpegDecoder decoder(std::move(*reader), where);
    if (auto started = decoder.start(JpegUse::check); !started) return fail(std::move(started.error()));
    auto colour = colour_of(decoder.input().info().jpeg_color_space, where);
    if (!colour) return fail(std::move(colour.error()));
    if (auto proved = decoder.prove(); !proved) return fail(std::move(proved.error()));
    return JpegCheck{*colour, decoder.input().consumed(), !decoder.input().at_end(), !decoder.input().many_scans()};
}

std::shared_ptr<const ByteSupply> make_jpeg_rows(std::shared_ptr<const ByteSupply> data, const JpegHeader& header,
                                                 std::string where) {
    return std::make_shared<JpegRows>(std::move(data), header, std::move(where));
}

}  // namespace opispool::opi

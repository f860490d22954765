// SPDX-License-Identifier: AGPL-3.0-or-later
// The only file that talks to libjpeg. Its error handler jumps: between setjmp and any call that may jump there is no
// object with a destructor, so each step is a plain function on JpegDecoder's members.
#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <vector>
// jpeglib.h needs size_t and FILE.
#include <jerror.h>
#include <jpeglib.h>

#include "base/text.h"
#include "opi/emit/jpeg_stream.h"

namespace opispool::opi {

namespace {

// A progressive picture is held as coefficients until its last scan has come.
constexpr std::uint64_t max_progressive_bytes = std::uint64_t{1} << 30U;
constexpr int max_scans = 500;

enum class JpegUse : std::uint8_t { check, rows };

class JpegDecoder {
  public:
    JpegDecoder(std::unique_ptr<ByteReader> reader, std::string where)
        : reader_(std::move(reader)), where_(std::move(where)) {
        info_.err = jpeg_std_error(&errors_);
        info_.client_data = this;
        errors_.error_exit = on_error;
        errors_.emit_message = on_message;
        errors_.output_message = [](j_common_ptr) {};
        source_.init_source = [](j_decompress_ptr) {};
        source_.fill_input_buffer = fill;
        source_.skip_input_data = skip;
        source_.resync_to_restart = jpeg_resync_to_restart;
        source_.term_source = [](j_decompress_ptr) {};
        progress_.progress_monitor = on_progress;
    }
    ~JpegDecoder() {
        if (created_) jpeg_destroy_decompress(&info_);
    }
    JpegDecoder(const JpegDecoder&) = delete;
    JpegDecoder& operator=(const JpegDecoder&) = delete;

    Result<void> start(JpegUse use) {
        use_ = use;
        if (!guarded(step_header)) return fail(error());
        const std::uint64_t whole = std::uint64_t{info_.image_width} * info_.image_height *
                                    static_cast<std::uint64_t>(info_.num_components) * 2;
        if (many_scans_ && whole > max_progressive_bytes)
            return fail(Code::too_large, Operation::decode,
                        "the progressive JPEG is too large to be decoded; save it as baseline", where_);
        if (!guarded(step_start)) return fail(error());
        return {};
    }
    // The next row; row_bytes() bytes.
    Result<void> row(std::byte* out) {
        row_ = reinterpret_cast<JSAMPROW>(out);
        if (!guarded(step_row) || damaged_ || failure_) return fail(error());
        return {};
    }
    Result<void> finish() {
        if (!guarded(step_finish) || damaged_ || failure_) return fail(error());
        // Without an end mark nobody can tell whether later scans are missing, and with them the fine detail.
        if (at_end_ && many_scans_)
            return fail(Code::bad_image, Operation::decode,
                        "the JPEG data ends before its last scan; the file is truncated", where_);
        return {};
    }
    std::size_t row_bytes() const {
        return std::size_t{info_.output_width} * static_cast<std::size_t>(info_.output_components);
    }
    std::uint32_t rows() const { return info_.output_height; }
    std::uint64_t consumed() const { return at_end_ ? total_ : total_ - source_.bytes_in_buffer; }
    bool at_end() const { return at_end_; }
    J_COLOR_SPACE colour() const { return info_.jpeg_color_space; }

  private:
    static JpegDecoder& self(j_common_ptr info) { return *static_cast<JpegDecoder*>(info->client_data); }
    static JpegDecoder& self(j_decompress_ptr info) { return *static_cast<JpegDecoder*>(info->client_data); }

    bool guarded(void (*step)(JpegDecoder&)) {
        if (setjmp(jump_) != 0) return false;
        step(*this);
        return true;
    }
    static void step_header(JpegDecoder& d) {
        jpeg_create_decompress(&d.info_);
        d.info_.client_data = &d;
        d.created_ = true;
        d.info_.src = &d.source_;
        d.info_.progress = &d.progress_;
        jpeg_read_header(&d.info_, TRUE);
        d.many_scans_ = jpeg_has_multiple_scans(&d.info_) != 0;
    }
    static void step_start(JpegDecoder& d) {
        if (d.use_ == JpegUse::check) {
            // Only the data is of interest, not the colours.
            d.info_.out_color_space = d.info_.jpeg_color_space;
            d.info_.do_fancy_upsampling = FALSE;
            d.info_.dct_method = JDCT_IFAST;
        } else if (d.info_.num_components == 4) {
            d.info_.out_color_space = JCS_CMYK;
        } else {
            d.info_.out_color_space = d.info_.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
        }
        jpeg_start_decompress(&d.info_);
    }
    static void step_row(JpegDecoder& d) { jpeg_read_scanlines(&d.info_, &d.row_, 1); }
    static void step_finish(JpegDecoder& d) { jpeg_finish_decompress(&d.info_); }

    [[noreturn]] static void on_error(j_common_ptr info) {
        JpegDecoder& d = self(info);
        info->err->format_message(info, d.message_);
        std::longjmp(d.jump_, 1);
    }
    static void on_message(j_common_ptr info, int level) {
        if (level >= 0) return;
        JpegDecoder& d = self(info);
        const int code = info->err->msg_code;
        // These mean that pixels are invented. Bytes too many before a marker and odd version numbers do no harm.
        if (code != JWRN_HIT_MARKER && code != JWRN_HUFF_BAD_CODE && code != JWRN_MUST_RESYNC && code != JWRN_JPEG_EOF)
            return;
        if (!d.damaged_) info->err->format_message(info, d.message_);
        d.damaged_ = true;
    }
    static void on_progress(j_common_ptr info) {
        JpegDecoder& d = self(info);
        if (d.info_.input_scan_number <= max_scans) return;
        std::snprintf(d.message_, sizeof d.message_, "more than %d scans", max_scans);
        std::longjmp(d.jump_, 1);
    }
    static boolean fill(j_decompress_ptr info) {
        self(info).refill();
        return TRUE;
    }
    void refill() {
        std::size_t count = 0;
        if (!at_end_) {
            auto got = reader_->read(buffer_);
            if (got)
                count = *got;
            else
                failure_ = std::move(got.error());
        }
        total_ += count;
        if (count == 0) {
            at_end_ = true;
            buffer_[0] = std::byte{0xFF};
            buffer_[1] = std::byte{JPEG_EOI};
            count = 2;
        }
        source_.next_input_byte = reinterpret_cast<const JOCTET*>(buffer_.data());
        source_.bytes_in_buffer = count;
    }
    static void skip(j_decompress_ptr info, long count) {
        JpegDecoder& d = self(info);
        auto left = static_cast<std::size_t>(std::max(0L, count));
        while (left > d.source_.bytes_in_buffer && !d.at_end_) {
            left -= d.source_.bytes_in_buffer;
            d.refill();
        }
        left = std::min(left, d.source_.bytes_in_buffer);
        d.source_.next_input_byte += left;
        d.source_.bytes_in_buffer -= left;
    }
    Error error() const {
        if (failure_) return *failure_;
        std::string text = "the JPEG data is truncated or damaged";
        if (created_ && info_.output_height > 0 && info_.output_scanline < info_.output_height)
            text += " after " + std::to_string(info_.output_scanline) + " of " + std::to_string(info_.output_height) +
                    " rows";
        return Error{Code::bad_image, Operation::decode, text + " (" + printable(message_) + ")", where_, {}};
    }

    std::unique_ptr<ByteReader> reader_;
    std::string where_;
    std::vector<std::byte> buffer_ = std::vector<std::byte>(64U << 10U);
    std::uint64_t total_ = 0;
    bool at_end_ = false, damaged_ = false, created_ = false, many_scans_ = false;
    JpegUse use_ = JpegUse::check;
    std::optional<Error> failure_;
    JSAMPROW row_ = nullptr;
    jpeg_decompress_struct info_{};
    jpeg_error_mgr errors_{};
    jpeg_source_mgr source_{};
    jpeg_progress_mgr progress_{};
    std::jmp_buf jump_{};
    char message_[JMSG_LENGTH_MAX] = {};
};

class JpegRowReader final : public ByteReader {
  public:
    static Result<std::unique_ptr<ByteReader>> open(const ByteSupply& data, const std::string& where,
                                                    std::size_t row_bytes) {
        auto reader = data.open();
        if (!reader) return reader;
        auto out = std::make_unique<JpegRowReader>(std::move(*reader), where);
        if (auto started = out->decoder_.start(JpegUse::rows); !started) return fail(std::move(started.error()));
        out->line_.resize(out->decoder_.row_bytes());
        out->at_ = out->line_.size();
        if (out->line_.size() != row_bytes)
            return fail(Code::bad_image, Operation::decode, "the JPEG's frame header contradicts its data", where);
        out->rows_left_ = out->decoder_.rows();
        return out;
    }
    JpegRowReader(std::unique_ptr<ByteReader> reader, const std::string& where) : decoder_(std::move(reader), where) {}

    Result<std::size_t> read(std::span<std::byte> out) override {
        std::size_t filled = 0;
        while (filled < out.size()) {
            if (at_ == line_.size()) {
                if (rows_left_ == 0) break;
                if (auto row = decoder_.row(line_.data()); !row) return fail(std::move(row.error()));
                --rows_left_;
                at_ = 0;
            }
            const std::size_t count = std::min(out.size() - filled, line_.size() - at_);
            std::memcpy(out.data() + filled, line_.data() + at_, count);
            filled += count;
            at_ += count;
        }
        return filled;
    }

  private:
    JpegDecoder decoder_;
    std::vector<std::byte> line_;
    std::size_t at_ = 0;
    std::uint32_t rows_left_ = 0;
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
    auto colour = colour_of(decoder.colour(), where);
    if (!colour) return fail(std::move(colour.error()));
    std::vector<std::byte> line(decoder.row_bytes());
    for (std::uint32_t row = 0; row < decoder.rows(); ++row)
        if (auto done = decoder.row(line.data()); !done) return fail(std::move(done.error()));
    if (auto finished = decoder.finish(); !finished) return fail(std::move(finished.error()));
    return JpegCheck{*colour, decoder.consumed(), !decoder.at_end()};
}

std::shared_ptr<const ByteSupply> make_jpeg_rows(std::shared_ptr<const ByteSupply> data, const JpegHeader& header,
                                                 std::string where) {
    return std::make_shared<JpegRows>(std::move(data), header, std::move(where));
}

}  // namespace opispool::opi

// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/jpeg_input.h"

#include <jerror.h>
#include <algorithm>

#include "base/text.h"

namespace opispool::opi {

namespace {

// A picture of many scans is held as coefficients until its last scan has come.
constexpr std::uint64_t max_coefficient_bytes = std::uint64_t{1} << 30U;
constexpr int max_scans = 500;

}  // namespace

JpegInput::JpegInput(std::unique_ptr<ByteReader> reader, std::string where)
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

JpegInput::~JpegInput() {
    if (created_) jpeg_destroy_decompress(&info_);
}

bool JpegInput::guarded(void (*step)(void*), void* of) {
    if (setjmp(jump_) != 0) return false;
    step(of);
    return true;
}

Result<void> JpegInput::read_header() {
    const bool read = guarded(
        [](void* of) {
            JpegInput& in = *static_cast<JpegInput*>(of);
            jpeg_create_decompress(&in.info_);
            in.info_.client_data = &in;
            in.created_ = true;
            in.info_.src = &in.source_;
            in.info_.progress = &in.progress_;
            jpeg_read_header(&in.info_, TRUE);
            in.many_scans_ = jpeg_has_multiple_scans(&in.info_) != 0;
        },
        this);
    if (!read) return fail(error());
    const std::uint64_t whole = std::uint64_t{info_.image_width} * info_.image_height *
                                static_cast<std::uint64_t>(info_.num_components) * sizeof(JCOEF);
    if (many_scans_ && whole > max_coefficient_bytes)
        return fail(Code::too_large, Operation::decode,
                    "the progressive JPEG is too large to be decoded; save it as baseline", where_);
    return {};
}

Result<void> JpegInput::ended() const {
    if (spoiled()) return fail(error());
    if (at_end_ && many_scans_)
        return fail(Code::bad_image, Operation::decode,
                    "the JPEG data ends before its last scan; the file is truncated", where_);
    return {};
}

void JpegInput::on_error(j_common_ptr info) {
    JpegInput& in = self(info);
    info->err->format_message(info, in.message_);
    std::longjmp(in.jump_, 1);
}

void JpegInput::on_message(j_common_ptr info, int level) {
    if (level >= 0) return;
    JpegInput& in = self(info);
    const int code = info->err->msg_code;
    // These mean that pixels are invented. Bytes too many before a marker and odd version numbers do no harm.
    if (code != JWRN_HIT_MARKER && code != JWRN_HUFF_BAD_CODE && code != JWRN_MUST_RESYNC && code != JWRN_JPEG_EOF)
        return;
    if (!in.damaged_) info->err->format_message(info, in.message_);
    in.damaged_ = true;
}

void JpegInput::on_progress(j_common_ptr info) {
    JpegInput& in = self(info);
    if (in.info_.input_scan_number <= max_scans) return;
    std::snprintf(in.message_, sizeof in.message_, "more than %d scans", max_scans);
    std::longjmp(in.jump_, 1);
}

boolean JpegInput::fill(j_decompress_ptr info) {
    self(info).refill();
    return TRUE;
}

void JpegInput::refill() {
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

void JpegInput::skip(j_decompress_ptr info, long count) {
    JpegInput& in = self(info);
    auto left = static_cast<std::size_t>(std::max(0L, count));
    while (left > in.source_.bytes_in_buffer && !in.at_end_) {
        left -= in.source_.bytes_in_buffer;
        in.refill();
    }
    left = std::min(left, in.source_.bytes_in_buffer);
    in.source_.next_input_byte += left;
    in.source_.bytes_in_buffer -= left;
}

Error JpegInput::error() const {
    if (failure_) return *failure_;
    std::string text = "the JPEG data is truncated or damaged";
    if (created_ && info_.output_height > 0 && info_.output_scanline < info_.output_height)
        text +=
            " after " + std::to_string(info_.output_scanline) + " of " + std::to_string(info_.output_height) + " rows";
    return Error{Code::bad_image, Operation::decode, text + " (" + printable(message_) + ")", where_, {}};
}

}  // namespace opispool::opi

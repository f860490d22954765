// SPDX-License-Identifier: AGPL-3.0-or-later
// JPEG of many scans to one of a single sequential scan, coefficient by coefficient: no sample is rounded twice.
#include <jerror.h>
#include <algorithm>
#include <cstring>

#include "opi/emit/jpeg_input.h"
#include "opi/emit/jpeg_stream.h"

namespace opispool::opi {

namespace {

constexpr int max_blocks_in_mcu = 10;             // ITU T.81, B.2.3
constexpr std::uint64_t max_count = 0x7FFF'FFFF;  // a RIP counts the bytes of a filter's data with 31 bits

class JpegTranscoder {
  public:
    JpegTranscoder(std::unique_ptr<ByteReader> reader, const std::string& where) : in_(std::move(reader), where) {
        sink_.init_destination = [](j_compress_ptr) {};
        sink_.empty_output_buffer = emptied;
        sink_.term_destination = [](j_compress_ptr) {};
    }
    ~JpegTranscoder() {
        if (created_) jpeg_destroy_compress(&out_);
    }
    JpegTranscoder(const JpegTranscoder&) = delete;
    JpegTranscoder& operator=(const JpegTranscoder&) = delete;

    // The bytes of the result, without keeping them.
    Result<std::uint64_t> count() {
        scratch_.resize(64U << 10U);
        sink_.reusable = true;
        if (auto written = write(scratch_); !written) return fail(std::move(written.error()));
        return sink_.emptied_bytes + scratch_.size() - sink_.free_in_buffer;
    }
    // Fills `buffer`, which has the size that was counted and one byte more: libjpeg empties it as soon as it is full.
    Result<void> fill(std::span<std::byte> buffer) {
        if (auto written = write(buffer); !written) return written;
        if (sink_.free_in_buffer == 1) return {};
        return changed();
    }

  private:
    struct Sink : jpeg_destination_mgr {
        std::span<std::byte> buffer;
        std::uint64_t emptied_bytes = 0;
        bool reusable = false, overrun = false;
    };

    Result<void> write(std::span<std::byte> buffer) {
        sink_.buffer = buffer;
        sink_.next_output_byte = reinterpret_cast<JOCTET*>(buffer.data());
        sink_.free_in_buffer = buffer.size();
        if (auto header = in_.read_header(); !header) return header;
        if (auto fits = one_scan_holds_all(); !fits) return fits;
        if (!in_.guarded(step_read, this)) return fail(in_.error());
        if (auto ended = in_.ended(); !ended) return ended;
        if (in_.guarded(step_write, this)) return {};
        if (sink_.overrun) return changed();
        return fail(in_.error());
    }
    Result<void> one_scan_holds_all() const {
        int blocks = 0;
        for (int i = 0; i < in_.info().num_components; ++i)
            blocks += in_.info().comp_info[i].h_samp_factor * in_.info().comp_info[i].v_samp_factor;
        if (blocks <= max_blocks_in_mcu || in_.info().num_components == 1) return {};
        return fail(Code::unsupported, Operation::encode, "the channels of the JPEG don't fit into one scan",
                    in_.where());
    }
    Result<void> changed() const {
        return fail(Code::changed, Operation::encode, "the JPEG has changed while it was read", in_.where());
    }
    static void step_read(void* of) {
        auto& t = *static_cast<JpegTranscoder*>(of);
        t.coefficients_ = jpeg_read_coefficients(&t.in_.info());
    }
    static void step_write(void* of) {
        auto& t = *static_cast<JpegTranscoder*>(of);
        t.out_.err = &t.in_.errors();
        t.out_.client_data = &t.in_;
        jpeg_create_compress(&t.out_);
        t.created_ = true;
        t.out_.dest = &t.sink_;
        jpeg_copy_critical_parameters(&t.in_.info(), &t.out_);
        // libjpeg would mark every CMYK picture as Adobe's, and readers take that mark for "inverted".
        if (t.out_.num_components == 4) t.out_.write_Adobe_marker = t.in_.info().saw_Adobe_marker;
        t.out_.optimize_coding = TRUE;
        jpeg_write_coefficients(&t.out_, t.coefficients_);
        jpeg_finish_compress(&t.out_);
    }
    static boolean emptied(j_compress_ptr info) {
        Sink& sink = *static_cast<Sink*>(info->dest);
        if (!sink.reusable) {
            sink.overrun = true;
            ERREXIT(info, JERR_CANT_SUSPEND);
        }
        sink.emptied_bytes += sink.buffer.size();
        sink.next_output_byte = reinterpret_cast<JOCTET*>(sink.buffer.data());
        sink.free_in_buffer = sink.buffer.size();
        return TRUE;
    }

    JpegInput in_;
    std::vector<std::byte> scratch_;
    Sink sink_{};
    jpeg_compress_struct out_{};
    jvirt_barray_ptr* coefficients_ = nullptr;
    bool created_ = false;
};

class HeldBytes final : public ByteReader {
  public:
    explicit HeldBytes(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
    Result<std::size_t> read(std::span<std::byte> out) override {
        const std::size_t count = std::min(out.size(), bytes_.size() - at_);
        if (count > 0) std::memcpy(out.data(), bytes_.data() + at_, count);
        at_ += count;
        return count;
    }

  private:
    std::vector<std::byte> bytes_;
    std::size_t at_ = 0;
};

// libjpeg writes a whole picture in one call, so the result is held while it is read: a tenth of the coefficients.
class SequentialJpeg final : public ByteSupply {
  public:
    SequentialJpeg(std::shared_ptr<const ByteSupply> data, std::uint64_t length, std::string where)
        : data_(std::move(data)), length_bytes_(length), where_(std::move(where)) {}
    std::uint64_t length_bytes() const override { return length_bytes_; }
    Result<std::unique_ptr<ByteReader>> open() const override {
        auto reader = data_->open();
        if (!reader) return reader;
        std::vector<std::byte> bytes(length_bytes_ + 1);
        if (auto filled = JpegTranscoder(std::move(*reader), where_).fill(bytes); !filled)
            return fail(std::move(filled.error()));
        bytes.pop_back();
        return std::make_unique<HeldBytes>(std::move(bytes));
    }
    std::string description() const override { return "sequential JPEG of " + where_; }

  private:
    std::shared_ptr<const ByteSupply> data_;
    std::uint64_t length_bytes_;
    std::string where_;
};

}  // namespace

Result<std::shared_ptr<const ByteSupply>> make_sequential_jpeg(std::shared_ptr<const ByteSupply> data,
                                                               const std::string& where) {
    auto reader = data->open();
    if (!reader) return fail(std::move(reader.error()));
    auto length = JpegTranscoder(std::move(*reader), where).count();
    if (!length) return fail(std::move(length.error()));
    if (*length > max_count)
        return fail(Code::unsupported, Operation::encode, "the JPEG is larger than 2 GB as one scan", where);
    return std::make_shared<SequentialJpeg>(std::move(data), *length, where);
}

}  // namespace opispool::opi

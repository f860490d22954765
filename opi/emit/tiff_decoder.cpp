// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/tiff_decoder.h"

#include <tiffio.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/ordered_work.h"
#include "opi/emit/tiff_blocks.h"
#include "opi/emit/tiff_handle.h"

namespace opispool::opi {

namespace {

// A row of tiles is held whole; more than this is refused.
constexpr std::uint64_t max_band_bytes = std::uint64_t{512} << 20U;
// Larger strips are decoded a row at a time, on one thread.
constexpr std::uint64_t max_strip_bytes = std::uint64_t{4} << 20U;
// Of small strips and uncompressed rows so many are made at a time: handing over less costs more than it is worth.
constexpr std::uint64_t small_lot_bytes = std::uint64_t{256} << 10U;

struct Job {
    std::shared_ptr<const MappedFile> file;
    std::shared_ptr<const TiffDirectory> directory;
    RowFormat format;
    std::uint32_t first_row = 0, rows = 0;

    std::uint64_t block_bytes(std::uint32_t rows_of_block) const { return directory->row_bytes() * rows_of_block; }
    std::uint32_t rows_behind(std::uint32_t row) const { return first_row + rows - row; }
};

// The rows of all planes that are read, as they are in the file.
struct Samples {
    explicit Samples(const Job& job, std::uint32_t rows)
        : row_bytes(static_cast<std::size_t>(job.directory->row_bytes())), plane_bytes(row_bytes * rows) {
        const std::size_t planes = job.format.planes();
        bytes = std::make_unique_for_overwrite<std::byte[]>(plane_bytes * planes);
        views.resize(planes);
    }
    std::span<std::byte> plane(std::size_t number) { return {bytes.get() + number * plane_bytes, plane_bytes}; }
    // out  the first byte of the first row's share
    void convert(const RowFormat& format, std::uint32_t rows, std::byte* out, std::size_t out_row_bytes) {
        for (std::size_t y = 0; y < rows; ++y) {
            for (std::size_t p = 0; p < views.size(); ++p) views[p] = plane(p).subspan(y * row_bytes, row_bytes);
            convert_row(format, views, {out + y * out_row_bytes, format.row_bytes_out()});
        }
    }
    std::size_t row_bytes, plane_bytes;
    std::unique_ptr<std::byte[]> bytes;
    std::vector<std::span<const std::byte>> views;
};

// Strips and tiles; a lot is a row of tiles, each tile a part, or some strips. What hangs over the right and lower edge
// is left out.
class BlockMaker final : public PartMaker {
  public:
    BlockMaker(const Job& job, std::uint32_t lot_rows)
        : job_(job), lot_rows_(lot_rows), decoder_(job.file, job.directory) {}
    Result<void> make(std::uint64_t lot_number, std::uint32_t part, std::span<std::byte> lot) override {
        const std::uint32_t step = job_.directory->block_height_px;
        const auto first = static_cast<std::uint32_t>(job_.first_row + lot_number * lot_rows_);
        const std::uint32_t rows = std::min(lot_rows_, job_.rows_behind(first));
        for (std::uint32_t done = 0; done < rows; done += step) {
            const auto out = lot.subspan(done * job_.format.row_bytes_out());
            if (auto made = make_block(first + done, std::min(step, rows - done), part, out); !made) return made;
        }
        return {};
    }

  private:
    Result<void> make_block(std::uint32_t row, std::uint32_t rows, std::uint32_t across, std::span<std::byte> out) {
        const TiffDirectory& d = *job_.directory;
        const std::uint32_t down = row / d.block_height_px;
        const std::uint32_t rows_of_block = d.tiled ? d.block_height_px : d.rows_in_strip(down);
        const std::uint64_t block =
            job_.format.first_plane() * d.blocks_per_plane() + std::uint64_t{down} * d.blocks_across() + across;
        if (!d.tiled && job_.format.copies_rows())
            return decoder_.decode(block, out.first(static_cast<std::size_t>(job_.block_bytes(rows_of_block))));
        Samples samples(job_, rows_of_block);
        for (std::size_t plane = 0; plane < samples.views.size(); ++plane) {
            auto decoded = decoder_.decode(block + plane * d.blocks_per_plane(), samples.plane(plane));
            if (!decoded) return decoded;
        }
        RowFormat format = job_.format;
        format.width_px = std::min(d.block_width_px, d.width_px - across * d.block_width_px);
        const std::size_t left = std::size_t{across} * d.block_width_px * format.bits_out * format.colours / 8;
        samples.convert(format, rows, out.data() + left, job_.format.row_bytes_out());
        return {};
    }

    Job job_;
    std::uint32_t lot_rows_;
    TiffBlockDecoder decoder_;
};

// Uncompressed strips: rows straight from the file, some at a time, so that one huge strip needs no memory.
class PlainMaker final : public PartMaker {
  public:
    PlainMaker(const Job& job, std::uint32_t lot_rows) : job_(job), lot_rows_(lot_rows) {}
    Result<void> make(std::uint64_t lot_number, std::uint32_t, std::span<std::byte> lot) override {
        const auto first = static_cast<std::uint32_t>(job_.first_row + lot_number * lot_rows_);
        const std::uint32_t rows = std::min(lot_rows_, job_.rows_behind(first));
        Samples samples(job_, rows);
        for (std::size_t plane = 0; plane < samples.views.size(); ++plane)
            if (auto read = read_rows(plane, first, samples.plane(plane)); !read) return read;
        samples.convert(job_.format, rows, lot.data(), job_.format.row_bytes_out());
        return {};
    }

  private:
    Result<void> read_rows(std::size_t plane, std::uint32_t row, std::span<std::byte> out) {
        const TiffDirectory& d = *job_.directory;
        const std::span<std::byte> all = out;
        while (!out.empty()) {
            const std::uint32_t strip = row / d.block_height_px, within = row % d.block_height_px;
            const std::uint64_t blocks_before = (job_.format.first_plane() + plane) * d.blocks_per_plane();
            const std::uint64_t at =
                d.blocks[static_cast<std::size_t>(blocks_before + strip)].offset_bytes + within * d.row_bytes();
            const std::uint64_t in_strip = job_.block_bytes(d.rows_in_strip(strip) - within);
            const auto part = out.first(static_cast<std::size_t>(std::min<std::uint64_t>(in_strip, out.size())));
            auto got = job_.file->read_at(at, part);
            if (!got) return fail(std::move(got.error()));
            if (*got != part.size())
                return fail(Code::changed, Operation::decode, "the file has become shorter while it was being read",
                            job_.file->name(), at);
            out = out.subspan(part.size());
            row += static_cast<std::uint32_t>(part.size() / d.row_bytes());
        }
        if (d.fill_order == 2) reverse_bits(all);
        if (d.bits == 16 && d.big_endian != (std::endian::native == std::endian::big)) swap_bytes_16(all);
        return {};
    }
    Job job_;
    std::uint32_t lot_rows_;
};

// Gives the lots one after another, without the rows behind the last one that is asked for.
class LotReader final : public ByteReader {
  public:
    LotReader(std::shared_ptr<WorkCrew> crew, WorkShape shape, std::uint64_t length_bytes,
              std::function<std::unique_ptr<PartMaker>()> new_maker)
        : work_(std::move(crew), shape, std::move(new_maker)), left_(length_bytes) {}
    Result<std::size_t> read(std::span<std::byte> out) override {
        std::size_t filled = 0;
        while (filled < out.size() && left_ > 0) {
            if (lot_.empty()) {
                auto lot = work_.next();
                if (!lot) return fail(std::move(lot.error()));
                lot_ = lot->first(static_cast<std::size_t>(std::min<std::uint64_t>(lot->size(), left_)));
            }
            const std::size_t count = std::min(out.size() - filled, lot_.size());
            std::memcpy(out.data() + filled, lot_.data(), count);
            lot_ = lot_.subspan(count);
            filled += count;
            left_ -= count;
        }
        return filled;
    }

  private:
    OrderedWork work_;
    std::uint64_t left_;
    std::span<const std::byte> lot_;  // what has not been read of the current one
};

std::uint32_t rows_of_small_lot(const Job& job) {
    const std::uint64_t rows = small_lot_bytes / job.format.row_bytes_out();
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(rows, 1, job.rows));
}

template <typename Maker>
Result<std::unique_ptr<ByteReader>> read_lots(const Job& job, const std::shared_ptr<WorkCrew>& crew,
                                              std::uint32_t lot_rows, std::uint32_t parts) {
    const std::uint64_t row_bytes = job.format.row_bytes_out();
    const WorkShape shape{(std::uint64_t{job.rows} + lot_rows - 1) / lot_rows, parts,
                          static_cast<std::size_t>(row_bytes * lot_rows)};
    return std::make_unique<LotReader>(crew, shape, row_bytes * job.rows,
                                       [job, lot_rows] { return std::make_unique<Maker>(job, lot_rows); });
}

Result<std::unique_ptr<ByteReader>> read_tiles(const Job& job, const std::shared_ptr<WorkCrew>& crew) {
    const TiffDirectory& d = *job.directory;
    const std::uint64_t band_bytes = std::uint64_t{job.format.row_bytes_out()} * d.block_height_px;
    if (band_bytes + job.block_bytes(d.block_height_px) * job.format.planes() > max_band_bytes)
        return fail(Code::too_large, Operation::decode, "the tiles of the image are too large; save it with strips",
                    job.file->name());
    return read_lots<BlockMaker>(job, crew, d.block_height_px, d.blocks_across());
}

Result<std::unique_ptr<ByteReader>> read_strips(const Job& job, const std::shared_ptr<WorkCrew>& crew) {
    const std::uint32_t height = job.directory->block_height_px;
    return read_lots<BlockMaker>(job, crew, height * std::max(1U, rows_of_small_lot(job) / height), 1);
}

// The row sources: each gives the next row of every plane, as one span per plane.
class RowSource {
  public:
    virtual ~RowSource() = default;
    virtual Result<std::span<const std::span<const std::byte>>> next_row() = 0;
};

std::string place(const TiffDirectory& d, std::uint64_t row) {
    const std::uint64_t strip = row / d.block_height_px;
    return std::string(d.tiled ? "row of tiles " : "strip ") + std::to_string(strip + 1) + " of " +
           std::to_string(d.blocks_down());
}

// Huge strips: libtiff's scanlines, one handle for each plane because a handle reads in one place at a time.
class ScanlineRows final : public RowSource {
  public:
    static Result<std::unique_ptr<RowSource>> open(const Job& job) {
        auto out = std::unique_ptr<ScanlineRows>(new ScanlineRows(job.first_row));
        for (std::size_t plane = 0; plane < job.format.planes(); ++plane) {
            auto lines = TiffScanlines::open(job.file, job.directory,
                                             static_cast<std::uint16_t>(job.format.first_plane() + plane));
            if (!lines) return fail(std::move(lines.error()));
            out->lines_.push_back(std::move(*lines));
            out->buffers_.emplace_back(static_cast<std::size_t>(job.directory->row_bytes()));
        }
        for (auto& buffer : out->buffers_) out->views_.emplace_back(buffer);
        return out;
    }
    Result<std::span<const std::span<const std::byte>>> next_row() override {
        for (std::size_t plane = 0; plane < lines_.size(); ++plane)
            if (auto read = lines_[plane]->read(row_, buffers_[plane]); !read) return fail(std::move(read.error()));
        ++row_;
        return views_;
    }

  private:
    explicit ScanlineRows(std::uint32_t first_row) : row_(first_row) {}
    std::uint32_t row_;
    std::vector<std::unique_ptr<TiffScanlines>> lines_;
    std::vector<std::vector<std::byte>> buffers_;
    std::vector<std::span<const std::byte>> views_;
};

// Colour models that libtiff turns into RGB itself, a strip or a row of tiles at a time.
class RgbRows final : public RowSource {
  public:
    static Result<std::unique_ptr<RowSource>> open(Job job) {
        auto handle = TiffHandle::open(job.file, job.directory->offset_bytes);
        if (!handle) return fail(std::move(handle.error()));
        // The placement turns the picture; libtiff must not.
        TIFFSetField((*handle)->get(), TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
        const TiffDirectory& d = *job.directory;
        if (std::uint64_t{d.block_height_px} * d.block_width_px * d.blocks_across() * 8 > max_band_bytes)
            return fail(Code::too_large, Operation::decode,
                        "the strips of the image are too large; save it as RGB or CMYK", job.file->name());
        return std::unique_ptr<RowSource>(new RgbRows(std::move(job), std::move(*handle)));
    }
    Result<std::span<const std::span<const std::byte>>> next_row() override {
        const TiffDirectory& d = *job_.directory;
        const std::uint32_t in_band = row_ % d.block_height_px;
        if (in_band == 0 || !loaded_)
            if (auto band = load_band(row_ - in_band); !band) return fail(std::move(band.error()));
        for (std::uint32_t x = 0; x < d.width_px; ++x) {
            const std::uint32_t pixel = band_[std::size_t{in_band} * d.width_px + x];
            line_[std::size_t{x} * 3] = std::byte{static_cast<std::uint8_t>(TIFFGetR(pixel))};
            line_[std::size_t{x} * 3 + 1] = std::byte{static_cast<std::uint8_t>(TIFFGetG(pixel))};
            line_[std::size_t{x} * 3 + 2] = std::byte{static_cast<std::uint8_t>(TIFFGetB(pixel))};
        }
        ++row_;
        return std::span<const std::span<const std::byte>>(&view_, 1);
    }

  private:
    RgbRows(Job job, std::unique_ptr<TiffHandle> handle)
        : job_(std::move(job)), handle_(std::move(handle)), row_(job_.first_row) {
        const TiffDirectory& d = *job_.directory;
        band_.resize(std::size_t{d.width_px} * d.block_height_px);
        raster_.resize(std::size_t{d.block_width_px} * d.block_height_px);
        line_.resize(std::size_t{d.width_px} * 3);
        view_ = line_;
    }
    // libtiff's rasters have their first row at the bottom.
    Result<void> load_band(std::uint32_t first_row) {
        const TiffDirectory& d = *job_.directory;
        const std::uint32_t rows = std::min(d.block_height_px, d.height_px - first_row);
        for (std::uint32_t x = 0; x < d.width_px; x += d.block_width_px) {
            const int done = d.tiled ? TIFFReadRGBATileExt(handle_->get(), x, first_row, raster_.data(), 1)
                                     : TIFFReadRGBAStripExt(handle_->get(), first_row, raster_.data(), 1);
            if (done == 0 || !handle_->complaint().empty())
                return fail(handle_->error(place(d, first_row) + " is truncated or damaged"));
            const std::uint32_t height = d.tiled ? d.block_height_px : rows;
            const std::uint32_t columns = std::min(d.block_width_px, d.width_px - x);
            for (std::uint32_t y = 0; y < rows; ++y)
                std::copy_n(
                    raster_.begin() + static_cast<std::ptrdiff_t>(std::size_t{height - 1 - y} * d.block_width_px),
                    columns, band_.begin() + static_cast<std::ptrdiff_t>(std::size_t{y} * d.width_px + x));
        }
        loaded_ = true;
        return {};
    }

    Job job_;
    std::unique_ptr<TiffHandle> handle_;
    std::uint32_t row_;
    bool loaded_ = false;
    std::vector<std::uint32_t> band_, raster_;
    std::vector<std::byte> line_;
    std::span<const std::byte> view_;
};

class RowReader final : public RowByteReader {
  public:
    RowReader(RowFormat format, std::uint32_t rows, std::unique_ptr<RowSource> source)
        : format_(std::move(format)), source_(std::move(source)) {
        expect(format_.row_bytes_out(), rows);
    }

  private:
    Result<void> make_row(std::span<std::byte> row) override {
        auto planes = source_->next_row();
        if (!planes) return fail(std::move(planes.error()));
        convert_row(format_, *planes, row);
        return {};
    }
    RowFormat format_;
    std::unique_ptr<RowSource> source_;
};

class TiffRows final : public ByteSupply {
  public:
    TiffRows(Job job, std::shared_ptr<WorkCrew> crew, bool rgb)
        : job_(std::move(job)), crew_(std::move(crew)), rgb_(rgb) {}
    std::uint64_t length_bytes() const override { return std::uint64_t{job_.format.row_bytes_out()} * job_.rows; }
    Result<std::unique_ptr<ByteReader>> open() const override {
        const TiffDirectory& d = *job_.directory;
        const bool small_strips = job_.block_bytes(d.block_height_px) * job_.format.planes() <= max_strip_bytes;
        if (!rgb_ && d.tiled) return read_tiles(job_, crew_);
        if (!rgb_ && d.compression == tiff::none) return read_lots<PlainMaker>(job_, crew_, rows_of_small_lot(job_), 1);
        if (!rgb_ && small_strips) return read_strips(job_, crew_);
        auto source = rgb_ ? RgbRows::open(job_) : ScanlineRows::open(job_);
        if (!source) return fail(std::move(source.error()));
        return std::make_unique<RowReader>(job_.format, job_.rows, std::move(*source));
    }
    std::string description() const override { return "decoded rows of " + job_.file->name(); }

  private:
    Job job_;
    std::shared_ptr<WorkCrew> crew_;
    bool rgb_;
};

}  // namespace

std::shared_ptr<const ByteSupply> make_tiff_rows(std::shared_ptr<const MappedFile> file,
                                                 std::shared_ptr<const TiffDirectory> directory, RowFormat format,
                                                 std::uint32_t first_row, std::uint32_t rows, bool rgb,
                                                 std::shared_ptr<WorkCrew> crew) {
    if (rgb) {
        format.bits_in = format.bits_out = 8;
        format.samples_in = format.colours = 3;
        format.first_sample = 0;
        format.planes_apart = false;
    }
    return std::make_shared<TiffRows>(Job{std::move(file), std::move(directory), std::move(format), first_row, rows},
                                      std::move(crew), rgb);
}

}  // namespace opispool::opi

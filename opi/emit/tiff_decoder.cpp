// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/tiff_decoder.h"

#include <tiffio.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "opi/emit/tiff_handle.h"

namespace opispool::opi {

namespace {

// A row of tiles is held whole; more than this is refused.
constexpr std::uint64_t max_band_bytes = std::uint64_t{512} << 20U;

struct Job {
    std::shared_ptr<const MappedFile> file;
    std::shared_ptr<const TiffDirectory> directory;
    RowFormat format;
    std::uint32_t first_row = 0, rows = 0;
};

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

// Uncompressed strips: rows straight from the file, so that one huge strip needs no memory.
class PlainRows final : public RowSource {
  public:
    explicit PlainRows(Job job) : job_(std::move(job)), row_(job_.first_row), planes_(job_.format.planes()) {
        const std::size_t size = job_.format.row_bytes_in();
        buffers_.assign(planes_, std::vector<std::byte>(size));
        for (auto& buffer : buffers_) views_.emplace_back(buffer);
    }
    Result<std::span<const std::span<const std::byte>>> next_row() override {
        const TiffDirectory& d = *job_.directory;
        const std::uint64_t strip = row_ / d.block_height_px;
        for (std::size_t plane = 0; plane < planes_; ++plane) {
            const std::uint64_t first = (job_.format.first_plane() + plane) * d.blocks_per_plane();
            const TiffBlock& block = d.blocks[static_cast<std::size_t>(first + strip)];
            auto& buffer = buffers_[plane];
            const std::uint64_t at = block.offset_bytes + (row_ - strip * d.block_height_px) * buffer.size();
            auto got = job_.file->read_at(at, buffer);
            if (!got) return fail(std::move(got.error()));
            if (*got != buffer.size())
                return fail(Code::changed, Operation::decode, "the file has become shorter while it was being read",
                            job_.file->name(), at);
            if (d.fill_order == 2) reverse_bits(buffer);
            if (d.bits == 16 && d.big_endian != (std::endian::native == std::endian::big)) swap_bytes_16(buffer);
        }
        ++row_;
        return views_;
    }

  private:
    Job job_;
    std::uint64_t row_;
    std::size_t planes_;
    std::vector<std::vector<std::byte>> buffers_;
    std::vector<std::span<const std::byte>> views_;
};

// Compressed strips: libtiff's scanlines, one handle for each plane because a handle reads in one place at a time.
class ScanlineRows final : public RowSource {
  public:
    static Result<std::unique_ptr<RowSource>> open(Job job) {
        auto out = std::unique_ptr<ScanlineRows>(new ScanlineRows(std::move(job)));
        const Job& j = out->job_;
        for (std::size_t plane = 0; plane < j.format.planes(); ++plane) {
            auto handle = TiffHandle::open(j.file, j.directory->offset_bytes);
            if (!handle) return fail(std::move(handle.error()));
            if (j.directory->compression == tiff::jpeg)
                TIFFSetField((*handle)->get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
            const tmsize_t size = TIFFScanlineSize((*handle)->get());
            if (size < 0 || static_cast<std::size_t>(size) < j.format.row_bytes_in())
                return fail((*handle)->error("the rows of the image have no usable size"));
            out->buffers_.emplace_back(static_cast<std::size_t>(size));
            out->handles_.push_back(std::move(*handle));
        }
        for (auto& buffer : out->buffers_) out->views_.emplace_back(buffer);
        return out;
    }
    Result<std::span<const std::span<const std::byte>>> next_row() override {
        for (std::size_t plane = 0; plane < handles_.size(); ++plane) {
            const int state = TIFFReadScanline(handles_[plane]->get(), buffers_[plane].data(), row_,
                                               static_cast<std::uint16_t>(job_.format.first_plane() + plane));
            if (state < 0 || !handles_[plane]->complaint().empty())
                return fail(handles_[plane]->error(short_strip_text(*job_.directory, row_)));
        }
        ++row_;
        return views_;
    }

  private:
    explicit ScanlineRows(Job job) : job_(std::move(job)), row_(job_.first_row) {}
    Job job_;
    std::uint32_t row_;
    std::vector<std::unique_ptr<TiffHandle>> handles_;
    std::vector<std::vector<std::byte>> buffers_;
    std::vector<std::span<const std::byte>> views_;
};

// Tiles: a whole row of them is decoded, then cut into rows; what hangs over the right and lower edge is left out.
class TileRows final : public RowSource {
  public:
    static Result<std::unique_ptr<RowSource>> open(Job job) {
        auto handle = TiffHandle::open(job.file, job.directory->offset_bytes);
        if (!handle) return fail(std::move(handle.error()));
        if (job.directory->compression == tiff::jpeg)
            TIFFSetField((*handle)->get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        const TiffDirectory& d = *job.directory;
        const std::uint64_t band =
            d.row_bytes() * d.block_height_px * (std::uint64_t{d.blocks_across()} * job.format.planes() + 1);
        if (band > max_band_bytes)
            return fail(Code::too_large, Operation::decode, "the tiles of the image are too large; save it with strips",
                        job.file->name());
        const tmsize_t tile = TIFFTileSize((*handle)->get());
        if (tile <= 0 || static_cast<std::uint64_t>(tile) < d.row_bytes() * d.block_height_px)
            return fail((*handle)->error("the tiles of the image have no usable size"));
        return std::unique_ptr<RowSource>(
            new TileRows(std::move(job), std::move(*handle), static_cast<std::size_t>(tile)));
    }
    Result<std::span<const std::span<const std::byte>>> next_row() override {
        const TiffDirectory& d = *job_.directory;
        const std::uint32_t in_band = row_ % d.block_height_px;
        if (in_band == 0 || !loaded_)
            if (auto band = load_band(row_ / d.block_height_px); !band) return fail(std::move(band.error()));
        for (std::size_t plane = 0; plane < views_.size(); ++plane)
            views_[plane] =
                std::span<const std::byte>(bands_[plane]).subspan(std::size_t{in_band} * band_row_, band_row_);
        ++row_;
        return views_;
    }

  private:
    TileRows(Job job, std::unique_ptr<TiffHandle> handle, std::size_t tile_bytes)
        : job_(std::move(job)), handle_(std::move(handle)), row_(job_.first_row), tile_(tile_bytes) {
        const TiffDirectory& d = *job_.directory;
        band_row_ = static_cast<std::size_t>(d.row_bytes()) * d.blocks_across();
        bands_.assign(job_.format.planes(), std::vector<std::byte>(band_row_ * d.block_height_px));
        views_.resize(bands_.size());
    }
    Result<void> load_band(std::uint32_t band) {
        const TiffDirectory& d = *job_.directory;
        const auto tile_row = static_cast<std::size_t>(d.row_bytes());
        for (std::size_t plane = 0; plane < bands_.size(); ++plane)
            for (std::uint32_t across = 0; across < d.blocks_across(); ++across) {
                const auto number =
                    static_cast<std::uint32_t>((job_.format.first_plane() + plane) * d.blocks_per_plane() +
                                               std::uint64_t{band} * d.blocks_across() + across);
                const tmsize_t got =
                    TIFFReadEncodedTile(handle_->get(), number, tile_.data(), static_cast<tmsize_t>(tile_.size()));
                if (got < 0 || static_cast<std::size_t>(got) < tile_row * d.block_height_px ||
                    !handle_->complaint().empty())
                    return fail(handle_->error("tile " + std::to_string(number + 1) + " of " +
                                               std::to_string(d.blocks.size()) + " is truncated or damaged"));
                for (std::uint32_t y = 0; y < d.block_height_px; ++y)
                    std::memcpy(bands_[plane].data() + y * band_row_ + across * tile_row, tile_.data() + y * tile_row,
                                tile_row);
            }
        loaded_ = true;
        return {};
    }

    Job job_;
    std::unique_ptr<TiffHandle> handle_;
    std::uint32_t row_;
    bool loaded_ = false;
    std::size_t band_row_ = 0;
    std::vector<std::byte> tile_;
    std::vector<std::vector<std::byte>> bands_;
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
    TiffRows(Job job, bool rgb) : job_(std::move(job)), rgb_(rgb) {}
    std::uint64_t length_bytes() const override { return std::uint64_t{job_.format.row_bytes_out()} * job_.rows; }
    Result<std::unique_ptr<ByteReader>> open() const override {
        auto source = open_source();
        if (!source) return fail(std::move(source.error()));
        return std::make_unique<RowReader>(job_.format, job_.rows, std::move(*source));
    }
    std::string description() const override { return "decoded rows of " + job_.file->name(); }

  private:
    Result<std::unique_ptr<RowSource>> open_source() const {
        if (rgb_) return RgbRows::open(job_);
        if (job_.directory->tiled) return TileRows::open(job_);
        if (job_.directory->compression == tiff::none) return std::make_unique<PlainRows>(job_);
        return ScanlineRows::open(job_);
    }
    Job job_;
    bool rgb_;
};

}  // namespace

std::shared_ptr<const ByteSupply> make_tiff_rows(std::shared_ptr<const MappedFile> file,
                                                 std::shared_ptr<const TiffDirectory> directory, RowFormat format,
                                                 std::uint32_t first_row, std::uint32_t rows, bool rgb) {
    if (rgb) {
        format.bits_in = format.bits_out = 8;
        format.samples_in = format.colours = 3;
        format.first_sample = 0;
        format.planes_apart = false;
    }
    return std::make_shared<TiffRows>(Job{std::move(file), std::move(directory), std::move(format), first_row, rows},
                                      rgb);
}

}  // namespace opispool::opi

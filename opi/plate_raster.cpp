// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/plate_raster.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "opi/emit/jpeg_stream.h"
#include "opi/ps_machine.h"

namespace opispool::opi {

namespace {

constexpr double max_side_px = 1'000'000;

bool is_invertible(const Matrix& m) {
    const double det = m.determinant();
    return det != 0 && std::isfinite(1 / det);
}

bool is_whole(double value, double most) {
    return value >= 1 && value <= most && value == std::floor(value);
}

class PlateReader final : public PsMachine {
  public:
    PlateReader(ByteSource& source, const LocatedPlate& plate) : PsMachine(source), plate_(plate) {}

    std::optional<PlateRaster> raster;

  private:
    Result<void> on_image(const PsImage& image) override {
        if (raster) return cannot("a second picture");
        const bool depth = image.bits == 1 || image.bits == 2 || image.bits == 4 || image.bits == 8;
        const bool upside = image.decode[0] == 1 && image.decode[1] == 0;
        if (!is_whole(image.width, max_side_px) || !is_whole(image.height, max_side_px) || !depth ||
            (!upside && !(image.decode[0] == 0 && image.decode[1] == 1)))
            return cannot("image");
        if (!is_invertible(image.image_matrix)) return cannot("image");
        const Matrix samples_to_user = inverse(image.image_matrix);
        PlateRaster out;
        out.width_px = static_cast<std::uint32_t>(image.width);
        out.height_px = static_cast<std::uint32_t>(image.height);
        out.bits = static_cast<std::uint16_t>(image.bits);
        out.unit_to_eps = Matrix{image.width, 0, 0, -image.height, 0, image.height} * samples_to_user * matrix();
        auto rows = image.source.dct ? jpeg_rows(image, out) : plain_rows(image, out);
        if (!rows) return fail(std::move(rows.error()));
        out.rows = std::move(*rows);
        if (upside) {
            std::array<std::uint8_t, 256> table{};
            for (std::size_t v = 0; v < table.size(); ++v) table[v] = static_cast<std::uint8_t>(255 - v);
            out.rows = make_mapped_supply(std::move(out.rows), table);
        }
        raster = std::move(out);
        return {};
    }

    std::shared_ptr<const ByteSupply> data(const PsImage& image, std::uint64_t most) {
        const std::uint64_t begin = plate_.begin_bytes + tokens().position_bytes();
        std::uint64_t length = std::min(plate_.end_bytes - begin, most);
        if (image.source.length_bytes) length = std::min(length, *image.source.length_bytes);
        return make_file_supply(plate_.file, {{"", begin, length, ""}});
    }

    void move_behind(const PsImage& image, std::uint64_t taken) {
        const std::uint64_t begin = tokens().position_bytes();
        tokens().move_to(begin + image.source.length_bytes.value_or(taken));
    }

    Result<std::shared_ptr<const ByteSupply>> plain_rows(const PsImage& image, const PlateRaster& out) {
        const std::uint64_t total = (std::uint64_t{out.width_px} * out.bits + 7) / 8 * out.height_px;
        const std::vector<PsFilter>& filters = image.source.filters;
        const auto all = data(image, std::numeric_limits<std::uint64_t>::max());
        // Strings are filled whole; an encoding with an end mark is read up to it.
        std::optional<std::uint64_t> wanted = total;
        if (image.buffer_bytes) {
            const auto buffer = static_cast<std::uint64_t>(*image.buffer_bytes);
            wanted = (total + buffer - 1) / buffer * buffer;
        }
        if (!filters.empty() && filters.front() != PsFilter::hex_string) wanted.reset();
        auto count = count_filtered(*all, filters, wanted, plate_.file->name());
        if (!count) return fail(std::move(count.error()));
        if (count->decoded_bytes < total)
            return fail(Code::bad_image, Operation::decode,
                        "its picture ends after " + std::to_string(count->decoded_bytes) + " of " +
                            std::to_string(total) + " bytes; the file is damaged");
        const std::uint64_t begin = plate_.begin_bytes + tokens().position_bytes();
        move_behind(image, count->taken_bytes);
        if (filters.empty()) return make_file_supply(plate_.file, {{"", begin, total, ""}});
        return make_filtered_supply(all, filters, total, plate_.file->name());
    }

    Result<std::shared_ptr<const ByteSupply>> jpeg_rows(const PsImage& image, const PlateRaster& out) {
        const std::vector<PsFilter>& filters = image.source.filters;
        auto stream = data(image, std::numeric_limits<std::uint64_t>::max());
        std::optional<std::uint64_t> taken;
        if (!filters.empty()) {
            auto count = count_filtered(*stream, filters, std::nullopt, plate_.file->name());
            if (!count) return fail(std::move(count.error()));
            taken = count->taken_bytes;
            stream = make_filtered_supply(stream, filters, count->decoded_bytes, plate_.file->name());
        }
        auto header = read_jpeg_header(*stream, plate_.file->name());
        if (!header) return fail(std::move(header.error()));
        if (auto frame = check_jpeg_frame(*header, plate_.file->name()); !frame) return fail(std::move(frame.error()));
        if (header->components != 1 || header->width_px != out.width_px || header->height_px != out.height_px ||
            out.bits != 8)
            return fail(Code::bad_image, Operation::decode,
                        "its JPEG data is not of the size and depth of its picture");
        auto check = check_jpeg(*stream, plate_.file->name());
        if (!check) return fail(std::move(check.error()));
        move_behind(image, taken.value_or(check->end_bytes));
        return make_jpeg_rows(stream, *header, plate_.file->name());
    }

    const LocatedPlate& plate_;
};

}  // namespace

Result<PlateRaster> read_plate_raster(const LocatedPlate& plate) {
    FileByteSource source(plate.file, plate.begin_bytes, plate.end_bytes);
    PlateReader reader(source, plate);
    auto done = reader.run();
    if (auto read = source.status(); !read) return fail(std::move(read.error()));
    if (!done) return fail(std::move(done.error()));
    if (!reader.raster) return fail(Code::unsupported, Operation::parse, "draws no picture of pixels");
    return std::move(*reader.raster);
}

}  // namespace opispool::opi

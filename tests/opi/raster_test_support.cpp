// SPDX-License-Identifier: AGPL-3.0-or-later
#include "tests/opi/raster_test_support.h"

#include <gtest/gtest.h>
// jpeglib.h needs FILE.
#include <jpeglib.h>
#include <cstdio>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/text.h"

namespace opispool::opi::test {

TempDir::TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "opispool-raster-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
}

TempDir::~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::uint32_t sample(const TiffSpec& spec, std::uint32_t x, std::uint32_t y, std::uint32_t c) {
    const std::uint32_t mixed = (x / 2 * 7 + y / 3 * 13 + c * 29 + (x * y) / 16) % 64;
    switch (spec.bits) {
        case 1:
            return (mixed >> 2U) & 1U;
        case 2:
            return mixed & 3U;
        case 4:
            return mixed & 15U;
        case 16:
            return mixed * 1040;
        default:
            return mixed * 4;
    }
}

namespace {

void put(const TiffSpec& spec, std::vector<std::uint8_t>& row, std::size_t index, std::uint32_t value) {
    if (spec.bits == 16) {
        const auto narrow = static_cast<std::uint16_t>(value);
        std::memcpy(row.data() + index * 2, &narrow, 2);
    } else if (spec.bits == 8) {
        row[index] = static_cast<std::uint8_t>(value);
    } else {
        const std::size_t bit = index * spec.bits;
        row[bit / 8] = static_cast<std::uint8_t>(row[bit / 8] | value << (8U - spec.bits - bit % 8));
    }
}

// One row of one plane (or of all samples when they are interleaved), from column x0 on.
std::vector<std::uint8_t> row_of(const TiffSpec& spec, std::uint32_t x0, std::uint32_t width, std::uint32_t y,
                                 std::uint32_t plane) {
    const bool apart = spec.planar == PLANARCONFIG_SEPARATE;
    const std::uint32_t samples = apart ? 1 : spec.samples;
    std::vector<std::uint8_t> row((std::size_t{width} * samples * spec.bits + 7) / 8);
    for (std::uint32_t x = 0; x < width; ++x)
        for (std::uint32_t c = 0; c < samples; ++c)
            put(spec, row, std::size_t{x} * samples + c, sample(spec, x0 + x, y, apart ? plane : c));
    return row;
}

void write_strips(TIFF* tif, const TiffSpec& spec, std::uint32_t planes) {
    for (std::uint32_t plane = 0; plane < planes; ++plane)
        for (std::uint32_t y = 0; y < spec.height; ++y) {
            auto row = row_of(spec, 0, spec.width, y, plane);
            ASSERT_EQ(TIFFWriteScanline(tif, row.data(), y, static_cast<std::uint16_t>(plane)), 1);
        }
}

void write_tiles(TIFF* tif, const TiffSpec& spec, std::uint32_t planes) {
    for (std::uint32_t plane = 0; plane < planes; ++plane)
        for (std::uint32_t y0 = 0; y0 < spec.height; y0 += spec.tile)
            for (std::uint32_t x0 = 0; x0 < spec.width; x0 += spec.tile) {
                std::vector<std::uint8_t> tile;
                for (std::uint32_t y = 0; y < spec.tile; ++y) {
                    auto row = row_of(spec, x0, spec.tile, y0 + y, plane);
                    tile.insert(tile.end(), row.begin(), row.end());
                }
                ASSERT_GE(TIFFWriteTile(tif, tile.data(), x0, y0, 0, static_cast<std::uint16_t>(plane)), 0);
            }
}

}  // namespace

std::string write_tiff(const TempDir& dir, const TiffSpec& spec, const std::string& name) {
    const std::string path = dir.path(name);
    TIFF* tif = TIFFOpen(path.c_str(), spec.mode.c_str());
    EXPECT_NE(tif, nullptr);
    if (tif == nullptr) return path;
    TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, spec.width);
    TIFFSetField(tif, TIFFTAG_IMAGELENGTH, spec.height);
    TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, spec.bits);
    TIFFSetField(tif, TIFFTAG_SAMPLESPERPIXEL, spec.samples);
    TIFFSetField(tif, TIFFTAG_COMPRESSION, spec.compression);
    TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, spec.photometric);
    TIFFSetField(tif, TIFFTAG_PLANARCONFIG, spec.planar);
    TIFFSetField(tif, TIFFTAG_FILLORDER, spec.fill_order);
    TIFFSetField(tif, TIFFTAG_ORIENTATION, spec.orientation);
    if (spec.predictor != 1) TIFFSetField(tif, TIFFTAG_PREDICTOR, spec.predictor);
    if (!spec.extra_samples.empty())
        TIFFSetField(tif, TIFFTAG_EXTRASAMPLES, static_cast<std::uint16_t>(spec.extra_samples.size()),
                     spec.extra_samples.data());
    if (spec.tile != 0) {
        TIFFSetField(tif, TIFFTAG_TILEWIDTH, spec.tile);
        TIFFSetField(tif, TIFFTAG_TILELENGTH, spec.tile);
    } else {
        TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, spec.rows_per_strip);
    }
    if (spec.more) spec.more(tif);
    const std::uint32_t planes = spec.planar == PLANARCONFIG_SEPARATE ? spec.samples : 1;
    if (spec.tile != 0)
        write_tiles(tif, spec, planes);
    else
        write_strips(tif, spec, planes);
    TIFFClose(tif);
    return path;
}

std::string write_jpeg(const TempDir& dir, const JpegSpec& spec, const std::string& name) {
    const std::string path = dir.path(name);
    jpeg_compress_struct info{};
    jpeg_error_mgr errors{};
    info.err = jpeg_std_error(&errors);
    jpeg_create_compress(&info);
    std::FILE* out = std::fopen(path.c_str(), "wb");
    jpeg_stdio_dest(&info, out);
    info.image_width = spec.width;
    info.image_height = spec.height;
    info.input_components = spec.components;
    info.in_color_space = spec.components == 1 ? JCS_GRAYSCALE : spec.components == 3 ? JCS_RGB : JCS_CMYK;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, 95, TRUE);
    if (spec.progressive) jpeg_simple_progression(&info);
    if (spec.arithmetic) info.arith_code = TRUE;
    if (spec.components == 4) info.write_Adobe_marker = spec.adobe ? TRUE : FALSE;
    jpeg_start_compress(&info, TRUE);
    if (!spec.exif.empty())
        jpeg_write_marker(&info, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(spec.exif.data()),
                          static_cast<unsigned>(spec.exif.size()));
    std::vector<JSAMPLE> row(std::size_t{spec.width} * static_cast<std::size_t>(spec.components));
    for (std::uint32_t y = 0; y < spec.height; ++y) {
        for (std::size_t i = 0; i < row.size(); ++i)
            row[i] = static_cast<JSAMPLE>(40 + (i / static_cast<std::size_t>(spec.components)) * 3 + y * 2 +
                                          i % static_cast<std::size_t>(spec.components) * 20);
        JSAMPROW at = row.data();
        jpeg_write_scanlines(&info, &at, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    std::fclose(out);
    return path;
}

std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

void write_file(const std::string& path, const std::string& bytes) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out << bytes;
    ASSERT_TRUE(out.good());
}

std::shared_ptr<const MappedFile> map(const std::string& path) {
    auto file = MappedFile::open(path);
    if (!file) ADD_FAILURE() << describe(file.error());
    return file ? *file : nullptr;
}

std::uint64_t Emitted::passed_bytes() const {
    std::uint64_t total = 0;
    for (const Span& span : plan->spans())
        if (span.kind == SpanKind::file_range) total += span.length_bytes;
    return total;
}

Result<Emitted> emit(const std::string& path, EmitOptions options) {
    auto file = map(path);
    auto info = probe_image(file);
    if (!info) return fail(std::move(info.error()));
    if (options.orientation) info->orientation = *options.orientation;
    const double w = info->orientation >= 5 ? info->height_px : info->width_px;
    const double h = info->orientation >= 5 ? info->width_px : info->height_px;
    if (options.placement.full_to_user == Matrix{}) options.placement.full_to_user = {w, 0, 0, h, 0, 0};
    if (options.placement.visible.bottom == 0) options.placement.visible = {0, 0, 1, 1};
    PlanBuilder builder;
    Emitted out;
    auto done =
        emit_raster(builder, file, *info, options.placement, options.colour, options.profile, out.used, out.warnings);
    if (!done) return fail(std::move(done.error()));
    out.plan = builder.finish();
    if (auto checked = check_plan(*out.plan); !checked) return fail(std::move(checked.error()));
    if (!options.profile.prove_pictures) return out;  // a dry run is not sent
    out.bytes = bytes_of(*out.plan);
    // A plate without the picture's inks needs no data.
    if (out.generates() || out.passed_bytes() > 0) expect_exact_counts(out.bytes);
    return out;
}

std::string bytes_of(const SplicePlan& plan) {
    std::string out;
    for (const Span& span : plan.spans()) {
        std::string piece(static_cast<std::size_t>(span.length_bytes), '\0');
        if (span.kind == SpanKind::owned_text) {
            piece = plan.text_pool().substr(static_cast<std::size_t>(span.offset_bytes), piece.size());
        } else if (span.kind == SpanKind::file_range) {
            auto got = plan.sources()[span.index]->read_at(span.offset_bytes, std::as_writable_bytes(std::span(piece)));
            EXPECT_TRUE(got && *got == piece.size());
        } else {
            auto encoder = plan.generated()[span.index]->start();
            EXPECT_TRUE(encoder) << describe(encoder.error());
            // Odd, growing requests: the result must not depend on how it is asked for.
            std::size_t at = 0;
            for (std::size_t step = 1; encoder && at < piece.size(); step = step * 3 + 1) {
                const auto room =
                    std::as_writable_bytes(std::span(piece)).subspan(at, std::min(step, piece.size() - at));
                auto got = (*encoder)->produce(room);
                if (!got || *got != room.size()) {
                    ADD_FAILURE() << "the encoder stopped at " << at << " of " << piece.size();
                    return out;
                }
                at += *got;
            }
            std::array<std::byte, 8> beyond{};
            auto end = (*encoder)->produce(beyond);
            EXPECT_TRUE(end && *end == 0) << "the encoder has more bytes than it declared";
        }
        out += piece;
    }
    EXPECT_EQ(out.size(), plan.total_bytes());
    return out;
}

std::string refusal(const std::string& path, EmitOptions options) {
    auto result = emit(path, std::move(options));
    EXPECT_FALSE(result) << "the picture was accepted";
    return result ? "" : std::string(name_of(result.error().code)) + ": " + result.error().text;
}

void expect_exact_counts(const std::string& postscript) {
    const std::string mark = "%%BeginData: ";
    const std::size_t at = postscript.find(mark);
    ASSERT_NE(at, std::string::npos);
    const std::size_t line_end = postscript.find('\n', at);
    const std::size_t digits_end = postscript.find(' ', at + mark.size());
    auto count = parse_u64(std::string_view(postscript).substr(at + mark.size(), digits_end - at - mark.size()));
    ASSERT_TRUE(count);
    EXPECT_EQ(postscript.substr(line_end + 1 + static_cast<std::size_t>(*count), 10), "%%EndData\n");
}

}  // namespace opispool::opi::test

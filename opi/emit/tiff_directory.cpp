// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/tiff_directory.h"

#include <algorithm>
#include <limits>
#include <set>

#include "base/text.h"
#include "opi/emit/tiff_ifd.h"

namespace opispool::opi {

namespace {

constexpr std::uint32_t max_side_px = 300'000;
// No compression but the fax ones comes near this; a file that needs more can't hold its picture.
constexpr std::uint64_t max_compression_ratio = 4000;
constexpr std::size_t max_directories = 4096;

enum Tag : std::uint16_t {
    tag_subfile_type = 254,
    tag_old_subfile_type = 255,
    tag_width = 256,
    tag_height = 257,
    tag_bits = 258,
    tag_compression = 259,
    tag_photometric = 262,
    tag_fill_order = 266,
    tag_strip_offsets = 273,
    tag_orientation = 274,
    tag_samples = 277,
    tag_rows_per_strip = 278,
    tag_strip_counts = 279,
    tag_planar = 284,
    tag_t4_options = 292,
    tag_predictor = 317,
    tag_colour_map = 320,
    tag_tile_width = 322,
    tag_tile_height = 323,
    tag_tile_offsets = 324,
    tag_tile_counts = 325,
    tag_ink_set = 332,
    tag_ink_names = 333,
    tag_number_of_inks = 334,
    tag_dot_range = 336,
    tag_extra_samples = 338,
    tag_sample_format = 339,
    tag_jpeg_tables = 347,
    tag_opi_proxy = 351,
    tag_image_id = 32781,
};

tl::unexpected<Error> bad(const MappedFile& file, std::string text) {
    return fail(Code::bad_image, Operation::probe, std::move(text), file.name());
}

// Collects values of tags; the first error ends it.
class TagReader {
  public:
    explicit TagReader(const TiffIfd& ifd) : ifd_(ifd) {}

    template <typename T>
    void number(T& out, std::uint16_t tag, std::uint64_t fallback) {
        if (error_) return;
        auto value = ifd_.number(tag, fallback);
        if (!value)
            error_ = std::move(value.error());
        else
            out = static_cast<T>(std::min<std::uint64_t>(*value, std::numeric_limits<T>::max()));
    }
    void shorts(std::vector<std::uint16_t>& out, std::uint16_t tag) {
        if (error_) return;
        auto value = ifd_.shorts(tag);
        if (!value)
            error_ = std::move(value.error());
        else
            out = std::move(*value);
    }
    void bytes(std::string& out, std::uint16_t tag) {
        if (error_) return;
        auto value = ifd_.bytes(tag);
        if (!value)
            error_ = std::move(value.error());
        else
            out = std::move(*value);
    }
    std::optional<Error>& error() { return error_; }

  private:
    const TiffIfd& ifd_;
    std::optional<Error> error_;
};

// The first directory that is not marked as a reduced copy; the first of all if every one is.
Result<std::pair<TiffIfd, std::uint64_t>> find_picture(const MappedFile& file, const TiffIfd::Header& header) {
    std::set<std::uint64_t> seen;
    std::optional<std::pair<TiffIfd, std::uint64_t>> first;
    for (std::uint64_t at = header.first_ifd_bytes; at != 0 && seen.size() < max_directories;) {
        if (!seen.insert(at).second) break;
        auto ifd = TiffIfd::read(file, header, at);
        if (!ifd) return fail(std::move(ifd.error()));
        auto subfile = ifd->number(tag_subfile_type, 0);
        auto old_subfile = ifd->number(tag_old_subfile_type, 1);
        if (!subfile) return fail(std::move(subfile.error()));
        if (!old_subfile) return fail(std::move(old_subfile.error()));
        const std::uint64_t next = ifd->next_ifd_bytes();
        const bool reduced = (*subfile & 1U) != 0 || *old_subfile == 2;
        if (!reduced && ifd->has(tag_width)) return std::pair(std::move(*ifd), at);
        if (!first) first.emplace(std::move(*ifd), at);
        at = next;
    }
    if (!first) return bad(file, "the file holds no image directory");
    return std::move(*first);
}

Result<void> check_size(const MappedFile& file, const TiffDirectory& d) {
    if (d.width_px == 0 || d.height_px == 0) return bad(file, "the image has no width or no height");
    const std::string size = std::to_string(d.width_px) + " x " + std::to_string(d.height_px) + " pixels";
    if (d.width_px > max_side_px || d.height_px > max_side_px)
        return bad(file, "the image claims " + size + ", which is not believable");
    if (d.samples == 0 || d.samples > 64)
        return bad(file, "the image claims " + std::to_string(d.samples) + " samples for each pixel");
    if (d.bits == 0 || d.bits > 64)
        return bad(file, "the image claims " + std::to_string(d.bits) + " bits for each sample");
    if (d.tiled && d.block_width_px % 8 != 0)
        return fail(Code::unsupported, Operation::probe,
                    "the tiles are not a multiple of 8 pixels wide; save the image with strips", file.name());
    if (d.tiled && (d.block_width_px == 0 || d.block_height_px == 0 || d.block_width_px > max_side_px ||
                    d.block_height_px > max_side_px))
        return bad(file, "the size of the tiles is not believable");
    const bool fax = d.compression >= tiff::ccitt_1d && d.compression <= tiff::ccitt_g4;
    const std::uint64_t ratio =
        d.compression == tiff::none ? (d.photometric == tiff::ycbcr ? 8 : 1) : max_compression_ratio;
    const std::uint64_t row = (std::uint64_t{d.width_px} * d.bits * (d.planes_apart ? 1U : d.samples) + 7) / 8;
    const std::uint64_t needed = row * d.height_px * d.planes();
    if (!fax && needed / ratio > file.size())
        return bad(file, "the image claims " + size + " and so " + std::to_string(needed) +
                             " bytes of data, but the file has only " + std::to_string(file.size()) + " bytes");
    return {};
}

Result<void> read_depth(const MappedFile& file, const std::vector<std::uint16_t>& bits, TiffDirectory& d) {
    d.bits = bits.empty() ? std::uint16_t{1} : bits.front();
    for (std::size_t i = 1; i < bits.size() && i < d.samples; ++i)
        if (bits[i] != d.bits)
            return fail(Code::unsupported, Operation::probe,
                        "the samples of a pixel differ in depth; save the image with 8 bits for each channel",
                        file.name());
    return {};
}

// NUL-separated; blanks at the ends belong to no ink.
std::vector<std::string> split_names(std::string_view text) {
    std::vector<std::string> names;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\0'), text.size());
        if (const auto name = trim(text.substr(0, end)); !name.empty()) names.emplace_back(name);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return names;
}

void derive_photometric(const TiffIfd& ifd, TiffDirectory& d) {
    if (ifd.has(tag_photometric)) return;
    // A required tag, but old fax and scanner software forgets it.
    if (d.compression >= tiff::ccitt_1d && d.compression <= tiff::ccitt_g4)
        d.photometric = tiff::white_is_zero;
    else if (d.samples >= 3)
        d.photometric = tiff::rgb;
}

Result<void> check_table(const MappedFile& file, const TiffIfd& ifd, const TiffDirectory& d) {
    const std::uint16_t offsets = d.tiled ? tag_tile_offsets : tag_strip_offsets;
    const std::uint64_t expected = d.blocks_per_plane() * d.planes();
    const std::string what = d.tiled ? "tiles" : "strips";
    if (!ifd.has(offsets)) return bad(file, "the image has no " + what + ": the table of their offsets is missing");
    if (ifd.count(offsets) < expected)
        return bad(file, "the image has only " + std::to_string(ifd.count(offsets)) + " of the " +
                             std::to_string(expected) + " " + what + " that its size calls for");
    return {};
}

// A missing or zero byte count: an uncompressed strip is as long as its rows; any other reaches to what comes next in
// the file, because every decoder finds its own end.
void guess_lengths(const MappedFile& file, TiffDirectory& d) {
    std::vector<std::uint64_t> begins;
    for (const TiffBlock& block : d.blocks) begins.push_back(block.offset_bytes);
    std::sort(begins.begin(), begins.end());
    const std::uint64_t per_plane = d.blocks_per_plane();
    for (std::size_t i = 0; i < d.blocks.size(); ++i) {
        TiffBlock& block = d.blocks[i];
        if (block.length_bytes != 0) continue;
        const std::uint64_t needed = d.row_bytes() * (d.tiled ? d.block_height_px : d.rows_in_strip(i % per_plane));
        auto next = std::upper_bound(begins.begin(), begins.end(), block.offset_bytes);
        const std::uint64_t end = next == begins.end() ? file.size() : *next;
        const std::uint64_t room = end > block.offset_bytes ? end - block.offset_bytes : 0;
        block.length_bytes = d.compression == tiff::none && d.photometric != tiff::ycbcr ? needed : room;
    }
}

Result<void> check_blocks(const MappedFile& file, const TiffDirectory& d) {
    const std::string what = d.tiled ? "tile " : "strip ";
    for (std::size_t i = 0; i < d.blocks.size(); ++i) {
        const TiffBlock& block = d.blocks[i];
        const std::string name = what + std::to_string(i + 1) + " of " + std::to_string(d.blocks.size());
        if (block.offset_bytes >= file.size() || block.length_bytes > file.size() - block.offset_bytes)
            return fail(Code::bad_image, Operation::probe,
                        name + " lies beyond the end of the file; the file is truncated", file.name(),
                        block.offset_bytes);
        if (d.compression != tiff::none || d.photometric == tiff::ycbcr) continue;
        const std::uint64_t rows = d.tiled ? d.block_height_px : d.rows_in_strip(i % d.blocks_per_plane());
        if (block.length_bytes < d.row_bytes() * rows)
            return fail(Code::bad_image, Operation::probe,
                        name + " ends after " +
                            std::to_string(block.length_bytes / std::max<std::uint64_t>(1, d.row_bytes())) + " of " +
                            std::to_string(rows) + " rows; the file is truncated or damaged",
                        file.name(), block.offset_bytes);
    }
    return {};
}

Result<void> read_table(const MappedFile& file, const TiffIfd& ifd, TiffDirectory& d) {
    auto offsets = ifd.numbers(d.tiled ? tag_tile_offsets : tag_strip_offsets);
    if (!offsets) return fail(std::move(offsets.error()));
    auto counts = ifd.numbers(d.tiled ? tag_tile_counts : tag_strip_counts);
    if (!counts) return fail(std::move(counts.error()));
    const auto expected = static_cast<std::size_t>(d.blocks_per_plane() * d.planes());
    if (offsets->size() < expected) return bad(file, "the table of strip offsets is too short");
    d.blocks.resize(expected);
    for (std::size_t i = 0; i < expected; ++i) d.blocks[i] = {(*offsets)[i], i < counts->size() ? (*counts)[i] : 0};
    guess_lengths(file, d);
    return check_blocks(file, d);
}

Result<TiffDirectory> read_tags(const MappedFile& file, const TiffIfd& ifd, TiffDetail detail) {
    TiffDirectory d;
    TagReader tags(ifd);
    std::vector<std::uint16_t> bits, formats;
    std::uint16_t planar = 1;
    std::uint32_t rows_per_strip = 0;
    std::uint64_t proxy = 0;
    std::string ink_names;
    tags.number(d.width_px, tag_width, 0);
    tags.number(d.height_px, tag_height, 0);
    tags.number(d.samples, tag_samples, 1);
    tags.number(d.compression, tag_compression, tiff::none);
    tags.number(d.photometric, tag_photometric, tiff::black_is_zero);
    tags.number(d.fill_order, tag_fill_order, 1);
    tags.number(d.orientation, tag_orientation, 1);
    tags.number(planar, tag_planar, 1);
    tags.number(d.predictor, tag_predictor, 1);
    tags.number(d.ink_set, tag_ink_set, 1);
    tags.number(d.number_of_inks, tag_number_of_inks, 0);
    tags.number(d.t4_options, tag_t4_options, 0);
    tags.number(rows_per_strip, tag_rows_per_strip, UINT32_MAX);
    tags.number(d.block_width_px, tag_tile_width, 0);
    tags.number(d.block_height_px, tag_tile_height, 0);
    tags.number(proxy, tag_opi_proxy, 0);
    tags.shorts(bits, tag_bits);
    tags.shorts(formats, tag_sample_format);
    tags.shorts(d.extra_samples, tag_extra_samples);
    tags.bytes(ink_names, tag_ink_names);
    if (detail == TiffDetail::complete) {
        tags.shorts(d.colour_map, tag_colour_map);
        tags.shorts(d.dot_range, tag_dot_range);
        tags.bytes(d.jpeg_tables, tag_jpeg_tables);
    }
    if (tags.error()) return fail(std::move(*tags.error()));

    if (d.orientation < 1 || d.orientation > 8) d.orientation = 1;
    d.planes_apart = planar == 2 && d.samples > 1;
    d.is_layout = proxy == 1;
    d.ink_names = split_names(ink_names);
    // Whoever damaged it did no harm to the picture.
    if (auto id = d.is_layout ? ifd.bytes(tag_image_id) : Result<std::string>(std::string()); id)
        d.image_id = id->substr(0, id->find('\0'));
    d.sample_format = formats.empty() ? std::uint16_t{1} : formats.front();
    d.tiled = ifd.has(tag_tile_offsets) || (ifd.has(tag_tile_width) && !ifd.has(tag_strip_offsets));
    if (!d.tiled) {
        d.block_width_px = d.width_px;
        d.block_height_px = rows_per_strip == 0 ? d.height_px : std::min(rows_per_strip, d.height_px);
    }
    if (auto depth = read_depth(file, bits, d); !depth) return fail(std::move(depth.error()));
    derive_photometric(ifd, d);
    if (auto size = check_size(file, d); !size) return fail(std::move(size.error()));
    return d;
}

}  // namespace

std::uint32_t TiffDirectory::rows_in_strip(std::uint64_t strip) const {
    const std::uint64_t first = strip * block_height_px;
    return first >= height_px ? 0
                              : static_cast<std::uint32_t>(std::min<std::uint64_t>(block_height_px, height_px - first));
}

std::uint64_t TiffDirectory::row_bytes() const {
    return (std::uint64_t{block_width_px} * bits * (planes_apart ? 1U : samples) + 7) / 8;
}

std::string short_strip_text(const TiffDirectory& d, std::uint64_t row) {
    const std::uint64_t strip = row / d.block_height_px;
    return "strip " + std::to_string(strip + 1) + " of " + std::to_string(d.blocks_down()) + " ends after " +
           std::to_string(row - strip * d.block_height_px) + " of " + std::to_string(d.rows_in_strip(strip)) +
           " rows; the file is truncated or damaged";
}

Result<TiffDirectory> read_tiff_directory(const MappedFile& file, TiffDetail detail) {
    auto header = TiffIfd::read_header(file);
    if (!header) return fail(std::move(header.error()));
    auto picture = find_picture(file, *header);
    if (!picture) return fail(std::move(picture.error()));
    const TiffIfd& ifd = picture->first;
    auto d = read_tags(file, ifd, detail);
    if (!d) return d;
    d->offset_bytes = picture->second;
    d->big_endian = header->big_endian;
    // Old-style JPEG keeps its data where its own tags say, not always in strips.
    const bool own_layout =
        d->compression == tiff::old_jpeg && !ifd.has(tag_strip_offsets) && !ifd.has(tag_tile_offsets);
    if (own_layout) return d;
    if (auto table = check_table(file, ifd, *d); !table) return fail(std::move(table.error()));
    if (detail == TiffDetail::complete)
        if (auto table = read_table(file, ifd, *d); !table) return fail(std::move(table.error()));
    return d;
}

}  // namespace opispool::opi

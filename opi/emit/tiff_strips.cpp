// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/tiff_strips.h"

#include <algorithm>
#include <array>

#include "base/file_facts.h"
#include "opi/emit/jpeg_stream.h"
#include "opi/emit/strip_check.h"
#include "opi/emit/tiff_decoder.h"

namespace opispool::opi {

namespace {

using Passed = Result<std::optional<PassedStrips>>;

struct Picture {
    const std::shared_ptr<const MappedFile>& file;
    const std::shared_ptr<const TiffDirectory>& directory;
    const TiffModel& model;
    RowRange rows;
    bool prove;
    std::uint32_t first_strip() const { return rows.first / directory->block_height_px; }
    std::uint32_t end_strip() const {
        return (rows.first + rows.count + directory->block_height_px - 1) / directory->block_height_px;
    }
    const TiffBlock& block(std::uint32_t strip) const {
        return directory
            ->blocks[static_cast<std::size_t>(model.format.first_plane() * directory->blocks_per_plane() + strip)];
    }
};

bool layout_passes(const TiffDirectory& d, const TiffModel& model) {
    return !d.tiled && !model.as_rgb && model.format.takes_whole_plane() && d.bits <= 8 &&
           (d.fill_order == 1 || d.compression == tiff::jpeg);
}

Passed pass_plain(const Picture& p) {
    const TiffDirectory& d = *p.directory;
    PassedStrips out;
    out.rows = p.rows;
    const std::uint64_t row_bytes = d.row_bytes();
    for (std::uint32_t strip = p.first_strip(); strip < p.end_strip(); ++strip) {
        const std::uint32_t begin = strip * d.block_height_px;
        const std::uint32_t first = std::max(begin, p.rows.first);
        const std::uint32_t end = std::min(begin + d.rows_in_strip(strip), p.rows.first + p.rows.count);
        out.pieces.push_back(
            {"", p.block(strip).offset_bytes + (first - begin) * row_bytes, (end - first) * row_bytes, ""});
    }
    return out;
}

std::string predictor_dictionary(const TiffDirectory& d, const RowFormat& format) {
    return "<< /Predictor 2 /Columns " + std::to_string(d.width_px) + " /Colors " + std::to_string(format.colours) +
           " /BitsPerComponent 8 >> ";
}

// LZW, Deflate and PackBits: the decoded length of every strip must be exact, or the rows of the next one would be
// displaced.
Passed pass_counted(const Picture& p, PassedStrips out) {
    const TiffDirectory& d = *p.directory;
    for (std::uint32_t strip = p.first_strip(); strip < p.end_strip(); ++strip) {
        const TiffBlock& block = p.block(strip);
        if (!p.prove && d.compression != tiff::packbits) {
            if (d.compression == tiff::lzw) {
                auto old_style = is_old_style_lzw(*p.file, block.offset_bytes, block.length_bytes);
                if (!old_style) return fail(std::move(old_style.error()));
                if (*old_style) return std::nullopt;
            }
            out.pieces.push_back({"", block.offset_bytes, block.length_bytes, ""});
            continue;
        }
        const std::uint64_t needed = d.row_bytes() * d.rows_in_strip(strip);
        auto check = d.compression == tiff::lzw ? check_lzw(*p.file, block.offset_bytes, block.length_bytes, needed)
                     : d.compression == tiff::packbits
                         ? check_packbits(*p.file, block.offset_bytes, block.length_bytes, needed)
                         : check_deflate(*p.file, block.offset_bytes, block.length_bytes, needed);
        if (!check) return fail(std::move(check.error()));
        if (check->old_style_lzw) return std::nullopt;
        if (check->decoded_bytes < needed)
            return fail(
                Code::bad_image, Operation::decode,
                short_strip_text(d, std::uint64_t{strip} * d.block_height_px + check->decoded_bytes / d.row_bytes()),
                p.file->name(), block.offset_bytes);
        if (check->decoded_bytes > needed || !check->has_end_mark || check->has_no_op || check->damaged)
            return std::nullopt;
        out.pieces.push_back({"", block.offset_bytes, block.length_bytes, ""});
    }
    return out;
}

Passed pass_fax(const Picture& p) {
    const TiffDirectory& d = *p.directory;
    if (d.bits != 1 || p.model.format.colours != 1) return std::nullopt;
    const auto rows = make_tiff_rows(p.file, p.directory, p.model.format, p.rows.first, p.rows.count, false);
    if (p.prove)
        if (auto whole = verify_supply(*rows); !whole) return fail(std::move(whole.error()));
    PassedStrips out;
    out.rows = p.rows;
    const std::uint32_t last = p.end_strip() - 1;
    // BlackIs1 true gives the TIFF's own bits whatever the photometric interpretation (ref 6.2).
    out.filter = "<< /K -1 /Columns " + std::to_string(d.width_px) + " /Rows oLast {" +
                 std::to_string(d.rows_in_strip(last)) + "}{" + std::to_string(d.rows_in_strip(p.first_strip())) +
                 "} ifelse\n/EndOfBlock false /BlackIs1 true >> /CCITTFaxDecode filter";
    for (std::uint32_t strip = p.first_strip(); strip <= last; ++strip)
        out.pieces.push_back({"", p.block(strip).offset_bytes, p.block(strip).length_bytes, ""});
    return out;
}

// The tables without their SOI and EOI, to be put behind a strip's own SOI.
std::optional<std::string> tables_body(const std::string& tables) {
    if (tables.empty()) return std::string();
    if (tables.size() < 4 || !tables.starts_with("\xFF\xD8")) return std::nullopt;
    const bool ended = tables.ends_with("\xFF\xD9");
    return tables.substr(2, tables.size() - (ended ? 4 : 2));
}

bool frame_fits(const JpegHeader& header, const TiffDirectory& d, int components, std::uint32_t strip, bool last,
                int transform) {
    const std::uint32_t rows = d.rows_in_strip(strip);
    return header.frame <= 0xC1 && header.precision == 8 && header.components == components &&
           header.width_px == d.width_px &&
           // Rows too many at the very end are never asked for.
           (header.height_px == rows || (last && header.height_px > rows)) &&
           // An Adobe marker overrules ColorTransform, and libtiff ignores it: let libtiff decode a lying one.
           (!header.adobe_transform || components == 1 || *header.adobe_transform == transform);
}

Passed pass_jpeg(const Picture& p) {
    const TiffDirectory& d = *p.directory;
    const auto body = tables_body(d.jpeg_tables);
    if (!body || d.bits != 8) return std::nullopt;
    const int transform = d.photometric == tiff::ycbcr ? 1 : 0;
    PassedStrips out;
    out.rows = p.rows;
    out.filter = "<< /ColorTransform " + std::to_string(transform) + " >> /DCTDecode filter";
    for (std::uint32_t strip = p.first_strip(); strip < p.end_strip(); ++strip) {
        const TiffBlock& block = p.block(strip);
        const std::string name =
            p.file->name() + ", strip " + std::to_string(strip + 1) + " of " + std::to_string(d.blocks.size());
        std::array<std::byte, 2> head{};
        auto got = p.file->read_at(block.offset_bytes, head);
        if (!got) return fail(std::move(got.error()));
        if (head != std::array{std::byte{0xFF}, std::byte{0xD8}}) return std::nullopt;
        FilePiece piece{"", block.offset_bytes, block.length_bytes, ""};
        if (!body->empty()) piece = {"\xFF\xD8" + *body, block.offset_bytes + 2, block.length_bytes - 2, ""};
        const auto supply = make_file_supply(p.file, {piece});
        auto header = read_jpeg_header(*supply, name);
        if (!header) return fail(std::move(header.error()));
        if (!frame_fits(*header, d, p.model.format.colours, strip, strip + 1 == d.blocks_down(), transform))
            return std::nullopt;
        auto check = check_jpeg(*supply, name);
        if (!check) return fail(std::move(check.error()));
        if (!check->one_scan) return std::nullopt;
        piece.length_bytes = check->end_bytes - piece.prefix.size();
        if (!check->has_end_mark) piece.suffix = "\xFF\xD9";
        out.pieces.push_back(std::move(piece));
    }
    return out;
}

Passed pass(const Picture& p, int language_level) {
    const TiffDirectory& d = *p.directory;
    PassedStrips out;
    out.rows = p.rows;
    const bool predicted = d.predictor != 1;
    const bool predictor_passes = !predicted || (d.predictor == 2 && d.bits == 8 && language_level >= 3);
    switch (d.compression) {
        case tiff::none:
            return pass_plain(p);
        case tiff::ccitt_g4:
            return pass_fax(p);
        case tiff::jpeg:
            return pass_jpeg(p);
        case tiff::packbits:
            out.filter = "/RunLengthDecode filter";
            return pass_counted(p, std::move(out));
        case tiff::lzw:
            if (!predictor_passes) return std::nullopt;
            out.filter = (predicted ? predictor_dictionary(d, p.model.format) : std::string()) + "/LZWDecode filter";
            // Level 2 interpreters may ignore the Predictor key without a word.
            out.language_level = predicted ? 3 : 2;
            return pass_counted(p, std::move(out));
        case tiff::deflate:
        case tiff::old_deflate:
            if (!predictor_passes || language_level < 3) return std::nullopt;
            out.filter = (predicted ? predictor_dictionary(d, p.model.format) : std::string()) + "/FlateDecode filter";
            out.language_level = 3;
            return pass_counted(p, std::move(out));
        default:
            return std::nullopt;
    }
}

}  // namespace

Result<std::optional<PassedStrips>> pass_strips(const std::shared_ptr<const MappedFile>& file,
                                                const std::shared_ptr<const TiffDirectory>& directory,
                                                const TiffModel& model, RowRange rows, const OutputProfile& profile) {
    const TiffDirectory& d = *directory;
    if (!layout_passes(d, model)) return std::nullopt;
    const Picture p{file, directory, model, rows, profile.prove_pictures};
    const auto look = [&] { return pass(p, profile.language_level); };
    if (!profile.prove_pictures || d.compression == tiff::none) return look();
    const std::string what = "strips of rows " + std::to_string(rows.first) + "+" + std::to_string(rows.count) +
                             " of plane " + std::to_string(model.format.first_plane()) + " in IFD " +
                             std::to_string(d.offset_bytes) + ", level " + std::to_string(profile.language_level);
    return remembered<std::optional<PassedStrips>>(
        profile.proofs.get(), file->identity(), what, look, [](const auto& strips) {
            std::size_t bytes = 0;
            if (strips)
                for (const FilePiece& piece : strips->pieces)
                    bytes += sizeof piece + piece.prefix.size() + piece.suffix.size();
            return bytes;
        });
}

}  // namespace opispool::opi

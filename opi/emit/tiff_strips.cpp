// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/tiff_strips.h"

#include <algorithm>
#include <array>

#include "base/file_facts.h"
#include "base/ordered_work.h"
#include "opi/emit/jpeg_stream.h"
#include "opi/emit/strip_check.h"
#include "opi/emit/tiff_decoder.h"

namespace opispool::opi {

namespace {

using Passed = Result<std::optional<PassedStrips>>;
using Crew = std::shared_ptr<WorkCrew>;

struct Picture {
    std::shared_ptr<const MappedFile> file;
    std::shared_ptr<const TiffDirectory> directory;
    TiffModel model;
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

// Looks at every strip, many at once where there is a crew, and takes the answers in the order of the strips.
//   look  Result<Answer>(picture, strip), on any thread      take  Result<bool>(strip, answer): false, no more are
//   wanted returns  false when take said so
template <typename Answer, typename Look, typename Take>
Result<bool> each_strip(const Picture& picture, const Crew& crew, Look look, Take take) {
    // Small strips are looked at in bundles: handing over work costs more than a short look.
    constexpr std::uint64_t bundle_bytes = std::uint64_t{256} << 10U;
    struct Looker final : PartMaker {
        Looker(const Picture& p, Look l, std::shared_ptr<std::vector<Answer>> a, std::uint32_t s)
            : picture(p), look(l), answers(std::move(a)), bundle(s) {}
        Result<void> make(std::uint64_t lot_number, std::uint32_t, std::span<std::byte>) override {
            const std::uint64_t begin = picture.first_strip() + lot_number * bundle;
            const std::uint64_t end = std::min<std::uint64_t>(begin + bundle, picture.end_strip());
            for (std::uint64_t strip = begin; strip < end; ++strip) {
                auto answer = look(picture, static_cast<std::uint32_t>(strip));
                if (!answer) return fail(std::move(answer.error()));
                (*answers)[static_cast<std::size_t>(strip - picture.first_strip())] = std::move(*answer);
            }
            return {};
        }
        const Picture picture;
        Look look;
        std::shared_ptr<std::vector<Answer>> answers;
        std::uint32_t bundle;
    };
    const std::uint64_t strip_bytes = picture.directory->row_bytes() * picture.directory->block_height_px;
    const auto bundle = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, bundle_bytes / strip_bytes));
    const std::uint32_t strips = picture.end_strip() - picture.first_strip();
    const auto answers = std::make_shared<std::vector<Answer>>(strips);
    OrderedWork work(crew, {(std::uint64_t{strips} + bundle - 1) / bundle, 1, 0},
                     [&] { return std::make_unique<Looker>(picture, look, answers, bundle); });
    for (std::uint32_t i = 0; i < strips; ++i) {
        if (i % bundle == 0)
            if (auto bundled = work.next(); !bundled) return fail(std::move(bundled.error()));
        Result<bool> go_on = take(picture.first_strip() + i, (*answers)[i]);
        if (!go_on || !*go_on) return go_on;
    }
    return true;
}

Result<StripCheck> count_strip(const Picture& p, std::uint32_t strip) {
    const TiffDirectory& d = *p.directory;
    const TiffBlock& block = p.block(strip);
    const std::uint64_t needed = d.row_bytes() * d.rows_in_strip(strip);
    if (d.compression == tiff::packbits) return check_packbits(*p.file, block.offset_bytes, block.length_bytes, needed);
    if (p.prove)
        return (d.compression == tiff::lzw ? check_lzw : check_deflate)(*p.file, block.offset_bytes, block.length_bytes,
                                                                        needed);
    StripCheck believed;
    believed.decoded_bytes = needed;
    believed.has_end_mark = true;
    if (d.compression != tiff::lzw) return believed;
    const auto old_style = is_old_style_lzw(*p.file, block.offset_bytes, block.length_bytes);
    if (!old_style) return fail(old_style.error());
    believed.old_style_lzw = *old_style;
    return believed;
}

// LZW, Deflate and PackBits: the decoded length of every strip must be exact, or the rows of the next one would be
// displaced.
Passed pass_counted(const Picture& p, const Crew& crew, PassedStrips out) {
    const auto take = [&](std::uint32_t strip, const StripCheck& check) -> Result<bool> {
        const TiffDirectory& d = *p.directory;
        const TiffBlock& block = p.block(strip);
        const std::uint64_t needed = d.row_bytes() * d.rows_in_strip(strip);
        if (check.old_style_lzw) return false;
        if (check.decoded_bytes < needed)
            return fail(
                Code::bad_image, Operation::decode,
                short_strip_text(d, std::uint64_t{strip} * d.block_height_px + check.decoded_bytes / d.row_bytes()),
                p.file->name(), block.offset_bytes);
        if (check.decoded_bytes > needed || !check.has_end_mark || check.has_no_op || check.damaged) return false;
        out.pieces.push_back({"", block.offset_bytes, block.length_bytes, ""});
        return true;
    };
    const auto all = each_strip<StripCheck>(p, crew, count_strip, take);
    if (!all) return fail(all.error());
    return *all ? Passed(std::move(out)) : Passed(std::nullopt);
}

Passed pass_fax(const Picture& p, const Crew& crew) {
    const TiffDirectory& d = *p.directory;
    if (d.bits != 1 || p.model.format.colours != 1) return std::nullopt;
    const auto rows = make_tiff_rows(p.file, p.directory, p.model.format, p.rows.first, p.rows.count, false, crew);
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

int jpeg_transform(const TiffDirectory& d) {
    return d.photometric == tiff::ycbcr ? 1 : 0;
}

// The strip as a JPEG of its own, with the tables that all strips share; nothing when it can't pass.
Result<std::optional<FilePiece>> jpeg_piece(const Picture& p, std::uint32_t strip, const std::string& tables) {
    const TiffDirectory& d = *p.directory;
    const TiffBlock& block = p.block(strip);
    const std::string name =
        p.file->name() + ", strip " + std::to_string(strip + 1) + " of " + std::to_string(d.blocks.size());
    std::array<std::byte, 2> head{};
    auto got = p.file->read_at(block.offset_bytes, head);
    if (!got) return fail(std::move(got.error()));
    if (head != std::array{std::byte{0xFF}, std::byte{0xD8}}) return std::nullopt;
    FilePiece piece{"", block.offset_bytes, block.length_bytes, ""};
    if (!tables.empty()) piece = {"\xFF\xD8" + tables, block.offset_bytes + 2, block.length_bytes - 2, ""};
    const auto supply = make_file_supply(p.file, {piece});
    auto header = read_jpeg_header(*supply, name);
    if (!header) return fail(std::move(header.error()));
    if (!frame_fits(*header, d, p.model.format.colours, strip, strip + 1 == d.blocks_down(), jpeg_transform(d)))
        return std::nullopt;
    auto check = check_jpeg(*supply, name);
    if (!check) return fail(std::move(check.error()));
    if (!check->one_scan) return std::nullopt;
    piece.length_bytes = check->end_bytes - piece.prefix.size();
    if (!check->has_end_mark) piece.suffix = "\xFF\xD9";
    return piece;
}

Passed pass_jpeg(const Picture& p, const Crew& crew) {
    const auto tables = tables_body(p.directory->jpeg_tables);
    if (!tables || p.directory->bits != 8) return std::nullopt;
    PassedStrips out;
    out.rows = p.rows;
    out.filter = "<< /ColorTransform " + std::to_string(jpeg_transform(*p.directory)) + " >> /DCTDecode filter";
    const auto look = [tables = *tables](const Picture& picture, std::uint32_t strip) {
        return jpeg_piece(picture, strip, tables);
    };
    const auto take = [&out](std::uint32_t, std::optional<FilePiece>& piece) -> Result<bool> {
        if (!piece) return false;
        out.pieces.push_back(std::move(*piece));
        return true;
    };
    const auto all = each_strip<std::optional<FilePiece>>(p, crew, look, take);
    if (!all) return fail(all.error());
    return *all ? Passed(std::move(out)) : Passed(std::nullopt);
}

Passed pass(const Picture& p, const Crew& crew, int language_level) {
    const TiffDirectory& d = *p.directory;
    PassedStrips out;
    out.rows = p.rows;
    const bool predicted = d.predictor != 1;
    const bool predictor_passes = !predicted || (d.predictor == 2 && d.bits == 8 && language_level >= 3);
    switch (d.compression) {
        case tiff::none:
            return pass_plain(p);
        case tiff::ccitt_g4:
            return pass_fax(p, crew);
        case tiff::jpeg:
            return pass_jpeg(p, crew);
        case tiff::packbits:
            out.filter = "/RunLengthDecode filter";
            return pass_counted(p, crew, std::move(out));
        case tiff::lzw:
            if (!predictor_passes) return std::nullopt;
            out.filter = (predicted ? predictor_dictionary(d, p.model.format) : std::string()) + "/LZWDecode filter";
            // Level 2 interpreters may ignore the Predictor key without a word.
            out.language_level = predicted ? 3 : 2;
            return pass_counted(p, crew, std::move(out));
        case tiff::deflate:
        case tiff::old_deflate:
            if (!predictor_passes || language_level < 3) return std::nullopt;
            out.filter = (predicted ? predictor_dictionary(d, p.model.format) : std::string()) + "/FlateDecode filter";
            out.language_level = 3;
            return pass_counted(p, crew, std::move(out));
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
    const auto look = [&] { return pass(p, profile.crew, profile.language_level); };
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

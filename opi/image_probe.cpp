// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/image_probe.h"

#include <string_view>
#include <vector>

#include "opi/emit/jpeg_stream.h"
#include "opi/emit/tiff_directory.h"
#include "opi/emit/tiff_model.h"
#include "opi/eps_probe.h"

namespace opispool::opi {

namespace {

// PostScript may have a little rubbish before its first line (a mail header, a UEL).
constexpr std::size_t head_bytes = 1024;

std::string colour_of(const TiffDirectory& directory) {
    switch (directory.photometric) {
        case tiff::white_is_zero:
        case tiff::black_is_zero:
            return directory.bits == 1 ? "bilevel" : "gray";
        case tiff::palette:
            return "indexed";
        case tiff::separated:
            return directory.ink_set == 1 ? "CMYK" : "inks";
        case tiff::rgb:
        case tiff::ycbcr:
            return "RGB";
        default:
            return "Lab";
    }
}

Result<ImageInfo> probe_tiff(const MappedFile& file) {
    auto directory = read_tiff_directory(file, TiffDetail::header);
    if (!directory) return fail(std::move(directory.error()));
    Warnings ignored;  // they are given when the picture is placed
    if (auto model = classify_tiff(file, *directory, ignored); !model) return fail(std::move(model.error()));
    ImageInfo info;
    info.kind = ImageKind::tiff;
    info.width_px = directory->width_px;
    info.height_px = directory->height_px;
    info.orientation = directory->orientation;
    info.is_layout = directory->is_layout;
    info.image_id = directory->image_id;
    info.colour = colour_of(*directory);
    return info;
}

Result<ImageInfo> probe_jpeg(const std::shared_ptr<const MappedFile>& file) {
    const auto whole = make_file_supply(file, {{"", 0, file->size(), ""}});
    auto header = read_jpeg_header(*whole, file->name());
    if (!header) return fail(std::move(header.error()));
    if (auto frame = check_jpeg_frame(*header, file->name()); !frame) return fail(std::move(frame.error()));
    ImageInfo info;
    info.kind = ImageKind::jpeg;
    info.width_px = header->width_px;
    info.height_px = header->height_px;
    info.orientation = header->orientation;
    info.colour = header->components == 1 ? "gray" : header->components == 3 ? "RGB" : "CMYK";
    return info;
}

bool is_tiff(std::string_view head) {
    return head.starts_with(std::string_view("II\x2A\0", 4)) || head.starts_with(std::string_view("MM\0\x2A", 4)) ||
           head.starts_with(std::string_view("II\x2B\0", 4)) || head.starts_with(std::string_view("MM\0\x2B", 4));
}

// What the operator probably put into the store, for files that are none of ours.
std::string other_kind(std::string_view head) {
    if (head.empty()) return "the file is empty";
    if (head.starts_with("%PDF")) return "this is a PDF file; save the picture as TIFF, EPS or JPEG";
    if (head.starts_with("\x89PNG")) return "this is a PNG file; save the picture as TIFF, EPS or JPEG";
    if (head.starts_with("8BPS")) return "this is a Photoshop file; save the picture as TIFF, EPS or JPEG";
    if (head.starts_with("GIF8")) return "this is a GIF file; save the picture as TIFF, EPS or JPEG";
    return "the file is not a TIFF, JPEG or EPS picture";
}

}  // namespace

Result<ImageInfo> probe_image(const std::shared_ptr<const MappedFile>& file) {
    auto fork = find_data_fork(*file);
    if (!fork) return fail(std::move(fork.error()));
    std::string head(head_bytes, '\0');
    auto got = file->read_at(fork->begin, std::as_writable_bytes(std::span(head)));
    if (!got) return fail(std::move(got.error()));
    head.resize(*got);
    const bool jpeg = head.starts_with("\xFF\xD8\xFF");
    if (fork->begin > 0 && (jpeg || is_tiff(head)))
        return fail(Code::unsupported, Operation::probe,
                    "the picture is wrapped in MacBinary or AppleSingle; unpack it on a Macintosh", file->name(), 0);
    if (jpeg) return probe_jpeg(file);
    if (is_tiff(head)) return probe_tiff(*file);
    if (head.starts_with("\xC5\xD0\xD3\xC6") || head.find("%!") != std::string::npos) return probe_eps(file);
    return fail(head.starts_with("%PDF") ? Code::unsupported : Code::bad_image, Operation::probe, other_kind(head),
                file->name());
}

}  // namespace opispool::opi

// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/eps_probe.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "base/text.h"
#include "opi/byte_source.h"
#include "opi/dsc_scanner.h"

namespace opispool::opi {

namespace {

constexpr std::string_view dos_magic = "\xC5\xD0\xD3\xC6";
constexpr std::size_t search_bytes = 1024;

Result<std::string> read_text(const MappedFile& file, std::uint64_t offset, std::size_t length) {
    std::string text(length, '\0');
    auto got = file.read_at(offset, std::as_writable_bytes(std::span(text.data(), text.size())));
    if (!got) return fail(std::move(got.error()));
    text.resize(*got);
    return text;
}

std::uint64_t little_endian_32(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 4; i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[i]);
    return value;
}

struct Section {
    std::uint64_t begin = 0, end = 0;
};

Result<Section> find_section(const MappedFile& file) {
    auto start = read_text(file, 0, search_bytes);
    if (!start) return fail(std::move(start.error()));
    Section section{0, file.size()};
    if (start->starts_with(dos_magic)) {
        if (start->size() < 30)
            return fail(Code::bad_image, Operation::probe, "the DOS EPS header is cut off", file.name(), 0);
        section.begin = little_endian_32(std::string_view(*start).substr(4));
        section.end =
            std::min<std::uint64_t>(file.size(), section.begin + little_endian_32(std::string_view(*start).substr(8)));
        if (section.begin >= section.end)
            return fail(Code::bad_image, Operation::probe, "the DOS EPS header points beyond the end of the file",
                        file.name(), 4);
        start = read_text(file, section.begin, search_bytes);
        if (!start) return fail(std::move(start.error()));
    }
    const auto magic = start->find("%!");
    if (magic == std::string::npos)
        return fail(Code::bad_image, Operation::probe, "no PostScript (%!) at the start of the file", file.name(),
                    section.begin);
    section.begin += magic;
    const std::uint64_t tail = std::min<std::uint64_t>(section.end - section.begin, 4096);
    auto last = read_text(file, section.end - tail, static_cast<std::size_t>(tail));
    if (!last) return fail(std::move(last.error()));
    // NULs pad Macintosh and DOS files; ^D and ^Z end a transfer and would end the job.
    const auto keep = last->find_last_not_of(std::string_view("\0\x04\x1A", 3));
    if (keep != std::string::npos) section.end -= last->size() - keep - 1;
    return section;
}

std::optional<BoundingBox> parse_box(std::string_view value) {
    const auto fields = split_blank(trim(value));
    if (fields.size() < 4) return std::nullopt;
    std::array<double, 4> v{};
    for (std::size_t i = 0; i < 4; ++i) {
        const auto number = parse_real(fields[i]);
        if (!number) return std::nullopt;
        v[i] = *number;
    }
    if (!(v[0] < v[2]) || !(v[1] < v[3])) return std::nullopt;
    return BoundingBox{v[0], v[1], v[2], v[3]};
}

// Boxes as the comments give them: the first in the header wins, the last in the trailer where the header says (atend).
struct Boxes {
    std::optional<BoundingBox> plain, high_resolution, exact;
    bool at_end = false;

    void take(std::string_view text, bool trailer) {
        std::optional<BoundingBox>* into = has_keyword(text, "%%BoundingBox")        ? &plain
                                           : has_keyword(text, "%%HiResBoundingBox") ? &high_resolution
                                           : has_keyword(text, "%%ExactBoundingBox") ? &exact
                                                                                     : nullptr;
        if (into == nullptr) return;
        const std::string_view value = trim(value_of(text));
        if (equals_ignoring_case(value, "(atend)")) {
            at_end = true;
        } else if (auto box = parse_box(value); box && (!*into || trailer)) {
            *into = box;
        }
    }

    std::optional<BoundingBox> best() const {
        for (const auto& finer : {high_resolution, exact}) {
            if (!finer) continue;
            if (!plain) return finer;
            const bool agrees = finer->llx >= plain->llx - 1 && finer->lly >= plain->lly - 1 &&
                                finer->urx <= plain->urx + 1 && finer->ury <= plain->ury + 1;
            if (agrees) return finer;
        }
        return plain;
    }
};

struct Header {
    Boxes boxes;
    bool dcs = false;
};

Header read_header(ByteSource& source) {
    Header header;
    DscScanner scanner(source);
    int depth = 0;
    bool in_header = true;
    bool in_trailer = false;
    while (auto line = scanner.next()) {
        const std::string_view text = line->text;
        if (has_keyword(text, "%%BeginDocument")) ++depth;
        if (has_keyword(text, "%%EndDocument")) depth -= depth > 0;
        if (depth > 0) continue;
        if (has_keyword(text, "%%Trailer")) in_trailer = true;
        header.boxes.take(text, in_trailer);
        for (const char* plate : {"%%CyanPlate", "%%MagentaPlate", "%%YellowPlate", "%%BlackPlate", "%%PlateFile"})
            header.dcs = header.dcs || has_keyword(text, plate);
        if (has_keyword(text, "%%EndComments") || text.starts_with("%%Begin") || text.starts_with("%%Page:"))
            in_header = false;
        if (!in_header && header.boxes.plain && !header.boxes.at_end) break;
    }
    return header;
}

}  // namespace

Result<ImageInfo> probe_eps(const std::shared_ptr<const MappedFile>& file) {
    auto section = find_section(*file);
    if (!section) return fail(std::move(section.error()));
    FileByteSource source(file, section->begin, section->end);
    const Header header = read_header(source);
    if (auto read = source.status(); !read) return fail(std::move(read.error()));
    if (header.dcs)
        return fail(Code::unsupported, Operation::probe,
                    "is a DCS (separated EPS); place its composite EPS instead, plates are not recombined",
                    file->name());
    ImageInfo info;
    info.kind = ImageKind::eps;
    info.eps_begin_bytes = section->begin;
    info.eps_end_bytes = section->end;
    info.bounding_box = header.boxes.best();
    if (!info.bounding_box)
        return fail(Code::bad_image, Operation::probe,
                    "the EPS has no usable %%BoundingBox, so its size is unknown; save it again as EPS", file->name());
    return info;
}

}  // namespace opispool::opi

// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/eps_probe.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "base/text.h"
#include "opi/byte_source.h"
#include "opi/dcs_file.h"
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

std::uint64_t big_endian_32(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8U | static_cast<unsigned char>(bytes[i]);
    return value;
}

// MacBinary I to III: 128 bytes, then the data fork, then the resource fork. The zeros stand at fixed places.
std::optional<EpsSection> mac_binary_fork(std::string_view head, std::uint64_t file_bytes) {
    if (head.size() < 128 || head[0] != 0 || head[74] != 0 || head[82] != 0) return std::nullopt;
    const auto name_length = static_cast<unsigned char>(head[1]);
    if (name_length < 1 || name_length > 63) return std::nullopt;
    const std::uint64_t data = big_endian_32(head.substr(83));
    const std::uint64_t second_header =
        std::uint64_t{static_cast<unsigned char>(head[120])} << 8U | static_cast<unsigned char>(head[121]);
    const std::uint64_t begin = 128 + (second_header + 127) / 128 * 128;
    if (data == 0 || begin + data > file_bytes) return std::nullopt;
    return EpsSection{begin, begin + data};
}

// AppleSingle and AppleDouble: 26 bytes, then a table of entries (id, offset, length); id 1 is the data fork.
Result<EpsSection> apple_single_fork(const MappedFile& file, std::string_view head) {
    const std::size_t entries = head.size() < 26 ? 0
                                                 : std::size_t{static_cast<unsigned char>(head[24])} << 8U |
                                                       static_cast<unsigned char>(head[25]);
    for (std::size_t i = 0; i < entries && 26 + (i + 1) * 12 <= head.size(); ++i) {
        const std::string_view entry = head.substr(26 + i * 12, 12);
        if (big_endian_32(entry) != 1) continue;
        const EpsSection fork{big_endian_32(entry.substr(4)),
                              big_endian_32(entry.substr(4)) + big_endian_32(entry.substr(8))};
        if (fork.begin < fork.end && fork.end <= file.size()) return fork;
    }
    return fail(Code::bad_image, Operation::probe,
                "this is the AppleDouble half of a file, without its data; put the picture itself into the store",
                file.name(), 0);
}

bool is_apple_single(std::string_view head) {
    return head.starts_with(std::string_view("\0\x05\x16\0", 4)) ||
           head.starts_with(std::string_view("\0\x05\x16\x07", 4));
}

}  // namespace

Result<EpsSection> find_data_fork(const MappedFile& file) {
    auto head = read_text(file, 0, search_bytes);
    if (!head) return fail(std::move(head.error()));
    if (is_apple_single(*head)) return apple_single_fork(file, *head);
    return mac_binary_fork(*head, file.size()).value_or(EpsSection{0, file.size()});
}

Result<EpsSection> trim_eps_section(const MappedFile& file, EpsSection section) {
    const std::uint64_t tail = std::min<std::uint64_t>(section.end - section.begin, 4096);
    auto last = read_text(file, section.end - tail, static_cast<std::size_t>(tail));
    if (!last) return fail(std::move(last.error()));
    // NULs pad Macintosh and DOS files; ^D and ^Z end a transfer and would end the job.
    const auto keep = last->find_last_not_of(std::string_view("\0\x04\x1A", 3));
    if (keep != std::string::npos) section.end -= last->size() - keep - 1;
    return section;
}

Result<EpsSection> find_eps_section(const MappedFile& file) {
    auto fork = find_data_fork(file);
    if (!fork) return fail(std::move(fork.error()));
    EpsSection section = *fork;
    auto start = read_text(file, section.begin, search_bytes);
    if (!start) return fail(std::move(start.error()));
    if (start->starts_with(dos_magic)) {
        if (start->size() < 30)
            return fail(Code::bad_image, Operation::probe, "the DOS EPS header is cut off", file.name(), section.begin);
        section.begin = fork->begin + little_endian_32(std::string_view(*start).substr(4));
        section.end =
            std::min<std::uint64_t>(fork->end, section.begin + little_endian_32(std::string_view(*start).substr(8)));
        if (section.begin >= section.end)
            return fail(Code::bad_image, Operation::probe, "the DOS EPS header points beyond the end of the file",
                        file.name(), fork->begin + 4);
        start = read_text(file, section.begin, search_bytes);
        if (!start) return fail(std::move(start.error()));
    }
    const auto magic = start->find("%!");
    if (magic == std::string::npos || section.begin + magic >= section.end)
        return fail(Code::bad_image, Operation::probe, "no PostScript (%!) at the start of the file", file.name(),
                    section.begin);
    section.begin += magic;
    return trim_eps_section(file, section);
}

namespace {

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
    DcsReader dcs;
};

Header read_header(ByteSource& source) {
    Header header;
    DscScanner scanner(source);
    int depth = 0;
    bool in_header = true;
    bool in_trailer = false;
    while (auto line = scanner.next()) {
        const std::string_view text = line->text;
        // Behind the main document of a DCS its plates follow, with boxes of their own.
        if (header.dcs.is_dcs() && line->begin_bytes > 0 && text.starts_with("%!PS-Adobe")) break;
        if (has_keyword(text, "%%BeginDocument")) ++depth;
        if (has_keyword(text, "%%EndDocument")) depth -= depth > 0;
        if (depth > 0) continue;
        if (has_keyword(text, "%%Trailer")) in_trailer = true;
        header.boxes.take(text, in_trailer);
        if (has_keyword(text, "%%EndComments") || text.starts_with("%%Begin") || text.starts_with("%%Page:"))
            in_header = false;
        if (in_header || in_trailer) header.dcs.take(text);
        if (!in_header && header.boxes.plain && !header.boxes.at_end) break;
    }
    return header;
}

}  // namespace

Result<ImageInfo> probe_eps(const std::shared_ptr<const MappedFile>& file) {
    auto section = find_eps_section(*file);
    if (!section) return fail(std::move(section.error()));
    FileByteSource source(file, section->begin, section->end);
    const Header header = read_header(source);
    if (auto read = source.status(); !read) return fail(std::move(read.error()));
    ImageInfo info;
    info.kind = ImageKind::eps;
    info.eps_begin_bytes = section->begin;
    info.eps_end_bytes = section->end;
    info.bounding_box = header.boxes.best();
    if (header.dcs.is_dcs()) info.dcs = std::make_shared<const DcsComments>(header.dcs.comments());
    if (!info.bounding_box)
        return fail(Code::bad_image, Operation::probe,
                    "the EPS has no usable %%BoundingBox, so its size is unknown; save it again as EPS", file->name());
    return info;
}

}  // namespace opispool::opi

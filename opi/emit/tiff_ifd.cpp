// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/tiff_ifd.h"

#include <array>
#include <string_view>

#include "base/text.h"

namespace opispool::opi {

namespace {

// More values than the strips of any real picture; a table beyond this is damage or an attack.
constexpr std::uint64_t max_values = 8U << 20U;

std::uint64_t decode_number(const char* at, std::size_t size, bool big_endian) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t k = big_endian ? i : size - 1 - i;
        value = (value << 8U) | static_cast<unsigned char>(at[k]);
    }
    return value;
}

Error bad(const MappedFile& file, std::string text, std::uint64_t at) {
    return Error{Code::bad_image, Operation::probe, std::move(text), file.name(), at};
}

std::size_t size_of_type(std::uint16_t type) {
    switch (type) {
        case 1:
        case 2:
        case 6:
        case 7:
            return 1;
        case 3:
        case 8:
            return 2;
        case 4:
        case 9:
        case 11:
        case 13:
            return 4;
        case 5:
        case 10:
        case 12:
        case 16:
        case 17:
        case 18:
            return 8;
        default:
            return 0;
    }
}

// Signed types are read as unsigned: a negative size is then an absurd one.
bool is_whole_number(std::uint16_t type) {
    const bool fraction = type == 5 || type == 10 || type == 11 || type == 12;
    return size_of_type(type) != 0 && !fraction && type != 2;
}

Result<std::string> read_exactly(const MappedFile& file, std::uint64_t offset, std::uint64_t length,
                                 std::string_view what) {
    if (offset > file.size() || length > file.size() - offset)
        return fail(bad(file, std::string(what) + " lies beyond the end of the file; the file is truncated or damaged",
                        offset));
    std::string out(static_cast<std::size_t>(length), '\0');
    auto got = file.read_at(offset, std::as_writable_bytes(std::span(out)));
    if (!got) return fail(std::move(got.error()));
    if (*got != out.size())
        return fail(Code::changed, Operation::probe, "the file has become shorter while it was being read", file.name(),
                    offset);
    return out;
}

std::string name_of_tag(std::uint16_t tag) {
    switch (tag) {
        case 256:
            return "ImageWidth";
        case 257:
            return "ImageLength";
        case 258:
            return "BitsPerSample";
        case 273:
            return "StripOffsets";
        case 278:
            return "RowsPerStrip";
        case 279:
            return "StripByteCounts";
        case 320:
            return "ColorMap";
        case 324:
            return "TileOffsets";
        case 325:
            return "TileByteCounts";
        case 338:
            return "ExtraSamples";
        case 347:
            return "JPEGTables";
        default:
            return "tag " + std::to_string(tag);
    }
}

}  // namespace

Result<TiffIfd::Header> TiffIfd::read_header(const MappedFile& file) {
    auto head = read_exactly(file, 0, 8, "the TIFF header");
    if (!head) return fail(std::move(head.error()));
    Header header;
    header.big_endian = head->starts_with("MM");
    if (!header.big_endian && !head->starts_with("II")) return fail(bad(file, "this is not a TIFF file", 0));
    const std::uint64_t version = decode_number(head->data() + 2, 2, header.big_endian);
    if (version != 42 && version != 43) return fail(bad(file, "this is not a TIFF file", 2));
    header.big_tiff = version == 43;
    header.first_ifd_bytes = decode_number(head->data() + 4, 4, header.big_endian);
    if (header.big_tiff) {
        auto long_head = read_exactly(file, 0, 16, "the BigTIFF header");
        if (!long_head) return fail(std::move(long_head.error()));
        if (decode_number(long_head->data() + 4, 2, header.big_endian) != 8)
            return fail(bad(file, "the BigTIFF header is damaged: offsets are not 8 bytes long", 4));
        header.first_ifd_bytes = decode_number(long_head->data() + 8, 8, header.big_endian);
    }
    if (header.first_ifd_bytes < 8 || header.first_ifd_bytes >= file.size())
        return fail(
            bad(file, "the image directory lies beyond the end of the file; the file is truncated or damaged", 4));
    return header;
}

Result<TiffIfd> TiffIfd::read(const MappedFile& file, const Header& header, std::uint64_t offset_bytes) {
    const std::size_t count_size = header.big_tiff ? 8 : 2;
    const std::size_t entry_size = header.big_tiff ? 20 : 12;
    const std::size_t link_size = header.big_tiff ? 8 : 4;
    auto count_text = read_exactly(file, offset_bytes, count_size, "the image directory");
    if (!count_text) return fail(std::move(count_text.error()));
    const std::uint64_t count = decode_number(count_text->data(), count_size, header.big_endian);
    if (count == 0 || count > 65535)
        return fail(
            bad(file, "the image directory is damaged: it has " + std::to_string(count) + " tags", offset_bytes));
    const std::uint64_t table = offset_bytes + count_size;
    auto text = read_exactly(file, table, count * entry_size, "the image directory");
    if (!text) return fail(std::move(text.error()));

    TiffIfd ifd;
    ifd.file_ = &file;
    ifd.big_endian_ = header.big_endian;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t at = i * entry_size;
        const char* entry = text->data() + at;
        const auto tag = static_cast<std::uint16_t>(decode_number(entry, 2, header.big_endian));
        Entry value;
        value.type = static_cast<std::uint16_t>(decode_number(entry + 2, 2, header.big_endian));
        value.count = decode_number(entry + 4, link_size, header.big_endian);
        const std::size_t inline_at = 4 + link_size;
        const std::size_t size = size_of_type(value.type);
        const bool fits = size != 0 && value.count <= link_size / size;
        value.value_bytes =
            fits ? table + at + inline_at : decode_number(entry + inline_at, link_size, header.big_endian);
        ifd.entries_.try_emplace(tag, value);
    }
    // Some writers leave out the link behind the last directory of a file; that is "no more directories".
    const std::uint64_t link = table + count * entry_size;
    if (link + link_size <= file.size()) {
        auto next = read_exactly(file, link, link_size, "the image directory");
        if (!next) return fail(std::move(next.error()));
        ifd.next_ = decode_number(next->data(), link_size, header.big_endian);
    }
    return ifd;
}

std::uint64_t TiffIfd::count(std::uint16_t tag) const {
    auto found = entries_.find(tag);
    return found == entries_.end() ? 0 : found->second.count;
}

Result<std::string> TiffIfd::raw(std::uint16_t tag, const Entry& entry, std::size_t size_each) const {
    if (entry.count > max_values)
        return fail(bad(*file_,
                        name_of_tag(tag) + " claims " + std::to_string(entry.count) + " values; the file is damaged",
                        entry.value_bytes));
    return read_exactly(*file_, entry.value_bytes, entry.count * size_each, "the value of " + name_of_tag(tag));
}

Result<std::vector<std::uint64_t>> TiffIfd::numbers(std::uint16_t tag) const {
    std::vector<std::uint64_t> out;
    auto found = entries_.find(tag);
    if (found == entries_.end()) return out;
    const Entry& entry = found->second;
    if (!is_whole_number(entry.type))
        return fail(
            bad(*file_, name_of_tag(tag) + " has the wrong type " + std::to_string(entry.type), entry.value_bytes));
    const std::size_t size = size_of_type(entry.type);
    auto text = raw(tag, entry, size);
    if (!text) return fail(std::move(text.error()));
    out.reserve(static_cast<std::size_t>(entry.count));
    for (std::size_t at = 0; at < text->size(); at += size)
        out.push_back(decode_number(text->data() + at, size, big_endian_));
    return out;
}

Result<std::uint64_t> TiffIfd::number(std::uint16_t tag, std::uint64_t fallback) const {
    if (count(tag) == 0) return fallback;
    auto all = numbers(tag);
    if (!all) return fail(std::move(all.error()));
    return all->front();
}

Result<std::vector<std::uint16_t>> TiffIfd::shorts(std::uint16_t tag) const {
    auto all = numbers(tag);
    if (!all) return fail(std::move(all.error()));
    std::vector<std::uint16_t> out;
    out.reserve(all->size());
    for (std::uint64_t value : *all) {
        auto narrow = checked_cast<std::uint16_t>(value);
        if (!narrow)
            return fail(bad(*file_, name_of_tag(tag) + " has the impossible value " + std::to_string(value), 0));
        out.push_back(*narrow);
    }
    return out;
}

Result<std::string> TiffIfd::bytes(std::uint16_t tag) const {
    auto found = entries_.find(tag);
    if (found == entries_.end()) return std::string();
    if (size_of_type(found->second.type) != 1)
        return fail(bad(*file_, name_of_tag(tag) + " has the wrong type " + std::to_string(found->second.type),
                        found->second.value_bytes));
    return raw(tag, found->second, 1);
}

}  // namespace opispool::opi

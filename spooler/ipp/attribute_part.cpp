// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/ipp/attribute_part.h"

#include <algorithm>

namespace opispool::ipp {

namespace {

// RFC 8010 3.5.1 and 3.5.2
constexpr std::uint8_t tag_end = 0x03;
constexpr std::uint8_t first_value_tag = 0x10;
constexpr std::uint8_t tag_integer = 0x21, tag_boolean = 0x22, tag_enum = 0x23;
constexpr std::uint8_t tag_date_time = 0x31, tag_resolution = 0x32, tag_range = 0x33;
constexpr std::uint8_t tag_collection = 0x34, tag_text_language = 0x35, tag_name_language = 0x36;
constexpr std::uint8_t tag_end_collection = 0x37, tag_member_name = 0x4a, tag_extension = 0x7f;
constexpr std::size_t longest_value_bytes = 32767;

std::size_t length_of(std::span<const std::byte> bytes) {
    return (std::to_integer<std::size_t>(bytes[0]) << 8U) | std::to_integer<std::size_t>(bytes[1]);
}

// A language and a text, each with its length before it, and nothing behind them.
bool fits_language_value(std::span<const std::byte> value) {
    if (value.size() < 4) return false;
    const std::size_t language = length_of(value);
    if (language + 4 > value.size()) return false;
    return language + 4 + length_of(value.subspan(language + 2)) == value.size();
}

bool has_right_length(std::uint8_t tag, std::span<const std::byte> value) {
    switch (tag) {
        case tag_integer:
        case tag_enum:
            return value.size() == 4;
        case tag_boolean:
            return value.size() == 1;
        case tag_date_time:
            return value.size() == 11;
        case tag_resolution:
            return value.size() == 9;
        case tag_range:
            return value.size() == 8;
        case tag_text_language:
        case tag_name_language:
            return fits_language_value(value);
        case tag_collection:
        case tag_end_collection:
            return value.empty();
        case tag_member_name:
            return !value.empty();
        default:
            return true;
    }
}

}  // namespace

tl::unexpected<Error> AttributePart::wrong(const char* text) const {
    return fail(Code::bad_syntax, Operation::parse, text, "the IPP request", next_);
}

std::uint32_t AttributePart::request_id() const {
    if (bytes_.size() < header_bytes) return 0;
    std::uint32_t id = 0;
    for (std::size_t i = 4; i < header_bytes; ++i) id = (id << 8U) | byte_at(i);
    return id;
}

Result<std::size_t> AttributePart::take(std::span<const std::byte> piece) {
    if (complete_) return std::size_t{0};
    const std::size_t before = bytes_.size();
    const std::size_t room = max_bytes + 1 - before;
    const auto some = piece.first(std::min(piece.size(), room));
    bytes_.insert(bytes_.end(), some.begin(), some.end());
    if (auto scanned = scan(); !scanned) return fail(scanned.error());
    if (!complete_) {
        if (bytes_.size() > max_bytes)
            return fail(Code::too_large, Operation::parse, "the attributes are longer than 256 KB", "the IPP request");
        return piece.size();
    }
    bytes_.resize(next_);
    return next_ - before;
}

Result<void> AttributePart::scan() {
    while (!complete_) {
        const Result<std::size_t> item = scan_item();
        if (!item) return fail(item.error());
        if (*item == 0) return {};
        next_ += *item;
    }
    return {};
}

Result<std::size_t> AttributePart::scan_item() {
    if (bytes_.size() <= next_) return std::size_t{0};
    const std::uint8_t tag = byte_at(next_);
    if (tag < first_value_tag) {
        if (tag == 0) return wrong("0 is not a tag");
        if (!member_named_.empty()) return wrong("a group begins inside a collection");
        complete_ = tag == tag_end;
        in_group_ = true;
        has_attribute_ = false;
        return std::size_t{1};
    }
    if (!in_group_) return wrong("an attribute stands before the first group");
    const std::size_t at_hand = bytes_.size() - next_;
    if (at_hand < 3) return std::size_t{0};
    const std::size_t name_bytes = length_at(next_ + 1);
    if (name_bytes > longest_value_bytes) return wrong("a name is longer than 32767 bytes");
    if (at_hand < name_bytes + 5) return std::size_t{0};
    const std::size_t value_bytes = length_at(next_ + 3 + name_bytes);
    if (value_bytes > longest_value_bytes) return wrong("a value is longer than 32767 bytes");
    const std::size_t item_bytes = name_bytes + 5 + value_bytes;
    if (at_hand < item_bytes) return std::size_t{0};
    const auto value = std::span<const std::byte>(bytes_).subspan(next_ + 5 + name_bytes, value_bytes);
    if (auto checked = check_value(tag, name_bytes, value); !checked) return fail(checked.error());
    return item_bytes;
}

Result<void> AttributePart::check_value(std::uint8_t tag, std::size_t name_bytes, std::span<const std::byte> value) {
    if (++values_ > max_values)
        return fail(Code::too_large, Operation::parse, "there are more than 4096 values", "the IPP request", next_);
    if (tag == tag_extension) return wrong("extended tags are not understood");
    if (!has_right_length(tag, value)) return wrong("a value's length does not fit its type");
    if (auto nested = check_nesting(tag, name_bytes); !nested) return nested;
    if (member_named_.empty()) has_attribute_ = true;
    return {};
}

Result<void> AttributePart::check_nesting(std::uint8_t tag, std::size_t name_bytes) {
    if (member_named_.empty()) {
        if (tag == tag_end_collection) return wrong("a collection ends that never began");
        if (tag == tag_member_name) return wrong("a member stands outside of a collection");
        if (name_bytes == 0 && !has_attribute_) return wrong("a further value stands before the first attribute");
    } else {
        if (name_bytes != 0) return wrong("an attribute's name stands inside a collection");
        if (tag == tag_member_name) {
            member_named_.back() = true;
        } else if (tag == tag_end_collection) {
            member_named_.pop_back();
        } else if (!member_named_.back()) {
            return wrong("a collection's value has no member name");
        }
    }
    if (tag != tag_collection) return {};
    if (member_named_.size() == max_depth) return wrong("collections are nested deeper than 8");
    member_named_.push_back(false);
    return {};
}

}  // namespace opispool::ipp

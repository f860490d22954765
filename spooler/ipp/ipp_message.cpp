// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/ipp/ipp_message.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/text.h"

namespace opispool::ipp {

namespace {

constexpr std::size_t longest_name_bytes = 255, longest_text_bytes = 1023;

ssize_t read_bytes(void* context, ipp_uchar_t* buffer, size_t wanted) {
    auto& rest = *static_cast<std::span<const std::byte>*>(context);
    const std::size_t given = std::min(wanted, rest.size());
    std::memcpy(buffer, rest.data(), given);
    rest = rest.subspan(given);
    return static_cast<ssize_t>(given);
}

ssize_t write_bytes(void* context, ipp_uchar_t* buffer, size_t count) {
    static_cast<std::string*>(context)->append(reinterpret_cast<const char*>(buffer), count);
    return static_cast<ssize_t>(count);
}

bool is_text(ipp_attribute_t* attribute) {
    switch (ippGetValueTag(attribute)) {
        case IPP_TAG_TEXT:
        case IPP_TAG_TEXTLANG:
        case IPP_TAG_NAME:
        case IPP_TAG_NAMELANG:
        case IPP_TAG_KEYWORD:
        case IPP_TAG_URI:
        case IPP_TAG_URISCHEME:
        case IPP_TAG_CHARSET:
        case IPP_TAG_LANGUAGE:
        case IPP_TAG_MIMETYPE:
            return true;
        default:
            return false;
    }
}

bool is_number(ipp_attribute_t* attribute) {
    const ipp_tag_t tag = ippGetValueTag(attribute);
    return tag == IPP_TAG_INTEGER || tag == IPP_TAG_ENUM;
}

std::size_t limit_of(ipp_tag_t kind) {
    return kind == IPP_TAG_TEXT || kind == IPP_TAG_URI ? longest_text_bytes : longest_name_bytes;
}

std::string text_at(ipp_attribute_t* attribute, int index) {
    const char* value = ippGetString(attribute, index, nullptr);
    return value == nullptr ? std::string() : cut_text(printable(value), limit_of(ippGetValueTag(attribute)));
}

}  // namespace

std::string cut_text(std::string_view text, std::size_t limit) {
    if (text.size() <= limit) return std::string(text);
    std::size_t end = limit;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return std::string(text.substr(0, end));
}

Result<Request> Request::parse(std::span<const std::byte> attributes) {
    MessagePtr message(ippNew());
    std::span<const std::byte> rest = attributes;
    const ipp_state_t state = ippReadIO(&rest, read_bytes, 1, nullptr, message.get());
    if (state != IPP_STATE_DATA || !rest.empty())
        return fail(Code::bad_syntax, Operation::parse, "the attributes can't be read", "the IPP request");
    return Request(std::move(message));
}

int Request::version(int part) const {
    int minor = 0;
    const int major = ippGetVersion(message_.get(), &minor);
    return part == 0 ? major : minor;
}

std::vector<ipp_attribute_t*> Request::attributes(ipp_tag_t group) const {
    std::vector<ipp_attribute_t*> found;
    for (auto* each = ippFirstAttribute(message_.get()); each != nullptr; each = ippNextAttribute(message_.get()))
        if (ippGetGroupTag(each) == group && ippGetName(each) != nullptr) found.push_back(each);
    return found;
}

ipp_attribute_t* Request::find(const char* name, ipp_tag_t group) const {
    const auto all = attributes(group);
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](ipp_attribute_t* each) { return std::strcmp(ippGetName(each), name) == 0; });
    return found == all.end() ? nullptr : *found;
}

std::optional<std::string> Request::text(const char* name, ipp_tag_t group) const {
    auto* attribute = find(name, group);
    if (attribute == nullptr || !is_text(attribute)) return std::nullopt;
    return text_at(attribute, 0);
}

std::optional<int> Request::number(const char* name, ipp_tag_t group) const {
    auto* attribute = find(name, group);
    if (attribute == nullptr || !is_number(attribute)) return std::nullopt;
    return ippGetInteger(attribute, 0);
}

std::optional<bool> Request::flag(const char* name, ipp_tag_t group) const {
    auto* attribute = find(name, group);
    if (attribute == nullptr || ippGetValueTag(attribute) != IPP_TAG_BOOLEAN) return std::nullopt;
    return ippGetBoolean(attribute, 0) != 0;
}

std::vector<std::string> Request::texts(const char* name) const {
    std::vector<std::string> values;
    auto* attribute = find(name, IPP_TAG_OPERATION);
    if (attribute == nullptr || !is_text(attribute)) return values;
    for (int i = 0; i < ippGetCount(attribute); ++i) values.push_back(text_at(attribute, i));
    return values;
}

std::vector<int> Request::numbers(const char* name) const {
    std::vector<int> values;
    auto* attribute = find(name, IPP_TAG_OPERATION);
    if (attribute == nullptr || !is_number(attribute)) return values;
    for (int i = 0; i < ippGetCount(attribute); ++i) values.push_back(ippGetInteger(attribute, i));
    return values;
}

Reply::Reply(ipp_status_t status, std::uint32_t request_id, int major, int minor) : message_(ippNew()) {
    // 1.0 is answered as 1.0 and 2.1 as 2.0; what we don't speak at all, in 1.1.
    const bool old = major == 1 && minor == 0;
    ippSetVersion(message_.get(), major == 2 ? 2 : 1, major == 2 || old ? 0 : 1);
    ippSetStatusCode(message_.get(), status);
    ippSetRequestId(message_.get(), static_cast<int>(request_id));
    text(IPP_TAG_OPERATION, IPP_TAG_CHARSET, "attributes-charset", "utf-8");
    text(IPP_TAG_OPERATION, IPP_TAG_LANGUAGE, "attributes-natural-language", "en");
}

void Reply::say(std::string_view words) {
    // RFC 8011 4.1.6.2: status-message has 255 bytes.
    text(IPP_TAG_OPERATION, IPP_TAG_TEXT, "status-message", cut_text(printable(words), longest_name_bytes));
}

void Reply::text(ipp_tag_t group, ipp_tag_t kind, const char* name, std::string_view value) {
    ippAddString(message_.get(), group, kind, name, nullptr, cut_text(value, limit_of(kind)).c_str());
}

void Reply::texts(ipp_tag_t group, ipp_tag_t kind, const char* name, const std::vector<std::string>& values) {
    std::vector<const char*> pointers;
    for (const std::string& value : values) pointers.push_back(value.c_str());
    ippAddStrings(message_.get(), group, kind, name, static_cast<int>(pointers.size()), nullptr, pointers.data());
}

void Reply::number(ipp_tag_t group, ipp_tag_t kind, const char* name, std::int64_t value) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    ippAddInteger(message_.get(), group, kind, name, static_cast<int>(std::clamp<std::int64_t>(value, -most, most)));
}

void Reply::numbers(ipp_tag_t group, ipp_tag_t kind, const char* name, const std::vector<int>& values) {
    ippAddIntegers(message_.get(), group, kind, name, static_cast<int>(values.size()), values.data());
}

void Reply::flag(ipp_tag_t group, const char* name, bool value) {
    ippAddBoolean(message_.get(), group, name, static_cast<char>(value ? 1 : 0));
}

void Reply::range(ipp_tag_t group, const char* name, int low, int high) {
    ippAddRange(message_.get(), group, name, low, high);
}

void Reply::nothing(ipp_tag_t group, const char* name) {
    ippAddOutOfBand(message_.get(), group, IPP_TAG_NOVALUE, name);
}

void Reply::copy(ipp_tag_t group, ipp_attribute_t* attribute) {
    auto* made = ippCopyAttribute(message_.get(), attribute, 0);
    if (made != nullptr) ippSetGroupTag(message_.get(), &made, group);
}

Result<std::string> Reply::bytes() const {
    std::string text;
    ippSetState(message_.get(), IPP_STATE_IDLE);
    if (ippWriteIO(&text, write_bytes, 1, nullptr, message_.get()) != IPP_STATE_DATA)
        return fail(Code::internal, Operation::send, "the IPP reply can't be written");
    return text;
}

}  // namespace opispool::ipp

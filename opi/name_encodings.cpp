// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/name_encodings.h"

#include <unicase.h>
#include <uninorm.h>
#include <unistr.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "base/text.h"

namespace opispool::opi {

namespace {

using UpperHalf = std::array<char16_t, 128>;  // characters of the bytes 0x80 to 0xFF; 0 means none

// clang-format off
constexpr UpperHalf mac_roman = {
    0x00C4, 0x00C5, 0x00C7, 0x00C9, 0x00D1, 0x00D6, 0x00DC, 0x00E1, 0x00E0, 0x00E2, 0x00E4, 0x00E3, 0x00E5, 0x00E7, 0x00E9, 0x00E8,
    0x00EA, 0x00EB, 0x00ED, 0x00EC, 0x00EE, 0x00EF, 0x00F1, 0x00F3, 0x00F2, 0x00F4, 0x00F6, 0x00F5, 0x00FA, 0x00F9, 0x00FB, 0x00FC,
    0x2020, 0x00B0, 0x00A2, 0x00A3, 0x00A7, 0x2022, 0x00B6, 0x00DF, 0x00AE, 0x00A9, 0x2122, 0x00B4, 0x00A8, 0x2260, 0x00C6, 0x00D8,
    0x221E, 0x00B1, 0x2264, 0x2265, 0x00A5, 0x00B5, 0x2202, 0x2211, 0x220F, 0x03C0, 0x222B, 0x00AA, 0x00BA, 0x03A9, 0x00E6, 0x00F8,
    0x00BF, 0x00A1, 0x00AC, 0x221A, 0x0192, 0x2248, 0x2206, 0x00AB, 0x00BB, 0x2026, 0x00A0, 0x00C0, 0x00C3, 0x00D5, 0x0152, 0x0153,
    0x2013, 0x2014, 0x201C, 0x201D, 0x2018, 0x2019, 0x00F7, 0x25CA, 0x00FF, 0x0178, 0x2044, 0x20AC, 0x2039, 0x203A, 0xFB01, 0xFB02,
    0x2021, 0x00B7, 0x201A, 0x201E, 0x2030, 0x00C2, 0x00CA, 0x00C1, 0x00CB, 0x00C8, 0x00CD, 0x00CE, 0x00CF, 0x00CC, 0x00D3, 0x00D4,
    0xF8FF, 0x00D2, 0x00DA, 0x00DB, 0x00D9, 0x0131, 0x02C6, 0x02DC, 0x00AF, 0x02D8, 0x02D9, 0x02DA, 0x00B8, 0x02DD, 0x02DB, 0x02C7,
};
// The first two rows of cp1252; from 0xA0 on it is Latin-1.
constexpr std::array<char16_t, 32> cp1252_controls = {
    0x20AC, 0x0000, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x0000, 0x017D, 0x0000,
    0x0000, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x0000, 0x017E, 0x0178,
};
// clang-format on

constexpr UpperHalf make_cp1252() {
    UpperHalf table{};
    for (std::size_t i = 0; i < table.size(); ++i)
        table[i] = i < cp1252_controls.size() ? cp1252_controls[i] : static_cast<char16_t>(0x80 + i);
    return table;
}
constexpr UpperHalf cp1252 = make_cp1252();

void append_utf8(std::string& out, std::uint32_t character) {
    std::array<std::uint8_t, 6> units{};
    const int length = u8_uctomb(units.data(), character, static_cast<int>(units.size()));
    for (int i = 0; i < length; ++i) out += static_cast<char>(units[static_cast<std::size_t>(i)]);
}

std::optional<std::string> converted(std::string_view bytes, const UpperHalf& table) {
    std::string out;
    out.reserve(bytes.size() * 2);
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        const std::uint32_t character = byte < 0x80 ? byte : table[byte - 0x80U];
        if (byte >= 0x80 && character == 0) return std::nullopt;
        append_utf8(out, character);
    }
    return out;
}

bool is_ascii(std::string_view bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

const std::uint8_t* units_of(std::string_view bytes) {
    return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

// The argument is valid UTF-8.
std::string normalized(std::string_view utf8) {
    std::size_t length = 0;
    const std::unique_ptr<std::uint8_t, decltype(&std::free)> units(
        u8_normalize(UNINORM_NFC, units_of(utf8), utf8.size(), nullptr, &length), &std::free);
    if (!units) throw std::bad_alloc();  // the only failure left for valid input
    return {reinterpret_cast<const char*>(units.get()), length};
}

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

Spelling make_spelling(std::string bytes, Spelling::Reading reading) {
    Spelling spelling;
    spelling.nfc = nfc(bytes);
    spelling.folded = case_folded(bytes);
    spelling.bytes = std::move(bytes);
    spelling.reading = reading;
    return spelling;
}

}  // namespace

std::string utf8_from_mac_roman(std::string_view bytes) {
    return converted(bytes, mac_roman).value();
}

std::optional<std::string> utf8_from_cp1252(std::string_view bytes) {
    return converted(bytes, cp1252);
}

std::string nfc(std::string_view bytes) {
    if (is_ascii(bytes) || !is_valid_utf8(bytes)) return std::string(bytes);
    return normalized(bytes);
}

std::string case_folded(std::string_view bytes) {
    if (is_ascii(bytes) || !is_valid_utf8(bytes)) return to_lower_ascii(bytes);
    constexpr ucs4_t dotted_capital_i = 0x130;  // its simple small letter is plain 'i', which is another name
    const std::string composed = normalized(bytes);
    std::string small;
    small.reserve(composed.size());
    for (std::size_t i = 0; i < composed.size();) {
        ucs4_t character = 0;
        const int length = u8_mbtouc(&character, units_of(composed) + i, composed.size() - i);
        append_utf8(small, character == dotted_capital_i ? character : uc_tolower(character));
        i += static_cast<std::size_t>(length);
    }
    return normalized(small);
}

std::optional<std::string> with_hex_groups_decoded(std::string_view name) {
    std::string out;
    bool any = false;
    for (std::size_t i = 0; i < name.size();) {
        const bool group = i + 3 < name.size() && name[i] == '<' && name[i + 3] == '>' && hex_value(name[i + 1]) >= 0 &&
                           hex_value(name[i + 2]) >= 0;
        if (group) out += static_cast<char>(hex_value(name[i + 1]) * 16 + hex_value(name[i + 2]));
        if (!group) out += name[i];
        any = any || group;
        i += group ? 4 : 1;
    }
    if (!any) return std::nullopt;
    return out;
}

std::optional<std::string> cap_encoded(std::string_view name) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const auto byte = static_cast<unsigned char>(name[i]);
        const bool escaped = byte >= 0x80 || byte == '/' || (i == 0 && byte == '.');
        if (escaped)
            out += {':', digits[byte >> 4U], digits[byte & 15U]};
        else
            out += name[i];
    }
    if (out == name) return std::nullopt;
    return out;
}

std::vector<Spelling> spellings_of(std::string_view name) {
    using Reading = Spelling::Reading;
    std::vector<Spelling> spellings;
    spellings.push_back(make_spelling(std::string(name), Reading::as_written));
    if (is_valid_utf8(name)) return spellings;
    spellings.push_back(make_spelling(utf8_from_mac_roman(name), Reading::mac_roman));
    if (auto windows = utf8_from_cp1252(name)) spellings.push_back(make_spelling(std::move(*windows), Reading::cp1252));
    return spellings;
}

SpellingMatch match_name(const std::vector<Spelling>& spellings, std::string_view stored_name) {
    for (const Spelling& spelling : spellings)
        if (spelling.bytes == stored_name) return {NameMatch::exact, spelling.reading};
    SpellingMatch best;
    const std::string stored_nfc = nfc(stored_name);
    const std::string stored_folded = case_folded(stored_name);
    for (const Spelling& spelling : spellings) {
        NameMatch match = NameMatch::none;
        if (spelling.nfc == stored_nfc)
            match = spelling.reading != Spelling::Reading::as_written ? NameMatch::exact : NameMatch::normalized;
        else if (spelling.folded == stored_folded)
            match = NameMatch::caseless;
        if (match < best.match) best = {match, spelling.reading};
    }
    return best;
}

}  // namespace opispool::opi

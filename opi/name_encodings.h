// SPDX-License-Identifier: AGPL-3.0-or-later
// File names come as bytes whose encoding nobody states: UTF-8 from OS X (often decomposed), MacRoman from Mac OS 9,
// cp1252 from Windows. Here they become the UTF-8 spellings they can stand for, and the keys under which two spellings
// are one name. Nothing is ever replaced by '?' or dropped: a conversion either keeps every character or does not exist
// (ref 8.2).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opispool::opi {

// Every byte has a character in MacRoman (0xDB is the euro sign, as since Mac OS 8.5).
std::string utf8_from_mac_roman(std::string_view bytes);
// Nothing if a byte has no character in cp1252 (81 8D 8F 90 9D).
std::optional<std::string> utf8_from_cp1252(std::string_view bytes);

// Normalization form C; bytes that are not valid UTF-8 come back as they are.
std::string nfc(std::string_view bytes);
// NFC with capital letters made small one by one, so that 'ß' and 'ss' stay two names. Not valid UTF-8: only ASCII
// letters.
std::string case_folded(std::string_view bytes);

// `<8E>` as some producers write a byte they can't show: each group of two hex digits becomes that byte. Nothing if
// there is no such group.
std::optional<std::string> with_hex_groups_decoded(std::string_view name);

// As netatalk's `cap` volumes keep a name on disk: `:2f` for a slash, `:8e` for a byte that is not ASCII, `:2e` for a
// leading dot. Nothing if the name has none of them.
std::optional<std::string> cap_encoded(std::string_view name);

// One way to read a name's bytes.
struct Spelling {
    enum class Reading : unsigned char { as_written, mac_roman, cp1252 };
    std::string bytes;
    std::string nfc;
    std::string folded;
    Reading reading = Reading::as_written;  // converted: which normalization form was meant is then unknowable
};

// Valid UTF-8: the bytes alone. Otherwise the raw bytes (a store may hold them so), MacRoman and cp1252.
std::vector<Spelling> spellings_of(std::string_view name);

// How well a name in the store fits, best first.
enum class NameMatch : unsigned char { exact, normalized, caseless, none };

struct SpellingMatch {
    NameMatch match = NameMatch::none;
    Spelling::Reading reading = Spelling::Reading::as_written;  // of the spelling that fits
};
SpellingMatch match_name(const std::vector<Spelling>& spellings, std::string_view stored_name);

}  // namespace opispool::opi

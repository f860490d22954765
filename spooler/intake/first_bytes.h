// SPDX-License-Identifier: AGPL-3.0-or-later
// What the beginning of a document tells: whether it is one, and what it calls itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace opispool::spooler {

// Is it PostScript (or wrapped PostScript) at all? Asked of the first bytes of a raw connection, where port scanners
// and browsers call as well.
enum class Sniffed : std::uint8_t { document, need_more, rubbish };
constexpr std::size_t sniff_bytes = 64;
Sniffed sniff(std::span<const std::byte> first_bytes);

// The value of a DSC header comment ("%%Title:") in the first bytes, printable, its parentheses taken off; empty if
// absent or (atend).
std::string find_header_comment(std::span<const std::byte> first_bytes, std::string_view comment);
constexpr std::size_t header_bytes = 4096;

}  // namespace opispool::spooler

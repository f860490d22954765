// SPDX-License-Identifier: AGPL-3.0-or-later
#include "rip_out/lpd_control_file.h"

#include <unistd.h>

#include <array>
#include <cstdint>

#include "base/text.h"

namespace opispool::rip_out {

namespace {

constexpr std::size_t host_limit = 31, user_limit = 31, title_limit = 99, source_limit = 131;

// U+00A0 to U+00FF, then U+0100 to U+017F. One letter for each code point, except those with two in `digraph`.
constexpr std::string_view latin1 =
    "_!cL_Y|S_ca<_-R_o_23'uP._1o>____"
    "AAAAAAACEEEEIIIIDNOOOOOxOUUUUYTs"
    "aaaaaaaceeeeiiiidnooooo/ouuuuyty";
constexpr std::string_view latin_a =
    "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIiIiJjKkkLlLlLlLlLlNnNnNnnNnOoOoOoOoRrRrRrSsSsSsSsTtTtTtUuUuUu"
    "UuUuUuWwYyYZzZzZzs";
static_assert(latin1.size() == 96 && latin_a.size() == 128);

std::string_view digraph(char32_t c) {
    switch (c) {
        case U'Ä':
        case U'Æ':
            return "Ae";
        case U'Ö':
        case U'Ø':
        case U'Œ':
            return "Oe";
        case U'Ü':
            return "Ue";
        case U'ä':
        case U'æ':
            return "ae";
        case U'ö':
        case U'ø':
        case U'œ':
            return "oe";
        case U'ü':
            return "ue";
        case U'ß':
            return "ss";
        case U'Þ':
            return "Th";
        case U'þ':
            return "th";
        case U'–':
        case U'—':
            return "-";
        case U'‘':
        case U'’':
            return "'";
        case U'“':
        case U'”':
        case U'„':
            return "\"";
        case U'…':
            return "...";
        case U'€':
            return "EUR";
        default:
            return {};
    }
}

void append_ascii(std::string& out, char32_t c) {
    if (c < 0x20 || c == 0x7F)
        out += ' ';
    else if (c < 0x7F)
        out += static_cast<char>(c);
    else if (const std::string_view two = digraph(c); !two.empty())
        out += two;
    else if (c >= 0xA0 && c <= 0xFF)
        out += latin1[c - 0xA0];
    else if (c >= 0x100 && c <= 0x17F)
        out += latin_a[c - 0x100];
    else
        out += '_';
}

// One code point from the front of valid UTF-8.
char32_t take_code_point(std::string_view& text) {
    const auto lead = static_cast<unsigned char>(text.front());
    const std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    char32_t c = length == 1 ? lead : lead & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) c = c << 6U | (static_cast<unsigned char>(text[i]) & 0x3FU);
    text.remove_prefix(length);
    return c;
}

std::string operand(std::string_view text, std::size_t limit, std::string_view fallback) {
    std::string ascii(trim(transliterate(text)));
    if (ascii.empty()) ascii = fallback;
    if (ascii.size() > limit) ascii.resize(limit);
    return ascii;
}

// Host names end up in file names on the RIP.
std::string host_operand(std::string_view host) {
    std::string name = operand(host, host_limit, "localhost");
    for (char& c : name) {
        const bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
        if (!plain) c = '-';
    }
    if (name.front() == '.' || name.front() == '-') name.front() = 'x';
    return name;
}

std::string file_number(std::string_view job_name) {
    std::string digits;
    for (char c : job_name)
        if (c >= '0' && c <= '9') digits += c;
    if (digits.size() < 3) digits.insert(0, 3 - digits.size(), '0');
    return digits.substr(digits.size() - 3);
}

}  // namespace

std::string transliterate(std::string_view text) {
    std::string out;
    if (is_valid_utf8(text)) {
        while (!text.empty()) append_ascii(out, take_code_point(text));
    } else {
        for (char c : text) append_ascii(out, static_cast<unsigned char>(c));
    }
    return out;
}

LpdNames make_lpd_names(const JobTicket& ticket, std::string_view own_host) {
    const std::string rest = "A" + file_number(ticket.job_name) + host_operand(own_host);
    return LpdNames{"cf" + rest, "df" + rest};
}

std::string make_control_file(const JobTicket& ticket, std::string_view own_host, char format) {
    const std::string data = make_lpd_names(ticket, own_host).data;
    const std::string number = "job " + operand(ticket.job_name, title_limit - 4, "0");
    std::string file;
    auto line = [&](char letter, std::string_view text) { file.append(1, letter).append(text).append(1, '\n'); };
    line('H', host_operand(own_host));
    line('P', operand(ticket.user, user_limit, "anonymous"));
    line('J', operand(ticket.title, title_limit, number));
    line(format, data);
    line('U', data);
    line('N', operand(ticket.title, source_limit, number));
    return file;
}

std::string own_host_name() {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
    return name.data();
}

}  // namespace opispool::rip_out

// SPDX-License-Identifier: AGPL-3.0-or-later
#include "rip_out/destination.h"

#include <optional>

#include "base/text.h"

namespace opispool::rip_out {

namespace {

constexpr std::uint16_t default_socket_port = 9100, default_lpd_port = 515;
constexpr std::size_t queue_limit_bytes = 255;

tl::unexpected<Error> bad(std::string_view uri, std::string text) {
    return fail(Code::bad_syntax, Operation::configure, std::move(text), printable(uri));
}

std::optional<std::string> percent_decoded(std::string_view text) {
    auto digit = [](char c) {
        if (c >= '0' && c <= '9') return c - '0';
        if (c >= 'a' && c <= 'f') return c - 'a' + 10;
        return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    };
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        if (i + 2 >= text.size() || digit(text[i + 1]) < 0 || digit(text[i + 2]) < 0) return std::nullopt;
        out += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
        i += 2;
    }
    return out;
}

// The queue is one operand of an LPD line: a blank or a control character would end it early.
bool is_queue_name(std::string_view name) {
    if (name.empty() || name.size() > queue_limit_bytes) return false;
    for (char c : name)
        if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7F) return false;
    return true;
}

bool is_host(std::string_view host, bool bracketed) {
    if (host.empty() || host.size() > 255) return false;
    for (char c : host) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && c != '.' && c != '-' && c != '_' && !(bracketed && (c == ':' || c == '%'))) return false;
    }
    return true;
}

Result<void> parse_authority(std::string_view uri, std::string_view authority, Destination& to) {
    std::string_view port;
    bool has_port = false;
    const bool bracketed = authority.starts_with('[');
    if (bracketed) {
        const auto close = authority.find(']');
        if (close == std::string_view::npos) return bad(uri, "the bracket of the address is not closed");
        to.host = authority.substr(1, close - 1);
        const std::string_view rest = authority.substr(close + 1);
        if (!rest.empty() && rest.front() != ':') return bad(uri, "after the address only a port can follow");
        has_port = !rest.empty();
        if (has_port) port = rest.substr(1);
    } else {
        const auto colon = authority.find(':');
        to.host = authority.substr(0, colon);
        has_port = colon != std::string_view::npos;
        if (has_port) port = authority.substr(colon + 1);
        if (port.find(':') != std::string_view::npos)
            return bad(uri, "an IPv6 address needs brackets, as in socket://[::1]:9100");
    }
    if (!is_host(to.host, bracketed)) return bad(uri, "the host name is missing or not one");
    if (!has_port) return {};
    const auto number = parse_u64(port);
    if (!number || *number == 0 || *number > 65535) return bad(uri, "the port must be a number from 1 to 65535");
    to.port = static_cast<std::uint16_t>(*number);
    return {};
}

}  // namespace

std::string Destination::peer() const {
    const bool literal = host.find(':') != std::string::npos;
    return (literal ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<Destination> parse_destination(std::string_view uri) {
    Destination to;
    const auto scheme_end = uri.find("://");
    if (scheme_end == std::string_view::npos)
        return bad(uri, "is not a destination; write socket://HOST:PORT or lpd://HOST/QUEUE");
    const std::string_view scheme = uri.substr(0, scheme_end);
    if (equals_ignoring_case(scheme, "socket")) {
        to.port = default_socket_port;
    } else if (equals_ignoring_case(scheme, "lpd")) {
        to.scheme = Destination::Scheme::lpd;
        to.port = default_lpd_port;
    } else {
        return bad(uri, "unknown kind of destination '" + printable(scheme) + "'; known are socket and lpd");
    }
    const std::string_view rest = uri.substr(scheme_end + 3);
    if (rest.find_first_of("?#@") != std::string_view::npos)
        return bad(uri, "user names and options do not belong in the destination; options have keys of their own");
    const auto slash = rest.find('/');
    const std::string_view path = slash == std::string_view::npos ? std::string_view{} : rest.substr(slash + 1);
    if (auto parsed = parse_authority(uri, rest.substr(0, slash), to); !parsed) return fail(std::move(parsed.error()));
    if (to.scheme == Destination::Scheme::socket) {
        if (!path.empty()) return bad(uri, "a socket destination has no path");
        return to;
    }
    const auto queue = percent_decoded(path);
    if (!queue || !is_queue_name(*queue))
        return bad(uri, "an lpd destination needs the RIP's queue, as in lpd://HOST/QUEUE");
    to.queue = *queue;
    return to;
}

}  // namespace opispool::rip_out

// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/client_path.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace opispool::opi {

namespace {

bool is_letter(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool has_drive(std::string_view name) {
    return name.size() >= 3 && is_letter(name[0]) && name[1] == ':' && (name[2] == '\\' || name[2] == '/');
}

// Bytes of `file:` in `file:///...`, 0 without a scheme. One letter is a drive; a Mac volume is followed by no slash
// unless the name itself starts with one, which "://" leaves no room for.
std::size_t scheme_bytes(std::string_view name) {
    for (const std::string_view scheme : {"file:", "afp:"})
        if (starts_with_ignoring_case(name, scheme) && name.substr(scheme.size()).starts_with('/'))
            return scheme.size();
    const std::size_t colon = name.find("://");
    if (colon == std::string_view::npos || colon < 2 || !is_letter(name[0])) return 0;
    const bool word = std::all_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(colon), [](char c) {
        return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '.' || c == '-';
    });
    return word ? colon + 1 : 0;
}

std::vector<std::string> split(std::string_view text, std::string_view separators) {
    std::vector<std::string> parts;
    for (std::size_t start = 0;;) {
        const std::size_t end = text.find_first_of(separators, start);
        parts.emplace_back(text.substr(start, end - start));
        if (end == std::string_view::npos) return parts;
        start = end + 1;
    }
}

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// Once; a '%' without two hex digits stays.
std::string percent_decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escape =
            text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0;
        if (!escape) {
            out += text[i];
            continue;
        }
        out += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
        i += 2;
    }
    return out;
}

tl::unexpected<Error> names_a_folder() {
    return fail(Code::bad_syntax, Operation::resolve,
                "the name ends in a folder; correct the name so that it ends in a file");
}

tl::unexpected<Error> climbs() {
    return fail(
        Code::not_permitted, Operation::resolve,
        "the name climbs to a parent folder ('..'), but only files inside the store are used; correct the name");
}

// The rest of a path after its volume: empty parts and "." are noise, except at the end where the file name must stand.
Result<void> take_components(std::vector<std::string> parts, std::size_t from, ClientPath& path) {
    if (std::any_of(parts.begin(), parts.end(), [](const std::string& part) { return part == ".."; })) return climbs();
    if (parts.size() <= from || parts.back().empty() || parts.back() == ".") return names_a_folder();
    for (std::size_t i = from; i < parts.size(); ++i)
        if (!parts[i].empty() && parts[i] != ".") path.components.push_back(std::move(parts[i]));
    return {};
}

Result<void> take_hfs(std::string_view name, ClientPath& path) {
    std::vector<std::string> parts = split(name, ":");
    if (parts.back().empty()) return names_a_folder();
    // Between two colons stands nothing only when the folder above is meant.
    if (std::any_of(parts.begin() + 1, parts.end(), [](const std::string& part) { return part.empty(); }))
        return climbs();
    path.volume = parts.front();
    return take_components(std::move(parts), 1, path);
}

Result<void> take_unc(std::string_view name, ClientPath& path) {
    std::vector<std::string> parts = split(name, "\\/");
    const bool file_at_end = !parts.back().empty();
    std::erase(parts, std::string());  // doubled backslashes are common where a string escape was not undone
    if (parts.size() < 3 || !file_at_end) return names_a_folder();
    path.volume = parts[0] + "/" + parts[1];
    return take_components(std::move(parts), 2, path);
}

Result<void> take_url(std::string_view after_scheme, ClientPath& path) {
    if (after_scheme.starts_with("//")) {
        after_scheme.remove_prefix(2);
        const std::size_t slash = std::min(after_scheme.find('/'), after_scheme.size());
        const std::string_view authority = after_scheme.substr(0, slash);
        const std::size_t at = authority.rfind('@');
        path.volume = percent_decoded(at == std::string_view::npos ? authority : authority.substr(at + 1));
        after_scheme.remove_prefix(slash);
    }
    std::vector<std::string> parts = split(after_scheme, "/");
    for (std::string& part : parts) part = percent_decoded(part);
    return take_components(std::move(parts), 0, path);
}

Result<void> take_by_style(std::string_view name, ClientPath& path) {
    using Style = ClientPath::Style;
    if (const std::size_t scheme = scheme_bytes(name); scheme > 0) {
        path.style = Style::url;
        return take_url(name.substr(scheme), path);
    }
    if (has_drive(name)) {
        path.style = Style::windows_drive;
        path.volume = name.substr(0, 2);
        return take_components(split(name.substr(2), "\\/"), 0, path);
    }
    if (name.starts_with("\\\\")) {
        path.style = Style::unc;
        return take_unc(name, path);
    }
    // A leading slash is POSIX even with a colon further on; after that a colon is the surest sign of a Mac, whose
    // names may hold both slashes.
    if (!name.starts_with('/') && name.find(':') != std::string_view::npos) {
        path.style = Style::hfs;
        return take_hfs(name, path);
    }
    if (!name.starts_with('/') && name.find('\\') != std::string_view::npos) {
        path.style = Style::windows_drive;
        return take_components(split(name, "\\/"), 0, path);
    }
    path.style = name.find('/') == std::string_view::npos ? Style::bare : Style::posix;
    return take_components(split(name, "/"), 0, path);
}

// A component holds a slash only if it is a Mac name or was percent-encoded; nobody means a file called "a/..".
bool hides_a_parent(const std::string& component) {
    const auto pieces = split(component, "/\\");
    return std::find(pieces.begin(), pieces.end(), "..") != pieces.end();
}

}  // namespace

Result<ClientPath> split_client_path(std::string_view name) {
    while (name.ends_with('\0')) name.remove_suffix(1);  // a C string's end that went into the comment
    if (trim(name).empty()) return fail(Code::bad_syntax, Operation::resolve, "the name is empty");
    ClientPath path;
    if (auto taken = take_by_style(name, path); !taken) return fail(std::move(taken.error()));
    if (path.volume == ".." || std::any_of(path.components.begin(), path.components.end(), hides_a_parent))
        return climbs();
    const auto has_nul = [](const std::string& component) { return component.find('\0') != std::string::npos; };
    if (has_nul(path.volume) || std::any_of(path.components.begin(), path.components.end(), has_nul))
        return fail(Code::bad_syntax, Operation::resolve, "the name contains a NUL byte; correct the name");
    return path;
}

}  // namespace opispool::opi

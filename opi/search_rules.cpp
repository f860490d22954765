// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/search_rules.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "opi/name_encodings.h"

namespace opispool::opi {

namespace {

using Style = ClientPath::Style;

// A local file's URL is its POSIX path, and a relative path is written the same on both systems.
Style comparable_style(const ClientPath& path) {
    const bool local = path.style == Style::url && (path.volume.empty() || path.volume == "localhost");
    return local || path.style == Style::bare ? Style::posix : path.style;
}

// A prefix with a file name behind it is a path like any other.
constexpr std::string_view any_file = "x";

Result<ClientPath> split_prefix(std::string_view prefix) {
    return split_client_path(std::string(prefix) + std::string(any_file));
}

// How well a map fits; nothing if it doesn't.
struct Fit {
    std::size_t components = 0;  // of the prefix, the volume counted
    bool spelled_alike = false;
    auto operator<=>(const Fit&) const = default;
};

std::optional<Fit> fit_of(const ClientPath& prefix, const ClientPath& path) {
    if (comparable_style(prefix) != comparable_style(path)) return std::nullopt;
    const std::size_t folders = prefix.components.size() - 1;
    if (path.components.size() <= folders) return std::nullopt;
    Fit fit{folders + 1, true};
    const auto agrees = [&fit](const std::string& wanted, const std::string& written) {
        const NameMatch match = match_name(spellings_of(written), wanted).match;
        fit.spelled_alike = fit.spelled_alike && match == NameMatch::exact;
        return match != NameMatch::none;
    };
    if (comparable_style(prefix) != Style::posix && !agrees(prefix.volume, path.volume)) return std::nullopt;
    for (std::size_t i = 0; i < folders; ++i)
        if (!agrees(prefix.components[i], path.components[i])) return std::nullopt;
    return fit;
}

std::vector<std::string> folders_in(std::string_view folder) {
    std::vector<std::string> parts;
    for (std::size_t start = 0; start < folder.size();) {
        const std::size_t end = std::min(folder.find('/', start), folder.size());
        if (end > start) parts.emplace_back(folder.substr(start, end - start));
        start = end + 1;
    }
    return parts;
}

std::vector<MappedPlace> places_of(const std::vector<PrefixMap>& maps, const ClientPath& path) {
    std::vector<MappedPlace> places;
    Fit best;
    for (std::size_t i = 0; i < maps.size(); ++i) {
        const auto prefix = split_prefix(maps[i].prefix);
        const auto fit = prefix ? fit_of(*prefix, path) : std::nullopt;
        if (!fit || *fit < best) continue;
        if (*fit > best) places.clear();
        best = *fit;
        MappedPlace place{i, maps[i].store, folders_in(maps[i].folder), {}};
        const auto from = path.components.begin() + static_cast<std::ptrdiff_t>(prefix->components.size() - 1);
        place.client_folders.assign(from, path.components.end() - 1);
        places.push_back(std::move(place));
    }
    return places;
}

bool is_one_of(const std::vector<std::string>& words, std::string_view name) {
    return std::any_of(words.begin(), words.end(),
                       [&](const std::string& word) { return case_folded(word) == case_folded(name); });
}

// "pic.lay" -> "pic", "pic.lay.tif" -> "pic.tif"; nothing if there is no such suffix.
std::optional<std::string> without_suffix(const std::vector<std::string>& suffixes, std::string_view name) {
    const std::size_t dot = name.rfind('.');
    for (const std::string& suffix : suffixes) {
        for (const std::size_t end : {name.size(), dot}) {
            if (end == std::string_view::npos || end <= suffix.size()) continue;
            if (!equals_ignoring_case(name.substr(end - suffix.size(), suffix.size()), suffix)) continue;
            return std::string(name.substr(0, end - suffix.size())) + std::string(name.substr(end));
        }
    }
    return std::nullopt;
}

}  // namespace

Result<void> check_map_prefix(std::string_view prefix) {
    const auto path = split_prefix(prefix);
    if (!path) return fail(Code::bad_syntax, Operation::configure, path.error().text);
    if (path->components.back() != any_file)
        return fail(Code::bad_syntax, Operation::configure,
                    "a prefix ends with its separator, as in \"Mac HD:Jobs:\", \"P:\\\" or \"/Volumes/Jobs/\"");
    if (path->volume.empty() && path->components.size() == 1)
        return fail(Code::bad_syntax, Operation::configure, "a prefix names a volume, drive, share or folder");
    return {};
}

Result<std::string> parse_map_folder(std::string_view folder) {
    if (folder.starts_with('/'))
        return fail(Code::bad_syntax, Operation::configure, "the folder lies in the store: no leading '/'");
    std::string normal;
    for (const std::string& part : folders_in(folder)) {
        if (part == "..") return fail(Code::bad_syntax, Operation::configure, "the folder lies in the store: no '..'");
        if (part != ".") normal += (normal.empty() ? "" : "/") + part;
    }
    return normal;
}

RuledPath apply_rules(const SearchRules& rules, ClientPath path) {
    RuledPath ruled;
    for (auto folder = path.components.begin(); folder != path.components.end() - 1;) {
        if (is_layout_folder(rules, *folder)) {
            folder = path.components.erase(folder);
            ruled.names_layout = true;
        } else {
            ++folder;
        }
    }
    if (auto original = without_suffix(rules.layout_suffixes, path.components.back())) {
        path.components.back() = std::move(*original);
        ruled.names_layout = true;
    }
    ruled.places = places_of(rules.maps, path);
    ruled.path = std::move(path);
    return ruled;
}

bool is_layout_folder(const SearchRules& rules, std::string_view folder_name) {
    return is_one_of(rules.layout_folders, folder_name);
}

bool has_layout_suffix(const SearchRules& rules, std::string_view file_name) {
    return without_suffix(rules.layout_suffixes, file_name).has_value();
}

}  // namespace opispool::opi

// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/cli/search_options.h"

#include <filesystem>
#include <string>
#include <vector>

#include "base/text.h"
#include "spooler/cli/command.h"

namespace opispool::cli {

namespace {

namespace fs = std::filesystem;

// Absolute, links followed as far as the path exists.
fs::path place_of(const std::string& path) {
    std::error_code error;
    const fs::path place = fs::weakly_canonical(fs::absolute(path, error), error);
    return error ? fs::path(path) : place;
}

// "Mac HD:Jobs:=DIR": a prefix ends with its separator, so the first '=' behind one ends it.
std::size_t end_of_prefix(const std::string& text) {
    for (std::size_t at = text.find('='); at != std::string::npos; at = text.find('=', at + 1))
        if (at > 0 && std::string_view(":\\/").find(text[at - 1]) != std::string_view::npos) return at;
    return std::string::npos;
}

// The store that `folder` is or lies in, and the way there.
bool find_store(const std::vector<std::string>& stores, const std::string& folder, opi::PrefixMap& map) {
    const fs::path wanted = place_of(folder);
    for (std::size_t i = 0; i < stores.size(); ++i) {
        const fs::path below = wanted.lexically_relative(place_of(stores[i]));
        if (below.empty() || *below.begin() == "..") continue;
        auto way = opi::parse_map_folder(below.string());
        if (!way) continue;
        map.store = i;
        map.folder = std::move(*way);
        return true;
    }
    return false;
}

std::string wrong(const char* option, const std::string& value, const std::string& why) {
    return std::string(option) + " '" + printable(value) + "': " + why;
}

// Nothing, or what is wrong with the map.
std::string add_map(const std::vector<std::string>& stores, const std::string& text, opi::SearchRules& rules) {
    const std::size_t end = end_of_prefix(text);
    if (end == std::string::npos) return wrong("--map", text, "want PREFIX=DIR, the prefix with its separator");
    opi::PrefixMap map;
    map.prefix = text.substr(0, end);
    if (auto good = opi::check_map_prefix(map.prefix); !good) return wrong("--map", text, good.error().text);
    if (!find_store(stores, text.substr(end + 1), map)) return wrong("--map", text, "DIR lies in none of the stores");
    rules.maps.push_back(std::move(map));
    return {};
}

tl::expected<opi::SearchRules, std::string> read_rules(const CommandLine& line,
                                                       const std::vector<std::string>& stores) {
    opi::SearchRules rules;
    for (const std::string& text : line.all("map"))
        if (std::string mistake = add_map(stores, text, rules); !mistake.empty()) return tl::unexpected(mistake);
    rules.layout_folders = line.all("layouts");
    for (const std::string& name : rules.layout_folders)
        if (name.empty() || name.find('/') != std::string::npos)
            return tl::unexpected(wrong("--layouts", name, "want the name of a folder, without '/'"));
    rules.layout_suffixes = line.all("layout-suffix");
    for (const std::string& suffix : rules.layout_suffixes)
        if (suffix.size() < 2 || suffix.front() != '.')
            return tl::unexpected(wrong("--layout-suffix", suffix, "want a suffix with its dot, as .lay"));
    const std::string foreign = line.get("foreign-folders", "warn");
    if (foreign != "warn" && foreign != "hold")
        return tl::unexpected(wrong("--foreign-folders", foreign, "want warn or hold"));
    if (foreign == "hold") rules.foreign_folders = opi::ForeignFolders::hold;
    return rules;
}

}  // namespace

void declare_search_options(CommandLine& line) {
    line.values("store", "DIR", "folder with the high-resolution pictures; repeat it for more");
    line.values("map", "PREFIX=DIR",
                "names that begin with PREFIX (\"Mac HD:Jobs:\", P:\\, /Volumes/Jobs/) are in DIR, a store or a folder "
                "of one; repeat it for more");
    line.values("layouts", "NAME", "folders of this name hold layouts: .../NAME/pic.tif stands for .../pic.tif");
    line.values("layout-suffix", ".SUF", "pic.tif.SUF and pic.SUF.tif are layouts of pic.tif");
    line.value("foreign-folders", "WORD",
               "a picture whose folders agree with none of the job's: warn (default) or hold, which refuses it");
}

tl::expected<opi::ImageIndex, int> open_index(const CommandLine& line) {
    const std::vector<std::string> stores = line.all("store");
    if (stores.empty()) return tl::unexpected(line.usage_error("--store DIR is missing"));
    auto rules = read_rules(line, stores);
    if (!rules) return tl::unexpected(line.usage_error(rules.error()));
    auto index = opi::ImageIndex::open(stores, std::move(*rules));
    if (!index) return tl::unexpected(line.usage_error(printable(describe(index.error()))));
    return std::move(*index);
}

}  // namespace opispool::cli

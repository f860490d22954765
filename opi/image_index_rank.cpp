// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/image_index_rank.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/text.h"

namespace opispool::opi {

namespace {

using Id = StoreTrees::Id;

// Kinds a layout's original may be of; a kind that can't be placed is reported as such.
constexpr std::array<std::string_view, 9> picture_extensions = {".tif", ".tiff", ".eps", ".epsf", ".dcs",
                                                                ".jpg", ".jpeg", ".psd", ""};

struct Candidate {
    RankedEntry entry;
    Spelling::Reading reading = Spelling::Reading::as_written;
    std::string path;  // for a stable order
};

// Other spellings under which file servers keep a client's name. HFS names may hold '/', which netatalk writes as `:2f`
// and OS X as ':'.
std::vector<std::string> server_spellings(std::string_view name) {
    std::vector<std::string> names;
    if (auto decoded = with_hex_groups_decoded(name)) names.push_back(std::move(*decoded));
    if (name.find('/') != std::string_view::npos) {
        names.emplace_back(name);
        std::replace(names.back().begin(), names.back().end(), '/', ':');
    }
    const bool raw_bytes = name.find('/') != std::string_view::npos || !is_valid_utf8(name);
    if (auto escaped = cap_encoded(name); escaped && raw_bytes) names.push_back(std::move(*escaped));
    return names;
}

std::string_view without_trailing_blanks(std::string_view name) {
    const std::size_t last = name.find_last_not_of(" \t");
    return last == std::string_view::npos ? std::string_view() : name.substr(0, last + 1);
}

// The client's folders, innermost first, each in all its spellings.
struct ClientFolders {
    std::vector<std::vector<Spelling>> spellings;
    std::size_t below_volume = 0;
};

std::vector<Spelling> all_spellings_of(std::string_view name) {
    std::vector<Spelling> spellings = spellings_of(name);
    for (const std::string& other : server_spellings(name)) {
        std::vector<Spelling> more = spellings_of(other);
        std::move(more.begin(), more.end(), std::back_inserter(spellings));
    }
    return spellings;
}

void add_folder(ClientFolders& folders, std::string_view name) {
    folders.spellings.push_back(all_spellings_of(name));
}

ClientFolders folders_of(const ClientPath& path) {
    ClientFolders folders;
    for (std::size_t i = path.components.size() - 1; i > 0; --i) add_folder(folders, path.components[i - 1]);
    folders.below_volume = folders.spellings.size();
    // A store often holds volumes or shares as its first folders; a drive letter or a host name says nothing.
    if (path.style == ClientPath::Style::hfs && !path.volume.empty()) add_folder(folders, path.volume);
    if (path.style == ClientPath::Style::unc) {
        const std::size_t slash = path.volume.find('/');
        add_folder(folders, std::string_view(path.volume).substr(slash + 1));
        add_folder(folders, std::string_view(path.volume).substr(0, slash));
    }
    return folders;
}

FolderAgreement agreement_of(const StoreTrees& tree, Id id, const ClientFolders& folders) {
    FolderAgreement agreement;
    Id folder = tree.parent(id);
    for (const std::vector<Spelling>& spellings : folders.spellings) {
        if (tree.is_root(folder)) break;
        const NameMatch match = match_name(spellings, tree.name(folder)).match;
        if (match == NameMatch::none) break;
        ++agreement.folders;
        if (match == NameMatch::exact) ++agreement.exact_folders;
        folder = tree.parent(folder);
    }
    // A bare name agrees with the top of every store, which says nothing.
    agreement.whole_path =
        folders.below_volume > 0 && agreement.folders == folders.below_volume && tree.is_root(folder);
    return agreement;
}

// A name whose encoding is unknown and that fits files under two readings stays undecided, whatever the folders say.
void forget_folders_where_readings_differ(std::vector<Candidate>& candidates) {
    const bool differ = std::any_of(candidates.begin(), candidates.end(),
                                    [&](const Candidate& c) { return c.reading != candidates.front().reading; });
    if (!differ) return;
    for (Candidate& candidate : candidates) {
        candidate.entry.agreement = {};
        candidate.entry.all_folders = false;
    }
}

// A place of the rules with the spellings of its folders, innermost first.
struct PlaceFolders {
    std::size_t store = 0;
    std::vector<std::vector<Spelling>> folders;
};

std::vector<PlaceFolders> folders_of(const std::vector<MappedPlace>& places) {
    std::vector<PlaceFolders> all;
    for (const MappedPlace& place : places) {
        PlaceFolders one{place.store, {}};
        for (const auto* names : {&place.client_folders, &place.store_folders})
            for (auto name = names->rbegin(); name != names->rend(); ++name)
                one.folders.push_back(all_spellings_of(*name));
        all.push_back(std::move(one));
    }
    return all;
}

bool lies_in(const StoreTrees& tree, Id id, const PlaceFolders& place) {
    if (id.store != place.store) return false;
    Id folder = tree.parent(id);
    for (const std::vector<Spelling>& spellings : place.folders) {
        if (tree.is_root(folder) || match_name(spellings, tree.name(folder)).match == NameMatch::none) return false;
        folder = tree.parent(folder);
    }
    return tree.is_root(folder);
}

// Best first, but for the order within a rank.
std::strong_ordering compare_rank(const RankedEntry& a, const RankedEntry& b) {
    if (a.place != b.place) return a.place <=> b.place;
    if (a.agreement.folders != b.agreement.folders) return b.agreement.folders <=> a.agreement.folders;
    if (a.agreement.whole_path != b.agreement.whole_path) return b.agreement.whole_path <=> a.agreement.whole_path;
    if (a.match != b.match) return a.match <=> b.match;
    return b.agreement.exact_folders <=> a.agreement.exact_folders;
}

// A file elsewhere that has the very name puts a differently spelled one in doubt, unless all of the job's folders or a
// map speak for that.
bool leaves_doubt(const RankedEntry& better_place, const RankedEntry& better_name) {
    return better_place.place == RankedEntry::Place::anywhere && better_name.place == RankedEntry::Place::anywhere &&
           !better_place.all_folders && better_name.match < better_place.match;
}

std::vector<RankedGroup> grouped(const std::vector<Candidate>& candidates) {
    std::vector<RankedGroup> groups;
    std::vector<bool> taken(candidates.size(), false);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (taken[i]) continue;
        const RankedEntry& best = candidates[i].entry;
        RankedGroup group;
        for (std::size_t k = i; k < candidates.size(); ++k) {
            const RankedEntry& entry = candidates[k].entry;
            const bool doubt = leaves_doubt(best, entry);
            if (taken[k] || (!doubt && std::is_neq(compare_rank(best, entry)))) continue;
            taken[k] = true;
            group.disagree = group.disagree || doubt;
            group.entries.push_back(entry);
        }
        groups.push_back(std::move(group));
    }
    return groups;
}

// Insertions, deletions and exchanges of bytes that make `b` of `a`, given up beyond `limit`.
std::size_t distance(std::string_view a, std::string_view b, std::size_t limit) {
    if (a.size() > b.size() + limit || b.size() > a.size() + limit) return limit + 1;
    std::array<std::size_t, 256> row{};
    std::iota(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(b.size()) + 1, std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        std::size_t least = row[0];
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t exchanged = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({exchanged, row[j] + 1, row[j + 1] + 1});
            least = std::min(least, row[j + 1]);
        }
        if (least > limit) return limit + 1;
    }
    return row[b.size()];
}

std::string_view stem_of(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    return dot == std::string_view::npos || dot == 0 ? name : name.substr(0, dot);
}

bool is_similar(std::string_view wanted, std::string_view stored) {
    const std::size_t limit = std::min<std::size_t>(2, wanted.size() / 4);
    return stem_of(wanted) == stem_of(stored) || distance(wanted, stored, limit) <= limit;
}

}  // namespace

std::vector<std::vector<std::string>> base_names_to_try(const RuledPath& ruled) {
    std::vector<std::vector<std::string>> sets;
    std::vector<std::string> tried;
    const auto try_name = [&](std::string_view name) {
        if (name.empty() || std::find(tried.begin(), tried.end(), name) != tried.end()) return;
        tried.emplace_back(name);
        std::vector<std::string> set{tried.back()};
        // Two originals of one base name have one layout name: which was meant can't be told from it (ref 8.3).
        if (ruled.names_layout)
            for (const std::string_view extension : picture_extensions)
                if (std::string other = std::string(stem_of(name)) + std::string(extension);
                    case_folded(other) != case_folded(name))
                    set.push_back(std::move(other));
        sets.push_back(std::move(set));
    };
    const std::string& base_name = ruled.path.components.back();
    const std::string_view trimmed = without_trailing_blanks(base_name);
    try_name(base_name);
    try_name(trimmed);
    for (const std::string& other : server_spellings(base_name)) {
        try_name(other);
        try_name(without_trailing_blanks(other));
    }
    if (ruled.path.is_windows())
        for (const char* lost : {".", " "}) try_name(std::string(trimmed) + lost);
    return sets;
}

std::vector<RankedGroup> rank_candidates(const StoreTrees& tree, const RuledPath& ruled,
                                         const std::vector<std::string>& base_names) {
    using Place = RankedEntry::Place;
    std::vector<Spelling> spellings;
    for (const std::string& base_name : base_names) {
        std::vector<Spelling> more = spellings_of(base_name);
        std::move(more.begin(), more.end(), std::back_inserter(spellings));
    }
    std::vector<Id> ids;
    for (const Spelling& spelling : spellings) {
        const std::vector<Id> found = tree.with_folded_name(spelling.folded);
        ids.insert(ids.end(), found.begin(), found.end());
    }
    if (ids.empty()) return {};
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());

    const ClientFolders folders = folders_of(ruled.path);
    const std::vector<PlaceFolders> places = folders_of(ruled.places);
    std::vector<Candidate> candidates;
    for (const Id id : ids) {
        const SpellingMatch name = match_name(spellings, tree.name(id));
        if (name.match == NameMatch::none) continue;  // only the hash was the same
        RankedEntry entry{id, name.match, agreement_of(tree, id, folders), Place::anywhere, false, false};
        entry.all_folders = folders.below_volume > 0 && entry.agreement.folders >= folders.below_volume;
        entry.foreign = folders.below_volume > 0 && entry.agreement.folders == 0 && !tree.is_root(tree.parent(id));
        if (!places.empty()) {
            const bool inside = std::any_of(places.begin(), places.end(),
                                            [&](const PlaceFolders& place) { return lies_in(tree, id, place); });
            entry.place = inside ? Place::mapped : Place::outside_map;
            entry.foreign = false;
            if (inside) entry.agreement = {};  // it is where it has to be: only the spelling is left to decide
        }
        candidates.push_back({entry, name.reading, tree.relative_path(id)});
    }
    forget_folders_where_readings_differ(candidates);
    std::sort(candidates.begin(), candidates.end(), [&tree](const Candidate& a, const Candidate& b) {
        if (const auto rank = compare_rank(a.entry, b.entry); std::is_neq(rank)) return std::is_lt(rank);
        if (a.entry.id.store != b.entry.id.store) return a.entry.id.store < b.entry.id.store;
        return a.path < b.path;
    });
    return grouped(candidates);
}

std::string describe(const RankedEntry& entry) {
    std::string text = "spelled alike";
    if (entry.match == NameMatch::normalized) text += " but for the form of accents";
    if (entry.match == NameMatch::caseless) text += " but for case";
    if (entry.place == RankedEntry::Place::mapped) return text + "; where the map says";
    if (entry.agreement.whole_path) return text + "; the whole path agrees";
    if (entry.agreement.folders > 0)
        return text + "; " +
               (entry.all_folders ? "all of the job's folders agree"
                                  : "folders that agree: " + std::to_string(entry.agreement.folders));
    return text + (entry.foreign ? "; none of the job's folders agrees" : "");
}

ShortName entries_of_short_name(const StoreTrees& tree, std::string_view base_name) {
    constexpr std::size_t most_looked_at = 500'000, most_kept = 64, longest_short_name = 31;
    ShortName result;
    const std::size_t hash = base_name.rfind('#');
    if (hash == std::string_view::npos || hash == 0 || base_name.size() > longest_short_name) return result;
    const std::size_t dot = std::min(base_name.find('.', hash), base_name.size());
    const std::string digits(base_name.substr(hash + 1, dot - hash - 1));
    if (digits.empty() || digits.size() > 8 || digits.find_first_not_of("0123456789ABCDEFabcdef") != std::string::npos)
        return result;
    result.number = static_cast<std::uint32_t>(std::stoul(digits, nullptr, 16));
    const std::string extension = case_folded(base_name.substr(dot));
    for (const Spelling& beginning : spellings_of(base_name.substr(0, hash))) {
        tree.each(most_looked_at, [&](Id id) {
            if (tree.kind(id) != StoreTrees::Kind::file) return true;
            const std::string name = case_folded(tree.name(id));
            if (name.starts_with(beginning.folded) && name.ends_with(extension)) result.ids.push_back(id);
            return result.ids.size() < most_kept;
        });
    }
    return result;
}

std::vector<std::string> similar_names(const StoreTrees& tree, std::string_view base_name) {
    // A hint is not worth a second of work in a huge store.
    constexpr std::size_t most_looked_at = 500'000;
    constexpr std::size_t most_named = 3;
    std::vector<std::string> names;
    const std::string wanted = to_lower_ascii(without_trailing_blanks(base_name));
    if (wanted.size() > 255) return names;
    tree.each(most_looked_at, [&](Id id) {
        if (tree.kind(id) == StoreTrees::Kind::folder || tree.kind(id) == StoreTrees::Kind::other) return true;
        if (!is_similar(wanted, to_lower_ascii(tree.name(id)))) return true;
        if (std::find(names.begin(), names.end(), tree.name(id)) == names.end()) names.emplace_back(tree.name(id));
        return names.size() < most_named;
    });
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace opispool::opi

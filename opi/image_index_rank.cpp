// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/image_index_rank.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/text.h"

namespace opispool::opi {

namespace {

using Id = StoreTree::Id;

struct Candidate {
    Id id = 0;
    SpellingMatch name;
    FolderAgreement agreement;
    std::string path;  // for a stable order
};

std::string_view without_trailing_blanks(std::string_view name) {
    const std::size_t last = name.find_last_not_of(" \t");
    return last == std::string_view::npos ? std::string_view() : name.substr(0, last + 1);
}

// The client's folders, innermost first, each in all its spellings.
struct ClientFolders {
    std::vector<std::vector<Spelling>> spellings;
    std::size_t below_volume = 0;
};

void add_folder(ClientFolders& folders, std::string_view name) {
    std::vector<Spelling> spellings = spellings_of(name);
    if (const auto decoded = with_hex_groups_decoded(name)) {
        std::vector<Spelling> more = spellings_of(*decoded);
        std::move(more.begin(), more.end(), std::back_inserter(spellings));
    }
    folders.spellings.push_back(std::move(spellings));
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

FolderAgreement agreement_of(const StoreTree& tree, Id id, const ClientFolders& folders) {
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
    for (const NameMatch match : {NameMatch::exact, NameMatch::normalized, NameMatch::caseless}) {
        const auto of_class = [match](const Candidate& c) { return c.name.match == match; };
        const auto first = std::find_if(candidates.begin(), candidates.end(), of_class);
        if (first == candidates.end()) continue;
        const std::size_t reading = first->name.spelling;
        const bool differ = std::any_of(candidates.begin(), candidates.end(),
                                        [&](const Candidate& c) { return of_class(c) && c.name.spelling != reading; });
        if (!differ) continue;
        for (Candidate& candidate : candidates)
            if (of_class(candidate)) candidate.agreement = {};
    }
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

std::vector<std::string> base_names_to_try(std::string_view base_name) {
    std::vector<std::string> names;
    const auto try_name = [&names](std::string_view name) {
        if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
    };
    try_name(base_name);
    try_name(without_trailing_blanks(base_name));
    if (const auto decoded = with_hex_groups_decoded(base_name)) {
        try_name(*decoded);
        try_name(without_trailing_blanks(*decoded));
    }
    return names;
}

std::vector<RankedGroup> rank_candidates(const StoreTree& tree, const ClientPath& path, std::string_view base_name) {
    const std::vector<Spelling> spellings = spellings_of(base_name);
    const ClientFolders folders = folders_of(path);
    std::vector<Id> ids;
    for (const Spelling& spelling : spellings) {
        const std::vector<Id> found = tree.with_folded_name(spelling.folded);
        ids.insert(ids.end(), found.begin(), found.end());
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());

    std::vector<Candidate> candidates;
    for (const Id id : ids) {
        const SpellingMatch name = match_name(spellings, tree.name(id));
        if (name.match == NameMatch::none) continue;  // only the hash was the same
        candidates.push_back({id, name, agreement_of(tree, id, folders), tree.relative_path(id)});
    }
    forget_folders_where_readings_differ(candidates);
    std::sort(candidates.begin(), candidates.end(), [&tree](const Candidate& a, const Candidate& b) {
        if (a.name.match != b.name.match) return a.name.match < b.name.match;
        if (a.agreement != b.agreement) return a.agreement > b.agreement;
        if (tree.store(a.id) != tree.store(b.id)) return tree.store(a.id) < tree.store(b.id);
        return a.path < b.path;
    });
    std::vector<RankedGroup> groups;
    for (const Candidate& candidate : candidates) {
        const bool same_rank = !groups.empty() && groups.back().match == candidate.name.match &&
                               groups.back().agreement == candidate.agreement;
        if (!same_rank) groups.push_back({candidate.name.match, candidate.agreement, {}});
        groups.back().ids.push_back(candidate.id);
    }
    return groups;
}

std::vector<std::string> similar_names(const StoreTree& tree, std::string_view base_name) {
    // A hint is not worth a second of work in a huge store.
    constexpr Id most_looked_at = 500'000;
    constexpr std::size_t most_named = 3;
    std::vector<std::string> names;
    const std::string wanted = to_lower_ascii(without_trailing_blanks(base_name));
    if (wanted.size() > 255) return names;
    for (Id id = 0; id < std::min(tree.size(), most_looked_at) && names.size() < most_named; ++id) {
        if (tree.is_root(id) || tree.kind(id) == StoreTree::Kind::folder || tree.kind(id) == StoreTree::Kind::other)
            continue;
        if (!is_similar(wanted, to_lower_ascii(tree.name(id)))) continue;
        if (std::find(names.begin(), names.end(), tree.name(id)) == names.end()) names.emplace_back(tree.name(id));
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace opispool::opi

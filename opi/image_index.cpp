// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/image_index.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "opi/image_index_open.h"
#include "opi/image_index_rank.h"
#include "opi/image_index_tree.h"
#include "opi/image_index_walk.h"

namespace opispool::opi {

namespace {

constexpr std::size_t candidates_listed = 5;
constexpr std::size_t candidates_traced = 50;

std::string quoted(std::string_view name) {
    return "'" + printable(name) + "'";
}

std::string listed(const std::vector<std::string>& items) {
    std::string text;
    for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
    return text;
}

std::string quoted_list(const std::vector<std::string>& names) {
    std::vector<std::string> items;
    for (const std::string& name : names) items.push_back(quoted(name));
    return listed(items);
}

std::string describe(const ClientPath& path) {
    using Style = ClientPath::Style;
    std::string text;
    switch (path.style) {
        case Style::hfs:
            text = "a Mac path, volume " + quoted(path.volume);
            break;
        case Style::windows_drive:
            text = "a Windows path" + (path.volume.empty() ? "" : ", drive " + quoted(path.volume));
            break;
        case Style::unc:
            text = "a Windows path, server and share " + quoted(path.volume);
            break;
        case Style::posix:
            text = "a POSIX path";
            break;
        case Style::bare:
            return "a name without folders";
        case Style::url:
            text = "a URL" + (path.volume.empty() ? "" : ", host " + quoted(path.volume));
            break;
    }
    const std::vector<std::string> folders(path.components.begin(), path.components.end() - 1);
    return text + (folders.empty() ? "" : ", folders " + quoted_list(folders));
}

// Everything that came up while one name was looked for and that an error has to tell.
struct Findings {
    std::optional<std::string> layout;   // turned down by the caller or a layout rule
    std::optional<std::string> folder;   // of that name
    std::optional<std::string> special;  // fifo, device, socket
    std::optional<std::string> outside;  // a map leads elsewhere
    std::optional<std::string> foreign;  // none of the job's folders agrees
};

void note(std::optional<std::string>& finding, std::string place) {
    if (!finding) finding = std::move(place);
}

// The entries of one group that are different files or might be.
struct Rivals {
    std::optional<FoundImage> image;  // the first that opened
    RankedEntry entry;                // its
    std::vector<std::string> listed;  // for the text
    std::optional<Error> obstacle;    // the first that did not open
    std::uint64_t count = 0;
};

}  // namespace

struct ImageIndex::Impl {
    StoreSource stores;
    SearchRules rules;
    std::optional<Result<StoreTrees>> trees;  // read by the first find()

    const Result<StoreTrees>& load() {
        if (trees) return *trees;
        auto read = stores();
        if (read)
            trees.emplace(StoreTrees(std::move(*read)));
        else
            trees.emplace(fail(std::move(read.error())));
        return *trees;
    }
};

// One name's search.
class ImageIndex::Search {
  public:
    Search(const Impl& impl, const SearchOptions& options) : impl_(impl), tree_(**impl.trees), options_(options) {}

    Result<FoundImage> run(ClientPath path);

  private:
    using Kind = SearchStep::Kind;

    void step(Kind kind, std::string subject, std::string text) {
        if (options_.trace != nullptr) options_.trace->push_back({kind, std::move(subject), std::move(text)});
    }
    void step(const RankedEntry& entry, const std::string& text) {
        if (options_.trace != nullptr) step(Kind::candidate, path_of(entry.id), opi::describe(entry) + ": " + text);
    }
    std::string path_of(StoreTrees::Id id) const;
    std::string place_of(StoreTrees::Id id) const;
    std::string store_names() const;
    void trace_rules(const RuledPath& ruled);
    void trace_rest(const std::vector<RankedGroup>& groups, std::size_t from);
    std::string layout_by_rule(StoreTrees::Id id) const;
    bool is_ruled_out(const RankedEntry& entry);
    Rivals open_group(const RankedGroup& group);
    std::optional<Result<FoundImage>> choose(const std::vector<RankedGroup>& groups);
    Result<FoundImage> decide(Rivals rivals, bool disagree);
    std::optional<Result<FoundImage>> choose_short_name();
    tl::unexpected<Error> nothing_found() const;
    std::string not_there_text() const;

    const Impl& impl_;
    const StoreTrees& tree_;
    const SearchOptions& options_;
    RuledPath ruled_;
    Findings findings_;
};

std::string ImageIndex::Search::path_of(StoreTrees::Id id) const {
    return tree_.root_of(id).path + "/" + tree_.relative_path(id);
}

// "'acme/pic.tif'", with its store if there are several.
std::string ImageIndex::Search::place_of(StoreTrees::Id id) const {
    std::string text = quoted(tree_.relative_path(id));
    if (tree_.store_count() > 1) text += " in " + quoted(tree_.root_of(id).path);
    return text;
}

std::string ImageIndex::Search::store_names() const {
    std::vector<std::string> names;
    for (std::size_t store = 0; store < tree_.store_count(); ++store) names.push_back(tree_.tree(store).root().path);
    return (names.size() == 1 ? "store " : "stores ") + quoted_list(names);
}

void ImageIndex::Search::trace_rules(const RuledPath& ruled) {
    if (ruled.names_layout)
        step(Kind::rule, ruled.path.components.back(), "the name is a layout's: its original is looked for");
    for (const MappedPlace& place : ruled.places) {
        std::string folder = tree_.tree(place.store).root().path;
        for (const auto* names : {&place.store_folders, &place.client_folders})
            for (const std::string& name : *names) folder += "/" + name;
        step(Kind::rule, folder, "where the map of " + quoted(impl_.rules.maps[place.map].prefix) + " leads");
    }
    if (ruled.places.empty() && !impl_.rules.maps.empty()) step(Kind::rule, {}, "no map fits");
}

void ImageIndex::Search::trace_rest(const std::vector<RankedGroup>& groups, std::size_t from) {
    if (options_.trace == nullptr) return;
    std::size_t count = 0;
    for (std::size_t i = from; i < groups.size(); ++i)
        for (const RankedEntry& entry : groups[i].entries)
            if (++count <= candidates_traced) step(entry, "fits worse, not looked at");
    if (count > candidates_traced) step(Kind::candidate, {}, "and more that fit worse");
}

std::string ImageIndex::Search::layout_by_rule(StoreTrees::Id id) const {
    if (has_layout_suffix(impl_.rules, tree_.name(id))) return "has the suffix of layouts";
    for (StoreTrees::Id folder = tree_.parent(id); !tree_.is_root(folder); folder = tree_.parent(folder))
        if (is_layout_folder(impl_.rules, tree_.name(folder))) return "lies in a folder of layouts";
    return {};
}

// Before anything is opened.
bool ImageIndex::Search::is_ruled_out(const RankedEntry& entry) {
    if (entry.place == RankedEntry::Place::outside_map) {
        note(findings_.outside, place_of(entry.id));
        step(entry, "refused, the map leads elsewhere");
        return true;
    }
    if (entry.foreign && impl_.rules.foreign_folders == ForeignFolders::hold) {
        note(findings_.foreign, place_of(entry.id));
        step(entry, "refused, it lies in a folder that the job does not name");
        return true;
    }
    const std::string layout = layout_by_rule(entry.id);
    if (layout.empty()) return false;
    note(findings_.layout, place_of(entry.id));
    step(entry, "refused, it " + layout);
    return true;
}

Rivals ImageIndex::Search::open_group(const RankedGroup& group) {
    Rivals rivals;
    const auto add = [&rivals](std::string text) {
        if (++rivals.count <= candidates_listed) rivals.listed.push_back(std::move(text));
    };
    std::vector<std::pair<std::uint64_t, std::uint64_t>> seen;  // device and inode: links to one file are one candidate
    for (const RankedEntry& entry : group.entries) {
        if (rivals.count > candidates_listed) break;  // a hopeless case is not worth thousands of opens
        if (is_ruled_out(entry)) continue;
        const std::string place = place_of(entry.id);
        Opened opened = open_entry(tree_, entry.id, impl_.rules.settled_before_ms);
        if (opened.what == Opened::What::folder) {
            note(findings_.folder, place);
            step(entry, "refused, it is a folder");
        } else if (opened.what == Opened::What::special) {
            note(findings_.special, place);
            step(entry, "refused, it is not a regular file");
        } else if (opened.what == Opened::What::obstacle) {
            const std::string remedy = opened.code == Code::changed ? "; release the job when it has been saved"
                                                                    : "; put the file itself, readable, into the store";
            if (!rivals.obstacle)
                rivals.obstacle = Error{opened.code,
                                        Operation::resolve,
                                        "the file for it, " + place + " " + opened.reason + remedy,
                                        {},
                                        {}};
            add(place + " " + opened.reason);
            step(entry, "it " + opened.reason);
        }
        if (opened.what != Opened::What::file) continue;
        const std::pair inode(opened.image->file->identity().device, opened.image->file->identity().inode);
        if (std::find(seen.begin(), seen.end(), inode) != seen.end()) {
            step(entry, "the same file once more");
            continue;
        }
        seen.push_back(inode);
        const std::string refusal = options_.refusal ? options_.refusal(*opened.image) : std::string();
        if (!refusal.empty()) {
            note(findings_.layout, place);
            step(entry, "refused, " + refusal);
            continue;
        }
        add(place);
        step(entry, "fits");
        if (rivals.image) continue;
        rivals.image = std::move(opened.image);
        rivals.entry = entry;
    }
    return rivals;
}

Result<FoundImage> ImageIndex::Search::decide(Rivals rivals, bool disagree) {
    if (rivals.count > 1) {
        const std::string more = rivals.count > candidates_listed ? " and more" : "";
        const std::string what = disagree ? "the folders speak for one file and the spelling for another: "
                                          : "more than one file fits equally well: ";
        return fail(Code::ambiguous, Operation::resolve,
                    what + listed(rivals.listed) + more +
                        "; name the right folder in the job, or leave only one of them in the store");
    }
    if (!rivals.image) return fail(std::move(*rivals.obstacle));
    rivals.image->by_rule = rivals.entry.place == RankedEntry::Place::mapped || ruled_.names_layout;
    if (rivals.entry.foreign)
        rivals.image->warning = "taken from " + place_of(rivals.entry.id) +
                                ", the only file of that name, though the job names other folders; see that it is the "
                                "right picture";
    return std::move(*rivals.image);
}

// The first group that holds anything decides: what stands behind it fits worse. Nothing if no group holds a file.
std::optional<Result<FoundImage>> ImageIndex::Search::choose(const std::vector<RankedGroup>& groups) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
        Rivals rivals = open_group(groups[i]);
        if (rivals.count == 0) continue;
        trace_rest(groups, i + 1);
        return decide(std::move(rivals), groups[i].disagree);
    }
    return std::nullopt;
}

// A number of the file system proves which of the long names was meant; nothing else does.
std::optional<Result<FoundImage>> ImageIndex::Search::choose_short_name() {
    const ShortName name = entries_of_short_name(tree_, ruled_.path.components.back());
    RankedGroup group;
    for (const StoreTrees::Id id : name.ids) {
        const Opened opened = open_entry(tree_, id, 0);
        if (opened.image && static_cast<std::uint32_t>(opened.image->file->identity().inode) == name.number)
            group.entries.push_back({id, NameMatch::exact, {}, RankedEntry::Place::anywhere, false, false});
    }
    if (group.entries.empty()) return std::nullopt;
    step(Kind::look_up, {}, "an old Mac's short name: the file's number fits");
    return choose({group});
}

std::string ImageIndex::Search::not_there_text() const {
    const std::string remedy = "; put the file into the store or correct the name";
    const std::string& base_name = ruled_.path.components.back();
    const std::uint64_t files = tree_.file_count();
    std::string text =
        "not found among the " + std::to_string(files) + (files == 1 ? " file" : " files") + " of " + store_names();
    if (findings_.outside)
        text = "not found where the map of " + quoted(impl_.rules.maps[ruled_.places.front().map].prefix) + " leads (" +
               *findings_.outside + " has that name, but lies elsewhere)";
    text += remedy;
    if (!findings_.outside) {
        if (const auto similar = similar_names(tree_, base_name); !similar.empty())
            text += (similar.size() == 1 ? "; a file named " : "; files named ") + quoted_list(similar) +
                    (similar.size() == 1 ? " exists" : " exist");
    }
    if (tree_.skipped_count() > 0) {
        text += "; not searched: " + listed(tree_.skipped());
        if (tree_.skipped_count() > tree_.skipped().size()) text += " and more";
    }
    return text;
}

tl::unexpected<Error> ImageIndex::Search::nothing_found() const {
    const std::string remedy = "; put the file into the store or correct the name";
    if (findings_.foreign)
        return fail(Code::ambiguous, Operation::resolve,
                    "the only file of that name, " + *findings_.foreign +
                        ", lies in a folder that the job does not name; put the file into the job's folder, or map it");
    if (findings_.layout)
        return fail(Code::not_found, Operation::resolve,
                    "only a layout of that name exists (" + *findings_.layout +
                        "); put the high-resolution file into the store or correct the name");
    if (findings_.special)
        return fail(Code::not_permitted, Operation::resolve, *findings_.special + " is not a regular file" + remedy);
    if (findings_.folder)
        return fail(Code::not_found, Operation::resolve, *findings_.folder + " is a folder, not a file" + remedy);
    return fail(Code::not_found, Operation::resolve, not_there_text());
}

Result<FoundImage> ImageIndex::Search::run(ClientPath path) {
    ruled_ = apply_rules(impl_.rules, std::move(path));
    trace_rules(ruled_);
    std::optional<Result<FoundImage>> chosen;
    for (const std::vector<std::string>& base_names : base_names_to_try(ruled_)) {
        const std::vector<RankedGroup> groups = rank_candidates(tree_, ruled_, base_names);
        step(Kind::look_up, {}, quoted_list(base_names) + (groups.empty() ? ": no file of that name" : ""));
        chosen = choose(groups);
        if (chosen) break;
    }
    if (!chosen && ruled_.places.empty()) chosen = choose_short_name();
    Result<FoundImage> answer = chosen ? std::move(*chosen) : Result<FoundImage>(nothing_found());
    step(Kind::result, answer ? answer->path : "", answer ? "chosen" : answer.error().text);
    return answer;
}

Result<ImageIndex> ImageIndex::open(const std::vector<std::string>& roots, SearchRules rules, IndexLimits limits) {
    std::vector<std::shared_ptr<const StoreRoot>> opened;
    for (const std::string& path : roots) {
        auto root = open_store_root(path);
        if (!root) return fail(std::move(root.error()));
        opened.push_back(std::move(*root));
    }
    return over(
        [opened, limits]() -> Result<Stores> {
            Stores stores;
            for (const auto& root : opened) {
                auto tree = read_store(root, limits);
                if (!tree) return fail(std::move(tree.error()));
                stores.push_back(std::move(*tree));
            }
            return stores;
        },
        std::move(rules));
}

ImageIndex ImageIndex::over(StoreSource stores, SearchRules rules) {
    auto impl = std::make_unique<Impl>();
    impl->stores = std::move(stores);
    impl->rules = std::move(rules);
    return ImageIndex(std::move(impl));
}

ImageIndex::ImageIndex(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ImageIndex::ImageIndex(ImageIndex&&) noexcept = default;
ImageIndex& ImageIndex::operator=(ImageIndex&&) noexcept = default;
ImageIndex::~ImageIndex() = default;

Result<FoundImage> ImageIndex::find(std::string_view name, const SearchOptions& options) const {
    auto path = split_client_path(name);
    if (options.trace != nullptr)
        options.trace->push_back(
            {SearchStep::Kind::name, std::string(name), path ? describe(*path) : path.error().text});
    if (!path) return fail(std::move(path.error()));
    const Result<StoreTrees>& trees = impl_->load();
    if (!trees) return fail(trees.error());
    return Search(*impl_, options).run(std::move(*path));
}

}  // namespace opispool::opi

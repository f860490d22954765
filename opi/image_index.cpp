// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/image_index.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <optional>
#include <utility>

#include "base/text.h"
#include "opi/image_index_rank.h"
#include "opi/image_index_tree.h"

namespace opispool::opi {

namespace {

using Acceptable = std::function<bool(const FoundImage&)>;

constexpr std::size_t candidates_listed = 5;

std::string joined(const std::string& root, const std::string& relative) {
    return root.ends_with('/') ? root + relative : root + "/" + relative;
}

std::string quoted(std::string_view name) {
    return "'" + printable(name) + "'";
}

std::string listed(const std::vector<std::string>& items) {
    std::string text;
    for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
    return text;
}

std::string without_trailing_slashes(std::string root) {
    while (root.size() > 1 && root.ends_with('/')) root.pop_back();
    return root;
}

// What opening one entry came to.
struct Opened {
    enum class What { file, folder, special, obstacle };
    What what = What::obstacle;
    std::optional<FoundImage> image;  // file
    std::string reason;               // obstacle: reads well after "'PATH' "
    Code code = Code::io;             // obstacle
};

Opened obstacle(Code code, std::string reason) {
    return {Opened::What::obstacle, std::nullopt, std::move(reason), code};
}

Opened obstacle_of(int errno_value, StoreTree::Kind kind) {
    const bool link = kind == StoreTree::Kind::link;
    switch (errno_value) {
        case EXDEV:
            return obstacle(Code::not_permitted,
                            "is a symbolic link that leads out of the store (as every absolute target)");
        case ELOOP:
            return obstacle(Code::not_permitted, "is a symbolic link that leads in a ring");
        case ENOENT:
        case ENOTDIR:
            return obstacle(Code::not_found,
                            link ? "is a dangling symbolic link" : "has vanished since the stores were read");
        case EACCES:
            return obstacle(Code::not_permitted, "can't be read (permission denied)");
        default: {
            Error error = error_from_errno(errno_value, Operation::open, {});
            return obstacle(error.code, "can't be opened (" + error.text + ")");
        }
    }
}

// Everything that came up while one name was looked for and that an error has to tell.
struct Findings {
    std::optional<std::string> layout;   // turned down by the caller
    std::optional<std::string> folder;   // of that name
    std::optional<std::string> special;  // fifo, device, socket
};

// The candidates of one group that are different files or might be.
struct Rivals {
    std::optional<FoundImage> image;  // the first that opened
    std::vector<std::string> listed;  // for the text
    std::optional<Error> obstacle;    // the first that did not open
    std::uint64_t count = 0;
};

}  // namespace

struct ImageIndex::Impl {
    std::vector<StoreRoot> roots;
    IndexLimits limits;
    std::optional<Result<StoreTree>> tree;  // read by the first find()

    const Result<StoreTree>& load() {
        if (!tree) tree.emplace(StoreTree::read(roots, limits));
        return *tree;
    }

    Opened open_entry(StoreTree::Id id) const;
    Rivals open_group(const RankedGroup& group, const Acceptable& acceptable, Findings& findings) const;
    std::optional<Result<FoundImage>> choose(const std::vector<RankedGroup>& groups, const Acceptable& acceptable,
                                             Findings& findings) const;
    std::string place_of(StoreTree::Id id) const;
    std::string store_names() const;
    tl::unexpected<Error> nothing_found(const std::string& base_name, const Findings& findings) const;
};

Opened ImageIndex::Impl::open_entry(StoreTree::Id id) const {
    const StoreTree& stores = **tree;
    const StoreTree::Kind kind = stores.kind(id);
    if (kind == StoreTree::Kind::folder) return {Opened::What::folder, {}, {}, {}};
    if (kind == StoreTree::Kind::other) return {Opened::What::special, {}, {}, {}};
    const StoreRoot& root = roots[stores.store(id)];
    const std::string relative = stores.relative_path(id);
    // O_NONBLOCK: a fifo behind a link must not stop us.
    UniqueFd fd = open_beneath(root.folder.get(), relative, O_RDONLY | O_NONBLOCK | O_NOCTTY, true);
    if (!fd) return obstacle_of(errno, kind);
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) return obstacle_of(errno, kind);
    if (S_ISDIR(status.st_mode)) return {Opened::What::folder, {}, {}, {}};
    if (!S_ISREG(status.st_mode)) return {Opened::What::special, {}, {}, {}};
    std::string path = joined(root.path, relative);
    auto file = MappedFile::adopt(std::move(fd), path);
    if (!file) return obstacle(file.error().code, "can't be opened (" + file.error().text + ")");
    return {Opened::What::file, FoundImage{std::move(*file), std::move(path)}, {}, {}};
}

// "'acme/pic.tif'", with its store if there are several.
std::string ImageIndex::Impl::place_of(StoreTree::Id id) const {
    const StoreTree& stores = **tree;
    std::string text = quoted(stores.relative_path(id));
    if (roots.size() > 1) text += " in " + quoted(roots[stores.store(id)].path);
    return text;
}

Rivals ImageIndex::Impl::open_group(const RankedGroup& group, const Acceptable& acceptable, Findings& findings) const {
    Rivals rivals;
    const auto add = [&rivals](std::string text) {
        if (++rivals.count <= candidates_listed) rivals.listed.push_back(std::move(text));
    };
    std::vector<std::pair<std::uint64_t, std::uint64_t>> seen;  // device and inode: links to one file are one candidate
    for (const StoreTree::Id id : group.ids) {
        if (rivals.count > candidates_listed) break;  // a hopeless case is not worth thousands of opens
        Opened opened = open_entry(id);
        if (opened.what == Opened::What::folder && !findings.folder) findings.folder = place_of(id);
        if (opened.what == Opened::What::special && !findings.special) findings.special = place_of(id);
        if (opened.what == Opened::What::obstacle) {
            const std::string text = place_of(id) + " " + opened.reason;
            if (!rivals.obstacle)
                rivals.obstacle = Error{opened.code,
                                        Operation::resolve,
                                        "the file for it, " + text + "; put the file itself, readable, into the store",
                                        {},
                                        {}};
            add(text);
        }
        if (opened.what != Opened::What::file) continue;
        const std::pair inode(opened.image->file->identity().device, opened.image->file->identity().inode);
        if (std::find(seen.begin(), seen.end(), inode) != seen.end()) continue;
        seen.push_back(inode);
        if (acceptable && !acceptable(*opened.image)) {
            if (!findings.layout) findings.layout = place_of(id);
            continue;
        }
        add(place_of(id));
        if (!rivals.image) rivals.image = std::move(opened.image);
    }
    return rivals;
}

// The first group that holds anything decides: what stands behind it fits worse. Nothing if no group holds a file.
std::optional<Result<FoundImage>> ImageIndex::Impl::choose(const std::vector<RankedGroup>& groups,
                                                           const Acceptable& acceptable, Findings& findings) const {
    for (const RankedGroup& group : groups) {
        Rivals rivals = open_group(group, acceptable, findings);
        if (rivals.count == 0) continue;
        if (rivals.count > 1) {
            const std::string more = rivals.count > candidates_listed ? " and more" : "";
            return Result<FoundImage>(
                fail(Code::ambiguous, Operation::resolve,
                     "more than one file fits equally well: " + listed(rivals.listed) + more +
                         "; name the right folder in the job, or leave only one of them in the store"));
        }
        if (rivals.image) return Result<FoundImage>(std::move(*rivals.image));
        return Result<FoundImage>(fail(std::move(*rivals.obstacle)));
    }
    return std::nullopt;
}

std::string ImageIndex::Impl::store_names() const {
    std::vector<std::string> names;
    for (const StoreRoot& root : roots) names.push_back(quoted(root.path));
    return (names.size() == 1 ? "store " : "stores ") + listed(names);
}

tl::unexpected<Error> ImageIndex::Impl::nothing_found(const std::string& base_name, const Findings& findings) const {
    const StoreTree& stores = **tree;
    const std::string remedy = "; put the file into the store or correct the name";
    if (findings.layout)
        return fail(Code::not_found, Operation::resolve,
                    "only a layout of that name exists (" + *findings.layout + ")" +
                        "; put the high-resolution file into the store or correct the name");
    if (findings.special)
        return fail(Code::not_permitted, Operation::resolve, *findings.special + " is not a regular file" + remedy);
    if (findings.folder)
        return fail(Code::not_found, Operation::resolve, *findings.folder + " is a folder, not a file" + remedy);
    const std::uint64_t files = stores.file_count();
    std::string text = "not found among the " + std::to_string(files) + (files == 1 ? " file" : " files") + " of " +
                       store_names() + remedy;
    if (auto similar = similar_names(stores, base_name); !similar.empty()) {
        std::transform(similar.begin(), similar.end(), similar.begin(),
                       [](const std::string& name) { return quoted(name); });
        text += similar.size() == 1 ? "; a file named " + similar[0] + " exists"
                                    : "; files named " + listed(similar) + " exist";
    }
    if (stores.skipped_count() > 0) {
        text += "; not searched: " + listed(stores.skipped());
        if (stores.skipped_count() > stores.skipped().size()) text += " and more";
    }
    return fail(Code::not_found, Operation::resolve, std::move(text));
}

Result<ImageIndex> ImageIndex::open(const std::vector<std::string>& roots, IndexLimits limits) {
    auto impl = std::make_unique<Impl>();
    impl->limits = limits;
    if (roots.size() > std::numeric_limits<std::uint16_t>::max())
        return fail(Code::too_large, Operation::open, "there are too many stores");
    for (const std::string& root : roots) {
        UniqueFd folder(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!folder && errno == ENOTDIR)
            return fail(Code::not_found, Operation::open, "the store is not a folder", root);
        if (!folder) return fail(error_from_errno(errno, Operation::open, root));
        impl->roots.push_back({without_trailing_slashes(root), std::move(folder)});
    }
    return ImageIndex(std::move(impl));
}

ImageIndex::ImageIndex(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ImageIndex::ImageIndex(ImageIndex&&) noexcept = default;
ImageIndex& ImageIndex::operator=(ImageIndex&&) noexcept = default;
ImageIndex::~ImageIndex() = default;

Result<FoundImage> ImageIndex::find(std::string_view name) const {
    return find(name, Acceptable{});
}

Result<FoundImage> ImageIndex::find(std::string_view name, const Acceptable& acceptable) const {
    auto path = split_client_path(name);
    if (!path) return fail(std::move(path.error()));
    const Result<StoreTree>& tree = impl_->load();
    if (!tree) return fail(tree.error());
    Findings findings;
    for (const std::string& base_name : base_names_to_try(path->components.back())) {
        const std::vector<RankedGroup> groups = rank_candidates(*tree, *path, base_name);
        if (auto chosen = impl_->choose(groups, acceptable, findings)) return std::move(*chosen);
    }
    return impl_->nothing_found(path->components.back(), findings);
}

}  // namespace opispool::opi

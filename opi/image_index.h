// SPDX-License-Identifier: AGPL-3.0-or-later
// From the name in a comment to one file in the stores, or to the exact reason why not. A wrong picture costs a plate,
// so there is no nearest match: spellings are tried exactly, and two different files that both fit are an error. A map
// says where the file is; else the folders that agree with the job's decide, then the spelling (exact, then
// normalization form, then case). Where a folder speaks for one file and the spelling for another, only the whole of
// the job's folders is enough.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"
#include "opi/client_path.h"
#include "opi/search_rules.h"
#include "opi/search_trace.h"

namespace opispool::opi {

// A file found in a store.
struct FoundImage {
    std::shared_ptr<const MappedFile> file;  // opened beneath the store's root, pinned
    std::string path;                        // store root + "/" + relative path, for messages and `scan`
    std::string warning;                     // what speaks against it; empty if nothing does
    bool by_rule = false;                    // a map or a layout rule led to it

    std::string base_name() const { return path.substr(path.rfind('/') + 1); }
};

// What reading the stores may take.
struct IndexLimits {
    // Files, links and folders of one store; each takes about 50 bytes of memory.
    std::uint32_t max_entries = 5'000'000;
    // Folders deeper than this are not searched, and errors say so.
    std::uint32_t max_depth = 64;
    // Folders of one store that are watched by StoreIndex; the kernel takes about 1 KB for each.
    std::uint32_t max_watches = 1'000'000;
};

struct SearchOptions {
    // Why a file is not the one (a low-resolution layout of the same name), empty if it may be. Files turned down are
    // out of the running before ambiguity is judged, and the next best name or folder has its turn. If no other file is
    // left: not_found, and the text says that only a layout exists.
    std::function<std::string(const FoundImage&)> refusal;
    SearchTrace* trace = nullptr;  // steps are added to it
};

class StoreTree;
// The names in each store of a queue, as they were at one moment.
using Stores = std::vector<std::shared_ptr<const StoreTree>>;
using StoreSource = std::function<Result<Stores>()>;

// The stores of one queue, in order, as they were when the first name was looked for.
//   thread  one at a time (a job's planning); copies share nothing
class ImageIndex {
  public:
    // roots  directories; must exist and be readable      errors  not_found, not_permitted naming the root
    static Result<ImageIndex> open(const std::vector<std::string>& roots, SearchRules rules = {},
                                   IndexLimits limits = {});
    // The same over what `stores` answers to the first find(), and not before: a job without references needs no store.
    static ImageIndex over(StoreSource stores, SearchRules rules);
    ImageIndex(ImageIndex&&) noexcept;
    ImageIndex& operator=(ImageIndex&&) noexcept;
    ~ImageIndex();

    // Finds the file for a comment's name.
    //   errors  not_found, ambiguous (text lists the candidates), not_permitted (outside the store, "..", symlink
    //           leading out, no permission, not a regular file), changed (still being written), bad_syntax, too_large
    //           (IndexLimits). The text reads well after "image 'NAME': ".
    //   cost    the first call asks for the stores' names; later calls are look-ups that open only the files in
    //   question
    Result<FoundImage> find(std::string_view name, const SearchOptions& options = {}) const;

  private:
    struct Impl;
    class Search;
    explicit ImageIndex(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace opispool::opi

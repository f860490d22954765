// SPDX-License-Identifier: AGPL-3.0-or-later
// From the name in a comment to one file in the stores, or to the exact reason why not. A wrong picture costs a plate,
// so there is no nearest match: spellings are tried exactly, and two different files that both fit are an error. What
// comes first decides: spelling (exact, then normalization form, then case), then the folders agreeing with the job's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"

namespace opispool::opi {

// The components of a client's path, outermost first; the volume, drive or server and share are kept apart.
struct ClientPath {
    enum class Style { hfs, windows_drive, unc, posix, bare, url };
    Style style = Style::bare;
    std::string volume;                   // "Mac HD", "C:", "SERVER/Share"; empty for posix and bare
    std::vector<std::string> components;  // folders, then the file name; raw bytes of the comment
};

// name   decoded value of the comment (PostScript string escapes already undone)
// errors bad_syntax (empty, NUL, ends in a folder), not_permitted (a component is ".." or, in HFS, "::")
Result<ClientPath> split_client_path(std::string_view name);

// A file found in a store.
struct FoundImage {
    std::shared_ptr<const MappedFile> file;  // opened beneath the store's root, pinned
    std::string path;                        // store root + "/" + relative path, for messages and `scan`

    std::string base_name() const { return path.substr(path.rfind('/') + 1); }
};

// What reading the stores may take.
struct IndexLimits {
    // Files, links and folders of all stores together; each takes about 60 bytes of memory.
    std::uint32_t max_entries = 5'000'000;
    // Folders deeper than this are not searched, and errors say so.
    std::uint32_t max_depth = 64;
};

// The stores of one queue, in order. Folders are read on demand and kept for the life of the index.
//   thread  one at a time (a job's planning); copies share nothing
class ImageIndex {
  public:
    // roots  directories; must exist and be readable      errors  not_found, not_permitted naming the root
    static Result<ImageIndex> open(const std::vector<std::string>& roots, IndexLimits limits = {});
    ImageIndex(ImageIndex&&) noexcept;
    ImageIndex& operator=(ImageIndex&&) noexcept;
    ~ImageIndex();

    // Finds the file for a comment's name.
    //   errors  not_found, ambiguous (text lists the candidates), not_permitted (outside the store, "..", symlink
    //           leading out, no permission, not a regular file), bad_syntax, too_large (IndexLimits).
    //           The text reads well after "image 'NAME': ".
    //   cost    first call reads the folder tree; later calls are look-ups that open only the files in question
    Result<FoundImage> find(std::string_view name) const;

    // The same, but files that `acceptable` turns down (a low-resolution layout of the same name) are out of the
    // running before ambiguity is judged, and the next best name or folder has its turn. If no other file is left:
    // not_found, and the text says that only a layout exists.
    Result<FoundImage> find(std::string_view name, const std::function<bool(const FoundImage&)>& acceptable) const;

  private:
    struct Impl;
    explicit ImageIndex(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace opispool::opi

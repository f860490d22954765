// SPDX-License-Identifier: AGPL-3.0-or-later
// A file name as a layout program wrote it, taken apart by the rules of the system it came from (ref 8.1).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace opispool::opi {

// The components of a client's path, outermost first; the volume, drive or server and share are kept apart.
struct ClientPath {
    enum class Style { hfs, windows_drive, unc, posix, bare, url };
    Style style = Style::bare;
    std::string volume;                   // "Mac HD", "C:", "SERVER/Share"; empty for posix and bare
    std::vector<std::string> components;  // folders, then the file name; raw bytes of the comment

    bool is_windows() const { return style == Style::windows_drive || style == Style::unc; }
};

// name   decoded value of the comment (PostScript string escapes already undone)
// errors bad_syntax (empty, NUL, ends in a folder), not_permitted (a component is ".." or, in HFS, "::")
Result<ClientPath> split_client_path(std::string_view name);

}  // namespace opispool::opi

// SPDX-License-Identifier: AGPL-3.0-or-later
// Writing results: to a descriptor that is open already, or to a file that is there whole or not at all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace opispool::cli {

// All of `text`, through short writes, signals and a descriptor somebody made non-blocking.
//   errors  write
Result<void> write_all(int fd, std::string_view text);

// A file that appears at its path only by commit(). Until then its bytes have no name where the file system can do that
// (O_TMPFILE), so that even a kill -9 leaves nothing; elsewhere they lie beside the path as ".NAME.XXXXXX" and go away
// with this object or with a terminating signal. An old file keeps its mode and is replaced in one step; a path that is
// no regular file (a terminal, /dev/null, a named pipe) is written in place.
class OutputFile {
  public:
    //   size_bytes  exact, reserved at once, so that a full disk is found before the first byte
    //   errors      open, write
    static Result<OutputFile> create(const std::string& path, std::uint64_t size_bytes);

    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&&) = delete;
    ~OutputFile();

    int fd() const { return fd_.get(); }
    Result<void> commit();

  private:
    OutputFile(UniqueFd fd, std::string path, std::string temporary, bool in_place, bool replaces)
        : fd_(std::move(fd)),
          path_(std::move(path)),
          temporary_(std::move(temporary)),
          in_place_(in_place),
          replaces_(replaces) {}
    Result<void> link_unnamed();

    UniqueFd fd_;
    std::string path_;       // symbolic links followed
    std::string temporary_;  // empty while the bytes have no name
    bool in_place_ = false;
    bool replaces_ = false;
};

// A file without a name in the temporary folder (TMPDIR).   errors  open
Result<UniqueFd> open_unnamed_temporary();

}  // namespace opispool::cli

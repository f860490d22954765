// SPDX-License-Identifier: AGPL-3.0-or-later
// Where documents wait: SPOOL/tmp while they arrive, SPOOL/jobs once they are whole and durable. Every door writes
// through a SpoolWriter: tmp file -> append -> fsync -> rename -> fsync of the folder. A file in jobs/ never changes.
//
//   socket --(one window of memory)--> SpoolWriter::append (pool) --> commit --> QueueService::submit --> acknowledge
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace opispool::spooler {

// The spool's folders, locked so that two daemons never share them.
class Spool {
  public:
    // Makes SPOOL, SPOOL/tmp and SPOOL/jobs where missing.   thread  blocks on disk: start-up only
    //   errors  conflict (another daemon holds the lock), io, not_permitted naming the path
    static Result<Spool> open(const std::string& directory, std::uint64_t min_free_bytes);

    // Bytes that the file system has left for us.       errors  io
    Result<std::uint64_t> free_bytes() const;
    // Is there room for `expected_bytes` more above the limit?   errors  no_space, with the numbers
    Result<void> check_room(std::uint64_t expected_bytes = 0) const;

    const std::string& directory() const { return directory_; }
    // `name`  as NewJob::spool_file; only names this spool made are answered, anything else gives an empty path
    std::string job_path(const std::string& name) const;
    bool job_exists(const std::string& name) const { return job_size(name).has_value(); }
    // Nothing if it can't be read.
    std::optional<std::uint64_t> job_size(const std::string& name) const;

    // Makes a second name of a committed file, for a further printing of it.   thread  blocks on disk
    Result<std::string> link_job(const std::string& name) const;
    // Removes a committed file; one that is gone is no error.   thread  blocks on disk
    Result<void> remove_job(const std::string& name) const;

    // Start-up: what lies in tmp/, and what lies in jobs/ without a record, was never acknowledged to anybody.
    //   returns  the names removed        thread  blocks on disk
    Result<std::vector<std::string>> remove_orphans(const std::set<std::string>& known_jobs) const;

  private:
    friend class SpoolWriter;
    Spool() = default;
    std::string directory_, tmp_, jobs_;
    std::uint64_t min_free_bytes_ = 0;
    UniqueFd lock_, tmp_fd_, jobs_fd_;
};

// One document on its way in. Not committed when destroyed: discarded without a trace.
//   thread  loop; file work runs on the pool, one call at a time       cost  no buffer of its own
class SpoolWriter {
  public:
    // A good amount to read from a socket at once: the pool hop then costs nothing next to the write.
    static constexpr std::size_t window_bytes = 512U << 10U;

    // spool  outlives the writer
    SpoolWriter(const Spool& spool, boost::asio::any_io_executor pool) : spool_(spool), pool_(std::move(pool)) {}
    SpoolWriter(const SpoolWriter&) = delete;
    SpoolWriter& operator=(const SpoolWriter&) = delete;
    ~SpoolWriter();

    // Call once, first.    expected_bytes  0 if unknown       errors  no_space before a byte is taken, io
    boost::asio::awaitable<Result<void>> open(std::uint64_t expected_bytes = 0);
    // `bytes` must stay valid until the answer.      errors  no_space (also: the limit was reached), io
    boost::asio::awaitable<Result<void>> append(std::span<const std::byte> bytes);
    // Cuts the file to `size_bytes`, e.g. a closing NUL that turned out not to be data.
    boost::asio::awaitable<Result<void>> truncate(std::uint64_t size_bytes);
    // Puts the file in its place while it grows, for a job that begins to print before it is whole. What is there then
    // stays, also if this writer goes.       returns  the name for NewJob::spool_file
    boost::asio::awaitable<Result<std::string>> publish();
    // Durable afterwards, even through a power failure.   returns  the name for NewJob::spool_file
    boost::asio::awaitable<Result<std::string>> commit();
    // Removes what was written, published or not, and gives the disk space back; the writer can't be used any more.
    void discard();

    std::uint64_t size_bytes() const { return size_; }
    // Path of the file while it is being written, for looking at what has arrived; empty before open().
    const std::string& path() const { return path_; }

  private:
    Result<void> reserve(std::uint64_t expected_bytes);

    const Spool& spool_;
    boost::asio::any_io_executor pool_;
    Result<void> move_to_jobs();
    UniqueFd fd_;
    std::string name_, path_;
    bool published_ = false;
    std::uint64_t size_ = 0;
    std::uint64_t reserved_ = 0;  // of the file, from its beginning: other uploads can't take it any more
};

}  // namespace opispool::spooler

// SPDX-License-Identifier: AGPL-3.0-or-later
// A document on its way from a request body into the spool.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <span>
#include <utility>

#include "queues/job.h"
#include "spooler/intake/spool_writer.h"

namespace opispool::http {

// Dropped without commit: nothing of it stays.      thread  loop
class Upload {
  public:
    Upload(const spooler::Spool& spool, boost::asio::any_io_executor pool, queues::NewJob job)
        : writer_(spool, std::move(pool)), job_(std::move(job)) {}

    boost::asio::awaitable<Result<void>> open(std::uint64_t expected_bytes) { return writer_.open(expected_bytes); }
    // `bytes` must stay valid until the answer.     errors  no_space, io
    boost::asio::awaitable<Result<void>> append(std::span<const std::byte> bytes) { return writer_.append(bytes); }
    // The file is durable afterwards.               returns  the job to submit        errors  bad_syntax (empty), io
    boost::asio::awaitable<Result<queues::NewJob>> commit();

  private:
    spooler::SpoolWriter writer_;
    queues::NewJob job_;
};

}  // namespace opispool::http

// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/http/upload.h"

namespace opispool::http {

boost::asio::awaitable<Result<queues::NewJob>> Upload::commit() {
    if (writer_.size_bytes() == 0) {
        Result<queues::NewJob> empty = fail(Code::bad_syntax, Operation::receive, "the document is empty");
        co_return empty;
    }
    job_.size_bytes = writer_.size_bytes();
    Result<std::string> name = co_await writer_.commit();
    if (!name) {
        Result<queues::NewJob> problem = fail(std::move(name.error()));
        co_return problem;
    }
    job_.spool_file = std::move(*name);
    Result<queues::NewJob> job = job_;
    co_return job;
}

}  // namespace opispool::http

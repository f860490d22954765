// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/workers.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/log.h"
#include "spooler/log_events.h"

namespace opispool::spooler {

namespace {

std::string text_of(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "unknown exception";
    }
}

void log_thrown(std::string_view what, const std::exception_ptr& thrown) {
    log_event(LogLevel::error, log_id::internal_exception, {{"in", std::string(what)}, {"text", text_of(thrown)}});
}

}  // namespace

std::function<void(std::exception_ptr)> log_exception(std::string_view what) {
    return [what](std::exception_ptr thrown) {
        if (thrown) log_thrown(what, thrown);
    };
}

Workers::Workers(unsigned pool_threads) : loop_(1), store_(1), pool_(std::max(1U, pool_threads)) {}

Workers::~Workers() {
    join();
}

void Workers::run_loop() {
    for (;;) {
        try {
            loop_.run();
            return;
        } catch (...) {
            log_thrown("loop", std::current_exception());
        }
    }
}

void Workers::join() {
    pool_.join();
    store_.join();
}

void AsioStoreRunner::run(std::function<void(queues::JobStore&)> work, std::function<void()> done) {
    boost::asio::executor_work_guard<boost::asio::any_io_executor> guard(loop_);
    boost::asio::post(thread_, [this, work = std::move(work), done = std::move(done), guard = std::move(guard)] {
        try {
            work(store_);
        } catch (...) {
            // Whether the record was written is unknown, and saying "durable" would be a lie: stop here, and let the
            // next start find out from the store itself.
            log_thrown("store", std::current_exception());
            std::abort();
        }
        boost::asio::post(loop_, done);
    });
}

}  // namespace opispool::spooler

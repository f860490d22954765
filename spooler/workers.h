// SPDX-License-Identifier: AGPL-3.0-or-later
// The daemon's threads: loop (1, owns all job and session state), store (1, SQLite), pool (N: disk, plans, encoders).
// Work leaves the loop through on_pool() and AsioStoreRunner; its result always comes back on the loop.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "queues/queue_service.h"
#include "rip_out/on_pool.h"

namespace opispool::spooler {

using rip_out::on_pool;

// Turns a function that takes a callback (QueueService's way) into something to wait for.
//   begin  called at once with the callback; the callback may be called at once or later, on the loop
template <typename T>
boost::asio::awaitable<Result<T>> wait_for(std::function<void(std::function<void(Result<T>)>)> begin) {
    auto initiate = [start = std::move(begin)](auto handler) mutable {
        using Handler = decltype(handler);
        auto home = boost::asio::get_associated_executor(handler);
        // std::function wants copies, a handler can only be moved.
        auto shared = std::make_shared<Handler>(std::move(handler));
        boost::asio::executor_work_guard<decltype(home)> guard(home);
        start([shared, guard](Result<T> result) {
            boost::asio::post(guard.get_executor(), [shared, answer = std::move(result)]() mutable {
                std::move (*shared)(std::exception_ptr(), std::move(answer));
            });
        });
    };
    auto operation =
        boost::asio::async_initiate<const boost::asio::use_awaitable_t<>, void(std::exception_ptr, Result<T>)>(
            std::move(initiate), boost::asio::use_awaitable);
    Result<T> answer = co_await std::move(operation);
    co_return answer;
}

// Completion handler for every spawned coroutine: an exception is a bug or out of memory; it is logged and ends that
// coroutine only.
//   what  for the log, a literal
std::function<void(std::exception_ptr)> log_exception(std::string_view what);

class Workers {
  public:
    explicit Workers(unsigned pool_threads);
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;
    ~Workers();

    boost::asio::io_context& loop() { return loop_; }
    boost::asio::any_io_executor loop_executor() { return loop_.get_executor(); }
    boost::asio::any_io_executor pool_executor() { return pool_.get_executor(); }
    boost::asio::any_io_executor store_executor() { return store_.get_executor(); }

    // Runs the loop on this thread until nothing is left to do. An exception that reaches it is logged; the loop goes
    // on.
    void run_loop();
    // Pool first, then store: a last plan may still have something to record.
    void join();

  private:
    boost::asio::io_context loop_;
    boost::asio::thread_pool store_;
    boost::asio::thread_pool pool_;
};

// Brings QueueService's store work to the store thread and its answers back, both in order.
class AsioStoreRunner final : public queues::StoreRunner {
  public:
    // all three outlive the runner
    AsioStoreRunner(queues::JobStore& store, boost::asio::any_io_executor loop, boost::asio::any_io_executor thread)
        : store_(store), loop_(std::move(loop)), thread_(std::move(thread)) {}
    void run(std::function<void(queues::JobStore&)> work, std::function<void()> done) override;

  private:
    queues::JobStore& store_;
    boost::asio::any_io_executor loop_, thread_;
};

}  // namespace opispool::spooler

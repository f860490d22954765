// SPDX-License-Identifier: AGPL-3.0-or-later
// Runs a function on the pool and brings its answer back to the coroutine's own executor, the loop.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <type_traits>
#include <utility>

namespace opispool::rip_out {

//   work     called once, on the pool; owns (or shares) what it touches. An exception comes out of the co_await.
//            Name it before the statement that awaits it.
//   returns  an awaitable of what `work` returns (a Result, as a rule; default constructible)
template <typename Work>
boost::asio::awaitable<std::invoke_result_t<Work&>> on_pool(boost::asio::any_io_executor pool, Work work) {
    namespace asio = boost::asio;
    using Value = std::invoke_result_t<Work&>;
    auto start = [](auto handler, asio::any_io_executor where, Work function) {
        // The guard keeps the loop running while its only work is over here.
        auto guard = asio::make_work_guard(asio::get_associated_executor(handler));
        auto run = [handler = std::move(handler), guard = std::move(guard), function = std::move(function)]() mutable {
            Value value{};
            std::exception_ptr failure;
            try {
                value = function();
            } catch (...) {
                failure = std::current_exception();
            }
            auto back = guard.get_executor();
            auto finish = [handler = std::move(handler), failure, value = std::move(value)]() mutable {
                std::move(handler)(failure, std::move(value));
            };
            asio::post(back, std::move(finish));
        };
        asio::post(where, std::move(run));
    };
    return asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr, Value)>(
        std::move(start), asio::use_awaitable, std::move(pool), std::move(work));
}

}  // namespace opispool::rip_out

// SPDX-License-Identifier: AGPL-3.0-or-later
// Documents that are still arriving and may be printed meanwhile: how far each has come. The door writes, the runner of
// the queue reads. In memory only: after a restart nothing of them can come any more.
//   thread  loop
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace opispool::spooler {

//   lifetime  in a shared_ptr; the door and the runner each hold it
class Arrival {
  public:
    enum class State : std::uint8_t {
        growing,
        whole,       // durable and recorded
        broken_off,  // nothing more will come
    };
    explicit Arrival(boost::asio::any_io_executor loop) : changed_(std::move(loop)) {}

    State state() const { return state_; }
    std::uint64_t size_bytes() const { return size_bytes_; }

    // So far everything is closed, as the runner has found.
    std::uint64_t closed_bytes() const { return closed_bytes_; }
    void set_closed(std::uint64_t bytes) { closed_bytes_ = bytes; }

    void grew(std::uint64_t size_bytes) {
        size_bytes_ = size_bytes;
        if (size_bytes_ >= wanted_bytes_) wake();
    }
    void end(State state) {
        state_ = state;
        wake();
    }
    // Whoever waits looks again, e.g. because the job is to stop.
    void wake() { changed_.cancel(); }

    // Until there are `wanted_bytes`, the document has ended, or wake(). One waits at a time.
    boost::asio::awaitable<void> wait(std::uint64_t wanted_bytes) {
        if (state_ != State::growing || size_bytes_ >= wanted_bytes) co_return;
        wanted_bytes_ = wanted_bytes;
        changed_.expires_at(boost::asio::steady_timer::time_point::max());
        const auto token = boost::asio::as_tuple(boost::asio::use_awaitable);
        co_await changed_.async_wait(token);
        wanted_bytes_ = UINT64_MAX;
    }

  private:
    boost::asio::steady_timer changed_;
    State state_ = State::growing;
    std::uint64_t size_bytes_ = 0, wanted_bytes_ = UINT64_MAX, closed_bytes_ = 0;
};

class Arrivals {
  public:
    explicit Arrivals(boost::asio::any_io_executor loop) : loop_(std::move(loop)) {}

    // Documents are named by their spool file, which is known before the job has a number.
    std::shared_ptr<Arrival> begin(const std::string& spool_file) {
        return growing_[spool_file] = std::make_shared<Arrival>(loop_);
    }
    // Null if it is not arriving (any more).
    std::shared_ptr<Arrival> find(const std::string& spool_file) const {
        const auto found = growing_.find(spool_file);
        return found == growing_.end() ? nullptr : found->second;
    }
    void end(const std::string& spool_file, Arrival::State state) {
        const auto found = growing_.find(spool_file);
        if (found == growing_.end()) return;
        const std::shared_ptr<Arrival> arrival = found->second;
        growing_.erase(found);
        arrival->end(state);
    }

  private:
    boost::asio::any_io_executor loop_;
    std::map<std::string, std::shared_ptr<Arrival>> growing_;
};

}  // namespace opispool::spooler

// SPDX-License-Identifier: AGPL-3.0-or-later
// A limit on silence, not on whole transfers: armed around single reads and writes, pushed back by every byte. When it
// runs out it calls back once (and the owner cancels its socket).
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>

namespace opispool::rip_out {

//   thread  loop
//   cost    touch() and arm() store a time; the timer itself moves only when it fires
class Deadline {
  public:
    using Milliseconds = std::chrono::milliseconds;

    Deadline(boost::asio::any_io_executor loop, std::function<void()> on_expiry)
        : state_(std::make_shared<State>(std::move(loop), std::move(on_expiry))) {}
    Deadline(const Deadline&) = delete;
    Deadline& operator=(const Deadline&) = delete;
    ~Deadline() {
        state_->on_expiry = nullptr;
        state_->armed = false;
        state_->timer.cancel();
    }

    // Counts `limit` from now.
    void arm(Milliseconds limit) {
        state_->limit = limit;
        state_->armed = true;
        touch();
        if (!state_->waiting)
            wait(state_);
        else if (state_->due < state_->timer.expiry())
            state_->timer.cancel();  // the handler waits anew, for the nearer time
    }
    void touch() { state_->due = Clock::now() + state_->limit; }
    void disarm() { state_->armed = false; }
    bool expired() const { return state_->expired; }

  private:
    using Clock = std::chrono::steady_clock;
    struct State {
        State(boost::asio::any_io_executor loop, std::function<void()> callback)
            : timer(std::move(loop)), on_expiry(std::move(callback)) {}
        boost::asio::steady_timer timer;
        std::function<void()> on_expiry;
        Milliseconds limit{0};
        Clock::time_point due;
        bool armed = false, waiting = false, expired = false;
    };

    static void wait(const std::shared_ptr<State>& state) {
        state->waiting = true;
        state->timer.expires_at(state->due);
        state->timer.async_wait([weak = std::weak_ptr<State>(state)](const boost::system::error_code&) {
            const auto self = weak.lock();
            if (!self) return;
            self->waiting = false;
            if (!self->armed) return;
            if (Clock::now() < self->due) return wait(self);
            self->armed = false;
            self->expired = true;
            if (self->on_expiry) self->on_expiry();
        });
    }

    std::shared_ptr<State> state_;
};

}  // namespace opispool::rip_out

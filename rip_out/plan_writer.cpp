// SPDX-License-Identifier: AGPL-3.0-or-later
#include "rip_out/plan_writer.h"

#include <sys/socket.h>

#include <cerrno>
#include <vector>

#include "opi/plan_cursor.h"
#include "rip_out/on_pool.h"

namespace opispool::rip_out {

namespace {

namespace asio = boost::asio;
using opi::PlanCursor, opi::SplicePlan;

constexpr std::chrono::milliseconds progress_interval(250);
// A step ends after so many bytes even if the peer takes all at once: the loop then looks at stop() and progress, and
// another job has its turn on the thread.
constexpr std::uint64_t step_bytes = 8U << 20U;

// The pool's half of a transfer: reads a window and sends it from the same thread, while it is still in that core's
// cache, until the kernel's buffer is full.
class Pump {
  public:
    struct Step {
        std::uint64_t sent_bytes = 0;
        int send_errno = 0;  // 0: all is well, the kernel may be full
        std::optional<Error> source_error;
    };

    Pump(std::shared_ptr<Connection> connection, std::shared_ptr<const SplicePlan> plan)
        : connection_(std::move(connection)), cursor_(std::move(plan)), window_(PlanCursor::window_bytes) {}

    bool done() const { return cursor_.done() && sent_ == filled_; }
    Step run();

  private:
    std::shared_ptr<Connection> connection_;
    PlanCursor cursor_;
    std::vector<std::byte> window_;
    std::size_t filled_ = 0, sent_ = 0;  // bytes of window_
};

Pump::Step Pump::run() {
    Step step;
    while (!done() && step.sent_bytes < step_bytes) {
        if (sent_ == filled_) {
            auto filled = cursor_.read(window_);
            if (!filled) {
                step.source_error = filled.error();
                return step;
            }
            filled_ = *filled;
            sent_ = 0;
        }
        const ssize_t taken =
            ::send(connection_->native_handle(), window_.data() + sent_, filled_ - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (taken < 0 && errno == EINTR) continue;
        if (taken < 0) {
            if (errno != EAGAIN && errno != EWOULDBLOCK) step.send_errno = errno;
            return step;
        }
        sent_ += static_cast<std::size_t>(taken);
        step.sent_bytes += static_cast<std::uint64_t>(taken);
    }
    return step;
}

}  // namespace

void ProgressMeter::sent(std::uint64_t bytes) {
    sent_bytes_ = bytes;
    if (!report_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + progress_interval;
    report_(bytes);
}

asio::awaitable<PlanWritten> write_plan(std::shared_ptr<Connection> connection, std::shared_ptr<const SplicePlan> plan,
                                        asio::any_io_executor pool, std::shared_ptr<ProgressMeter> progress,
                                        std::uint64_t before_bytes) {
    PlanWritten result;
    auto pump = std::make_shared<Pump>(connection, std::move(plan));
    while (!pump->done()) {
        result.end = co_await connection->wait_writable();
        if (result.end != Connection::End::ok) co_return result;
        auto run = [pump] { return pump->run(); };
        const Pump::Step step = co_await on_pool(pool, std::move(run));
        result.sent_bytes += step.sent_bytes;
        progress->sent(before_bytes + result.sent_bytes);
        if (step.source_error) {
            result.source_error = step.source_error;
            co_return result;
        }
        if (step.send_errno != 0) {
            result.end = connection->send_failed(step.send_errno);
            co_return result;
        }
    }
    co_return result;
}

}  // namespace opispool::rip_out

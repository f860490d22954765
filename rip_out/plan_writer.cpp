// SPDX-License-Identifier: AGPL-3.0-or-later
#include "rip_out/plan_writer.h"

#include <fcntl.h>

#include <algorithm>
#include <vector>

#include "opi/plan_cursor.h"
#include "rip_out/on_pool.h"

namespace opispool::rip_out {

namespace {

namespace asio = boost::asio;
using opi::PlanCursor, opi::Span, opi::SpanKind, opi::SplicePlan;
using Window = Result<std::span<const iovec>>;

constexpr std::chrono::milliseconds progress_interval(250);

// Has the kernel start reading what comes after the window, so that the disk works while the network does.
void read_ahead(const SplicePlan& plan, std::uint64_t begin, std::uint64_t end) {
    end = std::min(end, plan.total_bytes());
    if (begin >= end) return;
    std::size_t low = 0, high = plan.spans().size();
    while (low + 1 < high) {
        const std::size_t middle = low + (high - low) / 2;
        (plan.begin_of(middle) <= begin ? low : high) = middle;
    }
    for (std::size_t i = low; i < plan.spans().size() && plan.begin_of(i) < end; ++i) {
        const Span& span = plan.spans()[i];
        if (span.kind != SpanKind::file_range) continue;
        const std::uint64_t from = std::max(begin, plan.begin_of(i)), to = std::min(end, plan.begin_of(i + 1));
        const std::uint64_t offset = span.offset_bytes + (from - plan.begin_of(i));
        // Advice only: where it fails, the window itself waits for the disk.
        ::posix_fadvise(plan.sources()[span.index]->fd(), static_cast<off_t>(offset), static_cast<off_t>(to - from),
                        POSIX_FADV_WILLNEED);
    }
}

std::uint64_t size_of(std::span<const iovec> pieces) {
    std::uint64_t bytes = 0;
    for (const iovec& piece : pieces) bytes += piece.iov_len;
    return bytes;
}

// The pieces of a window that are still to be sent.
class Pending {
  public:
    explicit Pending(std::span<const iovec> pieces) {
        for (const iovec& piece : pieces) buffers_.emplace_back(piece.iov_base, piece.iov_len);
    }
    std::span<const asio::const_buffer> rest() const { return std::span(buffers_).subspan(first_); }
    bool done() const { return first_ == buffers_.size(); }
    void take(std::size_t bytes) {
        while (bytes > 0 && !done()) {
            const std::size_t step = std::min(bytes, buffers_[first_].size());
            buffers_[first_] += step;
            bytes -= step;
            if (buffers_[first_].size() == 0) ++first_;
        }
    }

  private:
    std::vector<asio::const_buffer> buffers_;
    std::size_t first_ = 0;
};

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
                                        asio::any_io_executor pool, std::shared_ptr<ProgressMeter> progress) {
    PlanWritten result;
    auto cursor = std::make_shared<PlanCursor>(plan);
    std::uint64_t window_bytes = 0;
    while (result.sent_bytes < plan->total_bytes()) {
        auto gather = [cursor, plan, window_bytes]() -> Window {
            cursor->advance(window_bytes);
            Window window = cursor->window();
            if (!window) return window;
            const std::uint64_t end = cursor->position_bytes() + size_of(*window);
            read_ahead(*plan, end, end + PlanCursor::default_window_bytes);
            return window;
        };
        const Window window = co_await on_pool(pool, std::move(gather));
        if (!window) {
            result.end = Connection::End::bad_source;
            result.source_error = window.error();
            co_return result;
        }
        window_bytes = size_of(*window);
        Pending pending(*window);
        while (!pending.done()) {
            const std::span<const asio::const_buffer> rest = pending.rest();
            const Connection::Written written = co_await connection->write_some(rest);
            pending.take(written.bytes);
            result.sent_bytes += written.bytes;
            progress->sent(result.sent_bytes);
            if (written.end == Connection::End::ok) continue;
            result.end = written.end;
            co_return result;
        }
    }
    co_return result;
}

}  // namespace opispool::rip_out

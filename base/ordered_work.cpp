// SPDX-License-Identifier: AGPL-3.0-or-later
#include "base/ordered_work.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

namespace opispool {

namespace {

// Without bytes of their own lots cost nothing, but numbers that run far ahead of an error are wasted work.
constexpr std::size_t lots_ahead_of_thread = 4;

}  // namespace

// Shared with the crew's threads. Parts are begun in order, so whatever precedes a failed part has begun before it.
struct OrderedWork::State : std::enable_shared_from_this<State> {
    struct Lot {
        std::unique_ptr<std::byte[]> bytes;
        std::uint32_t running = 0;  // parts that somebody is at
        std::uint32_t failed_part = 0;
        std::optional<Error> error;
        std::exception_ptr thrown;
    };
    struct Part {
        std::uint64_t lot;
        std::uint32_t number;
    };

    State(WorkShape shape_, std::function<std::unique_ptr<PartMaker>()> new_maker_)
        : shape(shape_), new_maker(std::move(new_maker_)) {}

    Lot& lot(std::uint64_t number) { return ring[static_cast<std::size_t>(number % ring.size())]; }
    bool failed(const Lot& one) const { return one.error || one.thrown; }

    // Begins the next part if there is room for it.
    std::optional<Part> begin_part() {
        if (stopped || begin.lot >= shape.lots || begin.lot >= current + ring.size()) return std::nullopt;
        ++lot(begin.lot).running;
        const Part part = begin;
        if (++begin.number == shape.parts) begin = {part.lot + 1, 0};
        return part;
    }

    void make(std::unique_lock<std::mutex>& lock, Part part) {
        std::unique_ptr<PartMaker> maker;
        Result<void> made;
        std::exception_ptr thrown;
        Lot& to_fill = lot(part.lot);
        try {
            if (idle.empty()) {
                maker = new_maker();
            } else {
                maker = std::move(idle.back());
                idle.pop_back();
            }
            lock.unlock();
            made = maker->make(part.lot, part.number, {to_fill.bytes.get(), shape.lot_bytes});
        } catch (...) {
            thrown = std::current_exception();
        }
        if (!lock.owns_lock()) lock.lock();
        if (maker) idle.push_back(std::move(maker));
        const bool first = !failed(to_fill) || part.number < to_fill.failed_part;
        if ((!made || thrown) && first) {
            to_fill.failed_part = part.number;
            to_fill.thrown = thrown;
            if (!made) to_fill.error = std::move(made.error());
            stopped = true;
        }
        if (--to_fill.running == 0 && part.lot == current) settled.notify_one();
    }

    // One part for each post, so that the works of several jobs take turns on a thread.
    void help(WorkCrew& crew) {
        std::unique_lock lock(mutex);
        if (const auto part = begin_part()) make(lock, *part);
        --helpers;
        call_helpers(crew);
    }
    void call_helpers(WorkCrew& crew) {
        const std::uint64_t end = std::min<std::uint64_t>(shape.lots, current + ring.size());
        if (stopped || begin.lot >= end) return;
        std::uint64_t parts = (end - begin.lot) * shape.parts - begin.number;
        // The caller is about to make one himself.
        if (!given && begin.lot <= current) --parts;
        while (helpers < crew.threads() && helpers < parts) {
            ++helpers;
            crew.post([self = shared_from_this()](WorkCrew& by) { self->help(by); });
        }
    }

    const WorkShape shape;
    const std::function<std::unique_ptr<PartMaker>()> new_maker;
    std::mutex mutex;
    std::condition_variable settled;  // nobody is at the current lot any more
    std::vector<Lot> ring;
    std::vector<std::unique_ptr<PartMaker>> idle;
    std::uint64_t current = 0;  // the lot that next() gives
    bool given = false;         // it is in the caller's hands
    Part begin{0, 0};           // not yet begun
    unsigned helpers = 0;
    bool stopped = false;
};

OrderedWork::OrderedWork(std::shared_ptr<WorkCrew> crew, WorkShape shape,
                         std::function<std::unique_ptr<PartMaker>()> new_maker)
    : crew_(std::move(crew)), state_(std::make_shared<State>(shape, std::move(new_maker))) {
    const std::size_t threads = crew_ ? crew_->threads() : 0;
    std::size_t lots = 1;
    // A lot in the caller's hands, and one or two for each thread.
    const std::size_t most = shape.lot_bytes == 0 ? 1 + threads * lots_ahead_of_thread : threads == 0 ? 1 : threads + 2;
    while (lots < most && lots < shape.lots && crew_->take_ahead(shape.lot_bytes)) {
        taken_bytes_ += shape.lot_bytes;
        ++lots;
    }
    state_->ring.resize(lots);
    state_->idle.reserve(threads + 1);
    for (State::Lot& lot : state_->ring) lot.bytes = std::make_unique_for_overwrite<std::byte[]>(shape.lot_bytes);
}

OrderedWork::~OrderedWork() {
    {
        const std::lock_guard lock(state_->mutex);
        state_->stopped = true;
    }
    if (taken_bytes_ > 0) crew_->give_back(taken_bytes_);
}

Result<std::span<const std::byte>> OrderedWork::next() {
    State& s = *state_;
    std::unique_lock lock(s.mutex);
    if (std::exchange(s.given, false)) ++s.current;
    if (crew_) s.call_helpers(*crew_);
    State::Lot& lot = s.lot(s.current);
    // Of a lot with a failed part those parts are awaited that have begun: one before it may fail as well.
    while (lot.running > 0 || (s.begin.lot <= s.current && !s.stopped)) {
        if (const auto part = s.begin_part())
            s.make(lock, *part);
        else
            s.settled.wait(lock);
    }
    s.given = true;
    if (lot.thrown) std::rethrow_exception(lot.thrown);
    if (lot.error) return fail(*lot.error);
    return std::span<const std::byte>(lot.bytes.get(), s.shape.lot_bytes);
}

}  // namespace opispool

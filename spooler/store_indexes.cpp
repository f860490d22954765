// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/store_indexes.h"

#include <unistd.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <utility>

#include "base/log.h"
#include "base/mapped_file.h"
#include "base/text.h"
#include "opi/explain.h"
#include "opi/planner.h"
#include "spooler/log_events.h"
#include "spooler/workers.h"

namespace opispool::spooler {

namespace asio = boost::asio;

namespace {

// While files are copied into a store: each look costs a pass over its names. Jobs don't wait for it.
constexpr std::chrono::milliseconds between_looks(500);

}  // namespace

StoreIndexes::StoreIndexes(const std::vector<QueueConfig>& queues, asio::any_io_executor loop,
                           asio::any_io_executor pool)
    : loop_(std::move(loop)), pool_(std::move(pool)) {
    for (const QueueConfig& queue : queues)
        for (const std::string& path : queue.store_paths)
            if (auto& kept = stores_[path]; !kept) kept = std::make_unique<Kept>(path, loop_);
}

Result<StoreIndexes::Tree> StoreIndexes::read(Kept& store) {
    const std::uint64_t turn = ++store.asked;
    const std::lock_guard lock(store.mutex);
    // A look that began after we asked, for somebody else who waited: many jobs don't read a slow store one by one.
    if (turn <= store.answered) return store.answer;
    store.answered = store.asked;
    store.answer = store.index.current();
    tell(store);
    return store.answer;
}

// With the lock.
void StoreIndexes::tell(Kept& store) {
    const opi::StoreIndex::State state = store.index.state();
    if (!state.trouble.empty() && !std::exchange(store.told_trouble, true))
        log_event(LogLevel::warning, log_id::store_unwatched, {{"store", store.index.path()}, {"text", state.trouble}});
    // One that is not watched is read for every job.
    const bool news = state.readings != std::exchange(store.told_readings, state.readings);
    if (news && state.trouble.empty())
        log_event(LogLevel::info, log_id::store_read,
                  {{"store", store.index.path()},
                   {"files", std::to_string(state.files)},
                   {"memory", format_bytes(state.memory_bytes)}});
}

Result<opi::ImageIndex> StoreIndexes::open(const QueueConfig& queue, UnixMs now_ms) {
    opi::SearchRules rules = queue.search;
    if (queue.settle_ms > 0) rules.settled_before_ms = now_ms - queue.settle_ms;
    std::vector<Kept*> stores;
    for (const std::string& path : queue.store_paths) {
        if (auto root = opi::open_store_root(path); !root) return fail(std::move(root.error()));
        stores.push_back(stores_.at(path).get());
    }
    auto current = [stores]() -> Result<opi::Stores> {
        opi::Stores trees;
        for (Kept* store : stores) {
            auto tree = read(*store);
            if (!tree) return fail(std::move(tree.error()));
            trees.push_back(std::move(*tree));
        }
        return trees;
    };
    return opi::ImageIndex::over(std::move(current), std::move(rules));
}

bool StoreIndexes::differs(Kept& store) {
    const std::lock_guard lock(store.mutex);
    if (!store.index.state().trouble.empty()) return false;  // it was read for this very job
    const Result<Tree> before = store.answer;
    store.answered = store.asked;
    store.answer = store.index.read_again();
    tell(store);
    if (!before || !store.answer) return before.has_value() != store.answer.has_value();
    return !opi::hold_the_same(**before, **store.answer);
}

bool StoreIndexes::look_again(const QueueConfig& queue) {
    bool any = false;
    for (const std::string& path : queue.store_paths)
        if (differs(*stores_.at(path))) any = true;
    return any;
}

void StoreIndexes::start() {
    for (const auto& [path, store] : stores_) asio::co_spawn(loop_, follow(*store), log_exception("store index"));
}

asio::awaitable<void> StoreIndexes::follow(Kept& store) {
    if (const int copy = ::dup(store.index.descriptor()); copy >= 0) store.changed.assign(copy);
    const auto token = asio::as_tuple(asio::use_awaitable);
    while (!stopping_) {
        auto look = [&store] { return read(store).has_value(); };
        co_await on_pool(pool_, look);
        if (!store.changed.is_open() || stopping_) co_return;
        co_await store.changed.async_wait(asio::posix::stream_descriptor::wait_read, token);
        if (stopping_) co_return;
        store.pause.expires_after(between_looks);
        co_await store.pause.async_wait(token);
    }
}

void StoreIndexes::stop() {
    stopping_ = true;
    for (const auto& [path, store] : stores_) {
        if (store->changed.is_open()) store->changed.close();
        store->pause.cancel();
    }
}

Result<std::string> explain_document(const std::string& path, const std::string& name, const opi::ImageIndex& index) {
    auto thin = MappedFile::open(path);
    if (!thin) return fail(std::move(thin.error()));
    opi::PlanRequest request;
    request.thin = *thin;
    request.index = &index;
    const auto references = opi::scan_references(request, opi::ScanDetail::steps);
    if (!references) return fail(references.error());
    std::string json = opi::references_json(*references, opi::ScanDetail::steps);
    json.resize(json.rfind('}'));
    return json + ",\"text\":" + json_quoted(opi::explain_text(name, *references)) + "}\n";
}

}  // namespace opispool::spooler

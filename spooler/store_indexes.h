// SPDX-License-Identifier: AGPL-3.0-or-later
// The pictures of all queues: one index for each folder that some store names, shared by every queue that searches it,
// and how the names of a job are looked for by a queue's rules.
//   thread  any, blocks on disk: run it on the pool; start() and stop() on the loop
#pragma once

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "opi/image_index.h"
#include "opi/store_index.h"
#include "spooler/config.h"

namespace opispool::spooler {

class StoreIndexes {
  public:
    StoreIndexes(const std::vector<QueueConfig>& queues, boost::asio::any_io_executor loop,
                 boost::asio::any_io_executor pool);

    // The stores of a queue as they are when the first name is looked for.
    //   now_ms  what the queue's settle_ms counts back from      errors  a store is not there or not readable
    Result<opi::ImageIndex> open(const QueueConfig& queue, UnixMs now_ms);
    // Before a picture is said to be missing: reads the stores themselves. Whether one of them is not what was thought.
    bool look_again(const QueueConfig& queue);

    // Reads the stores and follows their changes, so that they are known before a job needs them.
    void start();
    // The loop ends only after this.
    void stop();

  private:
    using Tree = std::shared_ptr<const opi::StoreTree>;
    struct Kept {
        Kept(const std::string& path, const boost::asio::any_io_executor& loop)
            : index(path), changed(loop), pause(loop) {}
        std::atomic<std::uint64_t> asked = 0;
        std::mutex mutex;  // of what follows up to the next blank line
        opi::StoreIndex index;
        std::uint64_t answered = 0;  // everyone who asked up to here may have the last answer
        Result<Tree> answer = fail(Code::not_found, Operation::open, "the store was not read yet");
        std::uint64_t told_readings = 0;
        bool told_trouble = false;

        // Only on the loop.
        boost::asio::posix::stream_descriptor changed;
        boost::asio::steady_timer pause;
    };

    static Result<Tree> read(Kept& store);
    static bool differs(Kept& store);
    static void tell(Kept& store);
    boost::asio::awaitable<void> follow(Kept& store);

    boost::asio::any_io_executor loop_, pool_;
    std::map<std::string, std::unique_ptr<Kept>> stores_;  // by path
    bool stopping_ = false;
};

// {"references":[...],"text":"..."}: every step of the search for every reference of a document, for programs and for
// people.
//   path  the document      name  of the job, for the text      errors  not_found: the document is gone; io
Result<std::string> explain_document(const std::string& path, const std::string& name, const opi::ImageIndex& index);

}  // namespace opispool::spooler

// SPDX-License-Identifier: AGPL-3.0-or-later
// What planning has proved about pictures, kept while their files stay as they are: data that was decoded to its end
// for one job is not decoded again for the next.
//
//   thread  any; one cache serves all planners of a process
#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/mapped_file.h"
#include "base/result.h"

namespace opispool {

class FileFacts {
  public:
    // now_ns     wall clock, nanoseconds since 1970: a file that changed a moment ago is not remembered, because its
    //            time stamp might not tell a further change
    // max_bytes  of all answers together, by their callers' estimates; the oldest go first
    explicit FileFacts(std::function<std::int64_t()> now_ns, std::size_t max_bytes = 8U << 20U)
        : now_ns_(std::move(now_ns)), max_bytes_(max_bytes) {}

    // `what` names the question: the same words for the same file give the same answer.
    template <typename Value>
    std::optional<Value> find(const FileIdentity& file, const std::string& what) {
        const std::lock_guard lock(mutex_);
        const auto found = answers_.find(Key{file, what});
        if (found == answers_.end()) return std::nullopt;
        const auto* value = std::any_cast<Value>(&found->second.value);
        return value == nullptr ? std::nullopt : std::optional<Value>(*value);
    }
    void keep(const FileIdentity& file, std::string what, std::any value, std::size_t bytes);

  private:
    using Key = std::pair<FileIdentity, std::string>;
    struct Answer {
        std::any value;
        std::size_t bytes = 0;
    };
    std::function<std::int64_t()> now_ns_;
    std::size_t max_bytes_, bytes_ = 0;
    std::mutex mutex_;
    std::map<Key, Answer> answers_;
    std::deque<Key> oldest_first_;
};

// The answer of `find_out`, from `facts` where it is known. Errors are not kept.
//   facts  may be null        bytes_of  estimates the memory an answer takes
template <typename Value, typename Work, typename BytesOf>
Result<Value> remembered(FileFacts* facts, const FileIdentity& file, const std::string& what, Work find_out,
                         BytesOf bytes_of) {
    if (facts != nullptr)
        if (auto known = facts->find<Value>(file, what)) return std::move(*known);
    Result<Value> answer = find_out();
    if (answer && facts != nullptr) facts->keep(file, what, *answer, bytes_of(*answer));
    return answer;
}

}  // namespace opispool

// SPDX-License-Identifier: AGPL-3.0-or-later
// A conversation with an LPD client is one story, whole, byte by byte and in odd pieces.
#include "spooler/intake/lpd_protocol.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "tests/fuzz/require.h"

namespace opispool::spooler {
namespace {

using fuzz::require;
using Kind = LpdEvent::Kind;

class Story {
  public:
    void add(const LpdEvent& event) {
        require(!over_, "nothing follows the end of a conversation");
        if (event.kind == Kind::data) {
            require(open_, "data belongs to a file");
            require(!event.data.empty(), "a data event has data");
            data_.append(reinterpret_cast<const char*>(event.data.data()), event.data.size());
            return;
        }
        check(event);
        text_ += "data " + std::exchange(data_, {}) + "\n";
        text_ += std::to_string(static_cast<int>(event.kind)) + " " + std::to_string(event.code) + " " + event.queue;
        for (const std::string& operand : event.operands) text_ += " " + operand;
        text_ += (event.control ? " control " : " ") + std::string(event.until_close ? "until close " : "") +
                 std::to_string(event.count_bytes) + " " + std::to_string(event.arrived_bytes) + " " + event.name +
                 " " + event.text + "\n";
    }
    const std::string& text() const { return text_; }
    bool over() const { return over_; }

  private:
    void check(const LpdEvent& event) {
        if (event.kind == Kind::file_begin) {
            require(!open_, "a file begins when the last one has ended");
            open_ = true;
        }
        if (event.kind == Kind::file_end || event.kind == Kind::short_file) {
            require(std::exchange(open_, false), "a file that ends has begun");
            require(event.arrived_bytes == data_.size(), "the arrived bytes are those that were given out");
        }
        over_ = event.kind == Kind::bad || event.kind == Kind::ended;
        if (event.kind == Kind::bad) require(!event.text.empty(), "a broken grammar has a text");
    }

    std::string text_, data_;
    bool open_ = false, over_ = false;
};

std::string played(std::string_view conversation, std::size_t chunk) {
    LpdParser parser;
    Story story;
    for (std::size_t at = 0; at < conversation.size() && !story.over(); at += chunk) {
        // A block of its own: what an event keeps of it too long is seen by a sanitizer.
        const std::string_view piece = conversation.substr(at, chunk);
        const auto block = std::make_unique<std::byte[]>(piece.size());
        std::transform(piece.begin(), piece.end(), block.get(), [](char c) { return static_cast<std::byte>(c); });
        std::span<const std::byte> input(block.get(), piece.size());
        while (!story.over()) {
            const auto event = parser.next(input);
            if (!event) {
                require(input.empty(), "without an event all input is used up");
                break;
            }
            story.add(*event);
        }
    }
    if (!story.over()) story.add(parser.finish());
    return story.text();
}

}  // namespace
}  // namespace opispool::spooler

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using opispool::spooler::played;
    const std::string_view conversation = opispool::fuzz::as_text(data, size);
    const std::string story = played(conversation, std::max<std::size_t>(size, 1));
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{7}})
        opispool::fuzz::require(played(conversation, chunk) == story, "every split gives the same story");
    return 0;
}

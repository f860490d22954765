// SPDX-License-Identifier: AGPL-3.0-or-later
// Plans with every kind of span, and one send() on a loop of its own.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <memory>
#include <string>

#include "opi/splice_plan.h"
#include "rip_out/sender.h"
#include "tests/fakes/fake_rip.h"

namespace opispool::rip_out {

class SenderTest : public testing::Test {
  protected:
    SenderTest();
    ~SenderTest() override;

    // Text, two ranges of car.tif, encoded data (with an error after `encoder_fails_at` bytes), text.
    std::shared_ptr<const opi::SplicePlan> make_plan(std::size_t image_bytes);
    std::shared_ptr<const opi::SplicePlan> make_text_plan(const std::string& text);
    std::string expected;  // the bytes of the last plan
    std::size_t encoder_fails_at = SIZE_MAX;

    SendResult send(const std::shared_ptr<const opi::SplicePlan>& plan);
    // From any thread: stop() on the loop, while send() runs.
    void stop_soon();
    void append_to_image();
    void truncate_image();
    std::string image_path() const { return directory_ + "/car.tif"; }

    SenderSettings settings;  // uri is still to be set
    JobTicket ticket{"42", "cover.ps", "anna", "mac7"};
    Sender::Hooks hooks;            // before_first_byte counts and answers `hook_answer` unless replaced
    std::function<void()> in_hook;  // runs inside it
    bool hook_answer = true;
    int hook_calls = 0;
    std::uint64_t last_progress = 0;

  private:
    boost::asio::awaitable<bool> before_first_byte();
    boost::asio::io_context loop_;
    boost::asio::thread_pool pool_{2};
    std::string directory_;
    Sender* sender_ = nullptr;  // only while send() runs, read on the loop
};

inline testing::AssertionResult contains(const std::string& text, const std::string& part) {
    if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "'" << text << "' does not say '" << part << "'";
}

}  // namespace opispool::rip_out

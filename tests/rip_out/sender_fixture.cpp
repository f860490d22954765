// SPDX-License-Identifier: AGPL-3.0-or-later
#include "tests/rip_out/sender_fixture.h"

#include <stdlib.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace opispool::rip_out {

namespace {

// Bytes that differ from block to block, cheap to make by the ten million.
std::string pattern(std::size_t bytes, unsigned seed) {
    std::string block(65'521, '\0');
    std::uint32_t state = seed;
    for (char& c : block) {
        state = state * 1664525U + 1013904223U;
        c = static_cast<char>(state >> 24U);
    }
    std::string out;
    out.reserve(bytes + block.size() + 20);
    while (out.size() < bytes) out.append(std::to_string(out.size())).append(block);
    out.resize(bytes);
    return out;
}

// Answers in uneven pieces, as a decoder does.
class PatternEncoder final : public opi::Encoder {
  public:
    PatternEncoder(std::string bytes, std::size_t fails_at) : bytes_(std::move(bytes)), fails_at_(fails_at) {}
    Result<std::size_t> produce(std::span<std::byte> out) override {
        if (at_ >= fails_at_) return fail(Code::bad_image, Operation::decode, "strip 3 is damaged", "/store/car.tif");
        const std::size_t length = std::min({out.size(), bytes_.size() - at_, fails_at_ - at_});
        std::memcpy(out.data(), bytes_.data() + at_, length);
        at_ += length;
        return length;
    }

  private:
    std::string bytes_;
    std::size_t fails_at_, at_ = 0;
};

class Pattern final : public opi::GeneratedData {
  public:
    Pattern(std::string bytes, std::size_t fails_at) : bytes_(std::move(bytes)), fails_at_(fails_at) {}
    std::uint64_t length_bytes() const override { return bytes_.size(); }
    Result<std::unique_ptr<opi::Encoder>> start() const override {
        return std::make_unique<PatternEncoder>(bytes_, fails_at_);
    }
    std::string description() const override { return "pattern"; }

  private:
    std::string bytes_;
    std::size_t fails_at_;
};

}  // namespace

SenderTest::SenderTest() {
    std::string name = (std::filesystem::temp_directory_path() / "opispool-rip-out-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    directory_ = name;
    settings.end_timeout_ms = 20'000;
    settings.stall_timeout_ms = 20'000;
    hooks.before_first_byte = [this] { return before_first_byte(); };
    hooks.progress = [this](std::uint64_t sent) { last_progress = sent; };
}

SenderTest::~SenderTest() {
    pool_.join();
    std::filesystem::remove_all(directory_);
}

boost::asio::awaitable<bool> SenderTest::before_first_byte() {
    ++hook_calls;
    if (in_hook) in_hook();
    co_return hook_answer;
}

std::shared_ptr<const opi::SplicePlan> SenderTest::make_plan(std::size_t image_bytes) {
    const std::string image = pattern(image_bytes, 1), encoded = pattern(300'001, 2);
    std::ofstream(image_path(), std::ios::binary) << image;
    opi::PlanBuilder builder;
    builder.text("%!PS-Adobe-3.0\n");
    auto file = MappedFile::open(image_path());
    if (!file) throw std::runtime_error(describe(file.error()));
    const auto source = builder.add_source(*file);
    opi::PlacedImage placed;
    placed.name = "car.tif";
    placed.page = 2;
    builder.begin_image(placed);
    builder.file_range(source, 100, image_bytes / 2 - 100);
    builder.text("\nbetween\n");
    builder.file_range(source, image_bytes / 2 + 77, image_bytes - image_bytes / 2 - 77);
    builder.end_image();
    builder.generated(std::make_shared<Pattern>(encoded, encoder_fails_at));
    builder.text("%%EOF\n");
    expected = "%!PS-Adobe-3.0\n" + image.substr(100, image_bytes / 2 - 100) + "\nbetween\n" +
               image.substr(image_bytes / 2 + 77) + encoded + "%%EOF\n";
    auto plan = builder.finish();
    if (!opi::check_plan(*plan) || plan->total_bytes() != expected.size()) throw std::runtime_error("bad test plan");
    return plan;
}

std::shared_ptr<const opi::SplicePlan> SenderTest::make_text_plan(const std::string& text) {
    expected = text;
    opi::PlanBuilder builder;
    builder.text(text);
    return builder.finish();
}

void SenderTest::append_to_image() {
    std::ofstream(image_path(), std::ios::binary | std::ios::app) << "x";
}
void SenderTest::truncate_image() {
    std::filesystem::resize_file(image_path(), 4096);
}

void SenderTest::stop_soon() {
    auto stop = [this] {
        if (sender_ != nullptr) sender_->stop();
    };
    boost::asio::post(loop_, stop);
}

SendResult SenderTest::send(const std::shared_ptr<const opi::SplicePlan>& plan) {
    auto sender = make_sender(settings, loop_.get_executor(), pool_.get_executor());
    if (!sender) throw std::runtime_error(describe(sender.error()));
    sender_ = sender->get();
    SendResult result;
    std::exception_ptr failure;
    auto ended = [&](std::exception_ptr error, SendResult value) {
        failure = error;
        result = std::move(value);
        sender_ = nullptr;
    };
    boost::asio::co_spawn(loop_, (*sender)->send(plan, ticket, hooks), ended);
    loop_.restart();
    loop_.run();
    if (failure) std::rethrow_exception(failure);
    return result;
}

}  // namespace opispool::rip_out

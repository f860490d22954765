// SPDX-License-Identifier: AGPL-3.0-or-later
// Sends one file as it is to a destination, the way a queue would, and says how it ended: for playing conversations of
// misbehaving RIPs by hand, and a smallest example of rip_out.
//
//   send_file URI FILE [stall_timeout_ms]      exit 0: delivered, 1: anything else, 2: usage
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <exception>
#include <iostream>

#include "base/text.h"
#include "rip_out/sender.h"

namespace {

using namespace opispool;

std::string_view name_of(rip_out::Outcome outcome) {
    using rip_out::Outcome;
    switch (outcome) {
        case Outcome::delivered:
            return "delivered";
        case Outcome::not_started:
            return "not_started";
        case Outcome::interrupted:
            return "interrupted";
        case Outcome::rip_error:
            return "rip_error";
        case Outcome::source_failed:
            return "source_failed";
        case Outcome::canceled:
            return "canceled";
    }
    return "unknown";
}

Result<rip_out::SendResult> send_file(const rip_out::SenderSettings& settings, const std::string& path) {
    auto file = MappedFile::open(path);
    if (!file) return fail(std::move(file.error()));
    opi::PlanBuilder builder;
    const auto source = builder.add_source(*file);
    builder.file_range(source, 0, (*file)->size());
    const auto plan = builder.finish();

    boost::asio::io_context loop;
    boost::asio::thread_pool pool(1);
    auto sender = rip_out::make_sender(settings, loop.get_executor(), pool.get_executor());
    if (!sender) return fail(std::move(sender.error()));
    const rip_out::JobTicket ticket{"1", path.substr(path.rfind('/') + 1), "operator", "localhost"};
    rip_out::SendResult result;
    std::exception_ptr failure;
    auto ended = [&](std::exception_ptr error, rip_out::SendResult value) {
        failure = error;
        result = std::move(value);
    };
    boost::asio::co_spawn(loop, (*sender)->send(plan, ticket, rip_out::Sender::Hooks()), ended);
    loop.run();
    pool.join();
    if (failure) std::rethrow_exception(failure);
    return result;
}

}  // namespace

int main(int argc, char** argv) {
    const auto stall = argc == 4 ? parse_i64(argv[3]) : std::optional<std::int64_t>(30'000);
    if (argc < 3 || argc > 4 || !stall) {
        std::cerr << "usage: send_file URI FILE [stall_timeout_ms]\n";
        return 2;
    }
    rip_out::SenderSettings settings;
    settings.uri = argv[1];
    settings.stall_timeout_ms = *stall;
    const auto result = send_file(settings, argv[2]);
    if (!result) {
        std::cerr << describe(result.error()) << "\n";
        return 1;
    }
    for (const rip_out::RipMessage& message : result->messages) std::cout << "message: " << message.text << "\n";
    std::cout << name_of(result->outcome) << " " << result->sent_bytes << " bytes: " << result->text << "\n";
    return result->outcome == rip_out::Outcome::delivered ? 0 : 1;
}

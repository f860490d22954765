// SPDX-License-Identifier: AGPL-3.0-or-later
// One LPD connection: events of the parser in, acknowledgements and jobs out.
//
// A data file becomes jobs (one per print line that names it) as soon as it and a control file naming it are there,
// before the later of the two is acknowledged. What no control file names is printed with defaults at the clean close.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "spooler/intake/early_job.h"
#include "spooler/intake/intake.h"
#include "spooler/intake/listener.h"
#include "spooler/intake/lpd_control.h"
#include "spooler/intake/lpd_protocol.h"

namespace opispool::spooler {

class LpdSession {
  public:
    LpdSession(Intake& intake, std::shared_ptr<Connection> connection);
    ~LpdSession();
    boost::asio::awaitable<void> run();

  private:
    // Arrived, durable in the spool, not yet a job.
    struct Document {
        std::string label, spool_file, hold_reason;
        std::uint64_t size_bytes = 0;
    };
    enum class Next : std::uint8_t { go_on, end };

    boost::asio::awaitable<Next> handle(LpdEvent event);
    boost::asio::awaitable<Next> on_command(LpdEvent event);
    boost::asio::awaitable<Next> on_receive_job(std::string queue);
    boost::asio::awaitable<Next> on_remove(LpdEvent event);
    boost::asio::awaitable<Next> on_file_begin(LpdEvent event);
    boost::asio::awaitable<Next> on_data(std::span<const std::byte> data);
    boost::asio::awaitable<Next> on_file_end(LpdEvent event);
    boost::asio::awaitable<Next> on_short_file(LpdEvent event);
    boost::asio::awaitable<Next> on_abort();

    // What a sentinel count leaves to be settled: the closing NUL some clients send, and whether the end is an end.
    boost::asio::awaitable<Result<std::string>> settle_unknown_length();
    boost::asio::awaitable<Result<void>> keep_document(std::string hold_reason);
    // Makes jobs of every document a control file names; of all of them with `all` set.
    boost::asio::awaitable<Result<void>> submit_ready(bool all);
    boost::asio::awaitable<Result<void>> submit_copies(Document document, LpdControl control, int copies);
    // The arriving document may become a job at once: its control file is there and asks for one printing, and its
    // length is known.
    const LpdControl* control_of_arriving() const;
    boost::asio::awaitable<Result<void>> begin_early(queues::NewJob job);
    boost::asio::awaitable<void> end_early(std::string why);
    //   why  the arriving document will not come to its end
    boost::asio::awaitable<void> discard_documents(std::string why);
    queues::NewJob new_job(const LpdControl& control, const std::string& label) const;
    boost::asio::awaitable<Next> refuse(char code, std::string text);
    void job_is_final();
    void log(LogLevel level, std::string_view event, std::string why);

    Intake& intake_;
    std::shared_ptr<Connection> connection_;
    LpdParser parser_;
    std::unique_ptr<std::byte[]> buffer_;
    std::string queue_;
    std::string control_text_;
    std::vector<LpdControl> controls_;
    std::vector<Document> documents_;
    std::unique_ptr<SpoolWriter> writer_;  // of the data file that is arriving
    std::optional<EarlyJob> early_;        // of it, if it prints already
    std::string label_;                    // its label
    bool counted_ = false;                 // its length was announced
    std::byte last_byte_{1};               // of the data file that is arriving
    // Jobs of this connection their client may still take back.
    std::vector<queues::JobId> recallable_;
    std::vector<std::string> gated_;
};

}  // namespace opispool::spooler

// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/intake/lpd_session.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "spooler/intake/lpd_status.h"
#include "spooler/log_events.h"
#include "spooler/workers.h"

namespace opispool::spooler {

namespace asio = boost::asio;

namespace {

const std::string ack(1, '\0');
// LPRng's meanings: 1 no such queue or closed, 2 try again later, 3 this can't be done.
constexpr char nak_queue = 1, nak_later = 2, nak_failed = 3;
constexpr std::size_t max_control_bytes = 256U << 10U;
constexpr std::size_t max_files_per_job = 256;

}  // namespace

LpdSession::LpdSession(Intake& intake, std::shared_ptr<Connection> connection)
    : intake_(intake),
      connection_(std::move(connection)),
      buffer_(std::make_unique_for_overwrite<std::byte[]>(SpoolWriter::window_bytes)) {}

LpdSession::~LpdSession() {
    job_is_final();
}

void LpdSession::log(LogLevel level, std::string_view event, std::string why) {
    log_event(level, event,
              {{"door", "lpd"},
               {"queue", printable(queue_)},
               {"peer", connection_->peer()},
               {"bytes", std::to_string(writer_ ? writer_->size_bytes() : 0)},
               {"why", std::move(why)}});
}

asio::awaitable<void> LpdSession::run() {
    for (;;) {
        const std::span<std::byte> room(buffer_.get(), SpoolWriter::window_bytes);
        const Connection::Read read = co_await connection_->read(room);
        if (read.end == Connection::End::closed) break;
        if (read.end != Connection::End::none) {
            const bool silent = read.end == Connection::End::timed_out;
            if (writer_ || !documents_.empty())
                log(LogLevel::warning, log_id::intake_discarded,
                    silent ? "the client fell silent" : "the connection broke");
            const std::string why = silent ? "the client fell silent" : "the connection broke";
            co_await discard_documents(why);
            co_return;
        }
        std::span<const std::byte> input = room.first(read.bytes);
        while (std::optional<LpdEvent> event = parser_.next(input)) {
            const Next next = co_await handle(*event);
            if (next == Next::end) co_return;
        }
    }
    const LpdEvent last = parser_.finish();
    const Next next = co_await handle(last);
    if (next == Next::end) co_return;
    const LpdEvent over;
    co_await handle(over);
}

asio::awaitable<LpdSession::Next> LpdSession::handle(LpdEvent event) {
    switch (event.kind) {
        case LpdEvent::Kind::command:
            co_return co_await on_command(event);
        case LpdEvent::Kind::abort:
            co_return co_await on_abort();
        case LpdEvent::Kind::file_begin:
            co_return co_await on_file_begin(event);
        case LpdEvent::Kind::data:
            co_return co_await on_data(event.data);
        case LpdEvent::Kind::file_end:
            co_return co_await on_file_end(event);
        case LpdEvent::Kind::short_file:
            co_return co_await on_short_file(event);
        case LpdEvent::Kind::bad: {
            const bool in_file = writer_ != nullptr;
            log(LogLevel::warning, in_file ? log_id::intake_discarded : log_id::intake_refused, event.text);
            co_await end_early(event.text);
            writer_.reset();
            if (!queue_.empty()) co_await connection_->write(std::string(1, nak_failed));
            break;
        }
        case LpdEvent::Kind::ended:
            break;
    }
    const Result<void> submitted = co_await submit_ready(true);
    if (!submitted) log(LogLevel::error, log_id::intake_discarded, describe(submitted.error()));
    co_await discard_documents("the client ended the connection");
    connection_->close();
    co_return Next::end;
}

asio::awaitable<LpdSession::Next> LpdSession::on_command(LpdEvent event) {
    switch (event.code) {
        case 2:
            co_return co_await on_receive_job(event.queue);
        case 3:
        case 4: {
            const std::string text = lpd_status_text(intake_.queues, event.queue, event.operands, event.code == 4);
            co_await connection_->write(text);
            break;
        }
        case 5:
            co_return co_await on_remove(event);
        default:
            co_await connection_->write(ack);
            break;
    }
    connection_->close();
    co_return Next::end;
}

asio::awaitable<LpdSession::Next> LpdSession::on_receive_job(std::string queue) {
    const bool between_jobs = documents_.empty() && !recallable_.empty();
    if (queue == queue_ && !between_jobs) {
        const bool alive = co_await connection_->write(ack);
        co_return alive ? Next::go_on : Next::end;
    }
    const Result<void> submitted = co_await submit_ready(true);
    if (!submitted) co_return co_await refuse(nak_later, describe(submitted.error()));
    job_is_final();
    controls_.clear();
    queue_ = std::move(queue);
    const QueueConfig* config = intake_.config.queue(queue_);
    const queues::Queue* record = intake_.queues.queue(queue_);
    if (config == nullptr || record == nullptr || !config->lpd)
        co_return co_await refuse(nak_queue, "there is no queue " + printable(queue_));
    if (!record->accepting) co_return co_await refuse(nak_queue, "the queue does not accept jobs at present");
    const bool alive = co_await connection_->write(ack);
    co_return alive ? Next::go_on : Next::end;
}

asio::awaitable<LpdSession::Next> LpdSession::on_remove(LpdEvent event) {
    const std::string agent = event.operands.empty() ? std::string() : event.operands.front();
    const std::vector<queues::JobId> removals = pick_lpd_removals(intake_.queues, event.queue, event.operands);
    for (const queues::JobId id : removals) {
        queues::QueueService& jobs = intake_.queues;
        std::function<void(queues::Done)> begin = [&jobs, id, agent](queues::Done done) {
            jobs.cancel(id, printable(agent), std::move(done));
        };
        const Result<void> canceled = co_await wait_for<void>(begin);
        if (!canceled) log(LogLevel::warning, log_id::job_record_failed, describe(canceled.error()));
    }
    co_await connection_->write(ack);
    connection_->close();
    co_return Next::end;
}

asio::awaitable<LpdSession::Next> LpdSession::refuse(char code, std::string text) {
    log(LogLevel::warning, log_id::intake_refused, text);
    // Text after the byte is LPRng's custom; a client that reads one byte only never sees it.
    const std::string answer = std::string(1, code) + text + "\n";
    co_await connection_->write(answer);
    co_await discard_documents(text);
    connection_->close();
    co_return Next::end;
}

asio::awaitable<LpdSession::Next> LpdSession::on_file_begin(LpdEvent event) {
    if (event.control) {
        control_text_.clear();
        if (event.count_bytes > max_control_bytes || controls_.size() >= max_files_per_job)
            co_return co_await refuse(nak_failed, "control file too large, or too many of them");
    } else {
        if (documents_.size() >= max_files_per_job) co_return co_await refuse(nak_failed, "too many files in one job");
        label_ = event.name;
        last_byte_ = std::byte{1};
        counted_ = !event.until_close;
        writer_ = std::make_unique<SpoolWriter>(intake_.spool, intake_.pool);
        const std::uint64_t expected = event.until_close ? 0 : event.count_bytes;
        const Result<void> opened = co_await writer_->open(expected);
        if (!opened) {
            writer_.reset();
            co_return co_await refuse(nak_later, describe(opened.error()));
        }
    }
    const bool alive = co_await connection_->write(ack);
    co_return alive ? Next::go_on : Next::end;
}

asio::awaitable<LpdSession::Next> LpdSession::on_data(std::span<const std::byte> data) {
    if (!writer_) {
        control_text_.append(reinterpret_cast<const char*>(data.data()), data.size());
        co_return Next::go_on;
    }
    last_byte_ = data.back();
    Result<void> kept = co_await writer_->append(data);
    if (kept && early_)
        early_->grew();
    else if (const LpdControl* control = control_of_arriving(); kept && control != nullptr)
        kept = co_await begin_early(new_job(*control, label_));
    if (kept) co_return Next::go_on;
    co_await end_early(describe(kept.error()));
    writer_.reset();
    co_return co_await refuse(nak_later, describe(kept.error()));
}

asio::awaitable<LpdSession::Next> LpdSession::on_file_end(LpdEvent event) {
    Result<void> kept;
    if (event.control) {
        controls_.push_back(parse_lpd_control(control_text_));
    } else {
        Result<std::string> hold_reason = std::string();
        if (event.until_close) hold_reason = co_await settle_unknown_length();
        if (!hold_reason) co_return co_await refuse(nak_later, describe(hold_reason.error()));
        kept = co_await keep_document(*hold_reason);
    }
    // Nothing more can come after an unknown length: what has no control file gets its jobs now.
    if (kept) kept = co_await submit_ready(event.until_close);
    if (!kept) co_return co_await refuse(nak_later, describe(kept.error()));
    const bool alive = co_await connection_->write(ack);
    co_return alive || event.until_close ? Next::go_on : Next::end;
}

asio::awaitable<LpdSession::Next> LpdSession::on_short_file(LpdEvent event) {
    const std::string numbers =
        std::to_string(event.arrived_bytes) + " of the announced " + std::to_string(event.count_bytes) + " bytes came";
    log(LogLevel::warning, log_id::intake_discarded, numbers);
    if (event.control || !writer_ || writer_->size_bytes() == 0) co_return Next::go_on;
    if (early_) {
        const std::string why = numbers + " before the client closed";
        co_await end_early(why);
        writer_.reset();
        co_await connection_->write(std::string(1, nak_later));
        co_return Next::go_on;
    }
    const Result<void> kept = co_await keep_document("possibly truncated: only " + numbers +
                                                     " before the client closed. Cancel it and send it again, or "
                                                     "release it to print what came");
    // The client is told "no" all the same: it may still have the whole document.
    if (kept) co_await connection_->write(std::string(1, nak_later));
    co_return Next::go_on;
}

asio::awaitable<LpdSession::Next> LpdSession::on_abort() {
    log(LogLevel::info, log_id::intake_discarded, "the client takes the job back");
    for (const queues::JobId id : recallable_) {
        const auto job = intake_.queues.find(id);
        // A job whose gate has opened meanwhile may be on its way to a plate; that is the operator's to stop.
        if (!job || job->state == queues::JobState::processing) continue;
        queues::QueueService& jobs = intake_.queues;
        std::function<void(queues::Done)> begin = [&jobs, id](queues::Done done) {
            jobs.cancel(id, "LPD client", std::move(done));
        };
        const Result<void> canceled = co_await wait_for<void>(begin);
        if (!canceled) log(LogLevel::warning, log_id::job_record_failed, describe(canceled.error()));
    }
    job_is_final();
    controls_.clear();
    co_await discard_documents("the client took it back");
    const bool alive = co_await connection_->write(ack);
    co_return alive ? Next::go_on : Next::end;
}

void LpdSession::job_is_final() {
    recallable_.clear();
    for (const std::string& spool_file : gated_) intake_.gate.open(spool_file);
    gated_.clear();
}

}  // namespace opispool::spooler

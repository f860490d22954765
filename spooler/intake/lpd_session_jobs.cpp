// SPDX-License-Identifier: AGPL-3.0-or-later
// LpdSession: from files that arrived to jobs in the store.
#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "spooler/intake/lpd_session.h"
#include "spooler/log_events.h"
#include "spooler/workers.h"

namespace opispool::spooler {

namespace asio = boost::asio;

asio::awaitable<Result<std::string>> LpdSession::settle_unknown_length() {
    if (last_byte_ == std::byte{0}) {
        const std::uint64_t without_nul = writer_->size_bytes() - 1;
        const Result<void> cut = co_await writer_->truncate(without_nul);
        if (!cut) co_return fail(cut.error());
    }
    const Result<TailVerdict> verdict = co_await check_tail_of(intake_, writer_->path());
    if (!verdict) co_return fail(verdict.error());
    if (verdict->tail == TailVerdict::Tail::complete) co_return std::string();
    co_return "possibly truncated: its length was not announced and " + verdict->reason +
        ". Release it to print it as it is, or cancel it and send it again";
}

asio::awaitable<Result<void>> LpdSession::keep_document(std::string hold_reason) {
    const std::unique_ptr<SpoolWriter> writer = std::move(writer_);
    if (early_) {
        const Result<queues::JobId> id = co_await early_->complete();
        early_.reset();
        if (!id) co_return fail(id.error());
        recallable_.push_back(*id);
        co_return Result<void>();
    }
    // An empty file is nothing to print; its client is answered as if it had been.
    if (writer->size_bytes() == 0) co_return Result<void>();
    Document document;
    document.label = label_;
    document.hold_reason = std::move(hold_reason);
    document.size_bytes = writer->size_bytes();
    Result<std::string> name = co_await writer->commit();
    if (!name) co_return fail(name.error());
    document.spool_file = *name;
    documents_.push_back(std::move(document));
    co_return Result<void>();
}

asio::awaitable<Result<void>> LpdSession::submit_ready(bool all) {
    // The newest control file first: old clients use the same names again for their next job.
    for (std::size_t c = controls_.size(); c-- > 0;) {
        const LpdControl control = controls_[c];
        for (const LpdPrint& print : control.prints) {
            const auto found = std::find_if(documents_.begin(), documents_.end(),
                                            [&print](const Document& each) { return each.label == print.file; });
            if (found == documents_.end()) continue;
            const Document document = *found;
            documents_.erase(found);
            const int copies = print.copies;
            const Result<void> submitted = co_await submit_copies(document, control, copies);
            if (!submitted) co_return submitted;
        }
    }
    while (all && !documents_.empty()) {
        const Document document = documents_.front();
        documents_.erase(documents_.begin());
        const LpdControl control = controls_.empty() ? LpdControl() : controls_.back();
        const Result<void> submitted = co_await submit_copies(document, control, 1);
        if (!submitted) co_return submitted;
    }
    co_return Result<void>();
}

queues::NewJob LpdSession::new_job(const LpdControl& control, const std::string& label) const {
    queues::NewJob job;
    job.queue = queue_;
    job.title = control.title.empty() ? printable(label) : control.title;
    job.user = control.user.empty() ? std::string("unknown") : control.user;
    job.host = control.host.empty() ? connection_->peer() : control.host;
    job.door = "lpd";
    return job;
}

const LpdControl* LpdSession::control_of_arriving() const {
    const QueueConfig* config = intake_.config.queue(queue_);
    if (config == nullptr || !config->early_start || !counted_) return nullptr;
    for (std::size_t c = controls_.size(); c-- > 0;)
        for (const LpdPrint& print : controls_[c].prints)
            if (print.file == label_) return print.copies == 1 ? &controls_[c] : nullptr;
    return nullptr;
}

asio::awaitable<Result<void>> LpdSession::begin_early(queues::NewJob job) {
    early_.emplace(intake_.queues, intake_.arrivals, *writer_);
    const Result<void> begun = co_await early_->begin(std::move(job));
    if (!begun) early_.reset();
    co_return begun;
}

asio::awaitable<void> LpdSession::end_early(std::string why) {
    if (!early_) co_return;
    co_await early_->break_off(std::move(why));
    early_.reset();
}

asio::awaitable<Result<void>> LpdSession::submit_copies(Document document, LpdControl control, int copies) {
    queues::NewJob job = new_job(control, document.label);
    job.spool_file = document.spool_file;
    job.size_bytes = document.size_bytes;
    job.hold = !document.hold_reason.empty();
    job.hold_reason = document.hold_reason;
    for (int copy = 1; copy <= copies; ++copy) {
        std::string next;
        if (copy < copies) {
            const Spool& spool = intake_.spool;
            auto work = [&spool, &job] { return spool.link_job(job.spool_file); };
            const Result<std::string> linked = co_await on_pool(intake_.pool, work);
            if (!linked) co_return fail(linked.error());
            next = *linked;
        }
        intake_.gate.close(job.spool_file);
        gated_.push_back(job.spool_file);
        const Result<queues::JobId> id = co_await submit_job(intake_, job);
        if (!id && !next.empty()) co_await remove_document(intake_, next);
        if (!id) co_return fail(id.error());
        recallable_.push_back(*id);
        job.spool_file = next;
    }
    co_return Result<void>();
}

asio::awaitable<void> LpdSession::discard_documents(std::string why) {
    co_await end_early(std::move(why));
    writer_.reset();
    const std::vector<Document> documents = std::exchange(documents_, std::vector<Document>());
    for (const Document& document : documents) co_await remove_document(intake_, document.spool_file);
}

}  // namespace opispool::spooler

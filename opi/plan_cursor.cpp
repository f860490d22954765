// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/plan_cursor.h"

#include <algorithm>

namespace opispool::opi {

PlanCursor::PlanCursor(std::shared_ptr<const SplicePlan> plan, std::uint64_t start_bytes)
    : plan_(std::move(plan)), position_(std::min(start_bytes, plan_->total_bytes())) {
    pieces_.reserve(max_pieces);
    std::size_t low = 0, high = plan_->spans().size();
    while (low < high) {  // the first span that ends behind the position
        const std::size_t middle = low + (high - low) / 2;
        if (plan_->begin_of(middle + 1) <= position_)
            low = middle + 1;
        else
            high = middle;
    }
    span_ = low;
}

Result<std::span<const iovec>> PlanCursor::window(std::size_t limit_bytes) {
    pieces_.clear();
    std::uint64_t at = position_;
    std::size_t room = limit_bytes;
    for (std::size_t i = span_; i < plan_->spans().size() && room > 0 && pieces_.size() < max_pieces; ++i) {
        const Span& span = plan_->spans()[i];
        const std::uint64_t within = at - plan_->begin_of(i);
        const std::size_t length = static_cast<std::size_t>(std::min<std::uint64_t>(room, span.length_bytes - within));
        if (span.kind == SpanKind::generated) {
            // One buffer: a second generated span waits for the next window.
            if (!buffer_.empty() && encoder_span_ != i && !pieces_.empty()) break;
            const std::size_t before = pieces_.size();
            if (auto added = add_generated(span, i, within, length); !added) return fail(std::move(added.error()));
            if (pieces_.size() == before) break;
            const std::size_t produced = pieces_.back().iov_len;
            at += produced;
            room -= produced;
            if (within + produced < span.length_bytes) break;
            continue;
        }
        const std::byte* base = nullptr;
        if (span.kind == SpanKind::owned_text) {
            base = reinterpret_cast<const std::byte*>(plan_->text_pool().data());
        } else {
            const MappedFile& source = *plan_->sources()[span.index];
            if (auto ready = source.prefault(span.offset_bytes + within, length); !ready)
                return fail(std::move(ready.error()));
            base = source.bytes().data();
        }
        // iovec has no const; the kernel only reads.
        pieces_.push_back(iovec{const_cast<std::byte*>(base + span.offset_bytes + within), length});
        at += length;
        room -= length;
    }
    return std::span<const iovec>(pieces_);
}

Result<void> PlanCursor::add_generated(const Span& span, std::size_t span_index, std::uint64_t within,
                                       std::size_t room) {
    const bool same = encoder_span_ == span_index && encoder_ != nullptr;
    if (!same || within < buffer_begin_) {
        auto started = plan_->generated()[span.index]->start();
        if (!started) return fail(std::move(started.error()));
        encoder_ = std::move(*started);
        encoder_span_ = span_index;
        encoder_position_ = buffer_begin_ = 0;
        buffer_.clear();
    }
    if (within < encoder_position_) {  // part of the buffer was not taken by the last write: it comes first
        const std::size_t skip = static_cast<std::size_t>(within - buffer_begin_);
        const std::size_t length = std::min(room, buffer_.size() - skip);
        pieces_.push_back(iovec{buffer_.data() + skip, length});
        return {};
    }
    do {  // more than one round only when resuming in the middle of the span
        const std::uint64_t left = span.length_bytes - encoder_position_;
        buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(std::max(room, std::size_t{1}), left)));
        auto produced = encoder_->produce(buffer_);
        if (!produced) return fail(std::move(produced.error()));
        if (*produced == 0)
            return fail(Code::internal, Operation::encode, "an encoder ended before its declared length");
        buffer_.resize(*produced);
        buffer_begin_ = encoder_position_;
        encoder_position_ += *produced;
    } while (encoder_position_ <= within);
    const std::size_t skip = static_cast<std::size_t>(within - buffer_begin_);
    pieces_.push_back(iovec{buffer_.data() + skip, std::min(room, buffer_.size() - skip)});
    return {};
}

void PlanCursor::advance(std::uint64_t sent_bytes) {
    std::uint64_t end = position_ + std::min(sent_bytes, plan_->total_bytes() - position_);
    while (span_ < plan_->spans().size() && position_ < end) {
        const Span& span = plan_->spans()[span_];
        const std::uint64_t span_end = plan_->begin_of(span_ + 1);
        const std::uint64_t upto = std::min(end, span_end);
        if (span.kind == SpanKind::file_range)
            plan_->sources()[span.index]->release(span.offset_bytes + (position_ - plan_->begin_of(span_)),
                                                  upto - position_);
        position_ = upto;
        if (position_ == span_end) {
            if (encoder_span_ == span_) {
                encoder_.reset();
                encoder_span_ = SIZE_MAX;
                buffer_.clear();
            }
            ++span_;
        }
    }
}

}  // namespace opispool::opi

// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/plan_cursor.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace opispool::opi {

PlanCursor::PlanCursor(std::shared_ptr<const SplicePlan> plan, std::uint64_t start_bytes)
    : plan_(std::move(plan)), position_(std::min(start_bytes, plan_->total_bytes())) {
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

Result<std::size_t> PlanCursor::read(std::span<std::byte> out) {
    std::size_t filled = 0;
    while (filled < out.size() && span_ < plan_->spans().size()) {
        const Span& span = plan_->spans()[span_];
        const std::uint64_t within = position_ - plan_->begin_of(span_);
        const std::uint64_t length = std::min<std::uint64_t>(out.size() - filled, span.length_bytes - within);
        auto got = read_span(span, within, out.subspan(filled, static_cast<std::size_t>(length)));
        if (!got) return got;
        filled += *got;
        position_ += *got;
        if (position_ == plan_->begin_of(span_ + 1)) {
            encoder_.reset();
            ++span_;
        }
    }
    return filled;
}

std::optional<PlanCursor::FileStretch> PlanCursor::file_stretch() const {
    if (done() || plan_->spans()[span_].kind != SpanKind::file_range) return std::nullopt;
    const Span& span = plan_->spans()[span_];
    const std::uint64_t within = position_ - plan_->begin_of(span_);
    return FileStretch{*plan_->sources()[span.index], span.offset_bytes + within, span.length_bytes - within};
}

void PlanCursor::skip(std::uint64_t bytes) {
    position_ += bytes;
    if (position_ == plan_->begin_of(span_ + 1)) ++span_;
}

Result<std::size_t> PlanCursor::read_span(const Span& span, std::uint64_t within, std::span<std::byte> out) {
    if (span.kind == SpanKind::generated) return read_generated(span, within, out);
    if (span.kind == SpanKind::owned_text) {
        std::memcpy(out.data(), plan_->text_pool().data() + span.offset_bytes + within, out.size());
        return out.size();
    }
    const MappedFile& source = *plan_->sources()[span.index];
    auto got = source.read_at(span.offset_bytes + within, out);
    if (got && *got < out.size())
        return fail(Code::changed, Operation::read, "the file became shorter while it was in use", source.name(),
                    span.offset_bytes + within + *got);
    return got;
}

Result<std::size_t> PlanCursor::read_generated(const Span& span, std::uint64_t within, std::span<std::byte> out) {
    const auto next = [this](std::span<std::byte> into) -> Result<std::size_t> {
        auto produced = encoder_->produce(into);
        if (produced && *produced == 0)
            return fail(Code::internal, Operation::encode, "an encoder ended before its declared length");
        return produced;
    };
    if (!encoder_) {
        auto started = plan_->generated()[span.index]->start();
        if (!started) return fail(std::move(started.error()));
        encoder_ = std::move(*started);
        // Resuming in the middle: an encoder only goes forward, so what lies before is made once more.
        std::array<std::byte, 64 * 1024> unwanted;
        for (std::uint64_t left = within; left > 0;) {
            auto skipped = next(
                std::span(unwanted).first(static_cast<std::size_t>(std::min<std::uint64_t>(left, unwanted.size()))));
            if (!skipped) return skipped;
            left -= *skipped;
        }
    }
    return next(out);
}

}  // namespace opispool::opi

// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/splice_plan.h"

#include <algorithm>

#include "base/text.h"

namespace opispool::opi {

const PlacedImage* SplicePlan::image_at(std::uint64_t offset_bytes) const {
    auto after =
        std::upper_bound(images_.begin(), images_.end(), offset_bytes,
                         [](std::uint64_t offset, const PlacedImage& image) { return offset < image.begin_bytes; });
    if (after == images_.begin()) return nullptr;
    const PlacedImage& image = *std::prev(after);
    return offset_bytes < image.end_bytes ? &image : nullptr;
}

PlanBuilder::PlanBuilder() : plan_(std::make_shared<SplicePlan>()) {}

void PlanBuilder::add_span(Span span) {
    if (span.length_bytes == 0) return;
    plan_->total_bytes_ += span.length_bytes;
    if (!plan_->spans_.empty() && span.kind != SpanKind::generated) {
        Span& last = plan_->spans_.back();
        if (last.kind == span.kind && last.index == span.index &&
            last.offset_bytes + last.length_bytes == span.offset_bytes) {
            last.length_bytes += span.length_bytes;
            return;
        }
    }
    plan_->begins_.push_back(plan_->total_bytes_ - span.length_bytes);
    plan_->spans_.push_back(span);
}

void PlanBuilder::text(std::string_view bytes) {
    const std::uint64_t offset = plan_->text_pool_.size();
    plan_->text_pool_ += bytes;
    add_span(Span{SpanKind::owned_text, 0, offset, bytes.size()});
}

std::uint32_t PlanBuilder::add_source(std::shared_ptr<const MappedFile> file) {
    // The latest sources are the likeliest; a job places a picture several times in a row or not at all.
    for (std::size_t i = plan_->sources_.size(); i-- > 0;)
        if (plan_->sources_[i]->identity() == file->identity()) return static_cast<std::uint32_t>(i);
    plan_->sources_.push_back(std::move(file));
    return static_cast<std::uint32_t>(plan_->sources_.size() - 1);
}

void PlanBuilder::file_range(std::uint32_t source, std::uint64_t offset_bytes, std::uint64_t length_bytes) {
    add_span(Span{SpanKind::file_range, source, offset_bytes, length_bytes});
}

void PlanBuilder::generated(std::shared_ptr<const GeneratedData> data) {
    const std::uint64_t length = data->length_bytes();
    plan_->generated_.push_back(std::move(data));
    add_span(Span{SpanKind::generated, static_cast<std::uint32_t>(plan_->generated_.size() - 1), 0, length});
}

void PlanBuilder::begin_image(PlacedImage image) {
    image.begin_bytes = plan_->total_bytes_;
    image.end_bytes = plan_->total_bytes_;
    plan_->images_.push_back(std::move(image));
    in_image_ = true;
}

void PlanBuilder::end_image() {
    if (in_image_) plan_->images_.back().end_bytes = plan_->total_bytes_;
    in_image_ = false;
}

void PlanBuilder::append(const SplicePlan& other) {
    const std::string_view pool = other.text_pool();
    for (const Span& span : other.spans()) {
        switch (span.kind) {
            case SpanKind::owned_text:
                text(pool.substr(span.offset_bytes, span.length_bytes));
                break;
            case SpanKind::file_range:
                file_range(add_source(other.sources()[span.index]), span.offset_bytes, span.length_bytes);
                break;
            case SpanKind::generated:
                generated(other.generated()[span.index]);
                break;
        }
    }
}

std::shared_ptr<const SplicePlan> PlanBuilder::finish() {
    end_image();
    plan_->begins_.push_back(plan_->total_bytes_);
    return std::move(plan_);
}

namespace {

Result<void> check_span(const SplicePlan& plan, std::size_t i) {
    const Span& span = plan.spans()[i];
    auto wrong = [&](const char* what) {
        return fail(Code::internal, Operation::check_plan, "span " + std::to_string(i) + " " + what);
    };
    std::uint64_t limit = 0;
    switch (span.kind) {
        case SpanKind::owned_text:
            limit = plan.text_pool().size();
            break;
        case SpanKind::file_range:
            if (span.index >= plan.sources().size()) return wrong("names a source that does not exist");
            limit = plan.sources()[span.index]->identity().size_bytes;
            break;
        case SpanKind::generated:
            if (span.index >= plan.generated().size()) return wrong("names an encoder that does not exist");
            limit = plan.generated()[span.index]->length_bytes();
            if (span.length_bytes != limit) return wrong("differs from its encoder's length");
            break;
    }
    if (span.length_bytes == 0) return wrong("is empty");
    if (span.offset_bytes > limit || span.length_bytes > limit - span.offset_bytes)
        return wrong("reaches beyond its source");
    return {};
}

}  // namespace

Result<void> check_plan(const SplicePlan& plan) {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < plan.spans().size(); ++i) {
        if (auto checked = check_span(plan, i); !checked) return checked;
        if (plan.begin_of(i) != total)
            return fail(Code::internal, Operation::check_plan,
                        "span " + std::to_string(i) + " does not begin where the last ended");
        total += plan.spans()[i].length_bytes;
    }
    if (total != plan.total_bytes() || plan.begin_of(plan.spans().size()) != total)
        return fail(Code::internal, Operation::check_plan, "the spans do not add up to the total");
    return {};
}

Result<void> check_sources(const SplicePlan& plan) {
    for (const auto& source : plan.sources()) {
        auto now = source->identity_now();
        if (!now) return fail(std::move(now.error()));
        if (*now != source->identity())
            return fail(Code::changed, Operation::check_plan, "the file was changed while the job was being sent",
                        source->name());
    }
    return {};
}

std::string text_form(const SplicePlan& plan) {
    std::string out;
    for (std::size_t i = 0; i < plan.spans().size(); ++i) {
        const Span& span = plan.spans()[i];
        out += std::to_string(plan.begin_of(i)) + " " + std::to_string(span.length_bytes);
        switch (span.kind) {
            case SpanKind::owned_text:
                out += " text";
                break;
            case SpanKind::file_range:
                out += " file " + printable(plan.sources()[span.index]->name()) + " at " +
                       std::to_string(span.offset_bytes);
                break;
            case SpanKind::generated:
                out += " generated " + plan.generated()[span.index]->description();
                break;
        }
        out += "\n";
    }
    return out + "total " + std::to_string(plan.total_bytes()) + " bytes\n";
}

}  // namespace opispool::opi

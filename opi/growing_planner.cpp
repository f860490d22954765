// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/growing_planner.h"

#include <algorithm>
#include <utility>

#include "opi/job_header.h"
#include "opi/line_counter.h"

namespace opispool::opi {

namespace {

// A page of a few lines is no reason to look at once.
constexpr std::uint64_t first_look_bytes = 256U << 10U;

bool is_separated(const ThinDocument& document) {
    const auto on_plate = [](const Reference& reference) { return reference.plate.has_value(); };
    return !document.plates.empty() || std::any_of(document.references.begin(), document.references.end(), on_plate);
}

// Leaves what stands before the cut, one of the document's own.
void cut_document(ThinDocument& document, const PageCut& cut) {
    std::erase_if(document.references, [&](const Reference& each) { return each.block.begin >= cut.begin_bytes; });
    document.warnings.resize(cut.warnings_before);
    document.pages = cut.pages_before;
}

}  // namespace

GrowingPlanner::GrowingPlanner(Job job)
    : job_(std::move(job)),
      references_(*job_.index, job_.profile, job_.on_missing, Measuring{nullptr, MeasureMode::never}),
      wanted_(first_look_bytes) {}

Result<GrowingPlanner::Step> GrowingPlanner::advance(std::uint64_t available_bytes, bool complete) {
    if (done_) return Step::done;
    if (!complete && available_bytes < wanted_) return Step::nothing_yet;
    auto file = MappedFile::open_growing(job_.path);
    if (!file) return fail(std::move(file.error()));
    if (available_bytes > (*file)->size())
        return fail(Code::changed, Operation::read, "the spooled job became shorter", job_.path);
    auto document = read(*file, available_bytes);
    if (!document) return fail(std::move(document.error()));
    if (is_separated(*document)) return refuse_separated();
    PageCut cut = document->last_cut.value_or(PageCut{});
    if (complete) cut.begin_bytes = available_bytes - planned_;
    if (cut.begin_bytes == 0 && !complete) {
        // The page that is there is longer; looked at each time it has doubled, its bytes are read twice in all.
        wanted_ = planned_ + std::max(2 * (available_bytes - planned_), first_look_bytes);
        return Step::nothing_yet;
    }
    if (!complete) cut_document(*document, cut);
    done_ = complete;
    before_.pages = document->pages;
    before_.document_box = document->document_box;
    before_.seen_opi = document->seen_opi;
    auto planned = plan(*document, *file, planned_ + cut.begin_bytes);
    if (!planned) return fail(std::move(planned.error()));
    planned_ += cut.begin_bytes;
    wanted_ = std::max(available_bytes, planned_ + first_look_bytes);
    return Step::planned;
}

// What is there behind the pages that were planned.
Result<ThinDocument> GrowingPlanner::read(const std::shared_ptr<const MappedFile>& file, std::uint64_t end) {
    FileByteSource source(file, planned_, end);
    auto document = parse_thin_document(source, before_);
    // Lines are counted for jobs that have something to say about one.
    if (!document || (document->references.empty() && document->warnings.empty()) || counted_ == planned_)
        return document;
    FileByteSource uncounted(file, counted_, planned_);
    before_.lines = LineCounter(uncounted, before_.lines).line_at(planned_ - counted_) - 1;
    counted_ = planned_;
    FileByteSource again(file, planned_, end);
    return parse_thin_document(again, before_);
}

GrowingPlanner::Step GrowingPlanner::refuse_separated() {
    if (planned_ == 0) return Step::whole_needed;
    outcome_ = {};
    outcome_.problems.push_back(
        {0,
         {},
         "the job turns out to be separated after pages of it were sent as composite ones; print separated jobs to a "
         "queue without early_start",
         Code::unsupported});
    return Step::planned;
}

Result<void> GrowingPlanner::plan(const ThinDocument& document, const std::shared_ptr<const MappedFile>& file,
                                  std::uint64_t end) {
    FileByteSource source(file, planned_, end);
    auto plan = references_.plan_document(document, PlannedFile{file, planned_, end}, source,
                                          ReferencePlanner::Header::left_alone);
    if (!plan) return fail(std::move(plan.error()));
    if (auto checked = check_plan(**plan); !checked) return checked;
    if (planned_ == 0) header_ = document;
    if (done_) warn_of_header();
    outcome_ = {};
    outcome_.problems = std::exchange(references_.problems(), {});
    outcome_.warnings = std::exchange(references_.warnings(), {});
    references_.records().clear();  // a ledger is made of whole jobs
    if (outcome_.problems.empty()) outcome_.plan = std::move(*plan);
    return {};
}

void GrowingPlanner::warn_of_header() {
    if (correct_header(header_, references_.used()).empty()) return;
    references_.warnings().push_back(
        "the pictures need more than the job's header says (DocumentData, LanguageLevel, colours or fonts); it could "
        "not "
        "be corrected, because sending began early");
}

}  // namespace opispool::opi

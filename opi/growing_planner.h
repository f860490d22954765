// SPDX-License-Identifier: AGPL-3.0-or-later
// Plans a job while it still arrives: what lies before the last page that is there is planned as soon as it can't
// change any more, then the next pages, and the rest when the job is whole. The plans, one after the other, are the
// result.
//
//   growing spool file --advance--> plan of its next pages
//
// What is different from make_plan(): the header has left before the pictures are known, so it is not corrected; places
// are read from the job's text only (a measurement needs the whole job); and a job is taken for composite until a page
// says otherwise.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "opi/planner.h"
#include "opi/reference_planner.h"

namespace opispool::opi {

//   thread  any, one call at a time; blocks on disk: run it on the pool
class GrowingPlanner {
  public:
    struct Job {
        std::string path;                   // only ever appended to
        const ImageIndex* index = nullptr;  // outlives the planner
        OutputProfile profile;
        OnMissing on_missing = OnMissing::fail;
    };
    explicit GrowingPlanner(Job job);

    enum class Step : std::uint8_t {
        nothing_yet,   // wait for more bytes
        planned,       // outcome() has the plan of the next pages, or the problems
        whole_needed,  // nothing was planned and nothing can be before the job is whole: take make_plan() then
        done,          // the last plan was given
    };
    // There are `available_bytes` now, and with `complete` that is all.
    //   errors  io and the like: nothing can be said about the job
    //   cost    what arrived is read about twice, from the page cache
    Result<Step> advance(std::uint64_t available_bytes, bool complete);
    PlanOutcome& outcome() { return outcome_; }
    // Pages before this byte were planned; everything in them is closed.
    std::uint64_t planned_bytes() const { return planned_; }
    // Below so many bytes advance() has nothing to look at.
    std::uint64_t wanted_bytes() const { return wanted_; }

  private:
    Result<ThinDocument> read(const std::shared_ptr<const MappedFile>& file, std::uint64_t end);
    Step refuse_separated();
    Result<void> plan(const ThinDocument& document, const std::shared_ptr<const MappedFile>& file, std::uint64_t end);
    void warn_of_header();

    Job job_;
    ReferencePlanner references_;
    PlanOutcome outcome_;
    ThinBefore before_;                        // the pages that come next; its lines are those before counted_
    ThinDocument header_;                      // of the first pages
    std::uint64_t planned_ = 0, counted_ = 0;  // bytes of the job
    std::uint64_t wanted_;
    bool done_ = false;
};

}  // namespace opispool::opi

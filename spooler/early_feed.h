// SPDX-License-Identifier: AGPL-3.0-or-later
// The plans of a job whose document is still arriving, one after the other, as its pages come.
//
//   Arrival --bytes there--> EarlyFeed::next --plan--> Sender (Hooks::next_plan)
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "opi/growing_planner.h"
#include "opi/image_index.h"
#include "spooler/intake/arrivals.h"

namespace opispool::spooler {

//   thread  loop; planning runs on the pool      lifetime  in a shared_ptr until the job has ended
class EarlyFeed {
  public:
    struct Job {
        std::string path, name;  // of the document; "job 12", for messages
        opi::OutputProfile profile;
        opi::OnMissing on_missing = opi::OnMissing::fail;
        std::function<Result<opi::ImageIndex>()> open_index;  // called once, on the pool
        std::function<void(std::string)> tell;                // warnings and problems, on the loop
    };
    EarlyFeed(std::shared_ptr<Arrival> arrival, Job job, boost::asio::any_io_executor pool)
        : arrival_(std::move(arrival)), job_(std::move(job)), pool_(std::move(pool)) {}

    //   returns  null: all of it was planned; for the first call: it is whole, and must be planned as a whole
    //   errors   canceled (stop()); disconnected: the document broke off; else why the next pages can't be printed
    boost::asio::awaitable<Result<std::shared_ptr<const opi::SplicePlan>>> next();
    // next() doesn't wait any longer.
    void stop();

  private:
    using Step = opi::GrowingPlanner::Step;
    boost::asio::awaitable<Result<Step>> advance();
    Error problems_of(const opi::PlanOutcome& outcome) const;

    std::shared_ptr<Arrival> arrival_;
    Job job_;
    boost::asio::any_io_executor pool_;
    std::optional<opi::ImageIndex> index_;
    std::unique_ptr<opi::GrowingPlanner> planner_;
    bool stopped_ = false, gave_pages_ = false;
};

}  // namespace opispool::spooler

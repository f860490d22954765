// SPDX-License-Identifier: AGPL-3.0-or-later
// Measures by the program opispool-gs, which lies beside the running one. Customer PostScript runs only there.
#pragma once

#include <deque>
#include <string>

#include "opi/measurement.h"

namespace opispool::opi {

class MeasureClient final : public Measurer {
  public:
    // program  path of opispool-gs; empty: beside the running program
    explicit MeasureClient(std::string program = {});

    // The last answers are kept: planning a job again costs no second run.
    //   errors  not_found: no such program; timeout, bad_syntax: the job broke out of its limits
    Result<Measurements> measure(const MeasureRequest& request) override;

  private:
    struct Kept {
        FileIdentity identity;
        std::uint64_t begin_bytes, end_bytes;
        std::vector<std::uint64_t> bodies;
        Result<Measurements> answer;
    };
    Result<Measurements> run(const MeasureRequest& request) const;

    std::string program_;
    std::deque<Kept> kept_;
};

}  // namespace opispool::opi

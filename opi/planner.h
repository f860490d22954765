// SPDX-License-Identifier: AGPL-3.0-or-later
// From a thin job to its finished plan: parse, find every picture, place it, lay out every byte of the result.
//
//   thin document (map) + stores --make_plan--> SplicePlan, or the list of what stands in the way
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"
#include "opi/image_index.h"
#include "opi/image_request.h"
#include "opi/measured_document.h"
#include "opi/splice_plan.h"
#include "opi/thin_document.h"

namespace opispool::opi {

enum class OnMissing : std::uint8_t {
    fail,   // the job can't be planned; every missing picture is a Problem
    proxy,  // the producer's low-resolution picture stays, with a warning
};

struct PlanRequest {
    std::shared_ptr<const MappedFile> thin;  // immutable: the CPU reads its map
    const ImageIndex* index = nullptr;       // outlives the call
    OutputProfile profile;
    OnMissing on_missing = OnMissing::fail;
    Measuring measuring;
};

// One reference that can't be honoured.
struct Problem {
    std::uint64_t line = 0;  // in the thin job, from 1
    std::string name;        // the image as the comment wrote it, decoded; empty when the block names none
    std::string text;        // what is wrong and what to do
    Code code = Code::bad_syntax;
};

// What became of one reference, for the job's ledger.
struct ReferenceRecord {
    int page = 0;            // ordinal, from 1; 0 before the first
    std::uint64_t line = 0;  // in the thin job, from 1; of one inside a placed EPS, in that file
    std::string asked;       // as the comment wrote it, decoded
    std::string file;        // chosen; empty if none
    FileIdentity identity;   // of `file`
    std::uint32_t width_px = 0, height_px = 0;
    // Pixels per inch where it is printed, the lower of both directions; 0: not known. A job that scales its user space
    // around the picture prints it at another size than its comments say.
    double ppi = 0;
    std::string colour;       // as ImageInfo::colour
    std::string crop;         // "left top right bottom", parts of the picture from 0 to 1; empty: all of it
    std::uint64_t bytes = 0;  // of the result
    std::string problem;      // why it was not placed; empty if it was
    SearchTrace search;       // if there is a problem
};

struct PlanOutcome {
    std::shared_ptr<const SplicePlan> plan;  // null if there are problems
    std::vector<Problem> problems;           // in file order
    Warnings warnings;
    bool picture_missing = false;             // no file was found for a reference, whether that is a problem or not
    std::vector<ReferenceRecord> references;  // those inside a placed EPS before it
};

//   errors  io and the like: nothing could be said about the job. A reference that fails is a Problem, not an error.
//   thread  any, blocks on disk; run it on the pool      cost  one pass over the job, headers of the pictures, and one
//   decoding pass over compressed picture data, which proves before the first byte leaves that it is whole
Result<PlanOutcome> make_plan(const PlanRequest& request);

// One reference as `opispool scan` shows it; no pixels are read.
struct ScannedReference {
    OpiVersion version = OpiVersion::v1_3;
    int page = 0;
    std::uint64_t line = 0;
    std::string filename;  // as written, decoded
    std::string file;      // empty if none
    std::string problem;   // empty if none
    std::string warning;   // empty if none
    SearchTrace steps;     // if asked for
};

enum class ScanDetail : std::uint8_t { files, steps };

Result<std::vector<ScannedReference>> scan_references(const PlanRequest& request,
                                                      ScanDetail detail = ScanDetail::files);

// "IN.ps:12: image 'car.tif': ..." with every byte printable.
std::string problem_line(const std::string& job_name, const Problem& problem);
// Why a job is held: the first one's line, and how many more there are.
std::string problem_reason(const std::string& job_name, const std::vector<Problem>& problems);

}  // namespace opispool::opi

// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/planner.h"

#include "base/text.h"
#include "opi/byte_source.h"
#include "opi/reference_file.h"
#include "opi/reference_planner.h"

namespace opispool::opi {

Result<PlanOutcome> make_plan(const PlanRequest& request) {
    FileByteSource source(request.thin, 0, request.thin->size());
    auto document = parse_thin_document(source);
    if (!document) return fail(std::move(document.error()));
    ReferencePlanner planner(*request.index, request.profile, request.on_missing, request.measuring);
    auto plan = planner.plan_document(*document, PlannedFile{request.thin, 0, request.thin->size()}, source);
    if (!plan) return fail(std::move(plan.error()));
    PlanOutcome outcome;
    outcome.problems = std::move(planner.problems());
    outcome.warnings = std::move(planner.warnings());
    if (document->references.empty() && document->creator.find("Ghostscript") != std::string::npos)
        outcome.warnings.emplace_back(
            "the job was written by Ghostscript and has no OPI comments: Ghostscript drops them, so what looks like a "
            "picture may be its layout; send the job as the application wrote it");
    outcome.picture_missing = planner.picture_missing();
    outcome.references = std::move(planner.records());
    if (!outcome.problems.empty()) return outcome;
    if (auto checked = check_plan(**plan); !checked) return fail(std::move(checked.error()));
    outcome.plan = std::move(*plan);
    return outcome;
}

namespace {

// A block whose picture is missing but that encloses others stands for these (a layout EPS inside an OPI block).
void scan_reference(const Reference& reference, const ImageIndex& index, ScanDetail detail,
                    std::vector<ScannedReference>& out) {
    ScannedReference scanned{
        reference.comments.version, reference.page, reference.line, reference.comments.shown_name(), {}, {}, {}, {}};
    for (const std::string& problem : reference.problems)
        scanned.problem += (scanned.problem.empty() ? "" : "; ") + problem;
    if (reference.comments.has_name()) {
        auto found =
            find_reference_image(index, reference.comments, detail == ScanDetail::steps ? &scanned.steps : nullptr);
        if (found) {
            scanned.file = found->path;
            scanned.warning = found->warning;
        } else if (found.error().code == Code::not_found && !reference.inner.empty()) {
            for (const Reference& inner : reference.inner) scan_reference(inner, index, detail, out);
            return;
        } else if (scanned.problem.empty()) {
            scanned.problem = found.error().text;
        }
    }
    out.push_back(std::move(scanned));
}

}  // namespace

Result<std::vector<ScannedReference>> scan_references(const PlanRequest& request, ScanDetail detail) {
    FileByteSource source(request.thin, 0, request.thin->size());
    auto document = parse_thin_document(source);
    if (!document) return fail(std::move(document.error()));
    std::vector<ScannedReference> references;
    for (const Reference& reference : document->references)
        scan_reference(reference, *request.index, detail, references);
    return references;
}

std::string problem_line(const std::string& job_name, const Problem& problem) {
    std::string line = printable(job_name) + ":" + std::to_string(problem.line) + ": ";
    line += problem.name.empty() ? "OPI block" : "image '" + printable(problem.name) + "'";
    return line + ": " + problem.text;
}

std::string problem_reason(const std::string& job_name, const std::vector<Problem>& problems) {
    if (problems.empty()) return "the job can't be planned, no reason was given";
    std::string reason = problem_line(job_name, problems.front());
    if (problems.size() > 1)
        reason += " (and " + std::to_string(problems.size() - 1) + " more; see the job's messages)";
    return reason;
}

}  // namespace opispool::opi

// SPDX-License-Identifier: AGPL-3.0-or-later
// One document's references, one after another: find the picture, probe it, place it, emit it; then the document around
// them. Used for the thin job and, one level deeper each time, for every EPS it brings in.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "opi/dcs_file.h"
#include "opi/emit/eps_emitter.h"
#include "opi/image_index.h"
#include "opi/image_probe.h"
#include "opi/planner.h"
#include "opi/thin_document.h"

namespace opispool::opi {

// The bytes a document's ranges point into.
struct PlannedFile {
    std::shared_ptr<const MappedFile> file;
    std::uint64_t begin_bytes = 0, end_bytes = 0;
};

class ReferencePlanner {
  public:
    ReferencePlanner(const ImageIndex& index, const OutputProfile& profile, OnMissing on_missing, Measuring measuring)
        : index_(index), profile_(profile), on_missing_(on_missing), measuring_(measuring) {}

    // Whether what the pictures need is added to the job's header; it can't be once the header has left.
    enum class Header : std::uint8_t { corrected, left_alone };
    // The plan of `document`; meaningless if problems() is not empty afterwards. A job that arrives page by page is
    // planned by one call after the other.
    Result<std::shared_ptr<const SplicePlan>> plan_document(const ThinDocument& document, const PlannedFile& file,
                                                            ByteSource& source, Header header = Header::corrected);

    std::vector<Problem>& problems() { return problems_; }
    Warnings& warnings() { return warnings_; }
    const UsedFeatures& used() const { return used_; }
    bool picture_missing() const { return picture_missing_; }
    std::vector<ReferenceRecord>& records() { return records_; }

  private:
    // A stretch of the document that something else takes the place of.
    struct Edit {
        ByteRange range;
        std::shared_ptr<const SplicePlan> insert;  // may be null: nothing
        std::string text;                          // or this
        PlacedImage image;                         // with `insert`
    };
    using Edits = std::vector<Edit>;

    Result<void> plan_reference(const Reference& reference, Edits& edits);
    Result<std::shared_ptr<const SplicePlan>> emit(const Reference& reference, const FoundImage& found);
    Result<void> emit_raster_reference(PlanBuilder& builder, const Reference& reference, const FoundImage& found,
                                       const ImageInfo& info, Warnings& notes);
    Result<void> emit_eps_reference(PlanBuilder& builder, const Reference& reference, const FoundImage& found,
                                    const ImageInfo& info, Warnings& notes);
    // `section` of a file as an EPS; what it refers to is planned with it.
    Result<void> append_eps(PlanBuilder& builder, const Reference& reference, const PlannedFile& section,
                            const std::string& name, const EpsPlacement& placement, bool own_operators);
    Result<std::vector<LocatedPlate>> find_plates(const FoundImage& found, const ImageInfo& info) const;
    Result<void> emit_dcs_plate(PlanBuilder& builder, const Reference& reference, const FoundImage& found,
                                const std::vector<LocatedPlate>& plates, const EpsPlacement& placement);
    Result<void> emit_composite_dcs(PlanBuilder& builder, const Reference& reference, const ImageInfo& info,
                                    const std::vector<LocatedPlate>& plates, const EpsPlacement& placement);
    void warn_of_unprinted_inks();
    void record_missing(const Reference& reference, const std::string& problem);
    void record_placed(const Reference& reference, const FoundImage& found, std::uint64_t bytes);
    void add_problem(const Reference& reference, const Error& error);
    void add_warning(const Reference& reference, const std::string& text);
    std::shared_ptr<const SplicePlan> assemble(const PlannedFile& file, Edits edits) const;

    const ImageIndex& index_;
    OutputProfile profile_;
    OnMissing on_missing_;
    Measuring measuring_;
    MeasuredDocument* measured_ = nullptr;  // of the document being planned
    UsedFeatures used_;
    std::vector<Problem> problems_;
    Warnings warnings_;
    bool picture_missing_ = false;
    std::vector<ReferenceRecord> records_;
    ReferenceRecord picture_;             // what emit() found out about the last picture
    std::vector<FileIdentity> open_eps_;  // the EPS files we are inside of, outermost first
    unsigned eps_count_ = 0;
    std::vector<std::string> plates_;                              // of a separated job
    std::map<std::string, std::set<std::string>> unprinted_inks_;  // with the pictures that have them
};

}  // namespace opispool::opi

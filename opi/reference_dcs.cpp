// SPDX-License-Identifier: AGPL-3.0-or-later
// The DCS half of ReferencePlanner: the plates are found, and on a composite page put together again.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "opi/dcs_file.h"
#include "opi/emit/dcs_emitter.h"
#include "opi/plate.h"
#include "opi/plate_raster.h"
#include "opi/reference_planner.h"

namespace opispool::opi {

namespace {

std::string folder_of(const std::string& path) {
    return path.substr(0, path.rfind('/') + 1);
}

std::string plate_text(const LocatedPlate& plate) {
    return "the plate '" + printable(plate.ink) + "' of the DCS ";
}

// What the queue says of its inks counts for every picture, before what one file says.
Result<Ink> ink_of(const std::string& name, const DcsComments& comments, const OutputProfile& profile) {
    Ink ink{canonical_ink(name), 1, {}};
    if (const auto process = process_ink_index(ink.name)) {
        ink.alternate[*process] = 1;
        return ink;
    }
    ink.name = name;
    if (const auto listed = listed_alternate(profile, name)) {
        ink.alternate = *listed;
        return ink;
    }
    const auto found = comments.cmyk.find(name);
    if (found == comments.cmyk.end())
        return fail(Code::unsupported, Operation::place,
                    "the DCS does not say what its ink '" + printable(name) +
                        "' looks like (%%CMYKCustomColor), nor does the queue, so the plates can't be put together; "
                        "give its process equivalent with 'ink = " +
                        printable(name) + " C M Y K' (opispool resolve: --ink), or print separations");
    ink.alternate = found->second;
    return ink;
}

// Corners within a thousandth of a point.
bool same_place(const Matrix& a, const Matrix& b) {
    for (const Point corner : {Point{0, 0}, Point{1, 0}, Point{0, 1}}) {
        const Point p = a.apply(corner), q = b.apply(corner);
        if (!(std::fabs(p.x - q.x) < 1e-3) || !(std::fabs(p.y - q.y) < 1e-3)) return false;
    }
    return true;
}

}  // namespace

Result<std::vector<LocatedPlate>> ReferencePlanner::find_plates(const FoundImage& found, const ImageInfo& info) const {
    const std::string folder = folder_of(found.path);
    const auto beside = [&](const std::string& name) -> Result<std::shared_ptr<const MappedFile>> {
        // Plates of the same name in other folders belong to other pictures.
        SearchOptions options;
        options.refusal = [&](const FoundImage& candidate) -> std::string {
            if (folder_of(candidate.path) != folder) return "is not beside the main file";
            return candidate.file->identity() == found.file->identity() ? "is the main file itself" : "";
        };
        auto file = index_.find(name, options);
        if (file) return std::move(file->file);
        if (file.error().code != Code::not_found) return fail(std::move(file.error()));
        return fail(Code::not_found, Operation::resolve,
                    "is not beside " + printable(found.base_name()) + "; put all files of a DCS into one folder");
    };
    return locate_plates(found.file, info.eps_begin_bytes, *info.dcs, beside);
}

Result<void> ReferencePlanner::emit_dcs_plate(PlanBuilder& builder, const Reference& reference, const FoundImage& found,
                                              const std::vector<LocatedPlate>& plates, const EpsPlacement& placement) {
    std::vector<std::string> inks;
    for (const LocatedPlate& plate : plates) inks.push_back(canonical_ink(plate.ink));
    if (const auto index = find_ink(inks, reference.plate->ink)) {
        const LocatedPlate& plate = plates[*index];
        return append_eps(builder, reference, PlannedFile{plate.file, plate.begin_bytes, plate.end_bytes},
                          found.base_name(), placement, true);
    }
    // No ink of the picture's on this plate: what lies below it is knocked out there too.
    if (!colour_request(reference.comments).overprint.value_or(false)) emit_paper(builder, placement);
    return {};
}

Result<void> ReferencePlanner::emit_composite_dcs(PlanBuilder& builder, const Reference& reference,
                                                  const ImageInfo& info, const std::vector<LocatedPlate>& plates,
                                                  const EpsPlacement& placement) {
    DcsImage image;
    image.overprint = colour_request(reference.comments).overprint;
    for (const LocatedPlate& plate : plates) {
        auto ink = ink_of(plate.ink, *info.dcs, profile_);
        if (!ink) return fail(std::move(ink.error()));
        auto raster = read_plate_raster(plate);
        if (!raster) {
            const bool drawn = raster.error().code == Code::unsupported;
            return fail(raster.error().code, Operation::decode,
                        plate_text(plate) + raster.error().text +
                            (drawn ? "; such plates can't be put together again, print separations" : ""));
        }
        if (image.layers.empty()) {
            image.width_px = raster->width_px;
            image.height_px = raster->height_px;
            image.bits = raster->bits;
            image.unit_to_eps = raster->unit_to_eps;
        }
        if (raster->width_px != image.width_px || raster->height_px != image.height_px || raster->bits != image.bits ||
            !same_place(raster->unit_to_eps, image.unit_to_eps))
            return fail(Code::unsupported, Operation::decode,
                        plate_text(plate) +
                            "differs from the others in size, depth or place, and plates are never resampled; print "
                            "separations");
        image.layers.push_back({std::move(*ink), plate.file, std::move(raster->rows)});
    }
    return emit_dcs(builder, std::move(image), placement, profile_, used_);
}

}  // namespace opispool::opi

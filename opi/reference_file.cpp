// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/reference_file.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "opi/image_probe.h"

namespace opispool::opi {

namespace {

// Turns down layouts and remembers where they say their originals are.
class LayoutFilter {
  public:
    std::string refusal(const FoundImage& candidate) {
        const auto info = probe_image(candidate.file);
        if (!info || !info->is_layout) return {};  // a damaged file is reported as such later, not passed over
        if (!info->image_id.empty() &&
            std::find(originals_.begin(), originals_.end(), info->image_id) == originals_.end())
            originals_.push_back(info->image_id);
        return "it is a layout (TIFF tag OPIProxy)";
    }
    const std::vector<std::string>& originals() const { return originals_; }

  private:
    std::vector<std::string> originals_;
};

std::optional<Size> pixel_size(const FoundImage& image) {
    const auto info = probe_image(image.file);
    if (!info || info->kind == ImageKind::eps) return std::nullopt;
    return Size{static_cast<double>(info->width_px), static_cast<double>(info->height_px)};
}

bool is_bigger_of_same_shape(Size big, Size small) {
    // The smaller one's sides were rounded to whole pixels.
    const double difference = std::abs(big.width * small.height - big.height * small.width);
    return big.width > small.width && big.height > small.height && difference <= std::max(big.width, big.height);
}

// A file of exactly the size that the layout program saw is its original placed directly, or a layout without a tag. It
// can't be told while a bigger picture of its name and shape exists (ref 8.4).
Result<void> check_no_layout(const ImageIndex& index, const OpiComments& comments, const FoundImage& found) {
    if (found.by_rule || !comments.dimensions) return {};
    const auto size = pixel_size(found);
    if (!size || size->width != comments.dimensions->width || size->height != comments.dimensions->height) return {};
    SearchOptions options;
    std::string bigger;
    options.refusal = [&](const FoundImage& candidate) {
        const auto other = pixel_size(candidate);
        if (other && is_bigger_of_same_shape(*other, *size)) bigger = candidate.path;
        return std::string("asked for its size only");
    };
    static_cast<void>(index.find(comments.filename, options));
    if (bigger.empty()) return {};
    return fail(
        Code::ambiguous, Operation::resolve,
        "'" + printable(found.path) + "' has the very size that the job saw and may be the layout of '" +
            printable(bigger) +
            "', a bigger picture of its name and shape; name the folder of layouts in the queue's rules, map the "
            "job's folder, or leave only one of them in the store");
}

Result<FoundImage> find_named(const ImageIndex& index, const std::string& name, const char* comment,
                              const SearchOptions& options) {
    const std::size_t first_step = options.trace != nullptr ? options.trace->size() : 0;
    auto answer = index.find(name, options);
    if (options.trace != nullptr) {
        std::string& text = options.trace->at(first_step).text;
        text = std::string(comment) + ", " + text;
    }
    return answer;
}

}  // namespace

Result<FoundImage> find_reference_image(const ImageIndex& index, const OpiComments& comments, SearchTrace* trace) {
    LayoutFilter layouts;
    const SearchOptions options{[&layouts](const FoundImage& candidate) { return layouts.refusal(candidate); }, trace};
    const std::pair<const std::string*, const char*> names[] = {{&comments.image_id, "ImageID"},
                                                                {&comments.main_image, "MainImage"},
                                                                {&comments.tag_image_id, "TIFF tag ImageID"},
                                                                {&comments.filename, "ImageFilename"}};
    Result<FoundImage> answer = fail(Code::not_found, Operation::resolve, "the block names no image");
    for (const auto& [name, comment] : names) {
        if (name->empty()) continue;
        answer = find_named(index, *name, comment, options);
        if (answer && name == &comments.filename) {
            auto sure = check_no_layout(index, comments, *answer);
            if (!sure && trace != nullptr) trace->push_back({SearchStep::Kind::result, {}, sure.error().text});
            if (!sure) return fail(std::move(sure.error()));
        }
        if (answer || answer.error().code != Code::not_found) return answer;
    }
    // A copy: the search may meet more layouts.
    for (const std::string& original : std::vector<std::string>(layouts.originals())) {
        auto by_layout = find_named(index, original, "ImageID of that layout", options);
        if (by_layout || by_layout.error().code != Code::not_found) return by_layout;
    }
    return answer;
}

}  // namespace opispool::opi

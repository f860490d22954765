// SPDX-License-Identifier: AGPL-3.0-or-later
// The comments of one block, one a line, as both versions; then what is made of the values: colour and placement.
#include "opi/opi_comments.h"

#include <cmath>

#include "opi/dsc_scanner.h"
#include "opi/placement.h"
#include "tests/fuzz/require.h"

namespace opispool::opi {
namespace {

using fuzz::require;

std::vector<RawComment> comments_of(std::string_view text) {
    std::vector<RawComment> comments;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        comments.push_back({std::string(keyword_of(line)), std::string(value_of(line))});
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return comments;
}

void check_matrix(const Matrix& m) {
    for (const double each : {m.a, m.b, m.c, m.d, m.e, m.f}) require(std::isfinite(each), "a placement is finite");
}

void check(OpiVersion version, const std::vector<RawComment>& raw) {
    const OpiComments comments = parse_opi_comments(version, raw);
    require(comments.version == version, "the version is the one asked for");
    fuzz::look_at(comments.shown_name());
    for (const std::string& problem : comments.problems) require(!problem.empty(), "a problem has a text");
    const ColourRequest colour = colour_request(comments);
    require(colour.gray_map.empty() || colour.gray_map.size() == 2 || colour.gray_map.size() == 16 ||
                colour.gray_map.size() == 256 || !comments.problems.empty(),
            "a gray map has 2, 16 or 256 values");
    // A block with problems is never placed, so nothing is promised about its numbers.
    if (!comments.problems.empty()) return;
    for (const double part : colour.cmyk) require(part >= 0 && part <= 1, "CMYK is 0..1");
    require(colour.tint >= 0 && colour.tint <= 1, "a tint is 0..1");
    for (const InkLevel& ink : colour.inks) require(ink.level >= 0 && ink.level <= 1, "an ink level is 0..1");
    if (version == OpiVersion::v1_3) {
        if (const auto placed = place_1_3(comments, {400, 300})) check_matrix(placed->full_to_user);
    } else if (const auto placed = place_2_0(comments, {400, 300})) {
        check_matrix(placed->full_to_user);
    }
}

}  // namespace
}  // namespace opispool::opi

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace opispool::opi;
    const auto raw = comments_of(opispool::fuzz::as_text(data, size));
    check(OpiVersion::v1_3, raw);
    check(OpiVersion::v2_0, raw);
    return 0;
}

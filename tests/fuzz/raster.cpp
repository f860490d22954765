// SPDX-License-Identifier: AGPL-3.0-or-later
// A file from the store, as picture code in every encoding: what the emitter accepts is a valid plan, and its bytes are
// there in full when they are asked for.
#include <optional>
#include <string>

#include "base/text.h"
#include "opi/emit/raster_emitter.h"
#include "opi/image_probe.h"
#include "opi/plan_cursor.h"
#include "tests/fuzz/memory_file.h"

namespace opispool::opi {
namespace {

using fuzz::require;

constexpr std::uint64_t produced_bytes = 1U << 20U;

std::shared_ptr<const SplicePlan> planned(const std::shared_ptr<const MappedFile>& file, const ImageInfo& info,
                                          const RasterPlacement& placement, const ColourRequest& colour,
                                          const OutputProfile& profile) {
    PlanBuilder builder;
    UsedFeatures used;
    Warnings warnings;
    const auto emitted = emit_raster(builder, file, info, placement, colour, profile, used, warnings);
    if (!emitted) {
        require(!emitted.error().text.empty(), "an error has a text");
        require(emitted.error().code != Code::internal, "an input never is a bug: " + describe(emitted.error()));
        return nullptr;
    }
    require(used.language_level <= profile.language_level, "no feature above the wanted level is used");
    auto plan = builder.finish();
    const auto checked = check_plan(*plan);
    require(checked.has_value(), "check_plan accepts the plan" + (checked ? "" : ": " + describe(checked.error())));
    fuzz::look_at(text_form(*plan));
    return plan;
}

std::string produced(std::shared_ptr<const SplicePlan> plan) {
    PlanCursor cursor(std::move(plan));
    std::string out;
    std::vector<std::byte> window(4097);
    while (!cursor.done() && out.size() < produced_bytes) {
        const auto got = cursor.read(window);
        require(got.has_value(),
                "a picture that was proved can be sent" + (got ? std::string() : ": " + describe(got.error())));
        require(*got == window.size() || cursor.done(), "a window is full unless the plan ends");
        out.append(reinterpret_cast<const char*>(window.data()), *got);
        window.resize(window.size() * 2 + 1);
    }
    return out;
}

// The count of %%BeginData leads to %%EndData.
void check_count(const std::string& postscript) {
    const std::string mark = "%%BeginData: ";
    const std::size_t at = postscript.find(mark);
    require(at != std::string::npos, "picture data is counted");
    const std::size_t from = at + mark.size();
    const auto count = parse_u64(std::string_view(postscript).substr(from, postscript.find(' ', from) - from));
    require(count.has_value(), "the count is a number");
    const std::uint64_t end = postscript.find('\n', from) + 1 + *count;
    require(end < postscript.size() && postscript.compare(static_cast<std::size_t>(end), 9, "%%EndData") == 0,
            "the count leads to %%EndData");
}

void try_one(const std::shared_ptr<const MappedFile>& file, const ImageInfo& info, const RasterPlacement& placement,
             const ColourRequest& colour, const OutputProfile& profile) {
    const auto plan = planned(file, info, placement, colour, profile);
    if (plan == nullptr || !profile.prove_pictures) return;
    const std::string bytes = produced(plan);
    if (bytes.size() < plan->total_bytes()) return;
    require(bytes.size() == plan->total_bytes(), "as many bytes come as the plan has");
    check_count(bytes);
    if (profile.encoding == ChannelEncoding::binary) return;
    for (const char c : bytes)
        require(static_cast<unsigned char>(c) < 0x80 && c != '\x04', "a 7-bit channel gets 7-bit bytes");
}

}  // namespace
}  // namespace opispool::opi

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace opispool::opi;
    const auto file = opispool::fuzz::memory_file(data, size);
    const auto info = probe_image(file);
    if (!info) {
        opispool::fuzz::look_at(opispool::describe(info.error()));
        return 0;
    }
    if (info->kind == ImageKind::eps) return 0;
    const RasterPlacement whole{{100, 0, 0, 80, 10, 20}, std::nullopt, {0, 0, 1, 1}};
    const RasterPlacement part{{0, 90, -70, 0, 3, 4}, Matrix{30, 0, 0, 20, 5, 6}, {0.26, 0.31, 0.58, 0.77}};
    ColourRequest spot;
    spot.kind = ColourRequest::Kind::spot;
    spot.spot_name = "PANTONE (1) C";
    spot.cmyk = {0.1, 0.9, 0, 0};
    spot.tint = 0.5;
    ColourRequest mapped;
    mapped.gray_map = {65535, 0};
    try_one(file, *info, whole, {}, {ChannelEncoding::binary, 3, true});
    try_one(file, *info, part, spot, {ChannelEncoding::ascii85, 2, true});
    try_one(file, *info, part, mapped, {ChannelEncoding::binary, 2, true});
    try_one(file, *info, whole, {}, {ChannelEncoding::hex, 3, false});
    return 0;
}

// SPDX-License-Identifier: AGPL-3.0-or-later
// Pictures in spot inks, and one plate of a picture: what data leaves, and in which colour space.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "opi/emit/raster_emitter.h"
#include "tests/opi/raster_test_support.h"

namespace opispool::opi::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TiffSpec separated(std::uint16_t samples) {
    TiffSpec spec;
    spec.samples = samples;
    spec.photometric = PHOTOMETRIC_SEPARATED;
    return spec;
}

TiffSpec in_inks(std::uint16_t ink_set, const std::vector<std::string>& names) {
    TiffSpec spec = separated(static_cast<std::uint16_t>(names.size()));
    if (ink_set == INKSET_CMYK && names.size() > 4)
        spec.extra_samples.assign(names.size() - 4, std::uint16_t{EXTRASAMPLE_UNSPECIFIED});
    spec.more = [=](TIFF* tif) {
        std::string text;
        for (const std::string& name : names) text += name + '\0';
        TIFFSetField(tif, TIFFTAG_INKSET, ink_set);
        TIFFSetField(tif, TIFFTAG_INKNAMES, static_cast<int>(text.size()), text.data());
    };
    return spec;
}

EmitOptions on_plate(const std::string& ink) {
    EmitOptions options;
    options.placement.full_to_user = {40, 0, 0, 30, 0, 0};
    options.placement.plate = Plate{ink};
    return options;
}

Emitted emitted(const std::string& path, const EmitOptions& options) {
    auto result = emit(path, options);
    if (!result) {
        ADD_FAILURE() << describe(result.error());
        return {std::make_shared<SplicePlan>(), "", {}, {}};
    }
    return std::move(*result);
}

TEST(PlateEmitterTest, ASeparatePlanePassesAlone) {
    TempDir dir;
    for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE}) {
        TiffSpec spec = separated(4);
        spec.planar = PLANARCONFIG_SEPARATE;
        spec.compression = static_cast<std::uint16_t>(compression);
        const Emitted out = emitted(write_tiff(dir, spec), on_plate("Yellow"));
        EXPECT_FALSE(out.generates()) << compression;
        EXPECT_GT(out.passed_bytes(), 0U);
        EXPECT_LE(out.passed_bytes(), 40U * 30 * 5 / 4) << compression;
        EXPECT_THAT(out.bytes, HasSubstr("/DeviceGray setcolorspace"));
        EXPECT_THAT(out.bytes, HasSubstr("/Decode [1 0]"));
        EXPECT_THAT(out.used.picture_inks, ElementsAre("Cyan", "Magenta", "Yellow", "Black"));
        expect_exact_counts(out.bytes);
    }
}

TEST(PlateEmitterTest, AnInterleavedChannelIsTakenOut) {
    TempDir dir;
    const Emitted out = emitted(write_tiff(dir, separated(4)), on_plate("Black"));
    EXPECT_TRUE(out.generates());
    EXPECT_THAT(out.bytes, HasSubstr("/oLen [1200] def"));
}

TEST(PlateEmitterTest, PaperWhereThePlateHasNoneOfTheInksUnlessItOverprints) {
    TempDir dir;
    const std::string path = write_tiff(dir, separated(4));
    EmitOptions options = on_plate("Gold");
    const Emitted out = emitted(path, options);
    EXPECT_THAT(out.bytes, HasSubstr("1 1 8 [1 0 0 1 0 0] {<ff>} image"));
    EXPECT_EQ(out.passed_bytes(), 0U);
    options.colour.overprint = true;
    EXPECT_THAT(emitted(path, options).bytes, IsEmpty());
}

TEST(PlateEmitterTest, NeverTouchesTransferOrScreens) {
    TempDir dir;
    for (const char* ink : {"Cyan", "Gold"}) {
        const Emitted out = emitted(write_tiff(dir, separated(4)), on_plate(ink));
        for (const char* word : {"settransfer", "setscreen", "sethalftone", "setcolortransfer", "setoverprint"})
            EXPECT_THAT(out.bytes, Not(HasSubstr(word)));
    }
}

TEST(PlateEmitterTest, RgbIsNoPlate) {
    TempDir dir;
    EXPECT_THAT(refusal(write_tiff(dir, TiffSpec{}), on_plate("Cyan")), HasSubstr("not in inks"));
    EXPECT_THAT(refusal(write_jpeg(dir, JpegSpec{}), on_plate("Cyan")), HasSubstr("not in inks"));
}

TEST(PlateEmitterTest, SpotInksNeedAListAndLevelThree) {
    TempDir dir;
    const std::string path = write_tiff(dir, in_inks(INKSET_CMYK, {"Cyan", "Magenta", "Yellow", "Black", "Gold"}));
    EmitOptions options;
    EXPECT_THAT(refusal(path, options), HasSubstr("the ink 'Gold', which the queue does not list"));
    options.profile.inks = {{"GOLD", {0, 0.2, 0.6, 0.1}}};
    const Emitted out = emitted(path, options);
    EXPECT_THAT(out.bytes, HasSubstr("/DeviceN [(Cyan) cvn (Magenta) cvn (Yellow) cvn (Black) cvn (Gold) cvn ]"));
    EXPECT_EQ(out.used.language_level, 3);
    EXPECT_EQ(out.passed_bytes(), 40U * 30 * 5);
    options.profile.language_level = 2;
    EXPECT_THAT(refusal(path, options), HasSubstr("Level 3"));
}

TEST(PlateEmitterTest, OneInkIsLevelTwoAndProcessNamesAreCmyk) {
    TempDir dir;
    EmitOptions options;
    options.profile.inks = {{"Gold", {0, 0.2, 0.6, 0.1}}};
    options.profile.language_level = 2;
    const Emitted one = emitted(write_tiff(dir, in_inks(INKSET_MULTIINK, {"Gold"})), options);
    EXPECT_THAT(one.bytes, HasSubstr("/Separation (Gold) cvn"));
    EXPECT_EQ(one.used.language_level, 2);
    const Emitted four =
        emitted(write_tiff(dir, in_inks(INKSET_MULTIINK, {"Cyan", "Magenta", "Yellow", "Black"})), options);
    EXPECT_THAT(four.bytes, HasSubstr("/DeviceCMYK setcolorspace"));
}

}  // namespace
}  // namespace opispool::opi::test

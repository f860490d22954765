// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opispool::opi {
namespace {

void expect_matrix(const Matrix& got, const Matrix& want) {
    const double a[] = {got.a, got.b, got.c, got.d, got.e, got.f};
    const double b[] = {want.a, want.b, want.c, want.d, want.e, want.f};
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(a[i], b[i], 1e-5) << "element " << i;
}

OpiComments comments_1_3(std::array<double, 8> position, CropRect crop) {
    OpiComments comments;
    comments.dimensions = Size{400, 300};
    comments.crop_rect = crop;
    comments.position = position;
    return comments;
}

struct Vector {
    const char* name;
    std::array<double, 8> position;
    CropRect crop;
    Matrix s, full;
};

// Test vectors of the OPI 1.3 arithmetic: W x H = 400 x 300.
const Vector vectors[] = {
    {"upright",
     {72, 500, 72, 650, 272, 650, 272, 500},
     {0, 0, 400, 300},
     {1, 0, 0, 1, 0, 0},
     {200, 0, 0, 150, 72, 500}},
    {"cropped",
     {72, 500, 72, 600, 172, 600, 172, 500},
     {100, 50, 300, 250},
     {2, 0, 0, 1.5, -0.5, -0.25},
     {200, 0, 0, 150, 22, 475}},
    {"turned by 30 degrees",
     {200, 200, 150, 286.60254, 236.60254, 336.60254, 286.60254, 250},
     {100, 50, 300, 250},
     {2, 0, 0, 1.5, -0.5, -0.25},
     {173.205081, 100, -75, 129.903811, 169.198730, 153.349365}},
    {"mirrored",
     {172, 500, 172, 600, 72, 600, 72, 500},
     {100, 50, 300, 250},
     {2, 0, 0, 1.5, -0.5, -0.25},
     {-200, 0, 0, 150, 222, 475}},
};

TEST(Placement, OpiOneThreeVectors) {
    for (const Vector& vector : vectors) {
        SCOPED_TRACE(vector.name);
        auto placed = place_1_3(comments_1_3(vector.position, vector.crop), Size{4000, 3000});
        ASSERT_TRUE(placed) << describe(placed.error());
        expect_matrix(crop_scale({400, 300}, vector.crop), vector.s);
        expect_matrix(placed->full_to_user, vector.full);
        EXPECT_EQ(placed->cropped, vector.crop.left > 0);
    }
}

TEST(Placement, TheLowerLeftPixelCornerOfTheCropIsTheFirstCorner) {
    const Vector& turned = vectors[2];
    auto placed = place_1_3(comments_1_3(turned.position, turned.crop), Size{400, 300});
    ASSERT_TRUE(placed);
    const Point corner = placed->full_to_user.apply({100.0 / 400, 1 - 250.0 / 300});
    EXPECT_NEAR(corner.x, 200, 1e-6);
    EXPECT_NEAR(corner.y, 200, 1e-6);
}

TEST(Placement, CropFixedIsExactOnlyBesideItsCropRect) {
    OpiComments comments = comments_1_3({0, 0, 0, 10, 10, 10, 10, 0}, {100, 50, 300, 250});
    comments.crop_fixed = CropRect{100.4, 50.5, 299.8, 250};
    EXPECT_DOUBLE_EQ(place_1_3(comments, {400, 300})->crop.left, 100.4);
    comments.crop_fixed = CropRect{110, 50, 300, 250};  // stale: more than a pixel away
    EXPECT_DOUBLE_EQ(place_1_3(comments, {400, 300})->crop.left, 100);
}

TEST(Placement, RefusesWhatCannotBePlaced) {
    const CropRect whole{0, 0, 400, 300};
    const std::array<double, 8> square{0, 0, 0, 100, 100, 100, 100, 0};
    const auto refusal = [](const OpiComments& comments) {
        auto placed = place_1_3(comments, Size{400, 300});
        return placed ? std::string("placed") : placed.error().text;
    };
    OpiComments no_position = comments_1_3(square, whole);
    no_position.position.reset();
    EXPECT_THAT(refusal(no_position), testing::HasSubstr("no %ALDImagePosition"));
    EXPECT_THAT(refusal(comments_1_3({0, 0, 0, 100, 100, 130, 100, 0}, whole)), testing::HasSubstr("parallelogram"));
    EXPECT_THAT(refusal(comments_1_3({5, 5, 5, 5, 9, 5, 9, 5}, whole)), testing::HasSubstr("no area"));
    EXPECT_THAT(refusal(comments_1_3(square, {300, 0, 100, 300})), testing::HasSubstr("inverted"));
    EXPECT_THAT(refusal(comments_1_3(square, {0, 0, 410, 300})), testing::HasSubstr("outside"));
    OpiComments unmeasured = comments_1_3(square, {0, 0, 10, 10});
    unmeasured.dimensions.reset();
    EXPECT_THAT(refusal(unmeasured), testing::HasSubstr("ImageDimensions"));
    EXPECT_EQ(refusal(comments_1_3(square, {-0.5, 0, 400.4, 300})), "placed");  // rounding of less than a pixel
}

OpiComments comments_2_0(CropRect crop, std::optional<Size> included) {
    OpiComments comments;
    comments.version = OpiVersion::v2_0;
    comments.dimensions = Size{900, 600};
    comments.crop_rect = crop;
    comments.included_dimensions = included;
    return comments;
}

TEST(Placement, TheUnitSquareOfTwoZeroIsTheIncludedRaster) {
    const CropRect crop{12.5, 0, 880.25, 600};
    const struct {
        const char* name;
        std::optional<Size> included;
        CropRect shown;
    } cases[] = {
        {"nothing said: the crop", std::nullopt, crop},
        {"whole picture, the producer clips", Size{900, 600}, {0, 0, 900, 600}},
        {"rounded outwards", Size{869, 600}, {12, 0, 881, 600}},
        {"one pixel more on each cropped side", Size{871, 600}, {11, 0, 882, 600}},
        {"the crop, down-sampled", Size{217, 150}, crop},
    };
    for (const auto& one : cases) {
        SCOPED_TRACE(one.name);
        auto placed = place_2_0(comments_2_0(crop, one.included), Size{900, 600});
        ASSERT_TRUE(placed) << describe(placed.error());
        EXPECT_DOUBLE_EQ(placed->shown.left, one.shown.left);
        EXPECT_DOUBLE_EQ(placed->shown.right, one.shown.right);
    }
    auto odd = place_2_0(comments_2_0(crop, Size{300, 600}), Size{900, 600});
    ASSERT_FALSE(odd);
    EXPECT_THAT(odd.error().text, testing::HasSubstr("unit square"));
}

TEST(Placement, AspectIsComparedPerSide) {
    EXPECT_NEAR(aspect_mismatch({400, 300}, {4000, 3000}), 0, 1e-12);
    EXPECT_NEAR(aspect_mismatch({400, 300}, {4000, 2000}), 0.5, 1e-12);
}

}  // namespace
}  // namespace opispool::opi

// SPDX-License-Identifier: AGPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/opi/raster_test_support.h"

namespace opispool::opi::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(JpegEmitterTest, TheFilePassesUpToItsEndMark) {
    TempDir dir;
    const std::string path = write_jpeg(dir, {});
    const std::string whole = read_file(path);
    auto plain = emit(path);
    ASSERT_TRUE(plain) << describe(plain.error());
    EXPECT_EQ(plain->passed_bytes(), whole.size());
    EXPECT_THAT(plain->bytes, HasSubstr("<< /ColorTransform 1 >> /DCTDecode filter"));
    EXPECT_EQ(plain->used.language_level, 2);

    write_file(path, whole + "rubbish \xFF\xD9");
    auto trailing = emit(path);
    ASSERT_TRUE(trailing) << describe(trailing.error());
    EXPECT_EQ(trailing->passed_bytes(), whole.size());

    write_file(path, whole.substr(0, whole.size() - 2));
    auto unended = emit(path);
    ASSERT_TRUE(unended) << describe(unended.error());
    EXPECT_EQ(unended->passed_bytes(), whole.size() - 2);
    EXPECT_THAT(unended->bytes, HasSubstr("\xFF\xD9\n%%EndData"));
}

TEST(JpegEmitterTest, ATruncatedFileIsRefusedWhereverItEnds) {
    TempDir dir;
    for (bool progressive : {false, true}) {
        JpegSpec spec;
        spec.progressive = progressive;
        const std::string path = write_jpeg(dir, spec);
        const std::string whole = read_file(path);
        for (std::size_t size :
             {std::size_t{3}, std::size_t{30}, std::size_t{300}, whole.size() / 2, whole.size() - 12}) {
            write_file(path, whole.substr(0, size));
            EXPECT_THAT(refusal(path), StartsWith("bad_image: ")) << size << (progressive ? " progressive" : "");
        }
    }
}

TEST(JpegEmitterTest, ProgressivePicturesAreDecoded) {
    TempDir dir;
    JpegSpec spec;
    spec.progressive = true;
    auto out = emit(write_jpeg(dir, spec));
    ASSERT_TRUE(out) << describe(out.error());
    EXPECT_EQ(out->passed_bytes(), 0U);
    ASSERT_EQ(out->plan->generated().size(), 1U);
    EXPECT_EQ(out->plan->generated()[0]->length_bytes(), 48U * 32 * 3);
}

TEST(JpegEmitterTest, AdobeCmykIsInvertedPlainCmykIsNot) {
    TempDir dir;
    JpegSpec spec;
    spec.components = 4;
    EXPECT_THAT(emit(write_jpeg(dir, spec))->bytes, HasSubstr("/Decode [0 1 0 1 0 1 0 1]"));
    spec.adobe = true;
    EXPECT_THAT(emit(write_jpeg(dir, spec))->bytes, HasSubstr("/Decode [1 0 1 0 1 0 1 0]"));
}

TEST(JpegEmitterTest, UnusualFramesAreNamed) {
    TempDir dir;
    const std::string path = write_jpeg(dir, {});
    const std::string whole = read_file(path);
    const std::size_t frame = whole.find(std::string("\xFF\xC0", 2));
    ASSERT_NE(frame, std::string::npos);
    auto with = [&](std::size_t at, char value) {
        std::string bytes = whole;
        bytes[frame + at] = value;
        write_file(path, bytes);
        return refusal(path);
    };
    EXPECT_THAT(with(1, '\xC9'), HasSubstr("unsupported: the JPEG is arithmetic coded"));
    EXPECT_THAT(with(1, '\xC3'), HasSubstr("unsupported: the JPEG is lossless"));
    EXPECT_THAT(with(4, 12), HasSubstr("unsupported: the JPEG has more than 8 bits"));
    EXPECT_THAT(with(9, 2), HasSubstr("unsupported: the JPEG has an unusual number of channels"));
}

TEST(JpegEmitterTest, EveryFlippedByteIsAnAnswer) {
    TempDir dir;
    for (bool progressive : {false, true}) {
        JpegSpec spec;
        spec.progressive = progressive;
        const std::string path = write_jpeg(dir, spec);
        const std::string whole = read_file(path);
        for (std::size_t at = 0; at < whole.size(); at += 2) {
            std::string bytes = whole;
            bytes[at] = static_cast<char>(bytes[at] ^ 0xA5);
            write_file(path, bytes);
            auto file = map(path);
            auto info = probe_image(file);
            if (!info || std::uint64_t{info->width_px} * info->height_px > 1000000) continue;
            PlanBuilder builder;
            UsedFeatures used;
            Warnings warnings;
            if (!emit_raster(builder, file, *info, {}, {}, {}, used, warnings)) continue;
            auto plan = builder.finish();
            ASSERT_TRUE(check_plan(*plan)) << at;
            expect_exact_counts(bytes_of(*plan));
        }
    }
}

}  // namespace
}  // namespace opispool::opi::test

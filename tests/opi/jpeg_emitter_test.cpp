// SPDX-License-Identifier: AGPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <fstream>

#include "opi/emit/jpeg_stream.h"
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

// The samples that libjpeg gives for JPEG data within `postscript`, and whether one sequential scan holds them.
struct Inner {
    std::string samples;
    bool sequential = false;
};
Inner decode_inner(const TempDir& dir, const std::string& postscript) {
    const std::size_t begin = postscript.find("\xFF\xD8"), end = postscript.rfind("\xFF\xD9");
    if (begin == std::string::npos || end == std::string::npos) return {};
    const std::string path = dir.path("inner.jpg");
    write_file(path, postscript.substr(begin, end + 2 - begin));
    auto supply = std::shared_ptr(make_file_supply(map(path), {{"", 0, end + 2 - begin, ""}}));
    auto header = read_jpeg_header(*supply, "inner");
    auto check = check_jpeg(*supply, "inner");
    if (!header || !check) return {};
    auto rows = make_jpeg_rows(supply, *header, "inner");
    auto reader = rows->open();
    if (!reader) return {};
    Inner out{std::string(rows->length_bytes(), '\0'), check->one_scan && header->frame == 0xC0};
    auto got = (*reader)->read(std::as_writable_bytes(std::span(out.samples)));
    return got && *got == out.samples.size() ? out : Inner{};
}

TEST(JpegEmitterTest, ProgressivePicturesBecomeOneScanWithoutLoss) {
    TempDir dir;
    for (int components : {1, 3, 4}) {
        JpegSpec spec;
        spec.components = components;
        spec.adobe = components == 4;
        const Inner baseline = decode_inner(dir, read_file(write_jpeg(dir, spec)));
        ASSERT_TRUE(baseline.sequential);
        spec.progressive = true;
        const std::string path = write_jpeg(dir, spec);
        ASSERT_FALSE(decode_inner(dir, read_file(path)).sequential);
        auto out = emit(path);
        ASSERT_TRUE(out) << describe(out.error());
        EXPECT_EQ(out->passed_bytes(), 0U);
        EXPECT_EQ(out->used.language_level, 2);
        EXPECT_THAT(out->bytes, HasSubstr("/DCTDecode filter"));
        const Inner inner = decode_inner(dir, out->bytes);
        EXPECT_TRUE(inner.sequential);
        EXPECT_EQ(inner.samples, baseline.samples);
        expect_exact_counts(out->bytes);
    }
}

TEST(JpegEmitterTest, AProgressivePictureThatChangesAfterPlanningFails) {
    TempDir dir;
    JpegSpec spec;
    spec.progressive = true;
    const std::string path = write_jpeg(dir, spec);
    auto whole = make_file_supply(map(path), {{"", 0, read_file(path).size(), ""}});
    auto sequential = make_sequential_jpeg(whole, "picture.jpg");
    ASSERT_TRUE(sequential) << describe(sequential.error());
    ASSERT_TRUE((*sequential)->open());
    // Another picture of the same name and no shorter.
    const std::size_t size = read_file(path).size();
    for (std::uint32_t width : {std::uint32_t{16}, std::uint32_t{200}}) {
        spec.width = width;
        std::string other = read_file(write_jpeg(dir, spec, "other.jpg"));
        other.resize(std::max(other.size(), size));
        std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).write(other.data(), std::ssize(other));
        EXPECT_FALSE((*sequential)->open()) << width;
    }
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

// SPDX-License-Identifier: AGPL-3.0-or-later
// The smallest picture and a job that refers to one.
#pragma once

#include <string>

namespace opispool::spooler {

// 2 x 2 gray pixels in one uncompressed strip, little-endian.
inline std::string tiny_tiff(const std::string& pixels = "\x10\x60\xA0\xF0") {
    std::string file("II*\0", 4);
    auto u16 = [&](unsigned value) { file += {static_cast<char>(value & 255U), static_cast<char>(value >> 8U)}; };
    auto u32 = [&](unsigned value) {
        u16(value & 0xFFFFU);
        u16(value >> 16U);
    };
    u32(12);
    file += pixels.substr(0, 4);
    const unsigned fields[][4] = {{256, 3, 1, 2}, {257, 3, 1, 2}, {258, 3, 1, 8}, {259, 3, 1, 1}, {262, 3, 1, 1},
                                  {273, 4, 1, 8}, {277, 3, 1, 1}, {278, 3, 1, 2}, {279, 4, 1, 4}};
    u16(9);
    for (const auto& field : fields) {
        u16(field[0]);
        u16(field[1]);
        u32(field[2]);
        u32(field[3]);
    }
    u32(0);
    return file;
}

inline std::string thin_job(const std::string& name) {
    return "%!PS-Adobe-3.0\n%%Pages: 1\n%%EndComments\n%%Page: 1 1\ngsave\n%ALDImageFilename: " + name +
           "\n%ALDImageDimensions: 2 2\n%ALDImageCropRect: 0 0 2 2\n%ALDImagePosition: 72 72 72 172 172 172 172 72\n"
           "%%BeginObject: image\n(proxy) pop\n%%EndObject\ngrestore\nshowpage\n%%EOF\n";
}

}  // namespace opispool::spooler

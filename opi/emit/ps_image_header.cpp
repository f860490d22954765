// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/ps_image_header.h"

#include <algorithm>

#include "opi/emit/image_colour.h"

namespace opispool::opi {

namespace {

constexpr std::uint64_t max_count = 0x7FFF'FFFF;    // PostScript integers are 32-bit, signed
constexpr std::uint64_t raw_run_bytes = 1U << 30U;  // uncompressed data may be cut anywhere
constexpr std::size_t max_array = 65535;

std::string matrix_text(const Matrix& m) {
    std::string out = "[";
    for (double v : {m.a, m.b, m.c, m.d, m.e, m.f}) out += ps_number(v) + " ";
    out.back() = ']';
    return out;
}

// Uncompressed strips that lie behind one another are one run of samples.
std::vector<FilePiece> merged(const std::vector<FilePiece>& pieces) {
    std::vector<FilePiece> out;
    for (const FilePiece& piece : pieces) {
        if (!out.empty() && out.back().offset_bytes + out.back().length_bytes == piece.offset_bytes)
            out.back().length_bytes += piece.length_bytes;
        else
            out.push_back(piece);
    }
    return out;
}

void add_run(std::vector<std::uint64_t>& runs, std::uint64_t length, bool may_cut) {
    while (may_cut && length > raw_run_bytes) {
        runs.push_back(raw_run_bytes);
        length -= raw_run_bytes;
    }
    if (length > 0) runs.push_back(length);
}

std::string run_array(const std::vector<std::uint64_t>& runs) {
    std::string out = "/oLen [";
    for (std::size_t i = 0; i < runs.size(); ++i) {
        out += std::to_string(runs[i]);
        out += i % 16 == 15 ? '\n' : ' ';
    }
    out.back() = ']';
    return out + " def\n";
}

std::string_view channel_filter(ChannelEncoding encoding) {
    return encoding == ChannelEncoding::ascii85 ? "/ASCII85Decode" : "/ASCIIHexDecode";
}

// The names live in a dictionary of our own, right above systemdict: neither a job's short names nor its own `image`,
// `def` or `exch` are met. They are unlikely ones because transfer and spot functions of the job may run while they are
// visible.
std::string opening(const ImageCode& code, const RasterPlacement& placement) {
    std::string out = "systemdict begin 24 dict begin gsave\n";
    if (code.overprint) out += *code.overprint ? "true setoverprint\n" : "false setoverprint\n";
    if (placement.clip_to_user)
        out += "matrix currentmatrix " + matrix_text(*placement.clip_to_user) + " concat\n0 0 1 1 rectclip setmatrix\n";
    out += matrix_text(placement.full_to_user) + " concat\n";
    return out;
}

std::string strip_procedures(const ImageCode& code, const std::vector<std::uint64_t>& runs, ChannelEncoding encoding) {
    std::string out;
    std::string fence;
    if (encoding == ChannelEncoding::binary) {
        out += run_array(runs);
        // The count keeps a decoder from reading into the next strip, or into the page.
        fence = "currentfile oLen oIndex get () /SubFileDecode filter";
    } else {
        fence = "currentfile " + std::string(channel_filter(encoding)) + " filter";
    }
    out += "/oCount " + std::to_string(runs.size()) + " def /oIndex 0 def /oBuf 8192 string def\n";
    out += "/oLast {oIndex oCount 1 sub eq} bind def\n";
    out += "/oNext {/oRaw " + fence + " def\n/oSrc oRaw" + (code.filter.empty() ? "" : " " + code.filter) +
           " def /oIndex oIndex 1 add def} bind def\n";
    // Never an empty string before the last strip is used up: that would end the image.
    out +=
        "/oRead {{oSrc oBuf readstring {exit} if dup length 0 gt {exit} if pop\n"
        "oRaw flushfile oIndex oCount ge {() exit} if oNext} loop} bind def\n";
    return out;
}

std::string image_line(const ImageCode& code) {
    std::string out = "{oNext << /ImageType 1 /Width " + std::to_string(code.width_px) + " /Height " +
                      std::to_string(code.height_px) + " /BitsPerComponent " + std::to_string(code.bits) +
                      "\n/ImageMatrix " + code.image_matrix + " /Decode " + code.decode + "\n/DataSource {oRead} >> ";
    out += code.mask ? "imagemask" : "image";
    return out + " oRaw flushfile} exec\n";
}

}  // namespace

bool pieces_fit(const std::vector<FilePiece>& pieces, bool filtered) {
    if (!filtered) return merged(pieces).size() <= max_array / 2;
    return pieces.size() <= max_array && std::all_of(pieces.begin(), pieces.end(), [](const FilePiece& piece) {
               return piece.total_bytes() <= max_count;
           });
}

std::string image_matrix(std::uint32_t width_px, std::uint32_t height_px, int orientation, std::uint32_t first_row) {
    const double w = width_px, h = height_px;
    switch (orientation) {
        case 2:
            return matrix_text({-w, 0, 0, -h, w, h});
        case 3:
            return matrix_text({-w, 0, 0, h, w, 0});
        case 4:
            return matrix_text({w, 0, 0, h, 0, 0});
        case 5:
            return matrix_text({0, h, -w, 0, w, 0});
        case 6:
            return matrix_text({0, -h, -w, 0, w, h});
        case 7:
            return matrix_text({0, -h, w, 0, 0, h});
        case 8:
            return matrix_text({0, h, w, 0, 0, 0});
        default:
            return matrix_text({w, 0, 0, -h, 0, h - first_row});
    }
}

void append_paper(PlanBuilder& builder, const RasterPlacement& placement, const ColourRequest& colour) {
    if (colour.overprint.value_or(false)) return;
    // An image of one sample marks just the device pixels that the picture itself would; a filled box marks more.
    builder.text(opening({}, placement) + "1 1 8 [1 0 0 1 0 0] {<ff>} image\ngrestore end end\n");
}

void append_image(PlanBuilder& builder, const ImageCode& code, const ImageData& data, const RasterPlacement& placement,
                  ChannelEncoding encoding) {
    const bool raw = code.filter.empty();
    const bool binary = encoding == ChannelEncoding::binary;
    const std::vector<FilePiece> pieces = raw ? merged(data.pieces) : data.pieces;
    std::vector<std::uint64_t> runs;
    for (const FilePiece& piece : pieces) add_run(runs, piece.total_bytes(), raw && binary);
    if (pieces.empty()) add_run(runs, data.rows->length_bytes(), raw && binary);

    builder.text(opening(code, placement) + strip_procedures(code, runs, encoding) + code.setup);
    const std::string line = image_line(code);
    std::uint64_t count = line.size() + 1;
    for (std::uint64_t run : runs) count += encoded_length(encoding, run);
    builder.text("%%BeginData: " + std::to_string(count) + (binary ? " Binary Bytes\n" : " ASCII Bytes\n") + line);
    if (binary && !pieces.empty()) {
        const std::uint32_t source = builder.add_source(data.file);
        for (const FilePiece& piece : pieces) {
            builder.text(piece.prefix);
            builder.file_range(source, piece.offset_bytes, piece.length_bytes);
            builder.text(piece.suffix);
        }
    } else {
        auto supply = pieces.empty() ? data.rows : make_file_supply(data.file, pieces);
        // The identity of the picture is part of the plan even when its bytes are encoded: a changed file must be
        // noticed.
        builder.add_source(data.file);
        builder.generated(encode_runs(std::move(supply), std::move(runs), encoding));
    }
    builder.text("\n%%EndData\ngrestore end end\n");
}

}  // namespace opispool::opi

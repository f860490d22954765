// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/opi_comments.h"

#include <cmath>

#include "base/text.h"
#include "opi/dsc_values.h"

namespace opispool::opi {

namespace {

// Keyword without its percent signs and the "ALD" of 1.3, lower case: "imagefilename".
std::string plain_keyword(std::string_view keyword) {
    while (keyword.starts_with('%')) keyword.remove_prefix(1);
    if (starts_with_ignoring_case(keyword, "ALD")) keyword.remove_prefix(3);
    return to_lower_ascii(keyword);
}

constexpr std::string_view image_id_tag = "32781";

class Reader {
  public:
    explicit Reader(OpiComments& out) : out_(out) {}

    void read(const std::string& keyword, std::string_view value) {
        if (out_.version == OpiVersion::v1_3)
            read_1_3(plain_keyword(keyword), value);
        else
            read_2_0(plain_keyword(keyword), value);
    }

  private:
    void problem(std::string_view keyword, std::string_view value, const char* wanted) {
        out_.problems.push_back(std::string(keyword) + " '" + printable(trim(value)) + "' is not " + wanted);
    }

    // Exactly N reals; first comment of a kind wins.
    template <std::size_t N, typename Setter>
    void numbers(bool seen, std::string_view keyword, std::string_view value, const char* wanted, Setter set) {
        if (seen) return;
        const auto fields = split_blank(value);
        std::array<double, N> parsed{};
        bool good = fields.size() >= N;
        for (std::size_t i = 0; good && i < N; ++i) {
            const auto number = parse_real(fields[i]);
            good = number.has_value();
            if (good) parsed[i] = *number;
        }
        if (!good || fields.size() != N) return problem(keyword, value, wanted);
        set(parsed);
    }

    void crop(std::optional<CropRect>& into, std::string_view keyword, std::string_view value) {
        numbers<4>(into.has_value(), keyword, value, "four numbers: left top right bottom",
                   [&](const std::array<double, 4>& v) {
                       into = CropRect{v[0], v[1], v[2], v[3]};
                   });
    }

    void size(std::optional<Size>& into, std::string_view keyword, std::string_view value) {
        numbers<2>(into.has_value(), keyword, value, "two numbers: width height", [&](const std::array<double, 2>& v) {
            if (v[0] <= 0 || v[1] <= 0) return problem(keyword, value, "a size above zero");
            into = Size{v[0], v[1]};
        });
    }

    void boolean(std::optional<bool>& into, std::string_view keyword, std::string_view value) {
        if (into) return;
        const std::string_view word = trim(value);
        if (equals_ignoring_case(word, "true"))
            into = true;
        else if (equals_ignoring_case(word, "false"))
            into = false;
        else
            problem(keyword, value, "true or false");
    }

    static void text(std::string& into, std::string_view value) {
        if (into.empty()) into = decode_text_value(value);
    }

    void color(std::string_view value) {
        if (out_.color_cmyk) return;
        std::array<double, 4> cmyk{};
        std::string_view rest = value;
        for (double& ink : cmyk) {
            const auto token = take_dsc_token(rest);
            const auto number = token ? parse_real(token->text) : std::nullopt;
            if (!number || *number < 0 || *number > 1) return problem("ImageColor", value, "four inks 0..1 and a name");
            ink = *number;
        }
        out_.color_cmyk = cmyk;
        const std::string_view name = trim(rest);
        // A name without parentheses is against the rule but unambiguous: the rest of the line.
        if (name.starts_with('('))
            out_.color_name = take_dsc_token(rest)->text;
        else
            out_.color_name = std::string(name);
    }

    void tint(std::string_view value) {
        numbers<1>(out_.tint.has_value(), "ImageTint", value, "a number 0..1", [&](const std::array<double, 1>& v) {
            if (v[0] < 0 || v[0] > 100) return problem("ImageTint", value, "a number 0..1");
            out_.tint = v[0] > 1 ? v[0] / 100 : v[0];  // some producers write per cent
        });
    }

    void gray_map(std::string_view value) {
        if (!out_.gray_map.empty()) return;
        for (const std::string_view field : split_blank(value)) {
            const auto number = parse_u64(field);
            if (!number || *number > 65535) {
                out_.gray_map.clear();
                return problem("ImageGrayMap", value.substr(0, 60), "a list of numbers 0..65535");
            }
            out_.gray_map.push_back(static_cast<std::uint16_t>(*number));
        }
        const std::size_t count = out_.gray_map.size();
        if (count != 2 && count != 16 && count != 256) {
            out_.gray_map.clear();
            problem("ImageGrayMap", std::to_string(count), "2, 16 or 256 values");
        }
    }

    void inks(std::string_view value) {
        if (out_.inks_kind != OpiComments::Inks::absent) return;
        std::string_view rest = value;
        const auto kind = take_dsc_token(rest);
        if (!kind) return problem("ImageInks", value, "full_color, registration or monochrome");
        if (equals_ignoring_case(kind->text, "full_color")) {
            out_.inks_kind = OpiComments::Inks::full_color;
        } else if (equals_ignoring_case(kind->text, "registration")) {
            out_.inks_kind = OpiComments::Inks::registration;
        } else if (equals_ignoring_case(kind->text, "monochrome")) {
            monochrome(value, rest);
        } else {
            problem("ImageInks", value, "full_color, registration or monochrome");
        }
    }

    void monochrome(std::string_view value, std::string_view rest) {
        const auto count_token = take_dsc_token(rest);
        const auto count = count_token ? parse_u64(count_token->text) : std::nullopt;
        if (!count || *count == 0 || *count > 32) return problem("ImageInks", value, "monochrome with a count of inks");
        std::vector<InkLevel> list;
        for (std::uint64_t i = 0; i < *count; ++i) {
            const auto name = take_dsc_token(rest);
            const auto level_token = take_dsc_token(rest);
            const auto level = level_token ? parse_real(level_token->text) : std::nullopt;
            if (!name || !level || *level < 0 || *level > 1)
                return problem("ImageInks", value, "monochrome N with N pairs of a name and a level 0..1");
            list.push_back(InkLevel{name->text, *level});
        }
        out_.inks = std::move(list);
        out_.inks_kind = OpiComments::Inks::monochrome;
    }

    void read_1_3(const std::string& key, std::string_view value) {
        if (key == "imagefilename") return text(out_.filename, value);
        if (key == "imageid") return text(out_.image_id, value);
        if (key == "imageasciitag32781") return text(out_.tag_image_id, value);
        if (key == "imagedimensions") return size(out_.dimensions, "ImageDimensions", value);
        if (key == "imagecroprect") return crop(out_.crop_rect, "ImageCropRect", value);
        if (key == "imagecropfixed") return crop(out_.crop_fixed, "ImageCropFixed", value);
        if (key == "imageposition")
            return numbers<8>(out_.position.has_value(), "ImagePosition", value, "eight numbers: ll, ul, ur, lr",
                              [&](const std::array<double, 8>& v) { out_.position = v; });
        if (key == "imagecolortype" && !out_.color_type) out_.color_type = to_lower_ascii(trim(value));
        if (key == "imagecolor") return color(value);
        if (key == "imagetint") return tint(value);
        if (key == "imageoverprint") return boolean(out_.overprint, "ImageOverprint", value);
        if (key == "imagetransparency") return boolean(out_.transparency, "ImageTransparency", value);
        if (key == "imagegraymap") return gray_map(value);
    }

    void read_2_0(const std::string& key, std::string_view value) {
        if (key == "imagefilename") return text(out_.filename, value);
        if (key == "mainimage") return text(out_.main_image, value);
        if (key == "tiffasciitag" && trim(value).starts_with(image_id_tag))
            return text(out_.tag_image_id, trim(trim(value).substr(image_id_tag.size())));
        if (key == "imagedimensions") return size(out_.dimensions, "ImageDimensions", value);
        if (key == "imagecroprect") return crop(out_.crop_rect, "ImageCropRect", value);
        if (key == "imageoverprint") return boolean(out_.overprint, "ImageOverprint", value);
        if (key == "imageinks") return inks(value);
        if (key == "includedimagedimensions") return size(out_.included_dimensions, "IncludedImageDimensions", value);
        if (key == "includedimagequality")
            return numbers<1>(out_.included_quality.has_value(), "IncludedImageQuality", value, "a number",
                              [&](const std::array<double, 1>& v) { out_.included_quality = v[0]; });
        if (key == "distilled") out_.distilled = true;
    }

    OpiComments& out_;
};

}  // namespace

bool is_opi_1_3_keyword(std::string_view keyword) {
    return starts_with_ignoring_case(keyword, "%ALDImage") || equals_ignoring_case(keyword, "%ALDObjectComments");
}

bool is_opi_2_0_keyword(std::string_view keyword) {
    static constexpr std::string_view keywords[] = {
        "%%Distilled",           "%%ImageFilename",   "%%MainImage",
        "%%TIFFASCIITag",        "%%ImageDimensions", "%%ImageCropRect",
        "%%ImageOverprint",      "%%ImageInks",       "%%IncludedImageDimensions",
        "%%IncludedImageQuality"};
    for (const std::string_view known : keywords)
        if (equals_ignoring_case(keyword, known)) return true;
    return false;
}

OpiComments parse_opi_comments(OpiVersion version, const std::vector<RawComment>& comments) {
    OpiComments out;
    out.version = version;
    Reader reader(out);
    for (const RawComment& comment : comments) reader.read(comment.keyword, comment.value);
    return out;
}

std::string decode_text_value(std::string_view value) {
    const std::string_view trimmed = trim(value);
    if (trimmed.size() >= 2 && trimmed.front() == '(' && trimmed.back() == ')')
        return unescape_ps_string(trimmed.substr(1, trimmed.size() - 2));
    return std::string(value);
}

namespace {

// English and German names of the process inks as layout programs write them (ref 1.6).
std::string process_name(std::string_view name) {
    if (starts_with_ignoring_case(name, "Process ")) name.remove_prefix(8);
    static constexpr std::pair<std::string_view, std::string_view> names[] = {
        {"black", "Black"},     {"schwarz", "Black"}, {"noir", "Black"},  {"cyan", "Cyan"},
        {"magenta", "Magenta"}, {"yellow", "Yellow"}, {"gelb", "Yellow"}, {"jaune", "Yellow"}};
    for (const auto& [key, value] : names)
        if (equals_ignoring_case(name, key)) return std::string(value);
    return {};
}

ColourRequest colour_1_3(const OpiComments& comments, ColourRequest request) {
    if (!comments.color_cmyk) return request;
    request.cmyk = *comments.color_cmyk;
    const bool process_type = comments.color_type && *comments.color_type == "process";
    const bool only_black = request.cmyk == std::array<double, 4>{0, 0, 0, 1};
    const std::string process = process_name(comments.color_name);
    if (process_type || comments.color_name.empty()) {
        request.kind = only_black ? ColourRequest::Kind::none : ColourRequest::Kind::process;
    } else if (process == "Black") {
        request.kind = ColourRequest::Kind::none;
    } else if (equals_ignoring_case(comments.color_name, "All") ||
               equals_ignoring_case(comments.color_name, "Registration")) {
        request.kind = ColourRequest::Kind::registration;
    } else if (equals_ignoring_case(comments.color_name, "None")) {
        request.kind = ColourRequest::Kind::process;  // paper: knocks out
        request.cmyk = {0, 0, 0, 0};
    } else {
        request.kind = ColourRequest::Kind::spot;
        request.spot_name = process.empty() ? comments.color_name : process;
    }
    return request;
}

}  // namespace

ColourRequest colour_request(const OpiComments& comments) {
    ColourRequest request;
    request.overprint = comments.overprint;
    request.tint = comments.tint.value_or(1);
    request.transparent = comments.transparency.value_or(true);
    request.gray_map = comments.gray_map;
    if (comments.version == OpiVersion::v1_3) return colour_1_3(comments, std::move(request));
    if (comments.inks_kind == OpiComments::Inks::registration) request.kind = ColourRequest::Kind::registration;
    if (comments.inks_kind == OpiComments::Inks::monochrome) {
        request.kind = ColourRequest::Kind::inks;
        request.inks = comments.inks;
        for (InkLevel& ink : request.inks)
            if (const std::string process = process_name(ink.name); !process.empty()) ink.name = process;
    }
    return request;
}

}  // namespace opispool::opi

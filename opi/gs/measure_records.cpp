// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/gs/measure_records.h"

#include <array>
#include <cmath>
#include <optional>

#include "base/text.h"

namespace opispool::opi {

namespace {

using Fields = std::vector<std::string_view>;

constexpr std::size_t most_passes = 1000;   // of one block
constexpr std::size_t most_images = 10000;  // of one passage

// "17.3205:8.1e-06" is the sum of both.
std::optional<double> parse_number(std::string_view field) {
    const std::size_t colon = field.find(':');
    const auto rounded = parse_real(field.substr(0, colon));
    const auto rest = colon == std::string_view::npos ? std::optional<double>(0) : parse_real(field.substr(colon + 1));
    if (!rounded || !rest || !std::isfinite(*rounded + *rest)) return std::nullopt;
    return *rounded + *rest;
}

std::optional<Matrix> parse_matrix(const Fields& fields, std::size_t at) {
    std::array<double, 6> v{};
    for (std::size_t i = 0; i < v.size(); ++i) {
        const auto number = at + i < fields.size() ? parse_number(fields[at + i]) : std::nullopt;
        if (!number) return std::nullopt;
        v[i] = *number;
    }
    const Matrix matrix{v[0], v[1], v[2], v[3], v[4], v[5]};
    return std::abs(matrix.determinant()) > 1e-18 ? std::optional(matrix) : std::nullopt;
}

MeasuredClip parse_path(const Fields& fields, std::size_t at) {
    MeasuredClip clip;
    while (at < fields.size()) {
        const std::string_view word = fields[at++];
        const std::size_t points = word == "c" ? 3 : word == "h" ? 0 : 1;
        if (word.size() != 1 || std::string_view("mlch").find(word) == std::string_view::npos) return {};
        PathStep step{word[0], {}};
        for (std::size_t i = 0; i < points; ++i, at += 2) {
            const auto x = at + 1 < fields.size() ? parse_number(fields[at]) : std::nullopt;
            const auto y = x ? parse_number(fields[at + 1]) : std::nullopt;
            if (!y) return {};
            step.points.push_back({*x, *y});
        }
        clip.steps.push_back(std::move(step));
    }
    clip.known = true;
    return clip;
}

class Reader {
  public:
    explicit Reader(const std::vector<ByteRange>& bodies) : bodies_(bodies) {}

    // Returns false at the last line.
    bool take(std::string_view line) {
        const Fields fields = split_blank(line);
        if (fields.empty()) return true;
        if (fields[0] == "B") begin(fields);
        if (fields[0] == "E") end(fields);
        if (fields[0] == "I") image(fields);
        if (fields[0] == "failed") measurements_.trouble = "PostScript error: " + std::string(trim(line.substr(6)));
        return fields[0] != "failed" && fields[0] != "ended";
    }

    Measurements& measurements() { return measurements_; }

  private:
    struct Open {
        std::size_t id;
        MeasuredPass pass;
        Matrix default_matrix;
    };

    // A number of a mark that was set.
    std::optional<std::size_t> id_of(const Fields& fields) const {
        const auto id = fields.size() > 1 ? parse_number(fields[1]) : std::nullopt;
        if (!id || *id < 0 || *id >= static_cast<double>(bodies_.size()) || *id != std::floor(*id)) return std::nullopt;
        return static_cast<std::size_t>(*id);
    }

    void begin(const Fields& fields) {
        const auto id = id_of(fields);
        const auto ctm = parse_matrix(fields, 2), page = parse_matrix(fields, 8);
        if (!id || !ctm || !page || fields.size() < 15 || open_.size() > bodies_.size()) return;
        open_.push_back({*id, {*ctm * inverse(*page), parse_path(fields, 15), false, {}}, *page});
    }

    void image(const Fields& fields) {
        if (fields.size() < 17) return;
        const double kind = parse_number(fields[1]).value_or(-1);
        const double width = parse_number(fields[2]).value_or(0), height = parse_number(fields[3]).value_or(0);
        const auto own = parse_matrix(fields, 4), ctm = parse_matrix(fields, 10);
        if (!own || !ctm || kind < 0 || width < 1 || height < 1) return;
        const Matrix top_down{width, 0, 0, -height, 0, height};
        MeasuredImage image;
        image.width = width;
        image.height = height;
        image.mask = kind != 0;
        image.first_row_on_top = own->determinant() < 0;
        image.clip = parse_path(fields, 17);
        for (Open& open : open_) {
            if (open.pass.images.size() >= most_images) continue;
            image.unit_to_page = top_down * inverse(*own) * *ctm * inverse(open.default_matrix);
            open.pass.images.push_back(image);
        }
    }

    // What was left by an error that the job caught itself stays unfinished.
    void end(const Fields& fields) {
        const auto id = id_of(fields);
        std::size_t at = open_.size();
        while (id && at > 0 && open_[at - 1].id != *id) --at;
        if (!id || at == 0) return;
        while (open_.size() >= at) {
            open_.back().pass.finished = open_.size() == at;
            auto& passes = measurements_.passes[bodies_[open_.back().id].begin];
            if (passes.size() < most_passes) passes.push_back(std::move(open_.back().pass));
            open_.pop_back();
        }
    }

    const std::vector<ByteRange>& bodies_;
    std::vector<Open> open_;
    Measurements measurements_;
};

}  // namespace

Result<Measurements> parse_measure_records(std::string_view text, const std::vector<ByteRange>& bodies) {
    Reader reader(bodies);
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) break;
        if (!reader.take(text.substr(0, end))) return std::move(reader.measurements());
        text.remove_prefix(end + 1);
    }
    return fail(Code::bad_syntax, Operation::parse,
                "the job ran too long or took too much memory, or printed too much");
}

}  // namespace opispool::opi

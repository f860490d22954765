// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/form_placement.h"

#include <cmath>
#include <numbers>
#include <optional>
#include <string>

#include "base/text.h"

namespace opispool::opi {

namespace {

bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\0';
}
bool is_delimiter(char c) {
    return std::string_view("()<>[]{}/%").find(c) != std::string_view::npos;
}

// Words that paint the image, and words that set what the server sets itself or that do not move anything.
bool is_image_word(std::string_view word) {
    return word == "<<" || word == "image" || word == "colorimage" || word == "imagemask" || word.starts_with("pdfIm");
}

bool is_harmless(std::string_view word) {
    static constexpr std::string_view words[] = {"cs",
                                                 "CS",
                                                 "sc",
                                                 "SC",
                                                 "op",
                                                 "OP",
                                                 "w",
                                                 "i",
                                                 "j",
                                                 "J",
                                                 "M",
                                                 "d",
                                                 "n",
                                                 "opm",
                                                 "setcolorspace",
                                                 "setcolor",
                                                 "setgray",
                                                 "setrgbcolor",
                                                 "setcmykcolor",
                                                 "settransfer",
                                                 "setoverprint",
                                                 "newpath",
                                                 "false",
                                                 "true",
                                                 "g",
                                                 "G",
                                                 "rg",
                                                 "RG",
                                                 "k",
                                                 "K",
                                                 "sCol",
                                                 "fCol"};
    for (const std::string_view known : words)
        if (word == known) return true;
    return false;
}

class Reader {
  public:
    explicit Reader(std::string_view code) : code_(code) {}

    Result<FormPlacement> read() {
        while (true) {
            const std::string_view word = next_word();
            if (word.empty()) return cannot("no image operator was found in it");
            if (is_image_word(word)) {
                placement_.unit_to_outer = matrix_;
                return placement_;
            }
            if (!take(word)) return cannot("'" + printable(word.substr(0, 40)) + "' stands before the image");
        }
    }

  private:
    static tl::unexpected<Error> cannot(const std::string& why) {
        return fail(Code::unsupported, Operation::place,
                    "the %%Distilled block sets its position inside the included image, in code that can't be read (" +
                        why + "); print it from the application, or place the picture by OPI 1.3");
    }

    std::string_view next_word() {
        while (at_ < code_.size()) {
            const char c = code_[at_];
            if (c == '%') {
                while (at_ < code_.size() && code_[at_] != '\n' && code_[at_] != '\r') ++at_;
            } else if (is_space(c)) {
                ++at_;
            } else {
                break;
            }
        }
        if (at_ == code_.size()) return {};
        const std::size_t start = at_++;
        if (code_[start] == '<' && at_ < code_.size() && code_[at_] == '<') {
            ++at_;
        } else if (code_[start] == '/' || !is_delimiter(code_[start])) {
            while (at_ < code_.size() && !is_space(code_[at_]) && !is_delimiter(code_[at_])) ++at_;
        }
        return code_.substr(start, at_ - start);
    }

    bool take(std::string_view word) {
        if (const auto number = parse_real(word)) {
            numbers_.push_back(*number);
            return numbers_.size() < 1000;
        }
        if (word == "[" || word == "]" || word.starts_with('/')) return true;
        if (word == "{") return skip_procedure();
        const bool known = take_operator(word);
        numbers_.clear();
        return known;
    }

    bool skip_procedure() {
        int depth = 1;
        while (depth > 0) {
            const std::string_view word = next_word();
            if (word.empty()) return false;
            depth += word == "{";
            depth -= word == "}";
        }
        return true;
    }

    bool take_operator(std::string_view word) {
        if (word == "q" || word == "gsave") return saved_.push_back(matrix_), saved_.size() < 100;
        if (word == "Q" || word == "grestore") {
            if (saved_.empty()) return false;
            matrix_ = saved_.back();
            saved_.pop_back();
            return true;
        }
        if (word == "cm" || word == "concat") return has(6) && concat({arg(0), arg(1), arg(2), arg(3), arg(4), arg(5)});
        if (word == "translate") return has(2) && concat({1, 0, 0, 1, arg(0), arg(1)});
        if (word == "scale") return has(2) && concat({arg(0), 0, 0, arg(1), 0, 0});
        if (word == "rotate") {
            if (!has(1)) return false;
            const double angle = arg(0) * std::numbers::pi / 180;
            return concat({std::cos(angle), std::sin(angle), -std::sin(angle), std::cos(angle), 0, 0});
        }
        if (word == "re") return has(4) && rectangle(arg(0), arg(1), arg(2), arg(3));
        if (word == "W" || word == "clip") {
            if (path_) placement_.clips.push_back(*path_);
            return std::exchange(path_, std::nullopt).has_value();
        }
        return is_harmless(word);
    }

    bool has(std::size_t count) const { return numbers_.size() == count; }
    double arg(std::size_t i) const { return numbers_[i]; }
    bool concat(const Matrix& m) { return matrix_ = m * matrix_, true; }
    bool rectangle(double x, double y, double width, double height) {
        path_ = {matrix_.apply({x, y}), matrix_.apply({x + width, y}), matrix_.apply({x + width, y + height}),
                 matrix_.apply({x, y + height})};
        return true;
    }

    std::string_view code_;
    std::size_t at_ = 0;
    std::vector<double> numbers_;
    std::vector<Matrix> saved_;
    Matrix matrix_;
    std::optional<std::array<Point, 4>> path_;
    FormPlacement placement_;
};

}  // namespace

Result<FormPlacement> read_form_placement(std::string_view code) {
    return Reader(code).read();
}

}  // namespace opispool::opi

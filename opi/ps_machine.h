// SPDX-License-Identifier: AGPL-3.0-or-later
// A small part of a PostScript interpreter, for plate_raster: values, stacks, matrices, conditions, dictionaries. It
// paints nothing; `image` ends in on_image().
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "opi/emit/ps_filters.h"
#include "opi/matrix.h"
#include "opi/ps_tokens.h"

namespace opispool::opi {

struct PsValue;
using PsArray = std::vector<PsValue>;
using PsDict = std::map<std::string, PsValue>;

// What image data is read through: the program's own file and the filters on it, the one next to the file first.
struct PsFile {
    std::vector<PsFilter> filters;
    bool dct = false;                           // and DCTDecode on top of them
    std::optional<std::uint64_t> length_bytes;  // SubFileDecode: no more than this
};

struct PsValue {
    enum class Kind : std::uint8_t {
        number,
        boolean,
        name,
        literal,
        string,
        array,
        procedure,
        dict,
        file,
        word,
        mark,
        save
    };
    Kind kind = Kind::mark;
    double number = 0;  // boolean: 0 or 1
    std::string text;   // name, literal, string; word: an operator's name
    std::shared_ptr<PsArray> items;
    std::shared_ptr<PsDict> dict;
    std::shared_ptr<const PsFile> file;
};

// The operands of `image`.
struct PsImage {
    double width = 0, height = 0, bits = 0;
    Matrix image_matrix;
    std::vector<double> decode{0, 1};
    PsFile source;
    std::optional<double> buffer_bytes;  // a procedure reads strings of this size
};

class PsMachine {
  public:
    static constexpr std::size_t max_steps = 200'000, max_stack = 1'000, max_depth = 40;

    explicit PsMachine(ByteSource& source) : tokens_(source) { dicts_.push_back(new_dict()); }
    PsMachine(const PsMachine&) = delete;
    PsMachine& operator=(const PsMachine&) = delete;
    virtual ~PsMachine();

    // Runs the program to its end.
    //   errors  unsupported naming the word
    Result<void> run();

  protected:
    // The data begins at tokens().position_bytes(); moves the tokens behind it.
    virtual Result<void> on_image(const PsImage& image) = 0;
    const Matrix& matrix() const { return matrix_; }
    PsTokens& tokens() { return tokens_; }

    using Done = Result<void>;
    // As an error that names what stands in the way.
    static Done cannot(std::string_view word);

  private:
    using Kind = PsValue::Kind;

    Done take(PsToken token);
    Done close_procedure();
    Done execute(const PsValue& value);
    Done execute_name(const std::string& name);
    Done run_procedure(const PsValue& value);
    Done word(const std::string& name);
    std::optional<Done> stack_word(std::string_view name);
    std::optional<Done> number_word(std::string_view name);
    std::optional<Done> control_word(std::string_view name);
    std::optional<Done> dict_word(std::string_view name);
    std::optional<Done> graphics_word(std::string_view name);
    std::optional<Done> image_word(std::string_view name);

    Done push(PsValue value);
    Done push_number(double value);
    Done push_boolean(bool value);
    std::optional<PsValue> pop();
    std::optional<PsValue> pop(Kind kind);
    std::optional<double> pop_number();
    std::optional<Matrix> pop_matrix();
    bool drop(std::size_t count);
    Done copy();
    Done roll();
    Done close_array(bool dict);
    Done get();
    Done known(bool where);
    Done filter();
    Done image(bool from_dict);
    bool read_source(const PsValue& source, PsImage& image);
    std::shared_ptr<PsDict> new_dict();
    const PsValue* look_up(const std::string& name) const;

    PsTokens tokens_;
    std::vector<PsValue> stack_;
    std::vector<PsArray> open_procedures_;
    std::vector<std::shared_ptr<PsDict>> dicts_, all_dicts_;
    std::vector<Matrix> saved_;
    Matrix matrix_;
    std::size_t steps_ = 0, depth_ = 0;
};

}  // namespace opispool::opi

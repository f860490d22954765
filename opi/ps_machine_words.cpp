// SPDX-License-Identifier: AGPL-3.0-or-later
// The rest of PsMachine's words: conditions, dictionaries, graphics state, images.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "opi/ps_machine.h"

namespace opispool::opi {

namespace {

PsValue value_of_kind(PsValue::Kind kind) {
    PsValue value;
    value.kind = kind;
    return value;
}

PsValue operator_value(std::string_view name) {
    PsValue value = value_of_kind(PsValue::Kind::word);
    value.text = name;
    return value;
}

// The dictionary of operators; null stands for it.
PsValue system_dict() {
    return value_of_kind(PsValue::Kind::dict);
}

}  // namespace

std::optional<PsMachine::Done> PsMachine::control_word(std::string_view name) {
    if (name == "bind") return stack_.empty() ? cannot(name) : Done();
    if (name == "exec" || name == "cvx") {
        const auto what = pop(Kind::procedure);
        if (!what) return cannot(name);
        return name == "cvx" ? push(*what) : run_procedure(*what);
    }
    if (name == "and" || name == "or" || name == "xor") {
        const auto b = pop(Kind::boolean);
        const auto a = pop(Kind::boolean);
        if (!a || !b) return cannot(name);
        const bool x = a->number != 0, y = b->number != 0;
        return push_boolean(name == "and" ? x && y : name == "or" ? x || y : x != y);
    }
    if (name == "not") {
        const auto a = pop(Kind::boolean);
        return a ? push_boolean(a->number == 0) : cannot(name);
    }
    if (name != "if" && name != "ifelse") return std::nullopt;
    const auto no = name == "ifelse" ? pop(Kind::procedure) : std::nullopt;
    const auto yes = pop(Kind::procedure);
    const auto condition = pop(Kind::boolean);
    if (!condition || !yes || (name == "ifelse" && !no)) return cannot(name);
    if (condition->number != 0) return run_procedure(*yes);
    return no ? run_procedure(*no) : Done();
}

std::optional<PsMachine::Done> PsMachine::dict_word(std::string_view name) {
    if (name == "systemdict") return push(system_dict());
    if (name == "userdict" || name == "currentdict") {
        PsValue value = value_of_kind(Kind::dict);
        value.dict = name == "userdict" ? dicts_.front() : dicts_.back();
        return push(std::move(value));
    }
    if (name == "languagelevel") return push_number(2);
    if (name == "dict" || name == "string") {
        const auto size = pop_number();
        if (!size || *size < 0 || *size > 65535) return cannot(name);
        PsValue value = value_of_kind(name == "dict" ? Kind::dict : Kind::string);
        if (name == "dict")
            value.dict = new_dict();
        else
            value.text.assign(static_cast<std::size_t>(*size), '\0');
        return push(std::move(value));
    }
    if (name == "begin") {
        const auto dict = pop(Kind::dict);
        if (!dict || dicts_.size() >= max_depth) return cannot(name);
        // Below systemdict nothing is defined; an empty dictionary in its place hides nothing.
        dicts_.push_back(dict->dict ? dict->dict : new_dict());
        return Done();
    }
    if (name == "end") {
        if (dicts_.size() < 2) return cannot(name);
        dicts_.pop_back();
        return Done();
    }
    if (name == "def" || name == "put") {
        auto value = pop();
        const auto key = pop(Kind::literal);
        const auto dict = name == "put" ? pop(Kind::dict) : std::nullopt;
        if (!value || !key || (name == "put" && (!dict || !dict->dict))) return cannot(name);
        PsDict& into = dict ? *dict->dict : *dicts_.back();
        if (into.size() >= max_stack) return cannot(name);
        into[key->text] = std::move(*value);
        return Done();
    }
    if (name == "load") {
        const auto key = pop(Kind::literal);
        if (!key) return cannot(name);
        const PsValue* found = look_up(key->text);
        return push(found != nullptr ? *found : operator_value(key->text));
    }
    if (name == "length") {
        const auto what = pop(Kind::string);
        return what ? push_number(static_cast<double>(what->text.size())) : cannot(name);
    }
    if (name == "get") return get();
    if (name == "known" || name == "where") return known(name == "where");
    return std::nullopt;
}

PsMachine::Done PsMachine::get() {
    const auto key = pop(Kind::literal);
    const auto dict = pop(Kind::dict);
    if (!key || !dict) return cannot("get");
    if (!dict->dict) return push(operator_value(key->text));
    const auto found = dict->dict->find(key->text);
    return found == dict->dict->end() ? cannot("get") : push(found->second);
}

// What a device's own dictionaries hold is not known here; programs ask for two operators.
PsMachine::Done PsMachine::known(bool where) {
    const auto key = pop(Kind::literal);
    if (!key) return cannot("known");
    const bool operators = key->text == "languagelevel" || key->text == "colorimage" || key->text == "setcmykcolor" ||
                           key->text == "filter" || key->text == "image";
    if (where) {
        if (look_up(key->text) == nullptr && !operators) return push_boolean(false);
        if (auto done = push(system_dict()); !done) return done;
        return push_boolean(true);
    }
    const auto dict = pop(Kind::dict);
    if (!dict) return cannot("known");
    return push_boolean(dict->dict ? dict->dict->contains(key->text) : operators);
}

std::optional<PsMachine::Done> PsMachine::graphics_word(std::string_view name) {
    if (name == "gsave" || name == "save") {
        if (saved_.size() >= max_depth) return cannot(name);
        saved_.push_back(matrix_);
        return name == "save" ? push(value_of_kind(Kind::save)) : Done();
    }
    if (name == "grestore" || name == "restore") {
        if (saved_.empty() || (name == "restore" && !pop(Kind::save))) return cannot(name);
        matrix_ = saved_.back();
        saved_.pop_back();
        return Done();
    }
    if (name == "translate" || name == "scale") {
        const auto y = pop_number();
        const auto x = pop_number();
        if (!x || !y) return cannot(name);
        matrix_ = (name == "scale" ? Matrix{*x, 0, 0, *y, 0, 0} : Matrix{1, 0, 0, 1, *x, *y}) * matrix_;
        return Done();
    }
    if (name == "rotate") {
        const auto degrees = pop_number();
        if (!degrees) return cannot(name);
        const double angle = *degrees * std::numbers::pi / 180;
        matrix_ = Matrix{std::cos(angle), std::sin(angle), -std::sin(angle), std::cos(angle), 0, 0} * matrix_;
        return Done();
    }
    if (name == "concat") {
        const auto m = pop_matrix();
        if (!m) return cannot(name);
        matrix_ = *m * matrix_;
        return Done();
    }
    if (name == "newpath" || name == "showpage") return Done();
    if (name == "currentgray") return push_number(0);
    if (name == "currenttransfer") {
        PsValue value = value_of_kind(Kind::procedure);
        value.items = std::make_shared<PsArray>();
        return push(std::move(value));
    }
    if (name == "settransfer") {  // another curve would be lost in the recombined picture
        const auto curve = pop(Kind::procedure);
        return curve && curve->items->empty() ? Done() : cannot(name);
    }
    if (name == "setcolorspace") {
        const auto space = pop();
        const bool gray =
            space &&
            ((space->kind == Kind::literal && space->text == "DeviceGray") ||
             (space->kind == Kind::array && space->items->size() == 1 && space->items->front().text == "DeviceGray"));
        return gray ? Done() : cannot(name);
    }
    // They change nothing of an image's samples.
    for (const std::string_view one : {"setgray", "setlinewidth", "setlinecap", "setlinejoin", "setmiterlimit",
                                       "setflat", "setoverprint", "setstrokeadjust"})
        if (name == one) return drop(1) ? Done() : cannot(name);
    if (name == "setdash") return drop(2) ? Done() : cannot(name);
    return std::nullopt;
}

std::optional<PsMachine::Done> PsMachine::image_word(std::string_view name) {
    if (name == "currentfile") {
        PsValue value = value_of_kind(Kind::file);
        value.file = std::make_shared<const PsFile>();
        return push(std::move(value));
    }
    if (name == "filter") return filter();
    if (name == "closefile" || name == "flushfile") {
        const auto file = pop(Kind::file);
        const bool ours = file && (!file->file->filters.empty() || file->file->dct || file->file->length_bytes);
        return ours ? Done() : cannot(name);  // of the program itself: it would end there
    }
    if (name == "colorimage") {
        const auto inks = pop_number();
        const auto several = pop(Kind::boolean);
        return inks == 1 && several ? image(false) : cannot(name);
    }
    if (name == "image") return image(!stack_.empty() && stack_.back().kind == Kind::dict);
    return std::nullopt;
}

PsMachine::Done PsMachine::filter() {
    const auto name = pop(Kind::literal);
    if (!name) return cannot("filter");
    if (!stack_.empty() && stack_.back().kind == Kind::dict) drop(1);  // only DCTDecode's, whose keys an image repeats
    PsFile file;
    if (name->text == "SubFileDecode") {
        const auto mark = pop(Kind::string);
        const auto count = pop_number();
        if (!mark || !mark->text.empty() || !count || *count < 0 || *count > 1e15) return cannot("SubFileDecode");
        file.length_bytes = static_cast<std::uint64_t>(*count);
    }
    const auto source = pop(Kind::file);
    if (!source || source->file->dct || source->file->filters.size() >= 4) return cannot("filter");
    if (file.length_bytes && (!source->file->filters.empty() || source->file->length_bytes)) return cannot("filter");
    file.filters = source->file->filters;
    if (source->file->length_bytes) file.length_bytes = source->file->length_bytes;
    if (name->text == "ASCIIHexDecode")
        file.filters.push_back(PsFilter::ascii_hex);
    else if (name->text == "ASCII85Decode")
        file.filters.push_back(PsFilter::ascii_85);
    else if (name->text == "RunLengthDecode")
        file.filters.push_back(PsFilter::run_length);
    else if (name->text == "DCTDecode")
        file.dct = true;
    else if (name->text != "SubFileDecode")
        return cannot(name->text);
    PsValue value = value_of_kind(Kind::file);
    value.file = std::make_shared<const PsFile>(std::move(file));
    return push(std::move(value));
}

// A file, or a procedure that reads a file into a string: {currentfile line readhexstring pop}.
bool PsMachine::read_source(const PsValue& source, PsImage& image) {
    if (source.kind == Kind::file) {
        image.source = *source.file;
        return true;
    }
    if (source.kind != Kind::procedure) return false;
    const PsArray& items = *source.items;
    if (items.size() == 1 && items[0].kind == Kind::name) {  // {readdata}
        const PsValue* inner = look_up(items[0].text);
        return inner != nullptr && inner->kind == Kind::procedure && inner->items->size() >= 4 &&
               read_source(PsValue(*inner), image);
    }
    if (items.size() < 4 || items.back().text != "pop" || look_up("pop") != nullptr) return false;
    const std::string& how = items[items.size() - 2].text;
    if ((how != "readhexstring" && how != "readstring") || look_up(how) != nullptr) return false;
    for (std::size_t i = 0; i + 2 < items.size(); ++i)
        if (!execute(items[i])) return false;
    const auto buffer = pop(Kind::string);
    const auto file = pop(Kind::file);
    if (!buffer || !file || buffer->text.empty()) return false;
    image.source = *file->file;
    image.buffer_bytes = static_cast<double>(buffer->text.size());
    if (how == "readhexstring") image.source.filters.push_back(PsFilter::hex_string);
    return !(how == "readhexstring" && image.source.dct);
}

PsMachine::Done PsMachine::image(bool from_dict) {
    PsImage image;
    std::optional<PsValue> source;
    if (from_dict) {
        const auto dict = pop(Kind::dict);
        if (!dict->dict) return cannot("image");
        const auto number = [&](const char* key) {
            const auto found = dict->dict->find(key);
            return found != dict->dict->end() && found->second.kind == Kind::number ? found->second.number : 0;
        };
        image.width = number("Width");
        image.height = number("Height");
        image.bits = number("BitsPerComponent");
        if (number("ImageType") != 1 || !dict->dict->contains("ImageMatrix") || !dict->dict->contains("Decode") ||
            !dict->dict->contains("DataSource"))
            return cannot("image");
        source = dict->dict->at("DataSource");
        const PsValue& decode = dict->dict->at("Decode");
        if (decode.kind != Kind::array || decode.items->size() != 2) return cannot("Decode");
        image.decode = {(*decode.items)[0].number, (*decode.items)[1].number};
        stack_.push_back(dict->dict->at("ImageMatrix"));
    } else {
        source = pop();
        if (!source || stack_.size() < 4) return cannot("image");
    }
    const auto matrix = pop_matrix();
    if (!matrix || matrix->determinant() == 0) return cannot("image");
    image.image_matrix = *matrix;
    if (!from_dict) {
        const auto bits = pop_number(), height = pop_number(), width = pop_number();
        if (!bits || !height || !width) return cannot("image");
        image.bits = *bits;
        image.height = *height;
        image.width = *width;
    }
    if (!read_source(*source, image)) return cannot("a data source of its own kind");
    return on_image(image);
}

}  // namespace opispool::opi

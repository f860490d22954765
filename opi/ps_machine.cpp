// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/ps_machine.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace opispool::opi {

namespace {

PsValue make_value(PsValue::Kind kind, std::string text = {}) {
    PsValue value;
    value.kind = kind;
    value.text = std::move(text);
    return value;
}

}  // namespace

PsMachine::~PsMachine() {
    for (const auto& dict : all_dicts_) dict->clear();  // one may hold itself
}

std::shared_ptr<PsDict> PsMachine::new_dict() {
    return all_dicts_.emplace_back(std::make_shared<PsDict>());
}

PsMachine::Done PsMachine::cannot(std::string_view word) {
    return fail(Code::unsupported, Operation::parse,
                "uses '" + printable(word.substr(0, 60)) + "' where only a picture is looked for");
}

Result<void> PsMachine::run() {
    while (auto token = tokens_.next())
        if (auto done = take(std::move(*token)); !done) return done;
    if (!tokens_.good() || !open_procedures_.empty())
        return fail(Code::unsupported, Operation::parse,
                    "is no readable program near byte " + std::to_string(tokens_.position_bytes()));
    return {};
}

PsMachine::Done PsMachine::take(PsToken token) {
    PsValue value;
    switch (token.kind) {
        case PsToken::Kind::open:
            if (open_procedures_.size() >= max_depth) return cannot("{");
            open_procedures_.emplace_back();
            return {};
        case PsToken::Kind::close:
            return close_procedure();
        case PsToken::Kind::immediate:
            return cannot("//" + token.text);
        case PsToken::Kind::number:
            value.kind = Kind::number;
            value.number = token.number;
            break;
        case PsToken::Kind::string:
            value = make_value(Kind::string, std::move(token.text));
            break;
        case PsToken::Kind::literal:
            value = make_value(Kind::literal, std::move(token.text));
            break;
        case PsToken::Kind::name:
            value = make_value(Kind::name, std::move(token.text));
            break;
    }
    if (open_procedures_.empty()) return execute(value);
    if (++steps_ > max_steps) return cannot("more words than a plate needs");
    open_procedures_.back().push_back(std::move(value));
    return {};
}

PsMachine::Done PsMachine::close_procedure() {
    if (open_procedures_.empty()) return cannot("}");
    PsValue value = make_value(Kind::procedure);
    value.items = std::make_shared<PsArray>(std::move(open_procedures_.back()));
    open_procedures_.pop_back();
    if (open_procedures_.empty()) return push(std::move(value));
    open_procedures_.back().push_back(std::move(value));
    return {};
}

// A procedure met while running is pushed; a name leads to what it stands for.
PsMachine::Done PsMachine::execute(const PsValue& value) {
    if (++steps_ > max_steps) return cannot("more words than a plate needs");
    if (value.kind == Kind::name) return execute_name(value.text);
    if (value.kind == Kind::word) return word(value.text);
    return push(value);
}

PsMachine::Done PsMachine::execute_name(const std::string& name) {
    const PsValue* found = look_up(name);
    if (found == nullptr) return word(name);
    const PsValue value = *found;  // the program may define the name anew while it runs
    if (value.kind == Kind::procedure) return run_procedure(value);
    if (value.kind == Kind::name && value.text == name) return cannot(name);
    if (++depth_ > max_depth) return cannot(name);
    Done done = execute(value);
    --depth_;
    return done;
}

PsMachine::Done PsMachine::run_procedure(const PsValue& value) {
    if (++depth_ > max_depth) return cannot("procedures nested too deep");
    for (const PsValue& item : *value.items)
        if (auto done = execute(item); !done) return done;
    --depth_;
    return {};
}

PsMachine::Done PsMachine::word(const std::string& name) {
    for (const auto group : {&PsMachine::stack_word, &PsMachine::number_word, &PsMachine::control_word,
                             &PsMachine::dict_word, &PsMachine::graphics_word, &PsMachine::image_word})
        if (auto done = (this->*group)(name)) return *done;
    return cannot(name);
}

PsMachine::Done PsMachine::push(PsValue value) {
    if (stack_.size() >= max_stack) return cannot("more operands than a plate needs");
    stack_.push_back(std::move(value));
    return {};
}

PsMachine::Done PsMachine::push_number(double number) {
    if (!std::isfinite(number)) return cannot("a number out of range");
    PsValue value = make_value(Kind::number);
    value.number = number;
    return push(std::move(value));
}

PsMachine::Done PsMachine::push_boolean(bool truth) {
    PsValue value = make_value(Kind::boolean);
    value.number = truth ? 1 : 0;
    return push(std::move(value));
}

std::optional<PsValue> PsMachine::pop() {
    if (stack_.empty()) return std::nullopt;
    PsValue value = std::move(stack_.back());
    stack_.pop_back();
    return value;
}

std::optional<PsValue> PsMachine::pop(Kind kind) {
    auto value = pop();
    if (value && value->kind != kind) value.reset();
    return value;
}

std::optional<double> PsMachine::pop_number() {
    const auto value = pop(Kind::number);
    return value ? std::optional(value->number) : std::nullopt;
}

std::optional<Matrix> PsMachine::pop_matrix() {
    const auto value = pop(Kind::array);
    if (!value || value->items->size() != 6) return std::nullopt;
    std::array<double, 6> v{};
    for (std::size_t i = 0; i < 6; ++i) {
        if ((*value->items)[i].kind != Kind::number) return std::nullopt;
        v[i] = (*value->items)[i].number;
    }
    return Matrix{v[0], v[1], v[2], v[3], v[4], v[5]};
}

bool PsMachine::drop(std::size_t count) {
    if (stack_.size() < count) return false;
    stack_.resize(stack_.size() - count);
    return true;
}

const PsValue* PsMachine::look_up(const std::string& name) const {
    for (auto at = dicts_.rbegin(); at != dicts_.rend(); ++at)
        if (const auto found = (*at)->find(name); found != (*at)->end()) return &found->second;
    return nullptr;
}

std::optional<PsMachine::Done> PsMachine::stack_word(std::string_view name) {
    if (name == "pop") return drop(1) ? Done() : cannot(name);
    if (name == "dup") return stack_.empty() ? cannot(name) : push(PsValue(stack_.back()));
    if (name == "clear") {
        stack_.clear();
        return Done();
    }
    if (name == "count") return push_number(static_cast<double>(stack_.size()));
    if (name == "exch") {
        if (stack_.size() < 2) return cannot(name);
        std::swap(stack_.back(), stack_[stack_.size() - 2]);
        return Done();
    }
    if (name == "index") {
        const auto n = pop_number();
        if (!n || *n < 0 || *n >= static_cast<double>(stack_.size())) return cannot(name);
        return push(PsValue(stack_[stack_.size() - 1 - static_cast<std::size_t>(*n)]));
    }
    if (name == "copy") return copy();
    if (name == "roll") return roll();
    if (name == "mark" || name == "[" || name == "<<") return push(make_value(Kind::mark));
    if (name == "]") return close_array(false);
    if (name == ">>") return close_array(true);
    if (name != "cleartomark" && name != "counttomark") return std::nullopt;
    std::size_t above = 0;
    while (above < stack_.size() && stack_[stack_.size() - 1 - above].kind != Kind::mark) ++above;
    if (above == stack_.size()) return cannot(name);
    if (name == "counttomark") return push_number(static_cast<double>(above));
    drop(above + 1);
    return Done();
}

PsMachine::Done PsMachine::copy() {
    const auto n = pop_number();
    if (!n || *n < 0 || *n > static_cast<double>(stack_.size())) return cannot("copy");
    const std::size_t from = stack_.size() - static_cast<std::size_t>(*n);
    const std::size_t end = stack_.size();
    for (std::size_t i = from; i < end; ++i)
        if (auto done = push(PsValue(stack_[i])); !done) return done;
    return {};
}

PsMachine::Done PsMachine::roll() {
    const auto by = pop_number();
    const auto n = pop_number();
    if (!by || !n || *n < 0 || *n > static_cast<double>(stack_.size()) || std::fabs(*by) > 1e6) return cannot("roll");
    const auto count = static_cast<std::int64_t>(*n);
    if (count < 2) return {};
    const std::int64_t turn = ((static_cast<std::int64_t>(*by) % count) + count) % count;
    std::rotate(stack_.end() - count, stack_.end() - turn, stack_.end());
    return {};
}

PsMachine::Done PsMachine::close_array(bool dict) {
    std::size_t above = 0;
    while (above < stack_.size() && stack_[stack_.size() - 1 - above].kind != Kind::mark) ++above;
    if (above == stack_.size() || (dict && above % 2 != 0)) return cannot(dict ? ">>" : "]");
    const auto first = stack_.end() - static_cast<std::ptrdiff_t>(above);
    PsValue value = make_value(dict ? Kind::dict : Kind::array);
    if (dict) {
        value.dict = new_dict();
        for (auto at = first; at != stack_.end(); at += 2) {
            if (at->kind != Kind::literal) return cannot(">>");
            (*value.dict)[at->text] = at[1];
        }
    } else {
        value.items = std::make_shared<PsArray>(first, stack_.end());
    }
    drop(above + 1);
    return push(std::move(value));
}

std::optional<PsMachine::Done> PsMachine::number_word(std::string_view name) {
    if (name == "true" || name == "false") return push_boolean(name == "true");
    static constexpr std::string_view one[] = {"neg",      "abs", "round", "floor", "ceiling",
                                               "truncate", "cvi", "cvr",   "sqrt"};
    static constexpr std::string_view two[] = {"add", "sub", "mul", "div", "idiv", "mod",
                                               "eq",  "ne",  "gt",  "ge",  "lt",   "le"};
    const bool single = std::find(std::begin(one), std::end(one), name) != std::end(one);
    if (!single && std::find(std::begin(two), std::end(two), name) == std::end(two)) return std::nullopt;
    const auto b = pop_number();
    if (!b) return cannot(name);
    if (name == "neg") return push_number(-*b);
    if (name == "abs") return push_number(std::fabs(*b));
    if (name == "round") return push_number(std::floor(*b + 0.5));
    if (name == "floor") return push_number(std::floor(*b));
    if (name == "ceiling") return push_number(std::ceil(*b));
    if (name == "truncate" || name == "cvi") return push_number(std::trunc(*b));
    if (name == "cvr") return push_number(*b);
    if (name == "sqrt") return *b < 0 ? cannot(name) : push_number(std::sqrt(*b));
    const auto a = pop_number();
    if (!a) return cannot(name);
    if (name == "add") return push_number(*a + *b);
    if (name == "sub") return push_number(*a - *b);
    if (name == "mul") return push_number(*a * *b);
    if (name == "eq") return push_boolean(*a == *b);
    if (name == "ne") return push_boolean(*a != *b);
    if (name == "gt") return push_boolean(*a > *b);
    if (name == "ge") return push_boolean(*a >= *b);
    if (name == "lt") return push_boolean(*a < *b);
    if (name == "le") return push_boolean(*a <= *b);
    if (*b == 0) return cannot(name);
    if (name == "div") return push_number(*a / *b);
    if (name == "idiv") return push_number(std::trunc(*a / *b));
    return push_number(std::fmod(*a, *b));
}

}  // namespace opispool::opi

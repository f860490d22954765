// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/plate.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "opi/dsc_scanner.h"
#include "opi/dsc_values.h"

namespace opispool::opi {

namespace {

// How producers of other languages call them on a plate.
constexpr std::array<std::pair<std::string_view, std::size_t>, 14> local_names{{
    {"Zyan", 0},
    {"Ciano", 0},
    {"Cian", 0},
    {"Gelb", 2},
    {"Jaune", 2},
    {"Giallo", 2},
    {"Amarillo", 2},
    {"Geel", 2},
    {"Schwarz", 3},
    {"Noir", 3},
    {"Nero", 3},
    {"Negro", 3},
    {"Zwart", 3},
    {"Preto", 3},
}};

// One name that may hold blanks: a PostScript string, or the whole rest of the line.
std::string name_of(std::string_view value) {
    value = trim(value);
    if (!value.starts_with('(')) return std::string(value);
    return take_dsc_token(value)->text;
}

void append_names(std::vector<std::string>& out, std::string_view value) {
    while (auto token = take_dsc_token(value))
        if (!equals_ignoring_case(token->text, "(atend)") && token->text != "atend") out.push_back(token->text);
}

// "%%Page: (Cyan) 3": the label, without the ordinal behind it.
std::string label_of(std::string_view page_comment) {
    std::string_view value = trim(value_of(page_comment));
    if (value.starts_with('(')) return take_dsc_token(value)->text;
    const auto blank = value.find_last_of(" \t");
    return std::string(trim(value.substr(0, blank)));
}

void add_ink(std::vector<std::string>& inks, std::string_view name) {
    const std::string ink = canonical_ink(name);
    if (!find_ink(inks, ink)) inks.push_back(ink);
}

}  // namespace

std::string canonical_ink(std::string_view name) {
    std::string_view plain = name;
    if (starts_with_ignoring_case(plain, "Process")) plain = trim(plain.substr(7));
    for (const std::string_view known : process_ink_names)
        if (equals_ignoring_case(plain, known)) return std::string(known);
    for (const auto& [known, index] : local_names)
        if (equals_ignoring_case(plain, known)) return std::string(process_ink_names[index]);
    return std::string(name);
}

std::optional<std::size_t> process_ink_index(std::string_view canonical) {
    const auto at = std::find(process_ink_names.begin(), process_ink_names.end(), canonical);
    if (at == process_ink_names.end()) return std::nullopt;
    return static_cast<std::size_t>(at - process_ink_names.begin());
}

std::optional<std::size_t> find_ink(const std::vector<std::string>& inks, std::string_view name) {
    const auto index = [&](auto same) -> std::optional<std::size_t> {
        const auto at = std::find_if(inks.begin(), inks.end(), same);
        if (at == inks.end()) return std::nullopt;
        return static_cast<std::size_t>(at - inks.begin());
    };
    if (auto exact = index([&](const std::string& ink) { return ink == name; })) return exact;
    return index([&](const std::string& ink) { return equals_ignoring_case(ink, name); });
}

void PlateSignals::begin_page(std::string_view page_comment) {
    continued_ = nullptr;
    open_brackets_.clear();
    pages_.emplace_back();
    pages_.back().label = label_of(page_comment);
}

bool PlateSignals::take(std::string_view line) {
    continued_ = nullptr;
    Page& page = pages_.back();
    const std::string_view value = value_of(line);
    const auto list = [&](std::optional<std::vector<std::string>>& into) {
        if (!into) into.emplace();
        append_names(*into, value);
        continued_ = &*into;
        return true;
    };
    if (has_keyword(line, "%%PlateColor")) {
        const std::string name = name_of(value);
        if (!equals_ignoring_case(name, "composite")) page.plate_colors.push_back(name);
        return true;
    }
    if (has_keyword(line, "%%PageProcessColors")) return list(page.process);
    if (has_keyword(line, "%%PageCustomColors")) return list(page.custom);
    if (has_keyword(line, "%%DocumentCustomColors")) {
        append_names(custom_colours_, value);
        continued_ = &custom_colours_;
        return true;
    }
    if (has_keyword(line, "%%BeginProcessColor") || has_keyword(line, "%%BeginCustomColor")) {
        open_brackets_.push_back(canonical_ink(name_of(value)));
        add_ink(brackets_, open_brackets_.back());
        return true;
    }
    if (has_keyword(line, "%%EndProcessColor") || has_keyword(line, "%%EndCustomColor")) {
        if (!open_brackets_.empty()) open_brackets_.pop_back();
        return true;
    }
    return false;
}

void PlateSignals::take_continuation(std::string_view line) {
    if (continued_ != nullptr) append_names(*continued_, value_of(line));
}

std::optional<Plate> PlateSignals::bracket() const {
    if (open_brackets_.empty()) return std::nullopt;
    return Plate{open_brackets_.back()};
}

// The only case without a word about separation: a composite page in black alone is common, so at least one page must
// be in another process ink alone.
bool PlateSignals::colours_differ_by_page() const {
    bool colour = false;
    std::vector<std::string> inks;
    for (std::size_t i = 1; i < pages_.size(); ++i) {
        std::vector<std::string> named = pages_[i].process.value_or(std::vector<std::string>{});
        const auto custom = pages_[i].custom.value_or(std::vector<std::string>{});
        named.insert(named.end(), custom.begin(), custom.end());
        if (named.size() != 1) return false;
        add_ink(inks, named.front());
        const auto process = process_ink_index(canonical_ink(named.front()));
        colour = colour || (process && *process < 3);
    }
    return colour && inks.size() > 1;
}

bool PlateSignals::is_separated() const {
    if (!brackets_.empty()) return true;
    for (const Page& page : pages_)
        if (!page.plate_colors.empty() || process_ink_index(canonical_ink(page.label))) return true;
    return colours_differ_by_page();
}

void PlateSignals::finish() {
    separated_ = is_separated();
    // A plate named in the header is every page's, but not where pages name their own.
    header_counts_ =
        std::all_of(pages_.begin() + 1, pages_.end(), [](const Page& page) { return page.plate_colors.empty(); });
}

std::vector<std::string> PlateSignals::inks_of(std::size_t number, const std::optional<Plate>& bracket) const {
    const Page& page = pages_[std::min(number, pages_.size() - 1)];
    std::vector<std::string> inks;
    if (bracket) add_ink(inks, bracket->ink);
    for (const std::string& name : page.plate_colors) add_ink(inks, name);
    if (header_counts_ && number > 0)
        for (const std::string& name : pages_.front().plate_colors) add_ink(inks, name);
    const bool explicit_plate = !inks.empty();
    if (process_ink_index(canonical_ink(page.label)) || find_ink(custom_colours_, page.label))
        add_ink(inks, page.label);
    // Producers list the inks of the whole design here as well; many names say nothing about a plate that is named.
    const std::size_t colours = (page.process ? page.process->size() : 0) + (page.custom ? page.custom->size() : 0);
    if (colours != 1 && explicit_plate) return inks;
    for (const auto& list : {page.process, page.custom})
        if (list)
            for (const std::string& name : *list) add_ink(inks, name);
    return inks;
}

PlateSignals::Verdict PlateSignals::verdict(std::size_t page, const std::optional<Plate>& bracket) const {
    if (!separated_) return {};
    const std::vector<std::string> inks = inks_of(page, bracket);
    if (inks.size() == 1 && !inks.front().empty()) return {Plate{inks.front()}, {}};
    if (inks.size() < 2)
        return {std::nullopt,
                "the job was separated by its producer, but the page does not say which plate it is (%%PlateColor); "
                "print composite and let the RIP separate"};
    std::string names;
    for (const std::string& ink : inks) names += (names.empty() ? "'" : ", '") + printable(ink) + "'";
    return {std::nullopt, "the comments of the page contradict each other about which plate it is (" + names +
                              "); print composite and let the RIP separate"};
}

std::vector<std::string> PlateSignals::plates() const {
    std::vector<std::string> out;
    if (!separated_) return out;
    for (const std::string& ink : brackets_) add_ink(out, ink);
    for (std::size_t page = 0; page < pages_.size(); ++page) {
        const std::vector<std::string> inks = inks_of(page, std::nullopt);
        if (inks.size() == 1) add_ink(out, inks.front());
    }
    return out;
}

}  // namespace opispool::opi

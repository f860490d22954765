// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/dcs_file.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "opi/dsc_scanner.h"
#include "opi/dsc_values.h"
#include "opi/eps_probe.h"
#include "opi/opi_comments.h"

namespace opispool::opi {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> dcs_1_plates{
    {{"%%CyanPlate", "Cyan"}, {"%%MagentaPlate", "Magenta"}, {"%%YellowPlate", "Yellow"}, {"%%BlackPlate", "Black"}}};

constexpr std::int64_t reach_bytes = 20 * 1024;

}  // namespace

void DcsReader::problem(std::string_view line, const char* wanted) {
    if (out_.problem.empty()) out_.problem = "'" + printable(line.substr(0, 200)) + "' " + wanted;
}

void DcsReader::add(DcsPlate plate) {
    const auto same = [&](const DcsPlate& other) { return other.ink == plate.ink; };
    if (out_.plates.size() >= max_plates) return problem(plate.ink, "is one plate too many");
    if (std::any_of(out_.plates.begin(), out_.plates.end(), same))
        return problem(plate.ink, "is named twice among the plates");
    out_.plates.push_back(std::move(plate));
}

void DcsReader::take(std::string_view line) {
    if (has_keyword(line, "%%+")) return take_value(value_of(line));
    continued_ = Continued::none;
    for (const auto& [keyword, ink] : dcs_1_plates) {
        if (!has_keyword(line, keyword)) continue;
        std::string name = decode_text_value(trim(value_of(line)));
        if (equals_ignoring_case(name, "(atend)") || equals_ignoring_case(name, "atend")) return;
        if (name.empty()) return problem(line, "names no file");
        return add({std::string(ink), std::move(name), 0, 0});
    }
    if (has_keyword(line, "%%PlateFile")) continued_ = Continued::plates;
    if (has_keyword(line, "%%CMYKCustomColor")) continued_ = Continued::colours;
    take_value(value_of(line));
}

void DcsReader::take_value(std::string_view value) {
    if (equals_ignoring_case(trim(value), "(atend)")) return;
    if (continued_ == Continued::plates) take_plate_file(value);
    if (continued_ == Continued::colours) take_colour(value);
}

// (Ink) EPS #offset length, or (Ink) EPS [Local] file name
void DcsReader::take_plate_file(std::string_view value) {
    std::string_view rest = value;
    const auto ink = take_dsc_token(rest);
    const auto kind = take_dsc_token(rest);
    if (!ink || ink->text.empty() || !kind) return problem(value, "names no ink and file");
    if (!equals_ignoring_case(kind->text, "EPS"))
        return problem(value, "is a plate of a kind other than EPS; save the DCS with EPS plates");
    DcsPlate plate{ink->text, {}, 0, 0};
    std::string_view where = trim(rest);
    if (where.starts_with('#')) {
        const auto fields = split_blank(where.substr(1));
        const auto offset = fields.empty() ? std::nullopt : parse_u64(fields[0]);
        const auto length = fields.size() < 2 ? std::nullopt : parse_u64(fields[1]);
        if (!offset || !length || *length == 0) return problem(value, "gives no offset and length");
        plate.offset_bytes = *offset;
        plate.length_bytes = *length;
        return add(std::move(plate));
    }
    if (starts_with_ignoring_case(where, "Local") && where.size() > 5 && (where[5] == ' ' || where[5] == '\t'))
        where = trim(where.substr(5));
    plate.file = decode_text_value(where);
    if (plate.file.empty()) return problem(value, "names no file");
    add(std::move(plate));
}

void DcsReader::take_colour(std::string_view value) {
    std::array<double, 4> cmyk{};
    std::string_view rest = value;
    for (double& level : cmyk) {
        const auto token = take_dsc_token(rest);
        const auto number = token ? parse_real(token->text) : std::nullopt;
        if (!number || *number < 0 || *number > 1) return;  // told when a plate needs it
        level = *number;
    }
    const std::string_view name = trim(rest);
    out_.cmyk.emplace(name.starts_with('(') ? take_dsc_token(rest)->text : std::string(name), cmyk);
}

namespace {

class PlateSearch {
  public:
    PlateSearch(const MappedFile& main, std::uint64_t section_begin) : main_(main), base_(section_begin) {}

    // The byte a plate of the main file begins at.
    Result<std::optional<std::uint64_t>> find(const DcsPlate& plate, std::size_t number) const {
        for (const std::uint64_t base : {std::uint64_t{0}, base_}) {
            auto here = begins_postscript(base + plate.offset_bytes);
            if (!here) return fail(std::move(here.error()));
            if (*here) return base + plate.offset_bytes;
        }
        // Photoshop CS2 counts its own comment lines a second time: 191 bytes and 83 for each plate (ref 4.2).
        const std::uint64_t surplus = 191 + 83 * number;
        if (plate.offset_bytes > surplus) {
            auto here = begins_postscript(plate.offset_bytes - surplus);
            if (!here) return fail(std::move(here.error()));
            if (*here) return plate.offset_bytes - surplus;
        }
        return nearest(plate.offset_bytes);
    }

  private:
    Result<std::string> read(std::uint64_t offset, std::size_t length) const {
        std::string text(length, '\0');
        if (offset >= main_.size()) return std::string();
        auto got = main_.read_at(offset, std::as_writable_bytes(std::span(text)));
        if (!got) return fail(std::move(got.error()));
        text.resize(*got);
        return text;
    }

    Result<bool> begins_postscript(std::uint64_t offset) const {
        auto text = read(offset, 2);
        if (!text) return fail(std::move(text.error()));
        return *text == "%!";
    }

    Result<std::optional<std::uint64_t>> nearest(std::uint64_t claimed) const {
        const std::uint64_t reach = static_cast<std::uint64_t>(reach_bytes);
        // The main document begins with the same words.
        const std::uint64_t from = std::max(base_ + 2, claimed > reach ? claimed - reach : 0);
        if (from >= main_.size() || claimed > main_.size() + reach) return std::optional<std::uint64_t>();
        auto text = read(from, static_cast<std::size_t>(claimed + reach > from ? claimed + reach - from : 0));
        if (!text) return fail(std::move(text.error()));
        std::optional<std::uint64_t> best;
        const auto distance = [&](std::uint64_t at) { return at > claimed ? at - claimed : claimed - at; };
        for (std::size_t at = text->find("%!PS-Adobe"); at != std::string::npos; at = text->find("%!PS-Adobe", at + 1))
            if (!best || distance(from + at) < distance(*best)) best = from + at;
        return best;
    }

    const MappedFile& main_;
    std::uint64_t base_;
};

std::string plate_name(const DcsPlate& plate) {
    return "the plate '" + printable(plate.ink) + "'";
}

// Plates of the main file, in the order of the comments; each ends where the next one in the file begins at the latest.
Result<void> locate_inside(const std::shared_ptr<const MappedFile>& main, std::uint64_t section_begin,
                           const DcsComments& comments, std::vector<LocatedPlate>& out) {
    const PlateSearch search(*main, section_begin);
    std::set<std::uint64_t> begins;
    std::size_t number = 0;
    for (std::size_t i = 0; i < comments.plates.size(); ++i) {
        const DcsPlate& plate = comments.plates[i];
        if (!plate.file.empty()) continue;
        auto begin = search.find(plate, number++);
        if (!begin) return fail(std::move(begin.error()));
        if (!*begin)
            return fail(Code::bad_image, Operation::probe,
                        plate_name(plate) + " is not at or near byte " + std::to_string(plate.offset_bytes) + " of " +
                            printable(main->name()) + ", where its comment says; save the DCS again",
                        main->name(), plate.offset_bytes);
        if (!begins.insert(**begin).second)
            return fail(Code::bad_image, Operation::probe,
                        plate_name(plate) + " and another one lead to the same byte " + std::to_string(**begin) +
                            ", so the plates can't be told apart; save the DCS again",
                        main->name(), **begin);
        out[i].begin_bytes = **begin;
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (!comments.plates[i].file.empty()) continue;
        const auto next = begins.upper_bound(out[i].begin_bytes);
        const std::uint64_t limit = next == begins.end() ? main->size() : *next;
        // A claimed length is as doubtful as its offset; nothing but the file or the next plate ends the last one.
        const std::uint64_t length = std::min(comments.plates[i].length_bytes, limit - out[i].begin_bytes);
        auto section = trim_eps_section(*main, {out[i].begin_bytes, out[i].begin_bytes + length});
        if (!section) return fail(std::move(section.error()));
        out[i].file = main;
        out[i].end_bytes = section->end;
    }
    return {};
}

}  // namespace

Result<std::vector<LocatedPlate>> locate_plates(const std::shared_ptr<const MappedFile>& main,
                                                std::uint64_t section_begin_bytes, const DcsComments& comments,
                                                const OpenBeside& open_beside) {
    if (!comments.problem.empty())
        return fail(Code::bad_image, Operation::probe, "its DCS comment " + comments.problem, main->name());
    std::vector<LocatedPlate> out(comments.plates.size());
    if (auto inside = locate_inside(main, section_begin_bytes, comments, out); !inside)
        return fail(std::move(inside.error()));
    for (std::size_t i = 0; i < out.size(); ++i) {
        const DcsPlate& plate = comments.plates[i];
        out[i].ink = plate.ink;
        if (plate.file.empty()) continue;
        auto file = open_beside(plate.file);
        if (!file)
            return fail(file.error().code, Operation::resolve,
                        plate_name(plate) + ", file '" + printable(plate.file) + "': " + file.error().text,
                        main->name());
        auto section = find_eps_section(**file);
        if (!section)
            return fail(section.error().code, Operation::probe,
                        plate_name(plate) + ", file '" + printable(plate.file) + "': " + section.error().text,
                        (*file)->name());
        out[i].file = std::move(*file);
        out[i].begin_bytes = section->begin;
        out[i].end_bytes = section->end;
    }
    return out;
}

}  // namespace opispool::opi

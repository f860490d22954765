// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/job_header.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/text.h"
#include "opi/dsc_values.h"
#include "opi/emit/image_colour.h"
#include "opi/plate.h"

namespace opispool::opi {

namespace {

const HeaderList* find_list(const ThinDocument& document, std::string_view keyword) {
    for (const HeaderList& list : document.header_lists)
        if (list.keyword == keyword) return &list;
    return nullptr;
}

std::vector<std::string> words_of(const ThinDocument& document, std::string_view keyword) {
    std::vector<std::string> words;
    for (const HeaderList& list : document.header_lists) {
        if (list.keyword != keyword) continue;
        std::string_view rest = list.value;
        while (auto token = take_dsc_token(rest)) words.push_back(std::move(token->text));
    }
    return words;
}

// Fonts of a list of resources ("font A B procset C 1 0") and of a list of fonts.
std::set<std::string> fonts_of(const ThinDocument& document, std::string_view resources, std::string_view fonts) {
    static constexpr std::string_view kinds[] = {"font", "procset", "file", "encoding", "form", "pattern", "category"};
    std::set<std::string> out;
    bool in_fonts = false;
    for (const std::string& word : words_of(document, resources)) {
        if (std::find(std::begin(kinds), std::end(kinds), word) != std::end(kinds))
            in_fonts = word == "font";
        else if (in_fonts)
            out.insert(word);
    }
    for (std::string& word : words_of(document, fonts)) out.insert(std::move(word));
    return out;
}

std::set<std::string> needed_fonts(const ThinDocument& document) {
    return fonts_of(document, "%%documentneededresources", "%%documentneededfonts");
}

std::set<std::string> supplied_fonts(const ThinDocument& document) {
    return fonts_of(document, "%%documentsuppliedresources", "%%documentsuppliedfonts");
}

// Words that `list` lacks, as lines behind its last one. Names outside plain ASCII or with blanks are strings.
void add_to(std::vector<HeaderEdit>& edits, const HeaderList& list, const std::vector<std::string>& lines,
            const std::string& keyword) {
    std::string text;
    for (const std::string& line : lines) text += list.line_end + keyword + " " + line;
    if (!text.empty()) edits.push_back({{list.end_bytes, list.end_bytes}, std::move(text)});
}

void add_colours(std::vector<HeaderEdit>& edits, const ThinDocument& document, const UsedFeatures& used) {
    if (const HeaderList* process = find_list(document, "%%documentprocesscolors")) {
        std::string missing;
        const std::vector<std::string> known = words_of(document, process->keyword);
        for (const std::string& ink : used.process_inks)
            if (!find_ink(known, ink)) missing += " " + ink;
        if (!missing.empty()) edits.push_back({{process->end_bytes, process->end_bytes}, std::move(missing)});
    }
    const HeaderList* custom = find_list(document, "%%documentcustomcolors");
    if (custom == nullptr) return;
    const std::vector<std::string> known = words_of(document, custom->keyword);
    std::vector<std::string> names;
    std::string colours;
    for (const auto& [ink, cmyk] : used.spot_inks) {
        if (find_ink(known, ink)) continue;
        names.push_back(ps_string(ink));
        if (cmyk == std::array<double, 4>{}) continue;
        colours += custom->line_end + "%%CMYKCustomColor:";
        for (const double level : cmyk) colours += " " + ps_number(level);
        colours += " " + names.back();
    }
    add_to(edits, *custom, names, "%%+");
    if (!colours.empty()) edits.push_back({{custom->end_bytes, custom->end_bytes}, std::move(colours)});
}

void add_fonts(std::vector<HeaderEdit>& edits, const ThinDocument& document, const UsedFeatures& used) {
    const HeaderList* resources = find_list(document, "%%documentneededresources");
    const HeaderList* list = resources != nullptr ? resources : find_list(document, "%%documentneededfonts");
    if (list == nullptr) return;
    const std::set<std::string> needed = needed_fonts(document), supplied = supplied_fonts(document);
    std::vector<std::string> lines;
    for (const std::string& font : used.needed_fonts) {
        if (needed.contains(font) || supplied.contains(font)) continue;
        const bool plain = font.find_first_of(" ()\\") == std::string::npos;
        lines.push_back((resources != nullptr ? "font " : "") + (plain ? font : ps_string(font)));
    }
    add_to(edits, *list, lines, "%%+");
}

}  // namespace

void note_claims(const ThinDocument& eps, bool colours, UsedFeatures& used) {
    const std::set<std::string> supplied = supplied_fonts(eps);
    for (const std::string& font : needed_fonts(eps))
        if (!supplied.contains(font)) used.needed_fonts.insert(font);
    if (!colours) return;
    for (const std::string& ink : words_of(eps, "%%documentprocesscolors"))
        if (process_ink_index(canonical_ink(ink))) used.process_inks.insert(canonical_ink(ink));
    for (const std::string& ink : words_of(eps, "%%documentcustomcolors")) used.spot_inks.try_emplace(ink);
    const std::vector<std::string> words = words_of(eps, "%%cmykcustomcolor");
    for (std::size_t i = 0; i + 5 <= words.size(); i += 5) {
        std::array<double, 4> cmyk{};
        for (std::size_t c = 0; c < 4; ++c) cmyk[c] = parse_real(words[i + c]).value_or(0);
        if (const auto known = used.spot_inks.find(words[i + 4]); known != used.spot_inks.end()) known->second = cmyk;
    }
}

std::vector<HeaderEdit> correct_header(const ThinDocument& document, const UsedFeatures& used) {
    std::vector<HeaderEdit> edits;
    if (document.document_data && used.binary_data && !equals_ignoring_case(document.document_data_value, "Binary"))
        edits.push_back({*document.document_data, "%%DocumentData: Binary"});
    const auto level = parse_u64(document.language_level_value);
    if (document.language_level && level && static_cast<std::uint64_t>(used.language_level) > *level)
        edits.push_back({*document.language_level, "%%LanguageLevel: " + std::to_string(used.language_level)});
    add_colours(edits, document, used);
    add_fonts(edits, document, used);
    return edits;
}

}  // namespace opispool::opi

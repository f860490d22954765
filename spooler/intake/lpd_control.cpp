// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/intake/lpd_control.h"

#include <algorithm>

#include "base/text.h"

namespace opispool::spooler {

namespace {

constexpr std::string_view print_letters = "cdfgklnoprtvz";
constexpr std::size_t max_operand_bytes = 255;

std::string label(std::string_view text) {
    return printable(trim(text.substr(0, max_operand_bytes)));
}

void add_print(LpdControl& control, char format, std::string_view file) {
    const auto same = std::find_if(control.prints.begin(), control.prints.end(),
                                   [file](const LpdPrint& print) { return print.file == file; });
    if (same == control.prints.end())
        control.prints.push_back({std::string(file), 1, format});
    else
        same->copies = std::min(same->copies + 1, lpd_max_copies);
}

}  // namespace

LpdControl parse_lpd_control(std::string_view text) {
    LpdControl control;
    std::string first_name;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.size() < 2) continue;
        const std::string_view operand = line.substr(1);
        switch (line[0]) {
            case 'H':
                control.host = label(operand);
                break;
            case 'P':
                control.user = label(operand);
                break;
            case 'J':
                control.title = label(operand);
                break;
            case 'N':
                if (first_name.empty()) first_name = label(operand);
                break;
            default:
                if (print_letters.find(line[0]) != std::string_view::npos) add_print(control, line[0], trim(operand));
                break;
        }
    }
    if (control.title.empty()) control.title = first_name;
    return control;
}

}  // namespace opispool::spooler

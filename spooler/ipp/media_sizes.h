// SPDX-License-Identifier: AGPL-3.0-or-later
// The sheet sizes a queue names to clients that ask. The document decides what is printed; a RIP may take others.
#pragma once

#include <array>
#include <string_view>

namespace opispool::ipp {

struct MediaSize {
    std::string_view pwg_name;  // PWG 5101.1
    std::string_view ppd_name, shown_as;
    double width_pt, height_pt;
};

// The first one is the default.
inline constexpr std::array<MediaSize, 9> media_sizes{{
    {"iso_a4_210x297mm", "A4", "A4", 595.28, 841.89},
    {"iso_a3_297x420mm", "A3", "A3", 841.89, 1190.55},
    {"iso_sra3_320x450mm", "SRA3", "SRA3", 907.09, 1275.59},
    {"iso_a2_420x594mm", "A2", "A2", 1190.55, 1683.78},
    {"iso_a1_594x841mm", "A1", "A1", 1683.78, 2383.94},
    {"iso_a0_841x1189mm", "A0", "A0", 2383.94, 3370.39},
    {"na_letter_8.5x11in", "Letter", "US Letter", 612, 792},
    {"na_legal_8.5x14in", "Legal", "US Legal", 612, 1008},
    {"na_ledger_11x17in", "Tabloid", "Tabloid", 792, 1224},
}};

}  // namespace opispool::ipp

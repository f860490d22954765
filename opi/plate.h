// SPDX-License-Identifier: AGPL-3.0-or-later
// Which printing plate a page is, in a job that its producer separated (ref 4.3).
//
//   comment lines of a job --PlateSignals--> one Plate for each page, or the reason why none can be told
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opispool::opi {

struct Plate {
    std::string ink;  // "Cyan", "Magenta", "Yellow", "Black", or a spot ink's name as the job writes it
    friend bool operator==(const Plate&, const Plate&) = default;
};

inline constexpr std::array<std::string_view, 4> process_ink_names{"Cyan", "Magenta", "Yellow", "Black"};

// "Cyan" for every name of a process ink ("CYAN", "Process Cyan", "Gelb" for yellow); other names as they are.
std::string canonical_ink(std::string_view name);

// 0 cyan ... 3 black for a canonical name of a process ink.
std::optional<std::size_t> process_ink_index(std::string_view canonical);

// The ink of that name: equal bytes first, then equal but for the case of ASCII letters.
std::optional<std::size_t> find_ink(const std::vector<std::string>& inks, std::string_view name);

// Feed it the comment lines of one job, then ask. A job counts as separated when it has %%PlateColor or a bracket for a
// colour, when a page's label is a process ink, or when every page names exactly one ink of its own and they differ.
class PlateSignals {
  public:
    void begin_page(std::string_view page_comment);
    // True if the line was one of these comments; `continuation` lines (%%+) belong to the last that was.
    bool take(std::string_view line);
    void take_continuation(std::string_view line);
    // The ink whose bracket (%%BeginProcessColor, %%BeginCustomColor) is open.
    std::optional<Plate> bracket() const;

    // The job has been read to its end.
    void finish();
    struct Verdict {
        std::optional<Plate> plate;  // nothing: a composite page, unless there is a problem
        std::string problem;         // the page is a plate, but which one is unknown or contradictory
    };
    // page     from 1; 0 is what stands before the first
    // bracket  that was open at the place asked about
    Verdict verdict(std::size_t page, const std::optional<Plate>& bracket) const;
    // Every plate that is told, once; empty for a composite job.
    std::vector<std::string> plates() const;

  private:
    struct Page {
        std::vector<std::string> plate_colors;  // %%PlateColor
        std::string label;
        std::optional<std::vector<std::string>> process, custom;  // %%PageProcessColors, %%PageCustomColors
    };
    std::vector<std::string> inks_of(std::size_t page, const std::optional<Plate>& bracket) const;
    bool is_separated() const;
    bool colours_differ_by_page() const;

    std::vector<Page> pages_ = std::vector<Page>(1);
    std::vector<std::string> custom_colours_;  // of the document
    std::vector<std::string> open_brackets_, brackets_;
    bool separated_ = false, header_counts_ = false;
    std::vector<std::string>* continued_ = nullptr;
};

}  // namespace opispool::opi

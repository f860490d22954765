// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/dsc_scanner.h"

#include <cstring>

#include "base/text.h"

namespace opispool::opi {

namespace {

constexpr std::string_view uel = "\x1b%-12345X";
constexpr char ctrl_d = '\x04';

bool is_line_end(char c) {
    return c == '\n' || c == '\r';
}
bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

// Second byte of the comments that anybody asks for; hexadecimal thumbnails and ASCII85 lines rarely pass.
bool is_wanted(char second) {
    return second == '%' || second == '!' || second == 'A' || second == 'a' || second == 'B' || second == 'E';
}

}  // namespace

std::string_view keyword_of(std::string_view line) {
    return line.substr(0, line.find_first_of(": \t"));
}

std::string_view value_of(std::string_view line) {
    std::size_t i = keyword_of(line).size();
    while (i < line.size() && is_blank(line[i])) ++i;
    if (i < line.size() && line[i] == ':') ++i;
    while (i < line.size() && is_blank(line[i])) ++i;
    return line.substr(i);
}

bool has_keyword(std::string_view line, std::string_view keyword) {
    return equals_ignoring_case(keyword_of(line), keyword);
}

DscScanner::DscScanner(ByteSource& source) : source_(source) {
    const std::string start = source_.copy(0, 16);
    if (start.starts_with("\xEF\xBB\xBF")) position_ = 3;
    if (start.substr(position_).starts_with("@PJL")) skip_pjl();
}

char DscScanner::char_at(std::uint64_t offset) {
    const std::string_view window = source_.window(offset);
    return window.empty() ? '\0' : window.front();
}

bool DscScanner::at(std::uint64_t offset, std::string_view bytes) {
    const std::string_view window = source_.window(offset);
    if (window.size() >= bytes.size()) return window.starts_with(bytes);
    return source_.copy(offset, bytes.size()) == bytes;
}

std::uint64_t DscScanner::line_end(std::uint64_t offset, std::uint64_t limit_bytes) {
    const std::uint64_t limit = std::min(source_.size_bytes(), offset + limit_bytes);
    while (offset < limit) {
        std::string_view window = source_.window(offset);
        if (window.empty()) break;
        window = window.substr(0, static_cast<std::size_t>(limit - offset));
        const auto found = window.find_first_of("\r\n");
        if (found != std::string_view::npos) return offset + found;
        offset += window.size();
    }
    return limit;
}

std::uint64_t DscScanner::behind_line_end(std::uint64_t end) {
    if (at(end, "\r\n")) return end + 2;
    return end < source_.size_bytes() && (at(end, "\n") || at(end, "\r")) ? end + 1 : end;
}

void DscScanner::skip_pjl() {
    // Ends behind the ENTER LANGUAGE line, or before the first line that starts with '%'.
    while (position_ < source_.size_bytes()) {
        if (at(position_, "%") || at(position_, "\x04")) break;
        const std::uint64_t end = line_end(position_, source_.size_bytes());
        const std::string line =
            source_.copy(position_, static_cast<std::size_t>(std::min<std::uint64_t>(end - position_, 256)));
        position_ = behind_line_end(end);
        if (line.find("ENTER LANGUAGE") != std::string::npos) break;
    }
    job_start_ = true;
}

bool DscScanner::find_line_start() {
    char before = position_ == 0 ? '\n' : char_at(position_ - 1);
    while (position_ < source_.size_bytes()) {
        const std::string_view window = source_.window(position_);
        if (window.empty()) return false;
        std::uint64_t next = position_ + window.size();
        for (std::size_t i = 0; i < window.size(); ++i) {
            const void* hit = std::memchr(window.data() + i, '%', window.size() - i);
            if (hit == nullptr) break;
            i = static_cast<std::size_t>(static_cast<const char*>(hit) - window.data());
            const char previous = i == 0 ? before : window[i - 1];
            const bool line_start = is_line_end(previous) || previous == ctrl_d || job_start_;
            if (!line_start && previous != uel[0]) continue;
            const std::uint64_t here = position_ + i;
            if (previous == uel[0] && at(here - 1, uel)) {
                position_ = here - 1 + uel.size();
                skip_pjl();
                next = position_;
                break;
            }
            job_start_ = job_start_ || previous == ctrl_d;
            if (line_start && is_wanted(i + 1 < window.size() ? window[i + 1] : char_at(here + 1))) {
                position_ = here;
                return true;
            }
        }
        position_ = next;
        before = char_at(position_ - 1);
    }
    return false;
}

std::optional<DscLine> DscScanner::next() {
    if (!find_line_start()) return std::nullopt;
    DscLine line;
    line.begin_bytes = position_;
    const std::uint64_t end = line_end(position_, source_.size_bytes());
    line.text =
        source_.copy(position_, static_cast<std::size_t>(std::min<std::uint64_t>(end - position_, max_line_bytes)));
    line.next_bytes = behind_line_end(end);
    line.starts_job = std::exchange(job_start_, false);
    position_ = line.next_bytes;
    if (has_keyword(line.text, "%%BeginData") || has_keyword(line.text, "%%BeginBinary")) skip_counted(line);
    return line;
}

// Where the counted data should end, if the count is usable and leads to its end comment (DSC 3.0: the count starts
// behind the comment's line end; one line end more before the end comment is common).
std::optional<std::uint64_t> DscScanner::landing(const DscLine& line, std::string_view keyword) {
    const auto fields = split_blank(value_of(line.text));
    if (fields.empty()) return std::nullopt;
    const auto count = parse_u64(fields[0]);
    if (!count) return std::nullopt;
    std::uint64_t end = line.next_bytes;
    if (fields.size() > 2 && equals_ignoring_case(fields[2], "Lines")) {
        for (std::uint64_t i = 0; i < *count && end < source_.size_bytes(); ++i)
            end = behind_line_end(line_end(end, source_.size_bytes()));
    } else {
        if (*count > source_.size_bytes() - line.next_bytes) return std::nullopt;
        end += *count;
    }
    for (int extra = 0; extra < 3; ++extra) {
        const std::string before = end == 0 ? std::string() : source_.copy(end - 1, 1);
        if (at(end, keyword) && (end == line.next_bytes || (!before.empty() && is_line_end(before[0])) || extra == 0))
            return end;
        const std::string here = source_.copy(end, 1);
        if (here.empty() || !is_line_end(here[0])) return std::nullopt;
        ++end;
    }
    return std::nullopt;
}

std::optional<std::uint64_t> DscScanner::find_end_comment(std::uint64_t from, std::string_view keyword) {
    std::uint64_t at_byte = from;
    while (at_byte < source_.size_bytes()) {
        const std::string_view window = source_.window(at_byte);
        if (window.empty()) break;
        const void* hit = std::memchr(window.data(), '%', window.size());
        if (hit == nullptr) {
            at_byte += window.size();
            continue;
        }
        at_byte += static_cast<std::uint64_t>(static_cast<const char*>(hit) - window.data());
        if (at(at_byte, keyword)) {
            const std::string before = source_.copy(at_byte - 1, 1);
            if (is_line_end(before[0])) return at_byte;
        }
        ++at_byte;
    }
    return std::nullopt;
}

void DscScanner::skip_counted(DscLine& line) {
    const bool binary = has_keyword(line.text, "%%BeginBinary");
    const std::string_view keyword = binary ? "%%EndBinary" : "%%EndData";
    if (auto end = landing(line, keyword)) {
        position_ = *end;
        line.counted = true;
        return;
    }
    line.bad_count = true;
    std::uint64_t& hopeless_from = binary ? no_end_binary_from_ : no_end_data_from_;
    if (line.next_bytes >= hopeless_from) return;
    if (auto end = find_end_comment(line.next_bytes, keyword)) {
        position_ = *end;
        line.counted = true;
    } else {
        hopeless_from = line.next_bytes;
    }
}

}  // namespace opispool::opi

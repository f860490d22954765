// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/intake/tail_check.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace opispool::spooler {

namespace {

constexpr std::string_view uel = "\x1b%-12345X";
constexpr std::string_view blanks{" \t\r\n\f\0\x1a", 7};
constexpr std::string_view eol = "\r\n";
constexpr char ctrl_d = '\x04';

bool drop_end(std::string_view& text, std::string_view end) {
    if (!text.ends_with(end)) return false;
    text.remove_suffix(end.size());
    return true;
}

std::string_view last_line(std::string_view text) {
    const std::size_t at = text.find_last_of(eol);
    return at == std::string_view::npos ? text : text.substr(at + 1);
}

// Cuts off what may follow the document (blanks, ^D, ^Z, UEL, PJL lines).    returns  an end mark was among it
bool drop_trailer(std::string_view& text) {
    bool marked = false;
    for (;;) {
        text = text.substr(0, text.find_last_not_of(blanks) + 1);
        if (drop_end(text, uel) || drop_end(text, std::string_view(&ctrl_d, 1))) {
            marked = true;
            continue;
        }
        std::string_view line = last_line(text);
        const std::size_t length = line.size();
        if (line.starts_with(uel)) line.remove_prefix(uel.size());
        if (!line.starts_with("@PJL")) return marked;
        text.remove_suffix(length);
    }
}

// Walks the DSC comments that open and close something and skips counted data.
class Brackets {
  public:
    Brackets(std::string_view text, const std::function<void(std::size_t)>& passed, std::size_t from)
        : text_(text), passed_(passed), from_(std::min(from, text.size())) {}

    // returns  what is open at the end, with its byte offset
    std::optional<std::string> find_open() {
        std::size_t at = from_;
        while ((at = find("%%", at)) != std::string_view::npos) {
            const bool begins_line = at == 0 || eol.find(text_[at - 1]) != std::string_view::npos;
            if (!begins_line) {
                at += 2;
                continue;
            }
            const std::size_t end = std::min(text_.find_first_of(eol, at), text_.size());
            const std::string_view line = text_.substr(at, end - at);
            if (line.starts_with("%%BeginDocument")) {
                documents_.push_back(at);
            } else if (line.starts_with("%%EndDocument")) {
                if (!documents_.empty()) documents_.pop_back();
            } else if (line.starts_with("%%BeginData:") || line.starts_with("%%BeginBinary:")) {
                const auto next = skip_data(line, end);
                if (!next) return "%%BeginData at byte " + std::to_string(at) + " is not closed";
                at = *next;
                continue;
            }
            at = end;
        }
        if (documents_.empty()) return std::nullopt;
        return "%%BeginDocument at byte " + std::to_string(documents_.back()) + " is not closed";
    }

  private:
    // Like text_.find(), block by block, telling how far it has come.
    std::size_t find(std::string_view what, std::size_t at) {
        constexpr std::size_t block = 4U << 20U;
        while (at < text_.size()) {
            if (at >= told_ + block && passed_) passed_(told_ = at);
            const std::size_t found = text_.substr(at, block + what.size() - 1).find(what);
            if (found != std::string_view::npos) return at + found;
            at += block;
        }
        return std::string_view::npos;
    }

    std::optional<std::size_t> skip_data(std::string_view line, std::size_t end) {
        const std::string_view closing = line.starts_with("%%BeginData:") ? "%%EndData" : "%%EndBinary";
        const auto fields = split_blank(line.substr(line.find(':') + 1));
        const auto count = parse_u64(fields.empty() ? std::string_view() : fields[0]);
        const bool lines = fields.size() > 2 && equals_ignoring_case(fields[2], "Lines");
        std::size_t from = end;
        if (from < text_.size() && text_[from] == '\r') ++from;
        if (from < text_.size() && text_[from] == '\n') ++from;
        if (count && !lines) {
            const std::uint64_t bytes = count.value_or(0);  // g++ 12 can't see that the optional is set
            if (bytes > text_.size() - from) return std::nullopt;
            const std::size_t landing = std::min(text_.find_first_not_of(eol, from + bytes), text_.size());
            if (text_.substr(landing).starts_with(closing)) return landing + closing.size();
        }
        // No usable count, or one that does not land: look for the closing line itself.
        for (std::size_t at = from; (at = find(closing, at)) != std::string_view::npos; at += closing.size()) {
            if (eol.find(text_[at - 1]) != std::string_view::npos) return at + closing.size();
        }
        return std::nullopt;
    }

    std::string_view text_;
    const std::function<void(std::size_t)>& passed_;
    std::size_t from_, told_ = 0;
    std::vector<std::size_t> documents_;
};

}  // namespace

TailVerdict check_tail(std::span<const std::byte> document, const std::function<void(std::size_t)>& passed,
                       std::size_t from) {
    std::string_view text(reinterpret_cast<const char*>(document.data()), document.size());
    const bool dsc = text.substr(0, 1024).find("%!PS-Adobe") != std::string_view::npos;
    const bool marked = drop_trailer(text);
    if (text.empty()) return {TailVerdict::Tail::cut_off, "it holds no document"};
    if (const auto open = Brackets(text, passed, from).find_open()) return {TailVerdict::Tail::cut_off, *open};
    if (marked || last_line(text).starts_with("%%EOF")) return {TailVerdict::Tail::complete, {}};
    if (dsc) return {TailVerdict::Tail::cut_off, "it does not end with %%EOF"};
    return {TailVerdict::Tail::no_end_mark, "it has no end mark (%%EOF, UEL or ^D)"};
}

}  // namespace opispool::spooler

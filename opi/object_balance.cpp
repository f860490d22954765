// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/object_balance.h"

#include <array>
#include <string>

#include "opi/dsc_scanner.h"

namespace opispool::opi {

namespace {

constexpr std::uint64_t reach_bytes = 256U << 10U;

struct Pair {
    std::string_view open, close;
    int depth = 0;
};

class Counter {
  public:
    void read(std::string_view text) {
        std::size_t i = 0;
        while (i < text.size()) {
            const char c = text[i];
            if (is_data(c)) {  // image data, where braces mean nothing
                braces_ = 0;
                ++i;
            } else if (c == '%') {
                while (i < text.size() && text[i] != '\n' && text[i] != '\r' && !is_data(text[i])) ++i;
            } else if (c == '(') {
                i = behind_string(text, i);
            } else if (is_regular(c)) {
                const std::size_t start = i;
                while (i < text.size() && is_regular(text[i])) ++i;
                word(text.substr(start, i - start), start > 0 ? text[start - 1] : ' ');
            } else {
                braces_ += c == '{';
                braces_ -= c == '}' && braces_ > 0;
                ++i;
            }
        }
    }

    bool balanced() const {
        for (const Pair& pair : pairs_)
            if (pair.depth != 0) return false;
        return true;
    }

  private:
    static bool is_regular(char c) {
        static constexpr std::string_view special(" \t\r\n\f\0()<>[]{}/%", 17);
        return special.find(c) == std::string_view::npos;
    }

    static bool is_data(char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r' && byte != '\f' && byte != 0;
    }

    // A string that does not close within 4 KiB of text was never one (image data): only its parenthesis is passed
    // over.
    static std::size_t behind_string(std::string_view text, std::size_t i) {
        int depth = 0;
        for (std::size_t j = i; j < text.size() && j - i < 4096 && !is_data(text[j]); ++j) {
            if (text[j] == '\\')
                ++j;
            else if (text[j] == '(')
                ++depth;
            else if (text[j] == ')' && --depth == 0)
                return j + 1;
        }
        return i + 1;
    }

    void word(std::string_view text, char before) {
        if (braces_ > 0 || before == '/') return;
        for (Pair& pair : pairs_) {
            pair.depth += text == pair.open;
            pair.depth -= text == pair.close;
        }
    }

    std::array<Pair, 3> pairs_{{{"gsave", "grestore"}, {"save", "restore"}, {"begin", "end"}}};
    int braces_ = 0;
};

}  // namespace

namespace {

// Text between the counted data of the object.
void read_around_data(Counter& counter, const std::string& text) {
    MemoryByteSource source(text);
    DscScanner scanner(source);
    std::uint64_t at = 0;
    while (auto line = scanner.next()) {
        if (!line->counted) continue;
        counter.read(std::string_view(text).substr(at, line->begin_bytes - at));
        at = scanner.position_bytes();
    }
    counter.read(std::string_view(text).substr(at));
}

}  // namespace

bool is_balanced_object(ByteSource& source, std::uint64_t begin_bytes, std::uint64_t end_bytes) {
    Counter counter;
    const std::uint64_t size = end_bytes - begin_bytes;
    if (size <= 2 * reach_bytes) {
        read_around_data(counter, source.copy(begin_bytes, static_cast<std::size_t>(size)));
    } else {
        counter.read(source.copy(begin_bytes, reach_bytes));
        counter.read(source.copy(end_bytes - reach_bytes, reach_bytes));
    }
    return counter.balanced();
}

}  // namespace opispool::opi

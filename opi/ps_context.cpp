// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/ps_context.h"

#include "base/byte_search.h"

namespace opispool::opi {

namespace {

bool is_data_byte(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r' && byte != '\f';
}

ByteVector are_data_bytes(ByteVector b) {
    return ByteVector((b < 0x20) & (b != '\t') & (b != '\n') & (b != '\r') & (b != '\f'));
}

// Bytes that can change what take() knows, outside of comments and strings, and inside a comment: all others may be
// passed over.
std::size_t first_telling(std::string_view code) {
    return find_byte(
        code,
        [](ByteVector b) { return are_data_bytes(b) | ByteVector((b == '(') | (b == '%') | (b == '{') | (b == '}')); },
        [](char c) { return is_data_byte(c) || c == '(' || c == '%' || c == '{' || c == '}'; });
}

std::size_t first_telling_in_comment(std::string_view comment) {
    return find_byte(
        comment, [](ByteVector b) { return are_data_bytes(b) | ByteVector((b == '\n') | (b == '\r')); },
        [](char c) { return is_data_byte(c) || c == '\n' || c == '\r'; });
}

}  // namespace

void PsContext::skip(std::uint64_t begin_bytes, std::uint64_t end_bytes) {
    marks_.push_back({begin_bytes, end_bytes, false});
}

void PsContext::reset_at(std::uint64_t offset_bytes) {
    marks_.push_back({offset_bytes, offset_bytes, true});
}

void PsContext::resume_behind(std::uint64_t offset_bytes, bool inside_procedure) {
    while (next_mark_ < marks_.size() && marks_[next_mark_].end <= offset_bytes) ++next_mark_;
    position_ = std::max(position_, offset_bytes);
    parentheses_ = 0;
    braces_ = inside_procedure ? std::max(braces_, 1) : 0;
    in_comment_ = escaped_ = false;
}

void PsContext::take(char c) {
    if (is_data_byte(c)) {
        parentheses_ = braces_ = 0;
        in_comment_ = true;  // the rest of the line is data as well
        escaped_ = false;
    } else if (in_comment_) {
        in_comment_ = c != '\n' && c != '\r';
    } else if (escaped_) {
        escaped_ = false;
    } else if (parentheses_ > 0) {
        if (c == '\\') escaped_ = true;
        if (c == '(') ++parentheses_;
        if (c == ')') --parentheses_;
        if (c == '>' && previous_ == '~') parentheses_ = 0;  // ASCII85 data mistaken for a string
    } else if (c == '(') {
        parentheses_ = 1;
        string_begin_ = here_;
    } else if (c == '%') {
        in_comment_ = true;
    } else if (c == '{') {
        ++braces_;
    } else if (c == '}') {
        braces_ = braces_ > 0 ? braces_ - 1 : 0;
    }
    previous_ = c;
}

void PsContext::read_text(std::uint64_t from, std::uint64_t to) {
    while (from < to) {
        const std::string_view window = source_.window(from);
        if (window.empty()) return;
        const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(window.size(), to - from));
        const std::string_view text = window.substr(0, length);
        for (std::size_t i = 0; i < length; ++i) {
            if (parentheses_ == 0 && !escaped_) {
                i += in_comment_ ? first_telling_in_comment(text.substr(i)) : first_telling(text.substr(i));
                if (i == length) break;
            }
            here_ = from + i;
            take(text[i]);
        }
        from += length;
    }
}

void PsContext::read_to(std::uint64_t offset_bytes) {
    while (next_mark_ < marks_.size() && marks_[next_mark_].begin <= offset_bytes) {
        const Mark& mark = marks_[next_mark_++];
        if (mark.begin > position_) read_text(position_, mark.begin);
        position_ = std::max(position_, mark.end);
        // A page can begin neither inside a string nor inside a procedure unless the text is no comment at all.
        if (mark.reset && (parentheses_ == 0 || !closes_soon(mark.begin))) parentheses_ = braces_ = 0;
        in_comment_ = false;
    }
    if (offset_bytes > position_) read_text(position_, offset_bytes);
    position_ = std::max(position_, offset_bytes);
}

bool PsContext::closes_soon(std::uint64_t offset_bytes) {
    int depth = parentheses_;
    bool escape = false;
    char before = 0;
    const std::string ahead = source_.copy(offset_bytes, string_reach_bytes);
    for (const char c : ahead) {
        if (is_data_byte(c) || (c == '>' && before == '~')) return false;
        if (escape) {
            escape = false;
        } else if (c == '\\') {
            escape = true;
        } else if (c == '(') {
            ++depth;
        } else if (c == ')' && --depth == 0) {
            return true;
        }
        before = c;
    }
    return false;
}

bool PsContext::in_string(std::uint64_t offset_bytes) {
    read_to(offset_bytes);
    if (parentheses_ == 0 || offset_bytes - string_begin_ > string_reach_bytes) return false;
    return closes_soon(offset_bytes);
}

bool PsContext::in_procedure(std::uint64_t offset_bytes) {
    read_to(offset_bytes);
    return braces_ > 0 && parentheses_ == 0;
}

}  // namespace opispool::opi

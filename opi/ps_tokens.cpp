// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/ps_tokens.h"

#include "base/text.h"

namespace opispool::opi {

namespace {

bool is_blank(int c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == 0;
}

bool is_regular(int c) {
    return c >= 0 && !is_blank(c) &&
           std::string_view("()<>[]{}/%").find(static_cast<char>(c)) == std::string_view::npos;
}

int hex_digit(int c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

int PsTokens::peek() {
    if (position_ < window_begin_ || position_ - window_begin_ >= window_.size()) {
        window_ = source_.window(position_);
        window_begin_ = position_;
        if (window_.empty()) return -1;
    }
    return static_cast<unsigned char>(window_[static_cast<std::size_t>(position_ - window_begin_)]);
}

void PsTokens::move_to(std::uint64_t offset_bytes) {
    position_ = offset_bytes;
}

std::optional<PsToken> PsTokens::bad() {
    good_ = false;
    return std::nullopt;
}

void PsTokens::skip_blanks() {
    for (int c = peek(); is_blank(c) || c == '%'; c = peek()) {
        if (c == '%')
            while (c >= 0 && c != '\n' && c != '\r') {
                ++position_;
                c = peek();
            }
        else
            ++position_;
    }
}

// One blank closes a name or number; CR LF is one line end.
void PsTokens::take_blank() {
    const int c = peek();
    if (!is_blank(c)) return;
    ++position_;
    if (c == '\r' && peek() == '\n') ++position_;
}

std::string PsTokens::regular() {
    std::string out;
    while (is_regular(peek()) && out.size() <= max_token_bytes) {
        out += static_cast<char>(peek());
        ++position_;
    }
    return out;
}

std::optional<PsToken> PsTokens::next() {
    using Kind = PsToken::Kind;
    if (!good_) return std::nullopt;
    skip_blanks();
    const int c = peek();
    if (c < 0) return std::nullopt;
    if (is_regular(c)) {
        PsToken token{Kind::name, regular(), 0};
        if (token.text.size() > max_token_bytes) return bad();
        take_blank();
        if (const auto number = parse_real(token.text)) {
            token.kind = Kind::number;
            token.number = *number;
        }
        return token;
    }
    ++position_;
    switch (c) {
        case '{':
            return PsToken{Kind::open, "{", 0};
        case '}':
            return PsToken{Kind::close, "}", 0};
        case '[':
            return PsToken{Kind::name, "[", 0};
        case ']':
            return PsToken{Kind::name, "]", 0};
        case '(':
            return text_string();
        case '<':
            return angle();
        case '>':
            if (peek() != '>') return bad();
            ++position_;
            return PsToken{Kind::name, ">>", 0};
        case '/': {
            PsToken token{Kind::literal, {}, 0};
            if (peek() == '/') {
                ++position_;
                token.kind = Kind::immediate;
            }
            token.text = regular();
            take_blank();
            return token;
        }
        default:
            return bad();
    }
}

std::optional<PsToken> PsTokens::text_string() {
    PsToken token{PsToken::Kind::string, {}, 0};
    int depth = 1;
    while (token.text.size() <= max_token_bytes) {
        const int c = peek();
        if (c < 0) return bad();
        ++position_;
        if (c == '\\') {
            take_escape(token.text);
            continue;
        }
        depth += c == '(';
        depth -= c == ')';
        if (depth == 0) return token;
        token.text += static_cast<char>(c);
    }
    return bad();
}

// Strings of plates are buffers or names: of the escapes only the octal one changes the length.
void PsTokens::take_escape(std::string& out) {
    int c = peek();
    if (c < 0) return;
    ++position_;
    if (c == '\r' || c == '\n') {
        if (c == '\r' && peek() == '\n') ++position_;
        return;
    }
    int value = 0, digits = 0;
    for (; digits < 3 && c >= '0' && c <= '7'; ++digits) {
        value = value * 8 + (c - '0');
        c = peek();
        if (digits < 2 && c >= '0' && c <= '7') ++position_;
    }
    out += static_cast<char>(digits > 0 ? value & 0xFF : c);
}

std::optional<PsToken> PsTokens::angle() {
    if (peek() == '<') {
        ++position_;
        return PsToken{PsToken::Kind::name, "<<", 0};
    }
    if (peek() == '~') return bad();
    return hex_string();
}

std::optional<PsToken> PsTokens::hex_string() {
    PsToken token{PsToken::Kind::string, {}, 0};
    int high = -1;
    while (token.text.size() <= max_token_bytes) {
        const int c = peek();
        if (c < 0) return bad();
        ++position_;
        if (c == '>') {
            if (high >= 0) token.text += static_cast<char>(high << 4);
            return token;
        }
        const int digit = hex_digit(c);
        if (digit < 0 && !is_blank(c)) return bad();
        if (digit < 0) continue;
        if (high >= 0) token.text += static_cast<char>(high << 4 | digit);
        high = high >= 0 ? -1 : digit;
    }
    return bad();
}

}  // namespace opispool::opi

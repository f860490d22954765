// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/intake/lpd_protocol.h"

#include <algorithm>

#include "base/text.h"

namespace opispool::spooler {

namespace {

constexpr char lf = '\n';

// RFC 1179 section 7 allows SP, HT, VT and FF between operands; CR LF line ends occur.
std::vector<std::string> split_operands(std::string_view text) {
    std::vector<std::string> fields;
    std::size_t at = 0;
    while ((at = text.find_first_not_of(" \t\v\f\r", at)) != std::string_view::npos) {
        const std::size_t end = std::min(text.find_first_of(" \t\v\f\r", at), text.size());
        fields.emplace_back(text.substr(at, end - at));
        at = end;
    }
    return fields;
}

}  // namespace

bool is_until_close(std::uint64_t count_bytes) {
    constexpr std::uint64_t cups_stream_32_bit = 2'147'483'647;  // its 64-bit form, 999999999999, is above the limit
    constexpr std::uint64_t absurd = 100'000'000'000;            // Windows without byte counting and the like
    return count_bytes == 0 || count_bytes == cups_stream_32_bit || count_bytes >= absurd;
}

std::optional<LpdEvent> LpdParser::next(std::span<const std::byte>& input) {
    if (input.empty()) return std::nullopt;
    switch (state_) {
        case State::command:
        case State::subcommand:
            return next_line(input);
        case State::data: {
            const std::uint64_t left = until_close_ ? input.size() : count_ - arrived_;
            const auto take = static_cast<std::size_t>(std::min<std::uint64_t>(left, input.size()));
            LpdEvent event;
            event.kind = LpdEvent::Kind::data;
            event.control = control_;
            event.data = input.first(take);
            input = input.subspan(take);
            arrived_ += take;
            if (!until_close_ && arrived_ == count_) state_ = State::terminator;
            return event;
        }
        case State::terminator:
            if (input.front() != std::byte{0})
                return broken("the byte after the announced " + std::to_string(count_) +
                              " is not 00; the file may be longer than announced");
            input = input.subspan(1);
            return end_of_file(LpdEvent::Kind::file_end);
        case State::over:
            input = {};
            break;
    }
    return std::nullopt;
}

std::optional<LpdEvent> LpdParser::next_line(std::span<const std::byte>& input) {
    while (!input.empty()) {
        const char byte = static_cast<char>(input.front());
        input = input.subspan(1);
        if (byte == lf && !line_.empty()) {
            LpdEvent event = parse_line();
            line_.clear();
            return event;
        }
        line_ += byte;
        if (line_.size() == 1 && (byte < 1 || byte > 5 || (state_ == State::subcommand && byte > 3))) {
            if (state_ == State::command) return broken("not an LPD command");
            // PLP sends one more 00 when all is over; whatever it is, the files before it were complete.
            state_ = State::over;
            return LpdEvent();
        }
        if (line_.size() > max_line_bytes) return broken("command line too long");
    }
    return std::nullopt;
}

LpdEvent LpdParser::parse_line() {
    if (state_ == State::command) return parse_command();
    const std::string_view operands = std::string_view(line_).substr(1);
    if (line_[0] == 1) {
        LpdEvent event;
        event.kind = LpdEvent::Kind::abort;
        return event;
    }
    // A queue line again: Apple's old client repeats it inside a job, others start their next job with it.
    if (line_[0] == 2 && split_operands(operands).size() == 1) return parse_command();
    return parse_file(operands, line_[0] == 2);
}

LpdEvent LpdParser::parse_command() {
    std::vector<std::string> fields = split_operands(std::string_view(line_).substr(1));
    if (fields.empty()) return broken("command without a queue");
    LpdEvent event;
    event.kind = LpdEvent::Kind::command;
    event.code = line_[0];
    event.queue = fields.front().substr(0, fields.front().find('?'));
    event.operands.assign(fields.begin() + 1, fields.end());
    if (event.code == 2)
        state_ = State::subcommand;
    else
        state_ = State::over;
    return event;
}

LpdEvent LpdParser::parse_file(std::string_view operands, bool control) {
    const std::vector<std::string> fields = split_operands(operands);
    const auto count = fields.empty() ? std::nullopt : parse_u64(fields[0]);
    if (!count) return broken("file without a valid byte count");
    LpdEvent event;
    event.kind = LpdEvent::Kind::file_begin;
    event.control = control_ = control;
    event.count_bytes = count_ = *count;
    // Only for data: a control file is short, and its length is always known.
    event.until_close = until_close_ = !control && is_until_close(*count);
    if (fields.size() > 1) event.name = fields[1];
    arrived_ = 0;
    state_ = count_ == 0 && !until_close_ ? State::terminator : State::data;
    return event;
}

LpdEvent LpdParser::broken(std::string text) {
    state_ = State::over;
    LpdEvent event;
    event.kind = LpdEvent::Kind::bad;
    event.control = control_;
    event.text = std::move(text);
    return event;
}

LpdEvent LpdParser::end_of_file(LpdEvent::Kind kind) {
    state_ = State::subcommand;
    LpdEvent event;
    event.kind = kind;
    event.control = control_;
    event.until_close = until_close_;
    event.count_bytes = count_;
    event.arrived_bytes = arrived_;
    return event;
}

LpdEvent LpdParser::finish() {
    const State was = state_;
    LpdEvent event;
    // All announced bytes are here in state `terminator`; that a client closes instead of sending 00 changes nothing.
    if (was == State::terminator || (was == State::data && until_close_))
        event = end_of_file(LpdEvent::Kind::file_end);
    else if (was == State::data)
        event = end_of_file(LpdEvent::Kind::short_file);
    state_ = State::over;
    return event;
}

}  // namespace opispool::spooler

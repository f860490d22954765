// SPDX-License-Identifier: AGPL-3.0-or-later
#include "rip_out/rip_messages.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace opispool::rip_out {

namespace {

constexpr char end_of_transmission = '\x04', tbcp_quote = '\x01', form_feed = '\f', escape = '\x1b';
constexpr std::string_view message_begin = "%%[", message_end = "]%%";

// PJL device codes from 40000 on ask for a person at the device (paper out, cover open); they do not fail the job.
bool asks_for_operator(std::string_view ustatus) {
    const auto at = ustatus.find("CODE=4");
    if (at == std::string_view::npos) return false;
    const std::string_view code = ustatus.substr(at + 5, 6);
    return code.size() >= 5 &&
           std::all_of(code.begin(), code.begin() + 5, [](char c) { return c >= '0' && c <= '9'; }) &&
           (code.size() == 5 || code[5] < '0' || code[5] > '9');
}

std::string_view value_of(std::string_view field, std::string_view key) {
    field = trim(field);
    if (!starts_with_ignoring_case(field, key)) return {};
    field = trim(field.substr(key.size()));
    if (field.empty() || field.front() != ':') return {};
    return trim(field.substr(1));
}

// `inside` is what stands between `%%[` and `]%%`.
RipMessage classify(std::string_view whole, std::string_view inside) {
    using Kind = RipMessage::Kind;
    RipMessage message{Kind::text, printable(trim(whole)), {}, {}};
    inside = trim(inside);
    if (starts_with_ignoring_case(inside, "Error:")) {
        message.kind = Kind::error;
        const auto end = inside.find(';');
        message.error_name = printable(value_of(inside.substr(0, end), "Error"));
        if (end != std::string_view::npos) {
            // The command may itself be `;` or hold one, so only a following `ErrorInfo` ends it.
            std::string_view rest = inside.substr(end + 1);
            const auto info = to_lower_ascii(rest).find("; errorinfo:");
            message.command = printable(value_of(rest.substr(0, info), "OffendingCommand"));
        }
    } else if (starts_with_ignoring_case(inside, "Flushing:")) {
        message.kind = Kind::flushing;
    } else if (starts_with_ignoring_case(inside, "PrinterError:")) {
        message.kind = Kind::printer_error;
    } else if (starts_with_ignoring_case(inside, "exitserver:")) {
        message.kind = Kind::exit_server;
    } else if (starts_with_ignoring_case(inside, "status:") || starts_with_ignoring_case(inside, "job:")) {
        message.kind = Kind::status;
    }
    return message;
}

void add_text(std::vector<RipMessage>& out, std::string_view text) {
    text = trim(text);
    if (!text.empty()) out.push_back(RipMessage{RipMessage::Kind::text, printable(text), {}, {}});
}

// Messages may stand anywhere in a line, between pieces of the job's own output.
void parse_line(std::string_view line, std::vector<RipMessage>& out) {
    while (!line.empty()) {
        const auto begin = line.find(message_begin);
        if (begin == std::string_view::npos) break;
        add_text(out, line.substr(0, begin));
        const std::string_view rest = line.substr(begin);
        std::size_t inside_end = rest.find(message_end, message_begin.size()), used = 0;
        if (inside_end != std::string_view::npos) {
            used = inside_end + message_end.size();
        } else {
            // Some RIPs leave out the last `%%`; a line cut short has not even the bracket.
            inside_end = rest.rfind(']');
            used = inside_end == std::string_view::npos ? rest.size() : inside_end + 1;
            inside_end = std::min(inside_end, rest.size());
        }
        out.push_back(
            classify(rest.substr(0, used), rest.substr(message_begin.size(), inside_end - message_begin.size())));
        line = rest.substr(used);
    }
    add_text(out, line);
}

}  // namespace

void RipMessageParser::end_line(std::vector<RipMessage>& out) {
    const std::string line = std::exchange(line_, {});
    const bool begins_block = line.starts_with("@PJL USTATUS");
    // A block whose form feed got lost must not swallow an error message.
    if (begins_block || line.find(message_begin) != std::string::npos ||
        ustatus_.size() + line.size() > line_limit_bytes)
        end_ustatus(out);
    if (begins_block)
        ustatus_ = trim(line);
    else if (ustatus_.empty())
        parse_line(line, out);
    else if (!trim(line).empty())
        ustatus_ += " " + std::string(trim(line));
}

void RipMessageParser::end_ustatus(std::vector<RipMessage>& out) {
    if (ustatus_.empty()) return;
    const auto kind = asks_for_operator(ustatus_) ? RipMessage::Kind::printer_error : RipMessage::Kind::status;
    out.push_back(RipMessage{kind, printable(std::exchange(ustatus_, {})), {}, {}});
}

// The line is full: let go of what is certainly text, keep a message that has begun.
void RipMessageParser::cut_line(std::vector<RipMessage>& out) {
    end_ustatus(out);
    std::size_t keep = line_.rfind(message_begin);
    if (keep != std::string::npos && line_.find(message_end, keep) != std::string::npos) keep = std::string::npos;
    if (keep == std::string::npos) {
        keep = line_.size();
        // A single `%` may be the first of a message to come; those of `]%%` end one.
        while (!line_.ends_with(message_end) && keep > line_.size() - 2 && line_[keep - 1] == '%') --keep;
    }
    if (keep == 0) keep = line_.size();
    const std::string tail = line_.substr(keep);
    line_.resize(keep);
    parse_line(line_, out);
    line_ = tail;
}

std::vector<RipMessage> RipMessageParser::feed(std::string_view bytes) {
    std::vector<RipMessage> out;
    for (char c : bytes) {
        if (quoted_) {
            c = static_cast<char>(static_cast<unsigned char>(c) ^ 0x40U);
            quoted_ = false;
            if (c == end_of_transmission) continue;
        } else if (c == tbcp_quote) {
            quoted_ = true;
            continue;
        } else if (c == '\n' || c == '\r') {
            end_line(out);
            continue;
        } else if (c == form_feed) {
            end_line(out);
            end_ustatus(out);
            continue;
        } else if (c == end_of_transmission || c == '\0') {
            continue;
        }
        line_ += c;
        // The echo of a Universal Exit Language escape says nothing.
        static constexpr std::string_view uel = "%-12345X";
        if (c == 'X' && line_.ends_with(uel) && line_.size() > uel.size() &&
            line_[line_.size() - uel.size() - 1] == escape)
            line_.resize(line_.size() - uel.size() - 1);
        if (line_.size() >= line_limit_bytes) cut_line(out);
    }
    return out;
}

std::vector<RipMessage> RipMessageParser::finish() {
    std::vector<RipMessage> out;
    end_line(out);
    end_ustatus(out);
    return out;
}

void RipMessageLog::add(RipMessage message) {
    const bool failure = message.fails_job();
    const bool repeat = !kept_.empty() && kept_.back() == message;
    if (repeat || (failure ? errors_ >= error_limit : kept_.size() - errors_ >= limit)) {
        ++dropped_;
        return;
    }
    if (failure) ++errors_;
    kept_.push_back(std::move(message));
}

const RipMessage* RipMessageLog::failure() const {
    auto of_kind = [&](RipMessage::Kind kind) {
        auto found = std::find_if(kept_.begin(), kept_.end(), [&](const RipMessage& m) { return m.kind == kind; });
        return found == kept_.end() ? nullptr : &*found;
    };
    const RipMessage* error = of_kind(RipMessage::Kind::error);
    return error != nullptr ? error : of_kind(RipMessage::Kind::flushing);
}

std::string describe_failure(const RipMessage& message) {
    if (message.kind == RipMessage::Kind::flushing) return "the RIP ignores the rest of the job";
    if (message.error_name.empty()) return message.text;
    return message.command.empty() ? message.error_name : message.error_name + " in " + message.command;
}

}  // namespace opispool::rip_out

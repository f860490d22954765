// SPDX-License-Identifier: AGPL-3.0-or-later
#include "base/result.h"

#include <array>
#include <cerrno>
#include <system_error>

namespace opispool {

std::string_view name_of(Code code) {
    static constexpr std::array<std::string_view, 17> names{
        "bad_syntax",   "bad_image", "unsupported", "not_found", "ambiguous", "not_permitted",
        "changed",      "io",        "no_space",    "too_large", "timeout",   "refused",
        "disconnected", "protocol",  "canceled",    "conflict",  "internal"};
    return names.at(static_cast<std::size_t>(code));
}

std::string_view name_of(Operation operation) {
    static constexpr std::array<std::string_view, 22> names{
        "parse",  "open",    "read",   "write",   "sync",      "rename", "remove",     "map",
        "probe",  "decode",  "encode", "resolve", "place",     "plan",   "check plan", "connect",
        "accept", "receive", "send",   "store",   "configure", "execute"};
    return names.at(static_cast<std::size_t>(operation));
}

std::string describe(const Error& error) {
    std::string line(name_of(error.operation));
    if (!error.where.empty()) line += " " + error.where;
    if (error.offset_bytes) line += " at byte " + std::to_string(*error.offset_bytes);
    return line + ": " + error.text;
}

Error error_from_errno(int errno_value, Operation operation, std::string where) {
    Code code = Code::io;
    switch (errno_value) {
        case ENOSPC:
        case EDQUOT:
            code = Code::no_space;
            break;
        case ENOENT:
        case ENOTDIR:
            code = Code::not_found;
            break;
        case EACCES:
        case EPERM:
        case EXDEV:
        case ELOOP:
            code = Code::not_permitted;
            break;
        case ETIMEDOUT:
            code = Code::timeout;
            break;
        case ECONNREFUSED:
            code = Code::refused;
            break;
        case ECONNRESET:
        case EPIPE:
            code = Code::disconnected;
            break;
        default:
            break;
    }
    return Error{code, operation, std::generic_category().message(errno_value), std::move(where), std::nullopt};
}

}  // namespace opispool

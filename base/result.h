// SPDX-License-Identifier: AGPL-3.0-or-later
// How every fallible function of the project answers: a value, or an Error that says what was tried, what went wrong
// and where. Failures of errno, libtiff, SQLite and others are turned into an Error where they enter, nowhere else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace opispool {

// For decisions only (retry, hold, abort); the text is for people.
enum class Code : std::uint8_t {
    bad_syntax,     // input breaks its own grammar
    bad_image,      // a picture file is damaged or not what it claims
    unsupported,    // understood, but deliberately not done
    not_found,      // no such file, job or queue
    ambiguous,      // more than one candidate; a choice would be a guess
    not_permitted,  // outside the store, refused by a rule, wrong state
    changed,        // a file is no longer the one that was planned
    io,             // the file system failed
    no_space,       // the file system is full
    too_large,      // over a stated limit
    timeout,        // no progress within the limit
    refused,        // the peer said no before taking bytes
    disconnected,   // the peer went away
    protocol,       // the peer broke the protocol
    canceled,       // asked to stop
    conflict,       // the state changed meanwhile
    internal,       // a bug
};

// What was being done; with `where` it makes "open store/car.tif: ..." readable.
enum class Operation : std::uint8_t {
    parse,
    open,
    read,
    write,
    sync,
    rename,
    remove,
    map,
    probe,
    decode,
    encode,
    resolve,
    place,
    plan,
    check_plan,
    connect,
    accept,
    receive,
    send,
    store,
    configure,
    execute,
};

std::string_view name_of(Code code);
std::string_view name_of(Operation operation);

struct Error {
    Code code = Code::internal;
    Operation operation = Operation::execute;
    std::string text;                           // what is wrong and what to do, one line, UTF-8
    std::string where;                          // path, or peer and protocol step; may be empty
    std::optional<std::uint64_t> offset_bytes;  // into `where`, when it is a file
};

// "open store/car.tif at byte 8: text"
std::string describe(const Error& error);

template <typename T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(Code code, Operation operation, std::string text, std::string where = {},
                                  std::optional<std::uint64_t> offset_bytes = std::nullopt) {
    return tl::unexpected<Error>(Error{code, operation, std::move(text), std::move(where), offset_bytes});
}

inline tl::unexpected<Error> fail(Error error) {
    return tl::unexpected<Error>(std::move(error));
}

// The Error of an errno value, e.g. "No space left on device", with Code no_space, not_found, not_permitted or io.
Error error_from_errno(int errno_value, Operation operation, std::string where);

}  // namespace opispool

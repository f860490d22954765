// SPDX-License-Identifier: AGPL-3.0-or-later
// IPP requests and replies as values, on top of libcups, which reads and writes the bytes and nothing else.
//   owner  each message owns its ipp_t       thread  any, one at a time
#pragma once

#include <cups/ipp.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace opispool::ipp {

struct DeleteMessage {
    void operator()(ipp_t* message) const { ippDelete(message); }
};
using MessagePtr = std::unique_ptr<ipp_t, DeleteMessage>;

class Request {
  public:
    //   attributes  whole, as AttributePart accepted them       errors  bad_syntax
    static Result<Request> parse(std::span<const std::byte> attributes);

    int major_version() const { return version(0); }
    int minor_version() const { return version(1); }
    ipp_op_t operation() const { return ippGetOperation(message_.get()); }
    std::uint32_t id() const { return static_cast<std::uint32_t>(ippGetRequestId(message_.get())); }

    // The first value of an attribute of that group; nothing if it is absent or of another kind. Texts are printable
    // UTF-8 and no longer than IPP allows (RFC 8011 5.1).
    std::optional<std::string> text(const char* name, ipp_tag_t group = IPP_TAG_OPERATION) const;
    std::optional<int> number(const char* name, ipp_tag_t group = IPP_TAG_OPERATION) const;
    std::optional<bool> flag(const char* name, ipp_tag_t group = IPP_TAG_OPERATION) const;
    std::vector<std::string> texts(const char* name) const;
    std::vector<int> numbers(const char* name) const;
    // In order, of one group; for what has to be looked at one by one.
    std::vector<ipp_attribute_t*> attributes(ipp_tag_t group) const;

  private:
    explicit Request(MessagePtr message) : message_(std::move(message)) {}
    int version(int part) const;
    ipp_attribute_t* find(const char* name, ipp_tag_t group) const;
    MessagePtr message_;
};

class Reply {
  public:
    // Carries charset and language already.    major, minor  of the request; answered in the nearest version we speak
    Reply(ipp_status_t status, std::uint32_t request_id, int major = 1, int minor = 1);
    // The message for people; cut to what IPP allows.
    void say(std::string_view text);
    void set_status(ipp_status_t status) { ippSetStatusCode(message_.get(), status); }
    ipp_status_t status() const { return ippGetStatusCode(message_.get()); }

    void text(ipp_tag_t group, ipp_tag_t kind, const char* name, std::string_view value);
    void texts(ipp_tag_t group, ipp_tag_t kind, const char* name, const std::vector<std::string>& values);
    void number(ipp_tag_t group, ipp_tag_t kind, const char* name, std::int64_t value);
    void numbers(ipp_tag_t group, ipp_tag_t kind, const char* name, const std::vector<int>& values);
    void flag(ipp_tag_t group, const char* name, bool value);
    void range(ipp_tag_t group, const char* name, int low, int high);
    void nothing(ipp_tag_t group, const char* name);  // no-value
    void copy(ipp_tag_t group, ipp_attribute_t* attribute);
    // Between two jobs, two printers.
    void separate() { ippAddSeparator(message_.get()); }

    Result<std::string> bytes() const;

  private:
    MessagePtr message_;
};

// At most `limit` bytes, never ending inside a UTF-8 sequence.
std::string cut_text(std::string_view text, std::size_t limit);

}  // namespace opispool::ipp

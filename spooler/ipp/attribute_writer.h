// SPDX-License-Identifier: AGPL-3.0-or-later
// Writes the attributes of one object, a printer or a job, but only those that the client asked for.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "spooler/ipp/ipp_message.h"

namespace opispool::ipp {

// What `requested-attributes` asks for.    source  RFC 8011 4.2.5.1
class Wanted {
  public:
    // named      the values as they came; empty means `otherwise`
    Wanted(std::vector<std::string> named, std::vector<std::string> otherwise);
    //   set  the group keyword the attribute belongs to: "job-template", "printer-description", "job-description"
    bool has(std::string_view name, std::string_view set) const;

  private:
    std::set<std::string, std::less<>> names_;
};

// The functions add nothing if the attribute is not wanted.
class AttributeWriter {
  public:
    // reply, wanted  outlive the writer
    AttributeWriter(Reply& reply, const Wanted& wanted, ipp_tag_t group)
        : reply_(reply), wanted_(wanted), group_(group) {}
    void begin_set(std::string_view set) { set_ = set; }

    void text(ipp_tag_t kind, const char* name, std::string_view value);
    void texts(ipp_tag_t kind, const char* name, const std::vector<std::string>& values);
    void number(ipp_tag_t kind, const char* name, std::int64_t value);
    void numbers(ipp_tag_t kind, const char* name, const std::vector<int>& values);
    void flag(const char* name, bool value);
    void range(const char* name, int low, int high);
    void nothing(const char* name);

  private:
    bool wants(const char* name) const { return wanted_.has(name, set_); }
    Reply& reply_;
    const Wanted& wanted_;
    ipp_tag_t group_;
    std::string_view set_;
};

}  // namespace opispool::ipp

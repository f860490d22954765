// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/ipp/attribute_writer.h"

#include <utility>

namespace opispool::ipp {

Wanted::Wanted(std::vector<std::string> named, std::vector<std::string> otherwise) {
    for (std::string& name : named.empty() ? otherwise : named) names_.insert(std::move(name));
}

bool Wanted::has(std::string_view name, std::string_view set) const {
    return names_.contains("all") || names_.contains(name) || names_.contains(set);
}

void AttributeWriter::text(ipp_tag_t kind, const char* name, std::string_view value) {
    if (wants(name)) reply_.text(group_, kind, name, value);
}

void AttributeWriter::texts(ipp_tag_t kind, const char* name, const std::vector<std::string>& values) {
    if (wants(name)) reply_.texts(group_, kind, name, values);
}

void AttributeWriter::number(ipp_tag_t kind, const char* name, std::int64_t value) {
    if (wants(name)) reply_.number(group_, kind, name, value);
}

void AttributeWriter::numbers(ipp_tag_t kind, const char* name, const std::vector<int>& values) {
    if (wants(name)) reply_.numbers(group_, kind, name, values);
}

void AttributeWriter::flag(const char* name, bool value) {
    if (wants(name)) reply_.flag(group_, name, value);
}

void AttributeWriter::range(const char* name, int low, int high) {
    if (wants(name)) reply_.range(group_, name, low, high);
}

void AttributeWriter::nothing(const char* name) {
    if (wants(name)) reply_.nothing(group_, name);
}

}  // namespace opispool::ipp

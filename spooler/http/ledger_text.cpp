// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/http/ledger_text.h"

#include <boost/json/array.hpp>
#include <cmath>

#include "base/text.h"

namespace opispool::http {

namespace {

constexpr std::int64_t ns_per_ms = 1'000'000;

std::string utf8(std::string_view text) {
    return is_valid_utf8(text) ? std::string(text) : printable(text);
}

boost::json::object json_of(const queues::LedgerEntry& entry) {
    boost::json::object object;
    object["page"] = entry.page;
    object["line"] = entry.line;
    object["asked"] = utf8(entry.asked);
    object["search"] = utf8(entry.search);
    object["file"] = utf8(entry.file);
    object["size_bytes"] = entry.size_bytes;
    object["changed_ms"] = entry.mtime_ns / ns_per_ms;
    object["width_px"] = entry.width_px;
    object["height_px"] = entry.height_px;
    object["ppi"] = static_cast<std::int64_t>(std::lround(entry.ppi));
    object["colour"] = utf8(entry.colour);
    object["crop"] = utf8(entry.crop);
    object["bytes"] = entry.bytes;
    object["problem"] = utf8(entry.problem);
    return object;
}

std::string cell(const std::string& text) {
    std::string quoted = "\"";
    if (!text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos) quoted += '\'';
    for (const char c : utf8(text)) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + "\"";
}

}  // namespace

boost::json::object json_of(queues::JobId id, const queues::Ledger& ledger) {
    boost::json::array references, changes;
    for (const queues::LedgerEntry& entry : ledger.now) references.emplace_back(json_of(entry));
    for (const std::string& line : differences(ledger)) changes.emplace_back(line);
    boost::json::object object;
    object["id"] = id.value;
    object["references"] = std::move(references);
    object["differences"] = std::move(changes);
    return object;
}

std::string csv_of(const queues::Ledger& ledger) {
    std::string text =
        "page,line,asked,file,size_bytes,changed,width_px,height_px,ppi,colour,crop,bytes,problem,search\r\n";
    for (const queues::LedgerEntry& entry : ledger.now) {
        const std::string changed = entry.mtime_ns == 0 ? "" : local_time_text(entry.mtime_ns / ns_per_ms);
        text += std::to_string(entry.page) + "," + std::to_string(entry.line) + "," + cell(entry.asked) + "," +
                cell(entry.file) + "," + std::to_string(entry.size_bytes) + "," + changed + "," +
                std::to_string(entry.width_px) + "," + std::to_string(entry.height_px) + "," +
                std::to_string(std::lround(entry.ppi)) + "," + cell(entry.colour) + "," + cell(entry.crop) + "," +
                std::to_string(entry.bytes) + "," + cell(entry.problem) + "," + cell(entry.search) + "\r\n";
    }
    return text;
}

}  // namespace opispool::http

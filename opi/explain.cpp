// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/explain.h"

#include "base/text.h"

namespace opispool::opi {

namespace {

using Kind = SearchStep::Kind;

std::string version_text(OpiVersion version) {
    return version == OpiVersion::v1_3 ? "1.3" : "2.0";
}

std::string quoted_or_null(const std::string& text) {
    return text.empty() ? "null" : json_quoted(text);
}

const char* word_of(Kind kind) {
    switch (kind) {
        case Kind::name:
            return "name";
        case Kind::rule:
            return "rule";
        case Kind::look_up:
            return "look_up";
        case Kind::candidate:
            return "candidate";
        case Kind::result:
            return "result";
    }
    return "";
}

std::string step_text(const SearchStep& step) {
    const std::string subject = printable(step.subject), text = printable(step.text);
    const std::string both = subject + (subject.empty() || text.empty() ? "" : ": ") + text;
    switch (step.kind) {
        case Kind::name:
            return "  '" + subject + "': " + text + "\n";
        case Kind::rule:
            return "    rule: " + both + "\n";
        case Kind::look_up:
            return "    looking for " + both + "\n";
        case Kind::candidate:
            return "      " + both + "\n";
        case Kind::result:
            return "    result: " + both + "\n";
    }
    return {};
}

}  // namespace

std::string explain_text(const std::string& job_name, const std::vector<ScannedReference>& references) {
    if (references.empty()) return printable(job_name) + ": no OPI references\n";
    std::string text;
    for (const ScannedReference& reference : references) {
        text += printable(job_name) + ":" + std::to_string(reference.line) + ": page " +
                std::to_string(reference.page) + ", OPI " + version_text(reference.version) + ", image '" +
                printable(reference.filename) + "'\n";
        for (const SearchStep& step : reference.steps) text += step_text(step);
        text += reference.problem.empty() ? "  found: " + printable(reference.file) + "\n"
                                          : "  problem: " + printable(reference.problem) + "\n";
        if (!reference.warning.empty()) text += "  warning: " + printable(reference.warning) + "\n";
    }
    return text;
}

std::string references_json(const std::vector<ScannedReference>& references, ScanDetail detail) {
    std::string text = "{\"references\":[";
    const char* separator = "";
    for (const ScannedReference& reference : references) {
        text += separator;
        text += "{\"opi\":\"" + version_text(reference.version) + "\",\"page\":" + std::to_string(reference.page) +
                ",\"line\":" + std::to_string(reference.line) + ",\"filename\":" + json_quoted(reference.filename) +
                ",\"file\":" + quoted_or_null(reference.file) + ",\"problem\":" + quoted_or_null(reference.problem);
        if (detail == ScanDetail::steps) {
            text += ",\"warning\":" + quoted_or_null(reference.warning) + ",\"steps\":[";
            const char* comma = "";
            for (const SearchStep& step : reference.steps) {
                text += comma;
                text += std::string("{\"step\":\"") + word_of(step.kind) +
                        "\",\"subject\":" + json_quoted(step.subject) + ",\"text\":" + json_quoted(step.text) + "}";
                comma = ",";
            }
            text += "]";
        }
        text += "}";
        separator = ",";
    }
    return text + "]}\n";
}

}  // namespace opispool::opi

// SPDX-License-Identifier: AGPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cstdio>

#include "spooler/ipp/ipp_limits.h"
#include "spooler/ipp/media_sizes.h"
#include "spooler/ipp/object_attributes.h"

namespace opispool::ipp {

using queues::JobSnapshot;
using queues::JobState;

namespace {

std::uint64_t hash_of(std::string_view text, std::uint64_t seed) {
    // FNV-1a
    std::uint64_t hash = 0xcbf29ce484222325U ^ seed;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return hash;
}

// The same each time for the same queue at the same address; version 8 of RFC 9562 says "made as its maker likes".
std::string uuid_of(const std::string& uri) {
    const std::uint64_t a = hash_of(uri, 1), b = hash_of(uri, 2);
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "urn:uuid:%08llx-%04llx-8%03llx-9%03llx-%012llx",
                  static_cast<unsigned long long>(a >> 32U), static_cast<unsigned long long>((a >> 16U) & 0xFFFFU),
                  static_cast<unsigned long long>(a & 0xFFFU), static_cast<unsigned long long>(b >> 52U),
                  static_cast<unsigned long long>(b & 0xFFFFFFFFFFFFU));
    return text.data();
}

std::vector<std::string> media_names() {
    std::vector<std::string> names;
    for (const MediaSize& size : media_sizes) names.emplace_back(size.pwg_name);
    names.emplace_back("custom_min_10x10mm");
    names.emplace_back("custom_max_5000x5000mm");
    return names;
}

void write_template(AttributeWriter& out) {
    out.begin_set("job-template");
    out.number(IPP_TAG_INTEGER, "copies-default", 1);
    out.range("copies-supported", 1, most_copies);
    out.number(IPP_TAG_ENUM, "finishings-default", IPP_FINISHINGS_NONE);
    out.number(IPP_TAG_ENUM, "finishings-supported", IPP_FINISHINGS_NONE);
    out.text(IPP_TAG_KEYWORD, "job-hold-until-default", "no-hold");
    out.texts(IPP_TAG_KEYWORD, "job-hold-until-supported", {"no-hold", "indefinite"});
    out.text(IPP_TAG_KEYWORD, "job-sheets-default", "none");
    out.text(IPP_TAG_KEYWORD, "job-sheets-supported", "none");
    out.text(IPP_TAG_KEYWORD, "media-default", media_sizes.front().pwg_name);
    out.texts(IPP_TAG_KEYWORD, "media-supported", media_names());
    out.text(IPP_TAG_KEYWORD, "multiple-document-handling-default", "separate-documents-collated-copies");
    out.text(IPP_TAG_KEYWORD, "multiple-document-handling-supported", "separate-documents-collated-copies");
    out.number(IPP_TAG_INTEGER, "number-up-default", 1);
    out.number(IPP_TAG_INTEGER, "number-up-supported", 1);
    out.number(IPP_TAG_ENUM, "orientation-requested-default", IPP_ORIENT_PORTRAIT);
    out.number(IPP_TAG_ENUM, "orientation-requested-supported", IPP_ORIENT_PORTRAIT);
    out.text(IPP_TAG_KEYWORD, "output-bin-default", "auto");
    out.text(IPP_TAG_KEYWORD, "output-bin-supported", "auto");
    out.number(IPP_TAG_ENUM, "print-quality-default", IPP_QUALITY_NORMAL);
    out.number(IPP_TAG_ENUM, "print-quality-supported", IPP_QUALITY_NORMAL);
    out.text(IPP_TAG_KEYWORD, "sides-default", "one-sided");
    out.text(IPP_TAG_KEYWORD, "sides-supported", "one-sided");
    out.texts(IPP_TAG_KEYWORD, "job-creation-attributes-supported",
              {"copies", "job-hold-until", "job-name", "media", "document-format", "compression"});
}

void write_protocol(AttributeWriter& out, const Place& place, const std::string& queue) {
    out.text(IPP_TAG_URI, "printer-uri-supported", place.printer_uri(queue));
    out.text(IPP_TAG_KEYWORD, "uri-authentication-supported", "requesting-user-name");
    out.text(IPP_TAG_KEYWORD, "uri-security-supported", "none");
    out.texts(IPP_TAG_KEYWORD, "ipp-versions-supported", {"1.1", "2.0"});
    out.numbers(IPP_TAG_ENUM, "operations-supported", std::vector<int>(operations.begin(), operations.end()));
    out.text(IPP_TAG_CHARSET, "charset-configured", "utf-8");
    out.texts(IPP_TAG_CHARSET, "charset-supported", {"utf-8", "us-ascii"});
    out.text(IPP_TAG_LANGUAGE, "natural-language-configured", "en");
    out.text(IPP_TAG_LANGUAGE, "generated-natural-language-supported", "en");
    out.texts(IPP_TAG_KEYWORD, "compression-supported", {"none", "gzip"});
    out.text(IPP_TAG_MIMETYPE, "document-format-default", document_formats.front());
    out.texts(IPP_TAG_MIMETYPE, "document-format-supported",
              std::vector<std::string>(document_formats.begin(), document_formats.end()));
    out.texts(IPP_TAG_KEYWORD, "which-jobs-supported", {"completed", "not-completed", "all"});
    out.flag("multiple-document-jobs-supported", false);
    out.number(IPP_TAG_INTEGER, "multiple-operation-time-out", open_job_time_out_s);
    out.text(IPP_TAG_KEYWORD, "multiple-operation-time-out-action", "abort-job");
    out.text(IPP_TAG_KEYWORD, "pdl-override-supported", "not-attempted");
    out.flag("job-ids-supported", true);
    out.flag("preferred-attributes-supported", false);
}

void write_state(AttributeWriter& out, const queues::Queue& queue, std::span<const JobSnapshot> jobs,
                 const Place& place) {
    std::int64_t queued = 0;
    bool busy = false;
    for (const JobSnapshot& job : jobs) {
        if (job.queue != queue.name) continue;
        ++queued;
        busy = busy || job.state == JobState::processing;
    }
    const ipp_pstate_t idle = queue.paused ? IPP_PSTATE_STOPPED : IPP_PSTATE_IDLE;
    out.number(IPP_TAG_ENUM, "printer-state", busy ? IPP_PSTATE_PROCESSING : idle);
    const char* moving = busy ? "moving-to-paused" : "paused";
    out.text(IPP_TAG_KEYWORD, "printer-state-reasons", queue.paused ? moving : "none");
    out.text(IPP_TAG_TEXT, "printer-state-message", queue.paused ? "the queue is paused" : "");
    out.flag("printer-is-accepting-jobs", queue.accepting);
    out.number(IPP_TAG_INTEGER, "queued-job-count", queued);
    out.number(IPP_TAG_INTEGER, "printer-up-time", place.up_time_s());
}

}  // namespace

void write_printer(AttributeWriter& out, const queues::Queue& queue, std::span<const JobSnapshot> jobs,
                   const Place& place) {
    write_template(out);
    out.begin_set("printer-description");
    write_protocol(out, place, queue.name);
    write_state(out, queue, jobs, place);
    const std::string shown = cut_text(queue.name, 127);
    out.text(IPP_TAG_NAME, "printer-name", shown);
    out.text(IPP_TAG_TEXT, "printer-info", shown);
    out.text(IPP_TAG_TEXT, "printer-location", "");
    out.text(IPP_TAG_TEXT, "printer-make-and-model", make_and_model);
    out.text(IPP_TAG_TEXT, "printer-device-id", "MFG:opispool;MDL:PostScript Queue;CMD:POSTSCRIPT;CLS:PRINTER;");
    out.text(IPP_TAG_URI, "printer-uuid", uuid_of(place.printer_uri(queue.name)));
    out.text(IPP_TAG_URI, "printer-more-info", place.ppd_uri(queue.name));
    out.flag("color-supported", true);
}

}  // namespace opispool::ipp

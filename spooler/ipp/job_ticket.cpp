// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/ipp/job_ticket.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.h"
#include "spooler/ipp/ipp_limits.h"

namespace opispool::ipp {

namespace {

// What the PostScript itself says; pdl-override-supported promises that nobody interferes.
constexpr std::array<std::string_view, 12> said_by_document{
    "media",         "media-col",     "sides",      "print-color-mode", "printer-resolution", "orientation-requested",
    "print-quality", "print-scaling", "output-bin", "page-ranges",      "finishings",         "finishings-col"};

bool is_one(ipp_attribute_t* attribute) {
    return ippGetCount(attribute) == 1;
}

bool is_keyword(ipp_attribute_t* attribute, std::string_view word) {
    const char* value = ippGetString(attribute, 0, nullptr);
    return is_one(attribute) && value != nullptr && word == value;
}

bool is_number(ipp_attribute_t* attribute, int low, int high) {
    const ipp_tag_t tag = ippGetValueTag(attribute);
    if (!is_one(attribute) || (tag != IPP_TAG_INTEGER && tag != IPP_TAG_ENUM)) return false;
    return ippGetInteger(attribute, 0) >= low && ippGetInteger(attribute, 0) <= high;
}

enum class Wish { met, ignored, refused };

Wish judge(ipp_attribute_t* attribute, JobTicket& ticket) {
    const std::string_view name = ippGetName(attribute);
    if (name == "copies") {
        // Another number of plates than was asked for costs money; nothing is printed rather.
        if (!is_number(attribute, 1, most_copies)) return Wish::refused;
        ticket.copies = ippGetInteger(attribute, 0);
        return Wish::met;
    }
    if (name == "job-hold-until") {
        ticket.job.hold = is_keyword(attribute, "indefinite");
        if (ticket.job.hold) ticket.job.hold_reason = "held as its sender asked; release it to print it";
        return ticket.job.hold || is_keyword(attribute, "no-hold") ? Wish::met : Wish::refused;
    }
    if (name == "number-up") return is_number(attribute, 1, 1) ? Wish::met : Wish::ignored;
    if (name == "job-sheets") return is_keyword(attribute, "none") ? Wish::met : Wish::ignored;
    if (name == "job-priority") return is_number(attribute, 1, 100) ? Wish::met : Wish::ignored;
    if (name == "multiple-document-handling") return Wish::met;
    const bool said = std::find(said_by_document.begin(), said_by_document.end(), name) != said_by_document.end();
    return said ? Wish::met : Wish::ignored;
}

std::string unmet_text(ipp_attribute_t* attribute) {
    return "'" + printable(ippGetName(attribute)) + "' has a value that is not offered";
}

std::string words(const Request& request, const char* name, std::string otherwise) {
    const auto text = request.text(name);
    return text && !text->empty() ? *text : std::move(otherwise);
}

}  // namespace

std::string user_of(const Request& request) {
    return words(request, "requesting-user-name", "anonymous");
}

tl::expected<JobTicket, Refusal> read_job_ticket(const Request& request, const std::string& peer) {
    JobTicket ticket;
    ticket.job.door = "ipp";
    ticket.job.title = words(request, "job-name", words(request, "document-name", ""));
    ticket.job.user = user_of(request);
    ticket.job.host = words(request, "job-originating-host-name", peer);
    std::vector<ipp_attribute_t*> wishes = request.attributes(IPP_TAG_JOB);
    // Some clients put these two into the wrong group. To print what shall wait, or once instead of twice, is worse
    // than to be lenient.
    for (ipp_attribute_t* attribute : request.attributes(IPP_TAG_OPERATION)) {
        const std::string_view name = ippGetName(attribute);
        if (name == "copies" || name == "job-hold-until") wishes.push_back(attribute);
    }
    const bool exactly = request.flag("ipp-attribute-fidelity").value_or(false);
    for (ipp_attribute_t* attribute : wishes) {
        const Wish wish = judge(attribute, ticket);
        if (wish == Wish::met) continue;
        if (wish == Wish::refused || exactly)
            return tl::unexpected(Refusal{IPP_STATUS_ERROR_ATTRIBUTES_OR_VALUES, unmet_text(attribute), attribute});
        ticket.ignored.push_back(attribute);
    }
    return ticket;
}

tl::expected<DocumentTicket, Refusal> read_document_ticket(const Request& request) {
    DocumentTicket ticket;
    ticket.name = words(request, "document-name", "");
    const std::string format = words(request, "document-format", std::string(document_formats.front()));
    const bool known = std::any_of(document_formats.begin(), document_formats.end(),
                                   [&](std::string_view each) { return equals_ignoring_case(each, format); });
    if (!known)
        return tl::unexpected(Refusal{IPP_STATUS_ERROR_DOCUMENT_FORMAT_NOT_SUPPORTED,
                                      "'" + format + "' is not printed here; send PostScript", nullptr});
    const std::string compression = words(request, "compression", "none");
    ticket.gzip = compression == "gzip";
    if (!ticket.gzip && compression != "none")
        return tl::unexpected(Refusal{IPP_STATUS_ERROR_COMPRESSION_NOT_SUPPORTED,
                                      "compression '" + compression + "' is not understood; use gzip or none",
                                      nullptr});
    return ticket;
}

}  // namespace opispool::ipp

// SPDX-License-Identifier: AGPL-3.0-or-later
// What this IPP door offers, in one place for the code that says so and the code that does so.
#pragma once

#include <cups/ipp.h>

#include <array>
#include <string_view>

namespace opispool::ipp {

inline constexpr int most_copies = 99;
// A job whose client began it and then said nothing for so long is given up.
inline constexpr int open_job_time_out_s = 120;
// Jobs that wait for their document at one time; each one costs a record.
inline constexpr std::size_t most_open_jobs = 500;

inline constexpr std::string_view make_and_model = "opispool PostScript Queue";

// The first one is taken when the client names none: look at the bytes.
inline constexpr std::array<std::string_view, 4> document_formats{"application/octet-stream", "application/postscript",
                                                                  "application/vnd.cups-raw",
                                                                  "application/vnd.cups-postscript"};

inline constexpr std::array<ipp_op_t, 16> operations{
    IPP_OP_PRINT_JOB,     IPP_OP_VALIDATE_JOB,       IPP_OP_CREATE_JOB,       IPP_OP_SEND_DOCUMENT,
    IPP_OP_CANCEL_JOB,    IPP_OP_GET_JOB_ATTRIBUTES, IPP_OP_GET_JOBS,         IPP_OP_GET_PRINTER_ATTRIBUTES,
    IPP_OP_HOLD_JOB,      IPP_OP_RELEASE_JOB,        IPP_OP_CANCEL_MY_JOBS,   IPP_OP_CLOSE_JOB,
    IPP_OP_PAUSE_PRINTER, IPP_OP_RESUME_PRINTER,     IPP_OP_CUPS_GET_DEFAULT, IPP_OP_CUPS_GET_PRINTERS};

}  // namespace opispool::ipp

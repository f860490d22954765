// SPDX-License-Identifier: AGPL-3.0-or-later
// IPP requests put together byte by byte, so that no library of the code under test is in them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace opispool::ipp {

class IppBytes {
  public:
    static constexpr int print_job = 0x02, validate_job = 0x04, create_job = 0x05, send_document = 0x06,
                         cancel_job = 0x08, get_job_attributes = 0x09, get_jobs = 0x0a, get_printer_attributes = 0x0b,
                         hold_job = 0x0c, release_job = 0x0d, pause_printer = 0x10, resume_printer = 0x11,
                         cancel_my_jobs = 0x39, close_job = 0x3b;

    // With charset, language and printer-uri, as every good request begins.
    static IppBytes request(int operation, const std::string& queue = "cover") {
        IppBytes made;
        made.header(operation);
        made.group(1);
        made.value(0x47, "attributes-charset", "utf-8").value(0x48, "attributes-natural-language", "en");
        return made.value(0x45, "printer-uri", "ipp://localhost/printers/" + queue);
    }

    IppBytes& header(int operation, std::uint8_t major = 1, std::uint8_t minor = 1, int id = 7) {
        text_ += {static_cast<char>(major), static_cast<char>(minor)};
        short_number(operation);
        number(id);
        return *this;
    }
    IppBytes& group(int tag) {
        text_ += static_cast<char>(tag);
        return *this;
    }
    IppBytes& value(int tag, std::string_view name, std::string_view bytes) {
        text_ += static_cast<char>(tag);
        short_number(static_cast<int>(name.size()));
        text_ += name;
        short_number(static_cast<int>(bytes.size()));
        text_ += bytes;
        return *this;
    }
    IppBytes& integer(std::string_view name, int number_value) {
        IppBytes bytes;
        bytes.number(number_value);
        return value(0x21, name, bytes.text_);
    }
    IppBytes& flag(std::string_view name, bool set) { return value(0x22, name, std::string(1, set ? '\1' : '\0')); }
    IppBytes& keyword(std::string_view name, std::string_view word) { return value(0x44, name, word); }
    IppBytes& name(std::string_view attribute, std::string_view word) { return value(0x42, attribute, word); }

    // The end of the attributes, then the document.
    std::string end(std::string_view document = {}) const { return text_ + '\3' + std::string(document); }
    const std::string& unfinished() const { return text_; }

  private:
    void short_number(int n) { text_ += {static_cast<char>((n >> 8) & 0xFF), static_cast<char>(n & 0xFF)}; }
    void number(int n) {
        short_number((n >> 16) & 0xFFFF);
        short_number(n & 0xFFFF);
    }
    std::string text_;
};

// ---- looking into a reply
inline int status_of(std::string_view reply) {
    if (reply.size() < 8) return -1;
    return (static_cast<unsigned char>(reply[2]) << 8) | static_cast<unsigned char>(reply[3]);
}
// The first integer or enum of that name; -1 if there is none.
inline int number_in(std::string_view reply, const std::string& name) {
    const std::string pattern = name + std::string("\0\4", 2);
    const auto at = reply.find(pattern);
    if (at == std::string_view::npos || at + pattern.size() + 4 > reply.size()) return -1;
    int value = 0;
    for (std::size_t i = 0; i < 4; ++i)
        value = (value << 8) | static_cast<unsigned char>(reply[at + pattern.size() + i]);
    return value;
}

}  // namespace opispool::ipp

// SPDX-License-Identifier: AGPL-3.0-or-later
#include "rip_out/lpd_control_file.h"

#include <gtest/gtest.h>

namespace opispool::rip_out {
namespace {

TEST(LpdControlFile, HasTheLinesOfTheRfc) {
    const JobTicket ticket{"42", "cover.ps", "anna", "mac7"};
    EXPECT_EQ(make_control_file(ticket, "opi.example.com", 'o'),
              "Hopi.example.com\nPanna\nJcover.ps\nodfA042opi.example.com\nUdfA042opi.example.com\nNcover.ps\n");
    EXPECT_EQ(make_lpd_names(ticket, "opi").control, "cfA042opi");
    EXPECT_EQ(make_lpd_names(JobTicket{"123456", {}, {}, {}}, "opi").data, "dfA456opi");
}

TEST(LpdControlFile, StaysAsciiOnOneLineAndWithinTheLimits) {
    const JobTicket ticket{"7",
                           "Umschlag \xC3\xBC"
                           "ber\nUroot " +
                               std::string(300, 'x'),
                           "J\xC3\xBCrgen\r\nHevil", "mac"};
    const std::string file = make_control_file(ticket,
                                               "m\xC3\xA4"
                                               "c/../7 " +
                                                   std::string(80, 'h'),
                                               'l');
    std::size_t lines = 0;
    for (std::size_t at = 0; at < file.size(); ++lines) {
        const auto end = file.find('\n', at);
        ASSERT_NE(end, std::string::npos);
        const std::string line = file.substr(at, end - at);
        EXPECT_LE(line.size(), line[0] == 'N' ? 132U : line[0] == 'J' ? 100U : 38U) << line;
        for (char c : line) EXPECT_TRUE(c >= 0x20 && c < 0x7F) << line;
        at = end + 1;
    }
    EXPECT_EQ(lines, 6U);
    EXPECT_NE(file.find("PJuergen  Hevil\n"), std::string::npos) << file;
    EXPECT_EQ(file.find('/'), std::string::npos);
}

TEST(LpdControlFile, NamesWhatHasNoName) {
    EXPECT_EQ(make_control_file(JobTicket{}, "", 'o'),
              "Hlocalhost\nPanonymous\nJjob 0\nodfA000localhost\nUdfA000localhost\nNjob 0\n");
}

TEST(LpdControlFile, Transliterates) {
    EXPECT_EQ(transliterate("J\xC3\xBCrgen S\xC3\xB8rensen, \xC5\x81\xC3\xB3"
                            "d\xC5\xBA, fa\xC3\xA7"
                            "ade, Stra\xC3\x9F"
                            "e"),
              "Juergen Soerensen, Lodz, facade, Strasse");
    EXPECT_EQ(transliterate("\xFC"
                            "ber"),
              "ueber");  // Latin-1
    EXPECT_EQ(transliterate("\xE8\xA1\xA8\xE7\xB4\x99.ps"), "__.ps");
    EXPECT_EQ(transliterate("\xC4\x80\xC5\xBF"), "As");
}

}  // namespace
}  // namespace opispool::rip_out

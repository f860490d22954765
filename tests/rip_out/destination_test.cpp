// SPDX-License-Identifier: AGPL-3.0-or-later
#include "rip_out/destination.h"

#include <gtest/gtest.h>

namespace opispool::rip_out {
namespace {

TEST(Destination, ReadsBothSchemes) {
    const auto socket = parse_destination("socket://rip1.example.com:9101");
    ASSERT_TRUE(socket);
    EXPECT_EQ(socket->scheme, Destination::Scheme::socket);
    EXPECT_EQ(socket->peer(), "rip1.example.com:9101");
    const auto lpd = parse_destination("LPD://10.0.0.7/plates%2Dcover");
    ASSERT_TRUE(lpd);
    EXPECT_EQ(lpd->scheme, Destination::Scheme::lpd);
    EXPECT_EQ(lpd->peer(), "10.0.0.7:515");
    EXPECT_EQ(lpd->queue, "plates-cover");
    EXPECT_EQ(parse_destination("socket://rip/")->port, 9100);
    EXPECT_EQ(parse_destination("lpd://rip:1515/q")->port, 1515);
}

TEST(Destination, ReadsIpv6Literals) {
    const auto to = parse_destination("socket://[fe80::1%eth0]:9100");
    ASSERT_TRUE(to);
    EXPECT_EQ(to->host, "fe80::1%eth0");
    EXPECT_EQ(to->peer(), "[fe80::1%eth0]:9100");
    EXPECT_EQ(parse_destination("lpd://[::1]/q")->port, 515);
}

TEST(Destination, RefusesWhatItCannotMean) {
    for (const char* uri : {"",
                            "rip:9100",
                            "ipp://rip/q",
                            "socket://",
                            "socket://:9100",
                            "socket://rip:0",
                            "socket://rip:65536",
                            "socket://rip:",
                            "socket://rip:91x",
                            "socket://rip/path",
                            "socket://::1:9100",
                            "socket://[::1",
                            "socket://[::1]9100",
                            "lpd://rip",
                            "lpd://rip/",
                            "lpd://rip/a%20b",
                            "lpd://rip/a%0Ab",
                            "lpd://rip/a%2",
                            "lpd://anna@rip/q",
                            "socket://rip:9100?waiteof=false",
                            "socket://r ip:9100"}) {
        const auto to = parse_destination(uri);
        ASSERT_FALSE(to) << uri;
        EXPECT_EQ(to.error().operation, Operation::configure);
        EXPECT_FALSE(to.error().text.empty());
    }
}

}  // namespace
}  // namespace opispool::rip_out

// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/config.h"

#include <gtest/gtest.h>

#include "tests/spooler/daemon_fixture.h"

namespace opispool::spooler {
namespace {

const std::string good =
    "# comment\n"
    "[listen]\n"
    "http=127.0.0.1:8632\n"
    "lpd = 127.0.0.1:5515   # unprivileged\n"
    "\n"
    "[spool]\n"
    "directory=spool\n"
    "min_free_bytes=1000000\n"
    "[store main]\n"
    "path=pictures\n"
    "[store archive]\n"
    "path=/srv/archive\n"
    "[queue cover]\n"
    "stores=main, archive\n"
    "rip=socket://127.0.0.1:9190\n"
    "socket_port=127.0.0.1:9101\n"
    "on_missing=proxy\n"
    "encoding=ascii85\n"
    "level=2\n"
    "ink=PANTONE 185 C 0 0.91 0.76 0\n"
    "ink = Gold = 0, 0.2, 0.6, 0.1\n"
    "[queue inside.2]\n"
    "rip=lpd://127.0.0.1:5516/plates\n"
    "lpd=no\n"
    "paused=yes\n"
    "lpd_format=l\n"
    "end_timeout_ms=5\n";

Result<Config> parse(const std::string& text, const Overrides& overrides = {}) {
    return parse_config(text, "opispool.conf", "/etc/opi", overrides);
}

// The message of a configuration that must not be taken.
std::string complaint(const std::string& text) {
    const auto config = parse(text);
    return config ? "taken" : config.error().where + ": " + config.error().text;
}

TEST(Config, ReadsEverySection) {
    const auto config = parse(good);
    ASSERT_TRUE(config.has_value()) << describe(config.error());
    EXPECT_EQ(to_string(config->http.value()), "127.0.0.1:8632");
    EXPECT_EQ(to_string(config->lpd.value()), "127.0.0.1:5515");
    EXPECT_EQ(config->spool_directory, "/etc/opi/spool");
    EXPECT_EQ(config->min_free_bytes, 1'000'000U);
    ASSERT_EQ(config->queues.size(), 2U);
    const QueueConfig& cover = config->queues[0];
    EXPECT_EQ(cover.name, "cover");
    EXPECT_EQ(cover.store_paths, (std::vector<std::string>{"/etc/opi/pictures", "/srv/archive"}));
    EXPECT_EQ(cover.sender.uri, "socket://127.0.0.1:9190");
    EXPECT_EQ(to_string(cover.socket.value()), "127.0.0.1:9101");
    EXPECT_EQ(cover.on_missing, opi::OnMissing::proxy);
    EXPECT_EQ(cover.profile.encoding, opi::ChannelEncoding::ascii85);
    EXPECT_EQ(cover.profile.language_level, 2);
    ASSERT_EQ(cover.profile.inks.size(), 2U);
    EXPECT_EQ(cover.profile.inks[0].name, "PANTONE 185 C");
    EXPECT_EQ(cover.profile.inks[1].name, "Gold");
    EXPECT_EQ(cover.profile.inks[1].cmyk, (std::array<double, 4>{0, 0.2, 0.6, 0.1}));
    EXPECT_NE(print_config(*config).find("\nink=PANTONE 185 C 0 0.91 0.76 0\nink=Gold 0 0.2 0.6 0.1\n"),
              std::string::npos);
    EXPECT_TRUE(cover.lpd);
    const QueueConfig& inside = config->queues[1];
    EXPECT_EQ(inside.name, "inside.2");
    EXPECT_FALSE(inside.lpd);
    EXPECT_TRUE(inside.paused);
    EXPECT_FALSE(inside.socket.has_value());
    EXPECT_EQ(inside.sender.lpd_format, 'l');
    EXPECT_EQ(inside.sender.end_timeout_ms, 5);
}

TEST(Config, HasDefaults) {
    const auto config = parse("[spool]\ndirectory=/var/spool/opispool\n");
    ASSERT_TRUE(config.has_value());
    EXPECT_EQ(to_string(config->http.value()), "127.0.0.1:8632");
    EXPECT_EQ(to_string(config->lpd.value()), "0.0.0.0:515");
    EXPECT_EQ(config->intake.idle_timeout_ms, 300'000);
    EXPECT_EQ(config->intake.max_connections, 200U);
}

TEST(Config, ShutsADoorWithAnEmptyValue) {
    const auto config = parse("[listen]\nlpd=\nhttp=\n[spool]\ndirectory=/s\n");
    ASSERT_TRUE(config.has_value());
    EXPECT_FALSE(config->lpd.has_value());
    EXPECT_FALSE(config->http.has_value());
}

TEST(Config, LetsTheCommandLineWin) {
    const auto config = parse(good, {{"listen.lpd", "127.0.0.1:7515"}, {"spool.directory", "/elsewhere"}});
    ASSERT_TRUE(config.has_value()) << describe(config.error());
    EXPECT_EQ(to_string(config->lpd.value()), "127.0.0.1:7515");
    EXPECT_EQ(config->spool_directory, "/elsewhere");
    const auto wrong = parse(good, {{"listen.lpd", "here"}});
    ASSERT_FALSE(wrong.has_value());
    EXPECT_EQ(wrong.error().where, "command line");
}

const std::string with_rules =
    "[spool]\ndirectory=/s\n[store a]\npath=/a\nmap = \"Mac HD:Jobs:\" jobs/1998/\nmap = P:\\\n[store b]\npath=/b\n"
    "map=/Volumes/B/ .\n[queue q]\nrip=socket://x\nstores=b,a\nlayouts=layouts, FPO\nlayout_suffix=.lay\n"
    "foreign_folders=hold\nsettle_ms=3000\n";

void expect_rules(const Config& config) {
    const opi::SearchRules& rules = config.queues.at(0).search;
    ASSERT_EQ(rules.maps.size(), 3U);
    EXPECT_EQ(rules.maps[0].prefix, "/Volumes/B/");
    EXPECT_EQ(rules.maps[0].store, 0U) << "the first of the queue's stores, not of the file's";
    EXPECT_EQ(rules.maps[0].folder, "");
    EXPECT_EQ(rules.maps[1].prefix, "Mac HD:Jobs:");
    EXPECT_EQ(rules.maps[1].store, 1U);
    EXPECT_EQ(rules.maps[1].folder, "jobs/1998");
    EXPECT_EQ(rules.maps[2].prefix, "P:\\");
    EXPECT_EQ(rules.layout_folders, (std::vector<std::string>{"layouts", "FPO"}));
    EXPECT_EQ(rules.layout_suffixes, (std::vector<std::string>{".lay"}));
    EXPECT_EQ(rules.foreign_folders, opi::ForeignFolders::hold);
    EXPECT_EQ(config.queues[0].settle_ms, 3000);
}

TEST(Config, ReadsHowNamesAreLookedFor) {
    const auto config = parse(with_rules);
    ASSERT_TRUE(config.has_value()) << describe(config.error());
    expect_rules(*config);
    const auto again = parse(print_config(*config));
    ASSERT_TRUE(again.has_value()) << describe(again.error()) << print_config(*config);
    expect_rules(*again);
}

TEST(Config, NamesTheLineOfABadSearchRule) {
    const std::string store = "[spool]\ndirectory=/s\n[store a]\npath=/a\n";
    for (const char* map : {"map=Mac HD:Jobs", "map=\"Mac HD:", "map=P:\\ ../x", "map=P:\\ /x", "map=", "map=/"})
        EXPECT_EQ(complaint(store + map + "\n").substr(0, 21), "opispool.conf:5: map=") << map;
    const std::string queue = "[spool]\ndirectory=/s\n[queue q]\nrip=socket://x\n";
    for (const char* key :
         {"layouts=a/b", "layout_suffix=lay", "layout_suffix=.", "foreign_folders=maybe", "settle_ms=soon", "map=P:\\"})
        EXPECT_EQ(complaint(queue + key + "\n").substr(0, 17), "opispool.conf:5: ") << key;
}

TEST(Config, NamesFileAndLineOfWhatIsWrong) {
    EXPECT_EQ(complaint("# x\n[spool]\n\ndirectroy=/s\n"),
              "opispool.conf:4: unknown key directroy; known: directory, min_free_bytes, keep_finished");
    EXPECT_EQ(complaint("[spool]\ndirectory=/s\n[printer x]\na=b\n"),
              "opispool.conf:3: unknown section [printer x]; known: listen, spool, store NAME, queue NAME");
    EXPECT_EQ(complaint("[spool]\ndirectory=/s\n[queue a/b]\nrip=socket://x\n").substr(0, 17), "opispool.conf:3: ");
    EXPECT_EQ(complaint("[spool]\ndirectory=/s\nmin_free_bytes=-1\n").substr(0, 17), "opispool.conf:3: ");
    EXPECT_EQ(complaint("[spool]\ndirectory=/s\n[queue a]\nrip=ftp://x\n").substr(0, 21), "opispool.conf:4: rip=");
    EXPECT_EQ(complaint("[spool]\ndirectory=/s\n[queue a]\nrip=socket://x\nink=Gold 1 2 3\n").substr(0, 71),
              "opispool.conf:5: ink=Gold 1 2 3: want the name of a spot ink and its CM");
    EXPECT_EQ(complaint("[spool]\ndirectory=/s\n[queue a]\nrip=socket://x\nlevel=1\n"),
              "opispool.conf:5: level=1: one of 2, 3");
    EXPECT_EQ(complaint("[spool]\ndirectory=/s\n[queue a]\nrip=socket://x\nlpd=maybe\n"),
              "opispool.conf:5: lpd=maybe: yes or no");
    EXPECT_EQ(complaint("[spool]\ndirectory=/s\n[queue a]\nrip=socket://x\nstores=b\n"),
              "opispool.conf:3: there is no [store b]");
    EXPECT_EQ(complaint("[spool]\ndirectory=/s\n[queue a]\n"), "opispool.conf:3: rip is missing");
    EXPECT_EQ(complaint("[spool]\ndirectory=/s\n[store b]\n"), "opispool.conf:3: path is missing");
    EXPECT_EQ(complaint("[spool]\ndirectory=/s\n[queue a]\nrip=socket://x\n[queue a]\nrip=socket://x\n"),
              "opispool.conf:5: [queue a] occurs twice");
    EXPECT_EQ(complaint("[spool]\ndirectory=/s\ndirectory=/t\n"), "opispool.conf:3: directory is set twice");
    EXPECT_EQ(complaint("a=b\n"), "opispool.conf:1: a stands outside every section");
    EXPECT_EQ(complaint("[listen]\n"), "opispool.conf: [spool] directory is missing");
    EXPECT_EQ(complaint("[listen]\nlpd=localhost:515\n"),
              "opispool.conf:2: lpd=localhost:515: want a numeric address, IPv6 in [ ]");
    EXPECT_EQ(complaint("[spool]\ndirectory=/s\nnonsense\n").substr(0, 13), "opispool.conf");
    EXPECT_EQ(complaint("[spool]\ndirectory=/s\n[queue a]\nrip=socket://x\nsocket_port=9100\n"
                        "[queue b]\nrip=socket://x\nsocket_port=9100\n"),
              "opispool.conf:6: socket_port is taken by another queue");
}

TEST(Config, PrintsWhatItReadsBack) {
    const auto config = parse(good);
    ASSERT_TRUE(config.has_value());
    const std::string printed = print_config(*config);
    const auto again = parse(printed);
    ASSERT_TRUE(again.has_value()) << describe(again.error()) << "\n" << printed;
    EXPECT_EQ(print_config(*again), printed);
    EXPECT_NE(printed.find("on_missing=proxy"), std::string::npos);
}

TEST(Config, ReadsAFile) {
    const TempFolder folder;
    write_file(folder.path() + "/opispool.conf", good);
    const auto config = load_config(folder.path() + "/opispool.conf");
    ASSERT_TRUE(config.has_value());
    EXPECT_EQ(config->spool_directory, folder.path() + "/spool");
    const auto none = load_config(folder.path() + "/none.conf");
    ASSERT_FALSE(none.has_value());
    EXPECT_EQ(none.error().code, Code::not_found);
}

TEST(ListenAddress, IsNumeric) {
    EXPECT_EQ(to_string(parse_listen_address("9100").value()), "0.0.0.0:9100");
    EXPECT_EQ(to_string(parse_listen_address(":9100").value()), "0.0.0.0:9100");
    EXPECT_EQ(to_string(parse_listen_address("[::1]:9100").value()), "[::1]:9100");
    EXPECT_FALSE(parse_listen_address("::1:9100").has_value());
    EXPECT_FALSE(parse_listen_address("127.0.0.1").has_value());
    EXPECT_FALSE(parse_listen_address("127.0.0.1:65536").has_value());
}

}  // namespace
}  // namespace opispool::spooler

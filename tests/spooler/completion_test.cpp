// SPDX-License-Identifier: AGPL-3.0-or-later
// The completion scripts, run by the shells they are for. A shell that is not there is not asked.
#include <gmock/gmock.h>

#include <array>
#include <cstdio>
#include <memory>
#include <sstream>

#include "spooler/cli/command.h"

namespace opispool::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

std::vector<std::string> lines_of(const std::string& command) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
    std::string text;
    std::array<char, 4096> buffer{};
    for (std::size_t got = 0; pipe && (got = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) > 0;)
        text.append(buffer.data(), got);
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

// What bash offers after "opispool WORDS" with the cursor behind the last word, which may be ''.
std::vector<std::string> completed(const std::string& words) {
    return lines_of("bash -c '. " OPISPOOL_COMPLETION "/opispool.bash; COMP_WORDS=(" OPISPOOL_TOOL " " + words +
                    "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _opispool; printf \"%s\\n\" \"${COMPREPLY[@]}\"'");
}

TEST(Completion, BashKnowsEveryCommand) {
    const std::vector<std::string> offered = completed("\"\"");
    for (const Command& command : commands()) EXPECT_THAT(offered, Contains(std::string(command.name)));
    EXPECT_THAT(completed("sto"), ElementsAre("stop-and-hold"));
}

TEST(Completion, BashKnowsTheOptionsOfACommand) {
    EXPECT_THAT(completed("schedule --a"), ElementsAre("--at"));
    EXPECT_THAT(completed("hold --"), Contains("--title"));
    EXPECT_THAT(completed("hold --"), Not(Contains("--at")));
}

TEST(Completion, TheScriptsCanBeRead) {
    for (const char* one : {"bash -n " OPISPOOL_COMPLETION "/opispool.bash", "zsh -n " OPISPOOL_COMPLETION "/_opispool",
                            "fish -n " OPISPOOL_COMPLETION "/opispool.fish"}) {
        const std::string command = one;
        const std::string shell = command.substr(0, command.find(' '));
        if (lines_of("command -v " + shell).empty()) continue;
        EXPECT_THAT(lines_of(command + " 2>&1 || echo failed"), testing::IsEmpty());
    }
}

}  // namespace
}  // namespace opispool::cli

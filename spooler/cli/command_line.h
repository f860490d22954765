// SPDX-License-Identifier: AGPL-3.0-or-later
// The command line of one subcommand on top of Boost.Program_options: declares, parses, explains itself with --help,
// and turns every mistake into one line and exit code 2.
#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <string>
#include <vector>

namespace opispool::cli {

class CommandLine {
  public:
    //   usage  what follows "opispool", e.g. "resolve --store DIR [OPTION]... [IN.ps]"; its first word is the command
    //   about  paragraphs for --help
    CommandLine(std::string usage, std::string about);

    // ---- declare
    void flag(const char* name, const char* help);  // name as in Program_options: "json" or "output,o"
    void value(const char* name, const char* metavariable, const char* help);
    void values(const char* name, const char* metavariable, const char* help);  // may be repeated
    void arguments(int at_most);  // how many words may follow the options; -1 = any number

    // Nothing if the command can go on, else the exit code it ends with (0 after --help, 2 after a complaint).
    std::optional<int> parse(const std::vector<std::string>& words);
    // complain, with the hint where help is; returns exit_usage.
    int usage_error(const std::string& text) const;

    // ---- ask, after parse()
    bool has(const char* name) const { return parsed_.count(name) > 0; }
    std::string get(const char* name, const std::string& otherwise = {}) const;
    std::vector<std::string> all(const char* name) const;
    std::vector<std::string> arguments() const { return all("argument"); }

  private:
    std::string command_, usage_, about_;
    boost::program_options::options_description visible_{"Options"}, hidden_;
    boost::program_options::variables_map parsed_;
    int at_most_ = 0;
};

}  // namespace opispool::cli

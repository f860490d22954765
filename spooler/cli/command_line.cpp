// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/cli/command_line.h"

#include <sstream>

#include "base/text.h"
#include "spooler/cli/command.h"

namespace opispool::cli {

namespace po = boost::program_options;

CommandLine::CommandLine(std::string usage, std::string about)
    : command_(usage.substr(0, usage.find(' '))), usage_(std::move(usage)), about_(std::move(about)) {
    hidden_.add_options()("argument", po::value<std::vector<std::string>>());
}

void CommandLine::flag(const char* name, const char* help) {
    visible_.add_options()(name, help);
}

void CommandLine::value(const char* name, const char* metavariable, const char* help) {
    visible_.add_options()(name, po::value<std::string>()->value_name(metavariable), help);
}

void CommandLine::values(const char* name, const char* metavariable, const char* help) {
    visible_.add_options()(name, po::value<std::vector<std::string>>()->composing()->value_name(metavariable), help);
}

void CommandLine::arguments(int at_most) {
    at_most_ = at_most;
}

std::optional<int> CommandLine::parse(const std::vector<std::string>& words) {
    visible_.add_options()("help,h", "explain this command");
    po::options_description every;
    every.add(visible_).add(hidden_);
    po::positional_options_description positions;
    positions.add("argument", -1);
    // Abbreviations would change their meaning with the next option that is added.
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    try {
        po::store(po::command_line_parser(words).options(every).positional(positions).style(style).run(), parsed_);
        po::notify(parsed_);
    } catch (const po::error& error) {
        return usage_error(printable(error.what()));
    }
    if (has("help")) {
        std::ostringstream text;
        text << "Usage: opispool " << usage_ << "\n\n" << about_ << "\n" << visible_;
        return print(text.str());
    }
    const std::size_t given = arguments().size();
    if (at_most_ >= 0 && given > static_cast<std::size_t>(at_most_))
        return usage_error("'" + printable(arguments()[static_cast<std::size_t>(at_most_)]) +
                           "' is one argument too many");
    return std::nullopt;
}

int CommandLine::usage_error(const std::string& text) const {
    return cli::usage_error(command_, text);
}

std::string CommandLine::get(const char* name, const std::string& otherwise) const {
    return has(name) ? parsed_[name].as<std::string>() : otherwise;
}

std::vector<std::string> CommandLine::all(const char* name) const {
    return has(name) ? parsed_[name].as<std::vector<std::string>>() : std::vector<std::string>();
}

}  // namespace opispool::cli

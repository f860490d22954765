// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/command_line.h"

#include <boost/program_options/errors.hpp>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/positional_options.hpp>
#include <boost/program_options/value_semantic.hpp>
#include <boost/program_options/variables_map.hpp>
#include <sstream>

namespace opispool::spooler {

namespace po = boost::program_options;

namespace {

po::options_description describe_options() {
    po::options_description options("opispoold --config FILE [options]");
    auto add = options.add_options();
    add("config,c", po::value<std::string>()->value_name("FILE"), "read this configuration");
    add("check-config", "print the effective values and exit: 0 good, 2 bad");
    add("debug", "log more");
    add("help,h", "print this");
    add("version", "print the version");
    for (const char* key : {"listen.http", "listen.lpd", "spool.directory", "spool.min_free_bytes"})
        add(key, po::value<std::string>()->value_name("VALUE"), "instead of the value in FILE");
    return options;
}

}  // namespace

Result<DaemonOptions> parse_daemon_options(int argc, const char* const* argv) {
    DaemonOptions options;
    try {
        po::variables_map values;
        const po::positional_options_description none;
        po::store(po::command_line_parser(argc, argv).options(describe_options()).positional(none).run(), values);
        po::notify(values);
        options.help = values.count("help") > 0;
        options.version = values.count("version") > 0;
        options.check_config = values.count("check-config") > 0;
        options.debug = values.count("debug") > 0;
        if (values.count("config") > 0) options.config_path = values["config"].as<std::string>();
        for (const auto& [key, value] : values)
            if (key.find('.') != std::string::npos) options.overrides.emplace_back(key, value.as<std::string>());
    } catch (const po::error& error) {
        return fail(Code::bad_syntax, Operation::configure, error.what(), "command line");
    }
    if (options.config_path.empty() && !options.help && !options.version)
        return fail(Code::bad_syntax, Operation::configure, "--config FILE is missing; see --help", "command line");
    return options;
}

std::string daemon_help() {
    std::ostringstream text;
    text << describe_options();
    return text.str();
}

}  // namespace opispool::spooler

// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/config.h"

#include <algorithm>
#include <boost/program_options/config.hpp>
#include <boost/program_options/errors.hpp>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/text.h"
#include "spooler/config_keys.h"

namespace opispool::spooler {

namespace {

struct Item {
    std::string section, key, value, where;
};

// Boost.Program_options forgets line numbers; its grammar is simple enough to find them again: the n-th option stands
// on the n-th line that has a '=' and is no section, comments cut off.
struct Lines {
    std::vector<std::size_t> options;
    std::vector<std::pair<std::string, std::size_t>> sections;
};

Lines find_lines(const std::string& text) {
    Lines lines;
    std::istringstream stream(text);
    std::string raw;
    for (std::size_t number = 1; std::getline(stream, raw); ++number) {
        const std::string_view line = trim(std::string_view(raw).substr(0, raw.find('#')));
        if (line.empty()) continue;
        if (line.front() == '[' && line.back() == ']')
            lines.sections.emplace_back(std::string(trim(line.substr(1, line.size() - 2))), number);
        else
            lines.options.push_back(number);
    }
    return lines;
}

std::string at_line(const std::string& name, std::size_t line) {
    return name + ":" + std::to_string(line);
}

Result<std::vector<Item>> read_items(const std::string& text, const std::string& name, const Lines& lines) {
    namespace po = boost::program_options;
    std::vector<Item> items;
    try {
        std::istringstream stream(text);
        const po::options_description none;
        const auto parsed = po::parse_config_file(stream, none, true);
        for (const auto& option : parsed.options) {
            const std::size_t dot = option.string_key.rfind('.');
            const std::size_t line = items.size() < lines.options.size() ? lines.options[items.size()] : 0;
            Item item;
            item.section = dot == std::string::npos ? std::string() : option.string_key.substr(0, dot);
            item.key = dot == std::string::npos ? option.string_key : option.string_key.substr(dot + 1);
            item.value = option.value.empty() ? std::string() : option.value.front();
            item.where = at_line(name, line);
            items.push_back(std::move(item));
        }
    } catch (const po::error& error) {
        return fail(Code::bad_syntax, Operation::configure, error.what(), name);
    }
    return items;
}

bool is_name(std::string_view text) {
    static constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    return !text.empty() && text.size() <= 100 && text.find_first_not_of(allowed) == std::string_view::npos;
}

// Finds or makes the record a section means and lends its keys out.
class Builder {
  public:
    Builder(Config& config, std::string folder) : config_(config), folder_(std::move(folder)) {}

    Result<void> open_section(const std::string& section, const std::string& where) {
        if (section == "listen" || section == "spool") return {};
        const std::size_t blank = section.find_first_of(" \t");
        const std::string kind = section.substr(0, blank);
        const std::string name(blank == std::string::npos ? "" : trim(std::string_view(section).substr(blank)));
        if (kind != "store" && kind != "queue")
            return fail(Code::bad_syntax, Operation::configure,
                        "unknown section [" + section + "]; known: listen, spool, store NAME, queue NAME", where);
        if (!is_name(name))
            return fail(Code::bad_syntax, Operation::configure,
                        "[" + section + "] needs a name of letters, digits, '_', '-' and '.'", where);
        if (!sections_.insert(kind + " " + name).second)
            return fail(Code::bad_syntax, Operation::configure, "[" + section + "] occurs twice", where);
        if (kind == "store") {
            config_.stores.push_back({name, {}, {}});
        } else {
            config_.queues.emplace_back();
            config_.queues.back().name = name;
        }
        where_[kind + " " + name] = where;
        return {};
    }

    Result<void> set(const Item& item) {
        if (!keys_.insert(item.section + "." + item.key).second && !may_repeat(item.key) && item.where != command_line)
            return fail(Code::bad_syntax, Operation::configure, item.key + " is set twice", item.where);
        auto done = assign(item);
        if (!done && done.error().where.empty()) done.error().where = item.where;
        return done;
    }

    // What can only be said when everything is read.
    Result<void> finish() {
        if (config_.spool_directory.empty())
            return fail(Code::bad_syntax, Operation::configure, "[spool] directory is missing");
        for (const StoreConfig& store : config_.stores) {
            if (store.path.empty())
                return fail(Code::bad_syntax, Operation::configure, "path is missing", where_["store " + store.name]);
        }
        std::set<std::pair<std::string, std::uint16_t>> ports;
        for (QueueConfig& queue : config_.queues) {
            const std::string& where = where_["queue " + queue.name];
            if (queue.sender.uri.empty()) return fail(Code::bad_syntax, Operation::configure, "rip is missing", where);
            if (queue.early_start && !queue.sender.uri.starts_with("socket:"))
                return fail(Code::bad_syntax, Operation::configure,
                            "early_start needs a rip that is socket://: every other way asks for the length first",
                            where);
            if (queue.socket && queue.socket->port != 0 &&
                !ports.emplace(queue.socket->host, queue.socket->port).second)
                return fail(Code::bad_syntax, Operation::configure, "socket_port is taken by another queue", where);
            for (const std::string& name : queue.stores) {
                const auto store = std::find_if(config_.stores.begin(), config_.stores.end(),
                                                [&name](const StoreConfig& each) { return each.name == name; });
                if (store == config_.stores.end())
                    return fail(Code::bad_syntax, Operation::configure, "there is no [store " + name + "]", where);
                for (opi::PrefixMap map : store->maps) {
                    map.store = queue.store_paths.size();
                    queue.search.maps.push_back(std::move(map));
                }
                queue.store_paths.push_back(store->path);
            }
        }
        return {};
    }

    static constexpr std::string_view command_line = "command line";

  private:
    Result<void> assign(const Item& item) {
        if (item.section == "listen") return set_listen_key(config_, item.key, item.value);
        if (item.section == "spool") return set_spool_key(config_, item.key, item.value, folder_);
        const std::size_t blank = item.section.find_first_of(" \t");
        const std::string name(blank == std::string::npos ? "" : trim(std::string_view(item.section).substr(blank)));
        if (item.section.starts_with("store ")) {
            for (StoreConfig& store : config_.stores)
                if (store.name == name) return set_store_key(store, item.key, item.value, folder_);
        }
        for (QueueConfig& queue : config_.queues)
            if (queue.name == name) return set_queue_key(queue, item.key, item.value);
        return fail(Code::bad_syntax, Operation::configure, item.key + " stands outside every section");
    }

    Config& config_;
    std::string folder_;
    std::set<std::string> sections_, keys_;
    std::map<std::string, std::string> where_;
};

}  // namespace

Result<Config> parse_config(const std::string& text, const std::string& name, const std::string& folder,
                            const Overrides& overrides) {
    Config config;
    Builder builder(config, folder);
    const Lines lines = find_lines(text);
    const auto items = read_items(text, name, lines);
    if (!items) return fail(items.error());
    for (const auto& [section, line] : lines.sections) {
        if (auto opened = builder.open_section(section, at_line(name, line)); !opened) return fail(opened.error());
    }
    for (const Item& item : *items) {
        if (auto set = builder.set(item); !set) return fail(set.error());
    }
    for (const auto& [option, value] : overrides) {
        const std::size_t dot = option.find('.');
        const Item item{option.substr(0, dot), option.substr(dot + 1), value, std::string(Builder::command_line)};
        if (auto set = builder.set(item); !set) return fail(set.error());
    }
    if (auto finished = builder.finish(); !finished) {
        if (finished.error().where.empty()) finished.error().where = name;
        return fail(finished.error());
    }
    return config;
}

Result<Config> load_config(const std::string& path, const Overrides& overrides) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return fail(error_from_errno(errno, Operation::configure, path));
    std::ostringstream text;
    text << file.rdbuf();
    if (!file.good() && !file.eof()) return fail(Code::io, Operation::configure, "can't be read", path);
    std::error_code error;
    const auto absolute = std::filesystem::absolute(path, error);
    return parse_config(text.str(), path, error ? std::string(".") : absolute.parent_path().string(), overrides);
}

const QueueConfig* Config::queue(const std::string& name) const {
    const auto found = std::find_if(queues.begin(), queues.end(), [&](const QueueConfig& q) { return q.name == name; });
    return found == queues.end() ? nullptr : &*found;
}

std::vector<queues::Queue> Config::queue_records() const {
    std::vector<queues::Queue> records;
    for (const QueueConfig& queue : queues)
        records.push_back({queue.name, queue.accepting, queue.paused, queue.hold_new});
    return records;
}

}  // namespace opispool::spooler

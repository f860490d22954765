// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/config_keys.h"

#include <arpa/inet.h>

#include <array>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <sstream>
#include <string_view>

#include "base/text.h"
#include "opi/ink_setting.h"
#include "rip_out/destination.h"

namespace opispool::spooler {

namespace {

tl::unexpected<Error> wrong(const std::string& key, const std::string& value, const std::string& wanted) {
    return fail(Code::bad_syntax, Operation::configure, key + "=" + printable(value) + ": " + wanted);
}

tl::unexpected<Error> unknown(const std::string& key, const std::string& known) {
    return fail(Code::bad_syntax, Operation::configure, "unknown key " + printable(key) + "; known: " + known);
}

Result<void> set_yes_no(bool& field, const std::string& key, const std::string& value) {
    const std::string word = to_lower_ascii(value);
    if (word == "yes" || word == "true" || word == "on" || word == "1")
        field = true;
    else if (word == "no" || word == "false" || word == "off" || word == "0")
        field = false;
    else
        return wrong(key, value, "yes or no");
    return {};
}

template <typename Number>
Result<void> set_number(Number& field, const std::string& key, const std::string& value, std::uint64_t least,
                        std::uint64_t most) {
    const auto number = parse_u64(value);
    const auto fitting = number ? checked_cast<Number>(*number) : std::nullopt;
    if (!fitting || *number < least || *number > most)
        return wrong(key, value, "a number from " + std::to_string(least) + " to " + std::to_string(most));
    field = *fitting;
    return {};
}

constexpr std::uint64_t week_ms = 7ULL * 24 * 3600 * 1000;

Result<void> set_address(std::optional<ListenAddress>& field, const std::string& key, const std::string& value) {
    field.reset();
    if (value.empty()) return {};
    const auto address = parse_listen_address(value);
    if (!address) return wrong(key, value, address.error().text);
    field = *address;
    return {};
}

Result<void> set_path(std::string& field, const std::string& key, const std::string& value, const std::string& folder) {
    if (value.empty()) return wrong(key, value, "a folder");
    // An absolute value wins over the folder in operator/.
    field = (std::filesystem::path(folder) / value).lexically_normal().string();
    return {};
}

const std::string ink_key = "ink";

template <typename Value>
using Words = std::vector<std::pair<std::string_view, Value>>;

template <typename Value>
Result<void> set_word(Value& field, const std::string& key, const std::string& value, const Words<Value>& words) {
    std::string known;
    for (const auto& [word, meaning] : words) {
        if (word == value) {
            field = meaning;
            return {};
        }
        known += (known.empty() ? "" : ", ") + std::string(word);
    }
    return wrong(key, value, "one of " + known);
}

template <typename Value>
std::string word_of(Value value, const Words<Value>& words) {
    for (const auto& [word, meaning] : words)
        if (meaning == value) return std::string(word);
    return {};
}

const Words<opi::OnMissing> on_missing_words{{"hold", opi::OnMissing::fail}, {"proxy", opi::OnMissing::proxy}};
const Words<opi::ChannelEncoding> encoding_words{{"binary", opi::ChannelEncoding::binary},
                                                 {"ascii85", opi::ChannelEncoding::ascii85},
                                                 {"hex", opi::ChannelEncoding::hex}};
const Words<opi::MeasureMode> measure_words{{"never", opi::MeasureMode::never},
                                            {"when_needed", opi::MeasureMode::when_needed},
                                            {"always", opi::MeasureMode::always}};
const Words<int> level_words{{"2", 2}, {"3", 3}};

const Words<opi::ForeignFolders> foreign_folders_words{{"warn", opi::ForeignFolders::warn},
                                                       {"hold", opi::ForeignFolders::hold}};

std::vector<std::string> words_of_list(const std::string& value) {
    std::vector<std::string> words;
    std::istringstream list(value);
    for (std::string name; std::getline(list, name, ',');)
        if (const auto word = trim(name); !word.empty()) words.emplace_back(word);
    return words;
}

std::string list_text(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
    return text;
}

Result<void> set_layouts(std::vector<std::string>& field, const std::string& value) {
    field = words_of_list(value);
    for (const std::string& word : field)
        if (word.find('/') != std::string::npos) return wrong("layouts", value, "names of folders, without '/'");
    return {};
}

Result<void> set_suffixes(std::vector<std::string>& field, const std::string& value) {
    field = words_of_list(value);
    for (const std::string& word : field)
        if (word.size() < 2 || word.front() != '.')
            return wrong("layout_suffix", value, "suffixes with their dot, as .lay");
    return {};
}

// "Mac HD:Jobs:" jobs/1998: the quotes may go where the prefix has no blanks, the folder where it is the store's root.
Result<void> add_map(StoreConfig& store, const std::string& value) {
    const bool quoted = value.starts_with('"');
    const std::size_t end = quoted ? value.find('"', 1) : std::min(value.find_first_of(" \t"), value.size());
    if (end == std::string::npos) return wrong("map", value, "the quote does not end");
    opi::PrefixMap map;
    map.prefix = value.substr(quoted ? 1 : 0, quoted ? end - 1 : end);
    if (auto good = opi::check_map_prefix(map.prefix); !good) return wrong("map", value, good.error().text);
    auto folder = opi::parse_map_folder(trim(std::string_view(value).substr(quoted ? end + 1 : end)));
    if (!folder) return wrong("map", value, folder.error().text);
    map.folder = std::move(*folder);
    store.maps.push_back(std::move(map));
    return {};
}

Result<void> set_rip(QueueConfig& queue, const std::string& value) {
    if (const auto destination = rip_out::parse_destination(value); !destination)
        return wrong("rip", value, destination.error().text);
    queue.sender.uri = value;
    return {};
}

Result<void> set_format(char& field, const std::string& value) {
    if (value.size() != 1 || std::string_view("cdfglnoprtv").find(value[0]) == std::string_view::npos)
        return wrong("lpd_format", value, "one of the letters c d f g l n o p r t v");
    field = value[0];
    return {};
}

Result<void> add_ink(QueueConfig& queue, const std::string& value) {
    auto ink = opi::parse_ink_setting(value);
    if (!ink) return wrong(ink_key, value, ink.error().text);
    queue.profile.inks.push_back(std::move(*ink));
    return {};
}

using QueueKey = std::function<Result<void>(QueueConfig&, const std::string& key, const std::string& value)>;
using Q = QueueConfig;
using S = const std::string;

// One row per key; a key that is missing here does not exist.
const std::map<std::string, QueueKey>& queue_keys() {
    static const std::map<std::string, QueueKey> keys{
        {"stores",
         [](Q& q, S&, S& v) {
             q.stores = words_of_list(v);
             return Result<void>();
         }},
        {"layouts", [](Q& q, S&, S& v) { return set_layouts(q.search.layout_folders, v); }},
        {"layout_suffix", [](Q& q, S&, S& v) { return set_suffixes(q.search.layout_suffixes, v); }},
        {"foreign_folders",
         [](Q& q, S& k, S& v) { return set_word(q.search.foreign_folders, k, v, foreign_folders_words); }},
        {"settle_ms", [](Q& q, S& k, S& v) { return set_number(q.settle_ms, k, v, 0, week_ms); }},
        {"rip", [](Q& q, S&, S& v) { return set_rip(q, v); }},
        {"socket_port", [](Q& q, S& k, S& v) { return set_address(q.socket, k, v); }},
        {"lpd", [](Q& q, S& k, S& v) { return set_yes_no(q.lpd, k, v); }},
        {"early_start", [](Q& q, S& k, S& v) { return set_yes_no(q.early_start, k, v); }},
        {"paused", [](Q& q, S& k, S& v) { return set_yes_no(q.paused, k, v); }},
        {"hold_new", [](Q& q, S& k, S& v) { return set_yes_no(q.hold_new, k, v); }},
        {"accepting", [](Q& q, S& k, S& v) { return set_yes_no(q.accepting, k, v); }},
        {"on_missing", [](Q& q, S& k, S& v) { return set_word(q.on_missing, k, v, on_missing_words); }},
        {"encoding", [](Q& q, S& k, S& v) { return set_word(q.profile.encoding, k, v, encoding_words); }},
        {"level", [](Q& q, S& k, S& v) { return set_word(q.profile.language_level, k, v, level_words); }},
        {"gray_as_black", [](Q& q, S& k, S& v) { return set_yes_no(q.profile.gray_as_black, k, v); }},
        {ink_key, [](Q& q, S&, S& v) { return add_ink(q, v); }},
        {"min_ppi", [](Q& q, S& k, S& v) { return set_number(q.min_ppi, k, v, 0, 10'000); }},
        {"warn_rgb", [](Q& q, S& k, S& v) { return set_yes_no(q.warn_rgb, k, v); }},
        {"keep_finished", [](Q& q, S& k, S& v) { return set_number(q.keep_finished.emplace(), k, v, 0, 100'000); }},
        {"keep_days", [](Q& q, S& k, S& v) { return set_number(q.keep_days, k, v, 0, 36'500); }},
        {"keep_bytes",
         [](Q& q, S& k, S& v) { return set_number(q.keep_bytes, k, v, 0, std::numeric_limits<std::int64_t>::max()); }},
        {"measure", [](Q& q, S& k, S& v) { return set_word(q.measure, k, v, measure_words); }},
        {"connect_timeout_ms",
         [](Q& q, S& k, S& v) { return set_number(q.sender.connect_timeout_ms, k, v, 1, week_ms); }},
        {"stall_timeout_ms", [](Q& q, S& k, S& v) { return set_number(q.sender.stall_timeout_ms, k, v, 1, week_ms); }},
        {"end_timeout_ms", [](Q& q, S& k, S& v) { return set_number(q.sender.end_timeout_ms, k, v, 1, week_ms); }},
        {"wait_for_close", [](Q& q, S& k, S& v) { return set_yes_no(q.sender.wait_for_close, k, v); }},
        {"send_ctrl_d", [](Q& q, S& k, S& v) { return set_yes_no(q.sender.send_ctrl_d, k, v); }},
        {"lpd_data_first", [](Q& q, S& k, S& v) { return set_yes_no(q.sender.lpd_data_first, k, v); }},
        {"lpd_format", [](Q& q, S&, S& v) { return set_format(q.sender.lpd_format, v); }},
        {"lpd_reserved_port", [](Q& q, S& k, S& v) { return set_yes_no(q.sender.lpd_reserved_port, k, v); }},
        {"lpd_require_final_ack", [](Q& q, S& k, S& v) { return set_yes_no(q.sender.lpd_require_final_ack, k, v); }},
    };
    return keys;
}

const char* yes_no(bool value) {
    return value ? "yes" : "no";
}

std::string address_text(const std::optional<ListenAddress>& address) {
    return address ? to_string(*address) : "";
}

}  // namespace

Result<void> set_listen_key(Config& config, const std::string& key, const std::string& value) {
    if (key == "http") return set_address(config.http, key, value);
    if (key == "lpd") return set_address(config.lpd, key, value);
    if (key == "idle_timeout_ms") return set_number(config.intake.idle_timeout_ms, key, value, 1, week_ms);
    if (key == "max_connections") return set_number(config.intake.max_connections, key, value, 1, 10'000);
    return unknown(key, "http, lpd, idle_timeout_ms, max_connections");
}

Result<void> set_spool_key(Config& config, const std::string& key, const std::string& value,
                           const std::string& folder) {
    if (key == "directory") return set_path(config.spool_directory, key, value, folder);
    if (key == "min_free_bytes")
        return set_number(config.min_free_bytes, key, value, 0, std::numeric_limits<std::int64_t>::max());
    if (key == "keep_finished") return set_number(config.keep_finished, key, value, 0, 100'000);
    return unknown(key, "directory, min_free_bytes, keep_finished");
}

Result<void> set_store_key(StoreConfig& store, const std::string& key, const std::string& value,
                           const std::string& folder) {
    if (key == "path") return set_path(store.path, key, value, folder);
    if (key == "map") return add_map(store, value);
    return unknown(key, "path, map");
}

Result<void> set_queue_key(QueueConfig& queue, const std::string& key, const std::string& value) {
    const auto found = queue_keys().find(key);
    if (found != queue_keys().end()) return found->second(queue, key, value);
    std::string known;
    for (const auto& [name, setter] : queue_keys()) known += (known.empty() ? "" : ", ") + name;
    return unknown(key, known);
}

bool may_repeat(const std::string& key) {
    return key == ink_key || key == "map";
}

Result<ListenAddress> parse_listen_address(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    std::string host = colon == std::string::npos ? std::string() : text.substr(0, colon);
    const auto number = parse_u64(text.substr(colon == std::string::npos ? 0 : colon + 1));
    const auto port = number ? checked_cast<std::uint16_t>(*number) : std::nullopt;
    if (!port) return fail(Code::bad_syntax, Operation::configure, "want ADDRESS:PORT, e.g. 127.0.0.1:515");
    if (host.empty()) host = "0.0.0.0";
    const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
    if (bracketed) host = host.substr(1, host.size() - 2);
    std::array<unsigned char, sizeof(in6_addr)> binary{};
    if (::inet_pton(bracketed ? AF_INET6 : AF_INET, host.c_str(), binary.data()) != 1)
        return fail(Code::bad_syntax, Operation::configure, "want a numeric address, IPv6 in [ ]");
    return ListenAddress{host, *port};
}

std::string to_string(const ListenAddress& address) {
    const bool is_v6 = address.host.find(':') != std::string::npos;
    return (is_v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

std::string print_config(const Config& config) {
    std::ostringstream out;
    out << "[listen]\nhttp=" << address_text(config.http) << "\nlpd=" << address_text(config.lpd)
        << "\nidle_timeout_ms=" << config.intake.idle_timeout_ms
        << "\nmax_connections=" << config.intake.max_connections << "\n\n[spool]\ndirectory=" << config.spool_directory
        << "\nmin_free_bytes=" << config.min_free_bytes << "\nkeep_finished=" << config.keep_finished << "\n";
    for (const StoreConfig& store : config.stores) {
        out << "\n[store " << store.name << "]\npath=" << store.path << "\n";
        for (const opi::PrefixMap& map : store.maps)
            out << "map=\"" << map.prefix << "\" " << (map.folder.empty() ? "." : map.folder) << "\n";
    }
    for (const QueueConfig& queue : config.queues) {
        const rip_out::SenderSettings& sender = queue.sender;
        out << "\n[queue " << queue.name << "]\nstores=" << list_text(queue.stores) << "\nrip=" << sender.uri
            << "\nsocket_port=" << address_text(queue.socket) << "\nlpd=" << yes_no(queue.lpd)
            << "\nearly_start=" << yes_no(queue.early_start) << "\npaused=" << yes_no(queue.paused)
            << "\nhold_new=" << yes_no(queue.hold_new) << "\naccepting=" << yes_no(queue.accepting)
            << "\non_missing=" << word_of(queue.on_missing, on_missing_words)
            << "\nlayouts=" << list_text(queue.search.layout_folders)
            << "\nlayout_suffix=" << list_text(queue.search.layout_suffixes)
            << "\nforeign_folders=" << word_of(queue.search.foreign_folders, foreign_folders_words)
            << "\nsettle_ms=" << queue.settle_ms << "\nmeasure=" << word_of(queue.measure, measure_words)
            << "\nmin_ppi=" << queue.min_ppi << "\nwarn_rgb=" << yes_no(queue.warn_rgb)
            << "\nkeep_finished=" << queue.keep_finished.value_or(config.keep_finished)
            << "\nkeep_days=" << queue.keep_days << "\nkeep_bytes=" << queue.keep_bytes
            << "\nencoding=" << word_of(queue.profile.encoding, encoding_words)
            << "\nlevel=" << queue.profile.language_level << "\ngray_as_black=" << yes_no(queue.profile.gray_as_black);
        for (const opi::InkColour& ink : queue.profile.inks) out << "\n" << ink_key << "=" << opi::to_string(ink);
        out << "\nconnect_timeout_ms=" << sender.connect_timeout_ms << "\nstall_timeout_ms=" << sender.stall_timeout_ms
            << "\nend_timeout_ms=" << sender.end_timeout_ms << "\nwait_for_close=" << yes_no(sender.wait_for_close)
            << "\nsend_ctrl_d=" << yes_no(sender.send_ctrl_d) << "\nlpd_data_first=" << yes_no(sender.lpd_data_first)
            << "\nlpd_format=" << sender.lpd_format << "\nlpd_reserved_port=" << yes_no(sender.lpd_reserved_port)
            << "\nlpd_require_final_ack=" << yes_no(sender.lpd_require_final_ack) << "\n";
    }
    return out.str();
}

}  // namespace opispool::spooler

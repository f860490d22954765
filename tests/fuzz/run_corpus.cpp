// SPDX-License-Identifier: AGPL-3.0-or-later
// Runs a target without libFuzzer: every file of a corpus as it is, then a fixed number of mutations of them. The same
// arguments give the same inputs, so that a failure can be repeated.
//
//   TARGET CORPUS_FOLDER_OR_FILE [--mutations N] [--seed S] [--keep FILE]
//
// When an input ends the process (abort, signal, sanitizer) or takes longer than two minutes, it is named on standard
// error and written to FILE (default: TARGET.failed in the working folder).
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/fuzz/require.h"

// Part of every sanitizer's runtime, absent without one.
extern "C" [[gnu::weak]] void __sanitizer_set_death_callback(void (*callback)());

namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t max_bytes = 64U << 10U;
constexpr unsigned patience_s = 120;

struct Seed {
    std::string name;
    Bytes bytes;
};

// What a dying process still has to say; plain memory, since handlers may run anywhere.
struct Current {
    const std::uint8_t* data = nullptr;
    std::size_t size = 0;
    char label[512] = "";
    char keep_path[512] = "";
};
Current current;

void say(const char* text) {
    [[maybe_unused]] const ssize_t wrote = ::write(STDERR_FILENO, text, std::strlen(text));
}

void keep_input() {
    if (current.data == nullptr) return;
    say("fuzz: failed on ");
    say(current.label);
    const int fd = ::open(current.keep_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd >= 0 && ::write(fd, current.data, current.size) == static_cast<ssize_t>(current.size)) {
        say(", written to ");
        say(current.keep_path);
    }
    say("\n");
    current.data = nullptr;
}

void on_signal(int number) {
    if (number == SIGALRM) say("fuzz: the input takes too long\n");
    keep_input();
    ::_exit(128 + number);
}

void watch() {
    for (const int number : {SIGABRT, SIGALRM}) ::signal(number, on_signal);
    if (__sanitizer_set_death_callback != nullptr) {
        __sanitizer_set_death_callback(keep_input);
        return;
    }
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) ::signal(number, on_signal);
}

void run(const Bytes& bytes, const std::string& label) {
    // A block of exactly this size: a sanitizer then sees the first byte read beyond it.
    const auto exact = std::make_unique<std::uint8_t[]>(bytes.size());
    std::copy(bytes.begin(), bytes.end(), exact.get());
    std::snprintf(current.label, sizeof current.label, "%s", label.c_str());
    current.size = bytes.size();
    current.data = exact.get();
    ::alarm(patience_s);
    LLVMFuzzerTestOneInput(exact.get(), bytes.size());
    ::alarm(0);
    current.data = nullptr;
}

class Mutator {
  public:
    Mutator(const std::vector<Seed>& seeds, std::uint64_t seed) : seeds_(seeds), random_(seed) {}

    Bytes mutated(Bytes bytes) {
        for (std::size_t times = 1 + below(4); times > 0; --times) mutate_once(bytes);
        if (bytes.size() > max_bytes) bytes.resize(max_bytes);
        return bytes;
    }

  private:
    // 0 .. limit - 1; the library's distributions differ between implementations.
    std::size_t below(std::size_t limit) { return limit == 0 ? 0 : static_cast<std::size_t>(random_() % limit); }

    void mutate_once(Bytes& bytes) {
        switch (bytes.empty() ? 6 : below(9)) {
            case 0:
                bytes[below(bytes.size())] ^= static_cast<std::uint8_t>(1U << below(8));
                break;
            case 1:
                bytes[below(bytes.size())] = static_cast<std::uint8_t>(below(256));
                break;
            case 2:
                bytes[below(bytes.size())] = odd_bytes[below(std::size(odd_bytes))];
                break;
            case 3:
                bytes.resize(below(bytes.size()));
                break;
            case 4:
                repeat(bytes);
                break;
            case 5:
                cut(bytes);
                break;
            case 6:
                splice(bytes);
                break;
            case 7:
                overwrite_number(bytes);
                break;
            default:
                insert(bytes);
                break;
        }
    }

    std::pair<std::size_t, std::size_t> block(const Bytes& bytes) {
        const std::size_t begin = below(bytes.size());
        return {begin, begin + 1 + below(std::min<std::size_t>(bytes.size() - begin, 256))};
    }

    void repeat(Bytes& bytes) {
        const auto [begin, end] = block(bytes);
        const Bytes piece(bytes.begin() + signed_of(begin), bytes.begin() + signed_of(std::min(end, bytes.size())));
        Bytes copies;
        for (std::size_t times = 1 + below(40); times > 0; --times)
            copies.insert(copies.end(), piece.begin(), piece.end());
        bytes.insert(bytes.begin() + signed_of(begin), copies.begin(), copies.end());
    }

    void cut(Bytes& bytes) {
        const auto [begin, end] = block(bytes);
        bytes.erase(bytes.begin() + signed_of(begin), bytes.begin() + signed_of(std::min(end, bytes.size())));
    }

    // The head of this one with the tail of another, or a piece of the other put in.
    void splice(Bytes& bytes) {
        const Bytes& other = seeds_[below(seeds_.size())].bytes;
        const auto from = other.begin() + signed_of(below(other.size() + 1));
        const std::size_t at = below(bytes.size() + 1);
        if (below(2) == 0) {
            bytes.resize(at);
            bytes.insert(bytes.end(), from, other.end());
            return;
        }
        const auto until = from + signed_of(std::min<std::size_t>(below(256), signless(other.end() - from)));
        bytes.insert(bytes.begin() + signed_of(at), from, until);
    }

    // Binary counts and offsets at their borders, in both byte orders.
    void overwrite_number(Bytes& bytes) {
        std::uint64_t value = borders[below(std::size(borders))];
        if (below(2) == 0) value = bytes.size() + below(5) - 2;
        const std::size_t width = std::size_t{1} << below(4);
        const bool big_endian = below(2) == 0;
        const std::size_t at = below(bytes.size());
        for (std::size_t i = 0; i < width && at + i < bytes.size(); ++i) {
            const std::size_t shift = 8 * (big_endian ? width - 1 - i : i);
            bytes[at + i] = static_cast<std::uint8_t>(value >> shift & 0xFFU);
        }
    }

    void insert(Bytes& bytes) {
        static constexpr std::string_view words[] = {"%%BeginData: 9 Hex Bytes\n",
                                                     "%%BeginBinary: 99\n",
                                                     "%%EndData\n",
                                                     "%%BeginDocument: a\n",
                                                     "%%EndDocument",
                                                     "\x1B%-12345X",
                                                     "@PJL ENTER LANGUAGE=POSTSCRIPT\n",
                                                     "\x04",
                                                     "%%EOF\n",
                                                     "%!PS-Adobe-3.0\n",
                                                     "%%Page: 1 1\n",
                                                     "%%+ ",
                                                     "%%EndObject\n",
                                                     "%%BeginObject: image\n",
                                                     "%%EndOPI\n",
                                                     "%%BeginOPI: 2.0\n",
                                                     "%%[ Error: ",
                                                     " ]%%",
                                                     "@PJL USTATUS\n",
                                                     "\f",
                                                     "99999999999999999999",
                                                     "-1",
                                                     "1e308",
                                                     "nan",
                                                     "0",
                                                     "\r\n",
                                                     "\r",
                                                     "\n",
                                                     "(",
                                                     ")",
                                                     "\\",
                                                     "{",
                                                     "}",
                                                     "..",
                                                     "::",
                                                     "\xFF\xD8\xFF\xDA",
                                                     "\xFF\xC4",
                                                     "II*"};
        const std::string_view word = words[below(std::size(words))];
        bytes.insert(bytes.begin() + signed_of(below(bytes.size() + 1)), word.begin(), word.end());
    }

    static std::ptrdiff_t signed_of(std::size_t value) { return static_cast<std::ptrdiff_t>(value); }
    static std::size_t signless(std::ptrdiff_t value) { return static_cast<std::size_t>(value); }

    static constexpr std::uint8_t odd_bytes[] = {0, 1, 2, 3, 4, '\n', '\r', ' ', '%', '(', ')', 0x7F, 0x80, 0xFF};
    static constexpr std::uint64_t borders[] = {0,
                                                1,
                                                2,
                                                0x7F,
                                                0x80,
                                                0xFF,
                                                0x7FFF,
                                                0x8000,
                                                0xFFFF,
                                                0x7FFFFFFF,
                                                0x80000000,
                                                0xFFFFFFFF,
                                                0x7FFFFFFFFFFFFFFF,
                                                0x8000000000000000,
                                                0xFFFFFFFFFFFFFFFF};

    const std::vector<Seed>& seeds_;
    std::mt19937_64 random_;
};

std::vector<Seed> read_seeds(const fs::path& path) {
    std::vector<fs::path> paths;
    if (fs::is_directory(path)) {
        for (const auto& entry : fs::directory_iterator(path)) paths.push_back(entry.path());
        std::sort(paths.begin(), paths.end());  // the folder's own order is not the same everywhere
    } else {
        paths.push_back(path);
    }
    std::vector<Seed> seeds;
    for (const fs::path& each : paths) {
        std::ifstream file(each, std::ios::binary);
        Bytes bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        if (file.bad() || !file.is_open()) continue;
        seeds.push_back({each.filename().string(), std::move(bytes)});
    }
    return seeds;
}

int usage() {
    std::fprintf(stderr, "usage: TARGET CORPUS_FOLDER_OR_FILE [--mutations N] [--seed S] [--keep FILE]\n");
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2 || argc % 2 != 0) return usage();
    std::uint64_t mutations = 0, seed = 1;
    std::string keep = fs::path(argv[0]).filename().string() + ".failed";
    for (int i = 2; i + 1 < argc; i += 2) {
        const std::string_view option = argv[i];
        if (option == "--mutations")
            mutations = std::strtoull(argv[i + 1], nullptr, 10);
        else if (option == "--seed")
            seed = std::strtoull(argv[i + 1], nullptr, 10);
        else if (option == "--keep")
            keep = argv[i + 1];
        else
            return usage();
    }
    std::snprintf(current.keep_path, sizeof current.keep_path, "%s", keep.c_str());
    const std::vector<Seed> seeds = read_seeds(argv[1]);
    if (seeds.empty()) {
        std::fprintf(stderr, "%s: no input there\n", argv[1]);
        return 1;
    }
    watch();
    run({}, "the empty input");
    for (const Seed& each : seeds) run(each.bytes, each.name);
    Mutator mutator(seeds, seed);
    for (std::uint64_t i = 0; i < mutations; ++i) {
        const Seed& each = seeds[i % seeds.size()];
        run(mutator.mutated(each.bytes), each.name + ", mutation " + std::to_string(i));
    }
    std::printf("%zu files, %llu mutations, seed %llu\n", seeds.size(), static_cast<unsigned long long>(mutations),
                static_cast<unsigned long long>(seed));
    return 0;
}

// SPDX-License-Identifier: AGPL-3.0-or-later
// What a target states about every input, in every build. A broken statement ends the process, which libFuzzer and
// run_corpus both report together with the input.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace opispool::fuzz {

inline void require(bool holds, const std::string& statement) {
    if (holds) return;
    std::fprintf(stderr, "fuzz: does not hold: %s\n", statement.c_str());
    std::abort();
}

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

// Reads the result, so that a sanitizer sees every byte of it.
inline void look_at(std::string_view text) {
    unsigned sum = 0;
    for (const char c : text) sum += static_cast<unsigned char>(c);
    [[maybe_unused]] static volatile unsigned seen;
    seen = sum;
}

}  // namespace opispool::fuzz

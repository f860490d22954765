// SPDX-License-Identifier: AGPL-3.0-or-later
// A configuration file is refused with a place and a reason, or what is printed of it reads back as the same.
#include "spooler/config.h"

#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using opispool::fuzz::require;
    using namespace opispool::spooler;
    const std::string text(opispool::fuzz::as_text(data, size));
    const auto config = parse_config(text, "opispool.conf", "/etc/opispool");
    if (!config) {
        require(!config.error().text.empty(), "a refusal has a reason");
        require(config.error().where.starts_with("opispool.conf"), "a refusal names the file");
        return 0;
    }
    const std::string printed = print_config(*config);
    const auto again = parse_config(printed, "printed", "/etc/opispool");
    if (!again) std::fprintf(stderr, "%s\n%s\n", opispool::describe(again.error()).c_str(), printed.c_str());
    require(again.has_value(), "printed values are accepted");
    require(print_config(*again) == printed, "printed values read back as the same");
    return 0;
}

// SPDX-License-Identifier: AGPL-3.0-or-later
// An LPD control file: whatever it says, the words taken from it can be shown and the copies have a limit.
#include "spooler/intake/lpd_control.h"

#include <set>

#include "base/text.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using opispool::fuzz::require;
    const auto control = opispool::spooler::parse_lpd_control(opispool::fuzz::as_text(data, size));
    for (const std::string& word : {control.host, control.user, control.title})
        require(opispool::is_valid_utf8(word) && opispool::printable(word) == word, "words are printable UTF-8");
    std::set<std::string> files;
    for (const auto& print : control.prints) {
        require(files.insert(print.file).second, "a file has one record");
        require(print.copies >= 1, "a print line is at least one copy");
    }
    return 0;
}

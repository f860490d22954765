// SPDX-License-Identifier: AGPL-3.0-or-later
// Aligned columns for people.
#pragma once

#include <string>
#include <vector>

namespace opispool::cli {

// Rows of equal length, the first is the heading; columns are as wide as their widest cell (characters, not bytes), two
// blanks apart, the last one unpadded.   right  columns that hold numbers
std::string format_table(const std::vector<std::vector<std::string>>& rows, const std::vector<std::size_t>& right = {});

}  // namespace opispool::cli

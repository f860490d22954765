// SPDX-License-Identifier: AGPL-3.0-or-later
// Text in addresses (RFC 3986 2.1).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace opispool {

// Undoes %XX, and '+' if `plus_is_blank`; nothing if an escape is broken.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank);
// The other way round: every byte but unreserved ones (RFC 3986 2.3) becomes %XX.
std::string percent_encoded(std::string_view text);

}  // namespace opispool

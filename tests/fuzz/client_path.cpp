// SPDX-License-Identifier: AGPL-3.0-or-later
// The name in a comment, from its spelling to the components that are looked for: none of them leads anywhere else.
#include "opi/image_index.h"
#include "opi/name_encodings.h"
#include "opi/opi_comments.h"
#include "opi/search_rules.h"
#include "tests/fuzz/require.h"

namespace opispool::opi {
namespace {

using fuzz::require;

void check_component(const std::string& component) {
    require(!component.empty(), "a component is not empty");
    require(component != "..", "a component never leads upwards");
    require(component.find('\0') == std::string::npos, "a component has no NUL");
    const auto spellings = spellings_of(component);
    require(!spellings.empty(), "a name has a spelling");
    for (const Spelling& spelling : spellings) {
        require(nfc(spelling.nfc) == spelling.nfc, "NFC of NFC is itself");
        require(match_name(spellings, spelling.bytes).match != NameMatch::none, "a spelling matches itself");
    }
    if (const auto decoded = with_hex_groups_decoded(component)) fuzz::look_at(*decoded);
}

// A map never gives away more than the client's own folders, and a layout rule never the file name.
void check_rules(const ClientPath& path) {
    SearchRules rules;
    for (const char* prefix : {"HD:", "HD:jobs:", "P:\\", "\\\\srv\\share\\", "/Volumes/", "afp://srv/"})
        rules.maps.push_back({prefix, 0, "store/folder"});
    rules.layout_folders = {"layouts"};
    rules.layout_suffixes = {".lay"};
    const RuledPath ruled = apply_rules(rules, path);
    require(!ruled.path.components.empty() && !ruled.path.components.back().empty(), "a file name is left");
    require(ruled.path.components.size() <= path.components.size(), "rules add no folders");
    for (const MappedPlace& place : ruled.places) {
        require(place.client_folders.size() < ruled.path.components.size(), "the file itself is no folder");
        for (const std::string& folder : place.client_folders) require(folder != "..", "a map never leads upwards");
    }
}

}  // namespace
}  // namespace opispool::opi

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace opispool::opi;
    const std::string name = decode_text_value(opispool::fuzz::as_text(data, size));
    opispool::fuzz::require(name.size() <= size, "decoding never makes a name longer");
    const auto path = split_client_path(name);
    if (!path) {
        opispool::fuzz::require(!path.error().text.empty(), "a refusal has a reason");
        return 0;
    }
    opispool::fuzz::require(!path->components.empty(), "a path has a file name");
    for (const std::string& component : path->components) check_component(component);
    check_rules(*path);
    return 0;
}

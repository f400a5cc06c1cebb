// SPDX-License-Identifier: Apache-2.0
#include "core/base/printable.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>

namespace cannery {

namespace {

struct Character
{
    std::uint32_t code = 0;
    std::size_t size = 0; ///< in bytes; 0: not UTF-8
};

/// The character that a text begins with: no overlong forms, no surrogates, nothing above U+10FFFF.
Character firstOf(std::string_view text)
{
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80U) {
        return {.code = lead, .size = 1};
    }
    const std::size_t size = lead >= 0xf0U ? 4 : lead >= 0xe0U ? 3 : 2;
    if (lead < 0xc2U || lead > 0xf4U || text.size() < size) {
        return {};
    }
    // The lead byte says how many bytes follow.
    std::uint32_t code = lead & (0x7fU >> size);
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xc0U) != 0x80U) {
            return {};
        }
        code = code << 6U | (byte(i) & 0x3fU);
    }
    constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool isSurrogate = code >= 0xd800U && code <= 0xdfffU;
    if (code < kLeast[size] || isSurrogate || code > 0x10ffffU) {
        return {};
    }
    return {.code = code, .size = size};
}

bool isCommand(std::uint32_t code)
{
    return (code < 0x20U && code != '\t') || (code >= 0x7fU && code < 0xa0U) || code == 0x061cU ||
           code == 0x200eU || code == 0x200fU || (code >= 0x2028U && code <= 0x202eU) ||
           (code >= 0x2066U && code <= 0x2069U);
}

} // namespace

std::string printable(std::string_view text, LineBreaks breaks)
{
    std::string shown;
    shown.reserve(text.size());
    while (!text.empty()) {
        const Character character = firstOf(text);
        // A byte that is not a character is shown by itself.
        const std::size_t size = character.size == 0 ? 1 : character.size;
        if (character.size == 0) {
            fmt::format_to(std::back_inserter(shown), "\\x{:02x}",
                           static_cast<unsigned char>(text.front()));
        } else if (character.code == '\n') {
            shown += breaks == LineBreaks::Keep ? "\n" : "\\n";
        } else if (isCommand(character.code)) {
            // Characters that give commands to a terminal, or turn the direction of text, are shown
            // as their number.
            fmt::format_to(std::back_inserter(shown), "\\u{:04x}", character.code);
        } else {
            shown.append(text.substr(0, size));
        }
        text.remove_prefix(size);
    }
    return shown;
}

} // namespace cannery

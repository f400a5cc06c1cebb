// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/io/crc32c.h"

#include <cstring>

/// For the sources of storage: crc32c() inlined, for records of some dozen bytes, for which the
/// call costs as much as the checksum.
namespace cannery::storage::detail {

inline std::uint32_t crc32cShort(std::string_view text)
{
#if defined(__SSE4_2__)
    const char* place = text.data();
    std::size_t left = text.size();
    std::uint64_t state = ~std::uint32_t{0};
    for (; left >= 8; left -= 8, place += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, place, sizeof(word));
        state = __builtin_ia32_crc32di(state, word);
    }
    auto rest = static_cast<std::uint32_t>(state);
    if ((left & 4U) != 0) {
        std::uint32_t word = 0;
        std::memcpy(&word, place, sizeof(word));
        rest = __builtin_ia32_crc32si(rest, word);
        place += 4;
    }
    if ((left & 2U) != 0) {
        std::uint16_t word = 0;
        std::memcpy(&word, place, sizeof(word));
        rest = __builtin_ia32_crc32hi(rest, word);
        place += 2;
    }
    if ((left & 1U) != 0) {
        rest = __builtin_ia32_crc32qi(rest, static_cast<unsigned char>(*place));
    }
    return ~rest;
#else
    return crc32c(text);
#endif
}

} // namespace cannery::storage::detail

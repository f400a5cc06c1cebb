// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace cannery::storage {

/// One bit for each of 64 bytes that equals the given one.
inline std::uint64_t equalBytes(__m256i low, __m256i high, __m256i wanted)
{
    const auto first =
        static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, wanted)));
    const auto second =
        static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, wanted)));
    return first | std::uint64_t(second) << 32U;
}

} // namespace cannery::storage

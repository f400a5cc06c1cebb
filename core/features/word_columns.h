// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace cannery::features {

/// How many columns are taken from records at once, at most.
inline constexpr std::size_t kTile = 8;

/// columns[c][i] = records[i][offset + c] for records from `first` on: on any processor.
inline void takeWordByWord(std::span<const std::uint32_t* const> records, std::size_t offset,
                           std::span<std::uint32_t* const> columns, std::size_t first)
{
    for (std::size_t i = first; i < records.size(); ++i) {
        for (std::size_t c = 0; c < columns.size(); ++c) {
            columns[c][i] = records[i][offset + c];
        }
    }
}

#if defined(__AVX2__)

namespace detail {

/// Not a std::array: that drops the alignment of its elements.
struct Tile
{
    __m256i lines[kTile];
    __m256i& operator[](std::size_t i) { return lines[i]; }
    const __m256i& operator[](std::size_t i) const { return lines[i]; }
};

/// Rows to columns: pairs of words, pairs of pairs, then halves.
inline Tile transposed(const Tile& rows)
{
    Tile pairs;
    for (std::size_t i = 0; i < kTile; i += 2) {
        pairs[i] = _mm256_unpacklo_epi32(rows[i], rows[i + 1]);
        pairs[i + 1] = _mm256_unpackhi_epi32(rows[i], rows[i + 1]);
    }
    Tile fours;
    for (std::size_t i = 0; i < kTile; i += 4) {
        fours[i] = _mm256_unpacklo_epi64(pairs[i], pairs[i + 2]);
        fours[i + 1] = _mm256_unpackhi_epi64(pairs[i], pairs[i + 2]);
        fours[i + 2] = _mm256_unpacklo_epi64(pairs[i + 1], pairs[i + 3]);
        fours[i + 3] = _mm256_unpackhi_epi64(pairs[i + 1], pairs[i + 3]);
    }
    Tile columns;
    for (std::size_t i = 0; i < kTile / 2; ++i) {
        columns[i] = _mm256_permute2x128_si256(fours[i], fours[i + 4], 0x20);
        columns[i + 4] = _mm256_permute2x128_si256(fours[i], fours[i + 4], 0x31);
    }
    return columns;
}

} // namespace detail

#endif

/// The same for all records.
inline void takeWords(std::span<const std::uint32_t* const> records, std::size_t offset,
                      std::span<std::uint32_t* const> columns)
{
    std::size_t i = 0;
#if defined(__AVX2__)
    for (; columns.size() == kTile && i + kTile <= records.size(); i += kTile) {
        detail::Tile rows;
        for (std::size_t k = 0; k < kTile; ++k) {
            rows[k] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(records[i + k] + offset));
        }
        const detail::Tile done = detail::transposed(rows);
        for (std::size_t c = 0; c < kTile; ++c) {
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(columns[c] + i), done[c]);
        }
    }
#endif
    takeWordByWord(records, offset, columns, i);
}

} // namespace cannery::features

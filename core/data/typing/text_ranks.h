// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/browse_work.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::data {

/// Numbers the distinct texts of a column and sorts them byte by byte, ignoring the case of A to Z.
/// Each is kept once, and takes about 40 bytes more. One thread.
class TextRanks
{
public:
    /// Of distinct texts; more cannot be sorted.
    static constexpr std::size_t kMostBytes = std::size_t{1} << 30U;

    /// The number of the text, from 0 in the order of first occurrence. Errors: more than
    /// kMostBytes of texts.
    Result<std::uint64_t> add(std::string_view text);

    /// For each number, the place of its text in the order. Errors: Cancelled if the work is
    /// stopped.
    Result<std::vector<std::uint32_t>> ranks(const BrowseWork& work) &&;

private:
    /// The first bytes of a text decide most comparisons.
    struct Entry
    {
        std::uint64_t start = 0; ///< eight bytes, big-endian
        std::uint32_t number = 0;
    };

    std::string_view textOf(std::uint32_t number) const;
    bool isBefore(const Entry& left, const Entry& right) const;
    void grow();
    Result<void> sortParts(std::vector<Entry>& entries, const BrowseWork& work) const;
    Result<void> merge(std::vector<Entry>& entries, const BrowseWork& work) const;

    std::string m_bytes;               ///< all texts, one after the other
    std::vector<std::uint64_t> m_ends; ///< of each text in m_bytes
    /// Hash table: part of the hash in the upper half, the number + 1 in the lower; free if 0.
    std::vector<std::uint64_t> m_slots;
    std::string m_folded; ///< working memory
};

} // namespace cannery::data

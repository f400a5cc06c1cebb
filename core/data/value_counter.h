// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/string_column.h"
#include "core/data/count_table.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::data {

/// Counts the distinct values of a stream: exactly up to a limit, then their number by HyperLogLog
/// (Flajolet et al. 2007, 2^14 registers: 0.8 % standard error), and frequencies only for the
/// values that were most frequent when the limit was reached.
class ValueCounter
{
public:
    explicit ValueCounter(std::size_t limit);

    void addText(std::string_view text);
    /// A number, by its bits.
    void addBits(std::uint64_t bits) { addAll({&bits, 1}); }
    /// Several numbers, by their bits.
    void addAll(std::span<const std::uint64_t> bits);

    std::uint64_t distinct() const;
    bool isExact() const { return m_registers.empty(); }

    struct Count
    {
        std::uint64_t key = 0; ///< the bits of a number
        std::string text;      ///< for a text
        std::uint64_t count = 0;
    };
    /// Every value that is still counted.
    std::vector<Count> counts() const;

private:
    void addExactly(std::uint64_t key, std::string_view text);
    void addRoughly(std::uint64_t key, std::uint64_t hash);
    void overflow();
    void registerHash(std::uint64_t hash);

    std::size_t m_limit;
    bool m_isText = false;
    CountTable m_counts;  ///< the tag of a text's slot is its place in m_texts
    StringColumn m_texts; ///< every value ever counted
    std::vector<std::uint8_t> m_registers;
    /// One bit per hash of a value that is still counted, indexed by its low bits: most other
    /// values need no look-up.
    std::vector<std::uint64_t> m_mayBeCounted;
};

} // namespace cannery::data

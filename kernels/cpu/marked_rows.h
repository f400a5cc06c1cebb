// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cannery::kernels::cpu {

/// Which rows of a table have a gradient.
class MarkedRows
{
public:
    /// Until the end of this object; keeps the thread's memory for the next one.
    MarkedRows(std::span<const std::int32_t> rows, std::int64_t tableRows) : m_rows(rows)
    {
        bits().resize(
            std::max(bits().size(), static_cast<std::size_t>((tableRows + kBits - 1) / kBits)));
        m_bits = bits().data(); // of this thread, while others read it
        for (const std::int32_t row : m_rows) {
            m_bits[row / kBits] |= bitOf(row);
        }
    }
    ~MarkedRows()
    {
        for (const std::int32_t row : m_rows) {
            m_bits[row / kBits] = 0;
        }
    }
    MarkedRows(const MarkedRows&) = delete;
    MarkedRows& operator=(const MarkedRows&) = delete;

    bool has(std::int64_t row) const { return (m_bits[row / kBits] & bitOf(row)) != 0; }

private:
    static constexpr std::int64_t kBits = 64;
    static std::uint64_t bitOf(std::int64_t row) { return std::uint64_t{1} << (row % kBits); }
    static std::vector<std::uint64_t>& bits()
    {
        thread_local std::vector<std::uint64_t> memory;
        return memory;
    }

    std::span<const std::int32_t> m_rows;
    std::uint64_t* m_bits = nullptr;
};

} // namespace cannery::kernels::cpu

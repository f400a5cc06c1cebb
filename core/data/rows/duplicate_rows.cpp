// SPDX-License-Identifier: Apache-2.0
#include "core/data/rows/duplicate_rows.h"

#include "core/base/fingerprint.h"
#include "core/data/rows/keyed_permutation.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <type_traits>

namespace cannery::data {

namespace {

constexpr std::size_t kBlockRows = 4096;
/// Very unlikely to be a value.
constexpr std::uint64_t kMissingPrint = 0x9d3c5f7a1b24e680ULL;

std::uint64_t printOf(float value)
{
    return std::bit_cast<std::uint32_t>(value);
}

std::uint64_t printOf(double value)
{
    return std::bit_cast<std::uint64_t>(value);
}

std::uint64_t printOf(std::int64_t value)
{
    return static_cast<std::uint64_t>(value);
}

std::uint64_t printOf(std::string_view text)
{
    return fingerprint64(text);
}

/// Mixes the cells of rows `begin` to `end` into their fingerprints.
void mixIn(const storage::TableColumn& column, std::size_t begin, std::size_t end,
           std::vector<std::uint64_t>& prints)
{
    std::visit(
        [&](const auto& values) {
            for (std::size_t row = begin; row < end; ++row) {
                const std::uint64_t cell =
                    column.isValid(row) ? printOf(values[row]) : kMissingPrint;
                // The order of the columns counts.
                prints[row] = mixBits(prints[row] * 3 + cell);
            }
        },
        column.values);
}

} // namespace

DuplicateRows::DuplicateRows(std::size_t capacity) : m_capacity(capacity) {}

void DuplicateRows::add(DataPart part, const storage::TableChunk& chunk,
                        std::span<const std::size_t> columns, const LentThreads& threads)
{
    m_prints.assign(chunk.rows, 0);
    // Blocks of rows: each thread mixes the columns into prints that no other one touches.
    const std::size_t blocks = (chunk.rows + kBlockRows - 1) / kBlockRows;
    threads.runAll(static_cast<std::int64_t>(blocks), [&](std::int64_t block) {
        const std::size_t begin = static_cast<std::size_t>(block) * kBlockRows;
        for (const std::size_t column : columns) {
            mixIn(chunk.columns[column], begin, std::min(begin + kBlockRows, chunk.rows), m_prints);
        }
    });
    for (const std::uint64_t print : m_prints) {
        // Once the memory is full, only prints of a certain kind are looked at, in both parts
        // alike.
        if (isKept(print)) {
            insert(part, print);
        }
    }
}

void DuplicateRows::insert(DataPart part, std::uint64_t print)
{
    Seen& seen = m_seen[print];
    ++(part == DataPart::Train ? seen.trainRows : seen.evalRows);
    while (m_seen.size() > m_capacity) {
        // Half of what is kept goes, until the rest fits.
        m_oneOf *= 2;
        std::erase_if(m_seen, [this](const auto& entry) { return !isKept(entry.first); });
    }
}

DuplicateRows::Found DuplicateRows::found() const
{
    Found found{.different = m_seen.size(), .oneOf = m_oneOf};
    for (const auto& [print, seen] : m_seen) {
        found.rows += seen.trainRows + seen.evalRows;
        found.evalRows += seen.evalRows;
        // A row of evaluation that training has seen.
        found.duplicates += seen.trainRows > 0 ? seen.evalRows : 0;
    }
    return found;
}

} // namespace cannery::data

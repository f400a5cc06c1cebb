// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/sparse_gradient.h"

#include "kernels/device/row_blocks.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace cannery::kernels {

namespace {

/// Slots of the hash table per entry: three of four stay empty, so that a search nearly always ends
/// where it begins.
constexpr std::int64_t kPlacesPerEntry = 4;
constexpr std::int64_t kFewestPlaces = 64;
constexpr int kKeyBits = 32;

std::int64_t placesFor(std::int64_t entries)
{
    const std::int64_t wanted = std::max(kFewestPlaces, kPlacesPerEntry * entries);
    // A power of two, so that a mask finds the place.
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(wanted)));
}

} // namespace

void RowNumbering::begin(std::int64_t entries, std::int64_t tableRows)
{
    const std::int64_t places = placesFor(entries);
    // A small table has a place for each row: nothing is searched.
    const bool isDirect = tableRows <= places;
    m_places.resize(static_cast<std::size_t>(isDirect ? tableRows : places));
    std::memset(m_places.data(), 0, m_places.size() * sizeof(Place)); // marks all slots as empty
    m_table = {.places = m_places.data(), .mask = static_cast<std::uint32_t>(places - 1)};
    if (isDirect) {
        m_table.multiplier = 1;
    } else {
        m_table.shift = kKeyBits - std::countr_zero(static_cast<std::uint64_t>(places));
    }
}

void RowNumbering::reserve(std::int64_t entries)
{
    m_places.reserve(static_cast<std::size_t>(placesFor(entries)));
}

void SparseGradient::reserve(std::int64_t rowLimit, std::int64_t width)
{
    cols = width;
    rows.reserve(static_cast<std::size_t>(rowLimit));
    values.reserve(static_cast<std::size_t>(rowLimit * width));
}

void SparseGradient::clear(std::int64_t rowLimit, std::int64_t width)
{
    cols = width;
    rows.resize(static_cast<std::size_t>(rowLimit));
    values.assign(static_cast<std::size_t>(rowLimit * width), 0.0F);
}

void SparseGradient::keepFirst(std::int64_t rowCount)
{
    rows.resize(static_cast<std::size_t>(rowCount));
    values.resize(static_cast<std::size_t>(rowCount * cols));
}

void SparseScratch::reserve(std::int64_t entryLimit)
{
    const auto limit = static_cast<std::size_t>(entryLimit);
    numbering.reserve(entryLimit);
    numbers.reserve(limit);
    batchRows.reserve(limit);
    factors.reserve(limit);
}

void sumDuplicates(ThreadPool& pool, std::span<const std::int32_t> ids, ConstMatrixView values,
                   SparseScratch& scratch, SparseGradient& sum)
{
    const auto entries = static_cast<std::int64_t>(ids.size());
    // Ids are bounded by the greatest, as the table is not known here.
    const std::int32_t greatest = ids.empty() ? -1 : *std::max_element(ids.begin(), ids.end());
    scratch.numbering.begin(entries, std::int64_t{greatest} + 1);
    sum.clear(entries, values.cols);
    scratch.numbers.resize(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        // Negative ids are left out below.
        scratch.numbers[i] = ids[i] < 0 ? 0 : scratch.numbering.numberOf(ids[i], sum.rows.data());
    }
    // Threads split the columns, so that entries are added in order.
    forEachColumnBlock(pool, entries, values.cols, [&](BlockRange cols, int) {
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const float* source = values.at(static_cast<std::int64_t>(i)) + cols.first;
            float* target = sum.values.data() + scratch.numbers[i] * values.cols + cols.first;
            for (std::int64_t c = 0; ids[i] >= 0 && c < cols.count; ++c) {
                target[c] += source[c];
            }
        }
    });
    sum.keepFirst(scratch.numbering.count());
}

void addSparse(const SparseGradient& a, const SparseGradient& b, std::int64_t tableRows,
               SparseScratch& scratch, SparseGradient& sum)
{
    const std::int64_t entries = a.rowCount() + b.rowCount();
    scratch.numbering.begin(entries, tableRows);
    sum.clear(entries, a.cols);
    for (const SparseGradient* part : {&a, &b}) {
        for (std::int64_t i = 0; i < part->rowCount(); ++i) {
            const std::int64_t number = scratch.numbering.numberOf(part->rows[i], sum.rows.data());
            const float* source = part->values.data() + i * sum.cols;
            float* target = sum.values.data() + number * sum.cols;
            for (std::int64_t c = 0; c < sum.cols; ++c) {
                target[c] += source[c];
            }
        }
    }
    sum.keepFirst(scratch.numbering.count());
}

void scatterAdd(ThreadPool& pool, const SparseGradient& gradient, MatrixView dense)
{
    // Rows of a sparse gradient are distinct, so threads never meet.
    forEachRowBlock(pool, gradient.rowCount(), gradient.cols, [&](BlockRange rows, int) {
        for (std::int64_t i = rows.first; i < rows.first + rows.count; ++i) {
            const float* source = gradient.values.data() + i * gradient.cols;
            float* target = dense.at(gradient.rows[i]);
            for (std::int64_t c = 0; c < gradient.cols; ++c) {
                target[c] += source[c];
            }
        }
    });
}

} // namespace cannery::kernels

#include "kernels/ops/sparse_gradient.h"

#include "kernels/device/row_blocks.h"

#include <algorithm>
#include <array>

namespace cannery::kernels {

namespace {

constexpr std::size_t kSortThreshold = 512;
constexpr int kDigitBits = 11;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;

/// One stable pass of a radix sort, by the digit that starts at `shift`.
void sortByDigit(std::span<const std::uint64_t> from, std::span<std::uint64_t> to, int shift)
{
    std::array<std::uint32_t, kDigits> places{};
    for (const std::uint64_t key : from) {
        ++places[key >> shift & (kDigits - 1)];
    }
    std::uint32_t next = 0;
    for (std::uint32_t& place : places) {
        const std::uint32_t count = place;
        place = next;
        next += count;
    }
    for (const std::uint64_t key : from) {
        to[places[key >> shift & (kDigits - 1)]++] = key;
    }
}

void sortKeys(SparseScratch& scratch)
{
    if (scratch.keys.size() <= kSortThreshold) {
        std::sort(scratch.keys.begin(), scratch.keys.end());
        return;
    }
    scratch.sorting.resize(scratch.keys.size());
    const std::uint64_t greatest = *std::max_element(scratch.keys.begin(), scratch.keys.end());
    for (int shift = 32; shift < 64 && greatest >> shift != 0; shift += kDigitBits) {
        sortByDigit(scratch.keys, scratch.sorting, shift);
        scratch.keys.swap(scratch.sorting);
    }
}

} // namespace

void SparseGradient::reserve(std::int64_t rowLimit, std::int64_t width)
{
    cols = width;
    rows.reserve(static_cast<std::size_t>(rowLimit));
    values.reserve(static_cast<std::size_t>(rowLimit * width));
}

void SparseScratch::reserve(std::int64_t entryLimit)
{
    const auto limit = static_cast<std::size_t>(entryLimit);
    keys.reserve(limit);
    sorting.reserve(limit);
    starts.reserve(limit + 1);
    batchRows.reserve(limit);
    factors.reserve(limit);
}

void groupByRow(SparseScratch& scratch)
{
    sortKeys(scratch);
    scratch.starts.clear();
    for (std::size_t i = 0; i < scratch.keys.size(); ++i) {
        if (i == 0 || scratch.keys[i] >> 32 != scratch.keys[i - 1] >> 32) {
            scratch.starts.push_back(static_cast<std::int64_t>(i));
        }
    }
    scratch.starts.push_back(static_cast<std::int64_t>(scratch.keys.size()));
}

void sumGroups(ThreadPool& pool, const SparseScratch& scratch, ConstMatrixView values,
               SparseGradient& sum)
{
    const auto groups = static_cast<std::int64_t>(scratch.starts.size()) - 1;
    const std::int64_t cols = values.cols;
    sum.cols = cols;
    sum.rows.resize(static_cast<std::size_t>(groups));
    sum.values.resize(static_cast<std::size_t>(groups * cols));
    forEachRowBlock(pool, groups, cols, [&](BlockRange block, int) {
        for (std::int64_t g = block.first; g < block.first + block.count; ++g) {
            const std::int64_t begin = scratch.starts[g];
            sum.rows[g] = static_cast<std::int32_t>(scratch.keys[begin] >> 32);
            float* target = sum.values.data() + g * cols;
            std::fill_n(target, cols, 0.0F);
            for (std::int64_t i = begin; i < scratch.starts[g + 1]; ++i) {
                const auto entry = static_cast<std::uint32_t>(scratch.keys[i]);
                const float factor = scratch.factors[entry];
                const float* source = values.at(scratch.batchRows[entry]);
                for (std::int64_t c = 0; c < cols; ++c) {
                    target[c] += factor * source[c];
                }
            }
        }
    });
}

void sumDuplicates(ThreadPool& pool, std::span<const std::int32_t> ids, ConstMatrixView values,
                   SparseScratch& scratch, SparseGradient& sum)
{
    scratch.keys.clear();
    scratch.batchRows.clear();
    scratch.factors.assign(ids.size(), 1.0F);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        scratch.batchRows.push_back(static_cast<std::int32_t>(i));
        if (ids[i] >= 0) {
            scratch.keys.push_back(static_cast<std::uint64_t>(ids[i]) << 32 | i);
        }
    }
    groupByRow(scratch);
    sumGroups(pool, scratch, values, sum);
}

void addSparse(const SparseGradient& a, const SparseGradient& b, SparseGradient& sum)
{
    sum.cols = a.cols;
    sum.rows.clear();
    sum.values.clear();
    const auto append = [&](const SparseGradient& from, std::size_t row) {
        const auto begin = from.values.begin() + static_cast<std::ptrdiff_t>(row) * from.cols;
        sum.rows.push_back(from.rows[row]);
        sum.values.insert(sum.values.end(), begin, begin + from.cols);
    };
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.rows.size() || j < b.rows.size()) {
        if (j == b.rows.size() || (i < a.rows.size() && a.rows[i] < b.rows[j])) {
            append(a, i++);
        } else if (i == a.rows.size() || b.rows[j] < a.rows[i]) {
            append(b, j++);
        } else {
            append(a, i++);
            float* last = sum.values.data() + sum.values.size() - sum.cols;
            const float* other = b.values.data() + static_cast<std::int64_t>(j++) * sum.cols;
            for (std::int64_t c = 0; c < sum.cols; ++c) {
                last[c] += other[c];
            }
        }
    }
}

void scatterAdd(ThreadPool& pool, const SparseGradient& gradient, MatrixView dense)
{
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

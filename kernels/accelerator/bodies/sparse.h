// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/block_scan.h"

/// Gradients of some rows: added to each other and to dense ones.
namespace cannery::kernels::bodies {

struct Found
{
    std::int64_t below = 0; ///< number of smaller rows
    bool exists = false;    ///< then at the index `below`
};

CANNERY_HOST_DEVICE inline Found find(const DeviceSparse& gradient, std::int32_t row)
{
    std::int64_t first = 0;
    std::int64_t last = *gradient.count;
    while (first < last) {
        const std::int64_t middle = (first + last) / 2;
        if (gradient.rows[middle] < row) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    return {first, first < *gradient.count && gradient.rows[first] == row};
}

/// The rows that either has, ascending: block 0 places those of `a`, block 1 those of `b` that `a`
/// has not. A row goes behind those before it in both, and those that both have are one.
struct MergeRowsBody
{
    static constexpr int kThreads = 1024;
    using Scan = BlockScan<kThreads>;
    using Shared = Scan::Shared;

    AddSparse add;

    CANNERY_HOST_DEVICE int phases() const { return Scan::phases() + 2; }

    CANNERY_HOST_DEVICE void operator()(int phase, int thread, std::int64_t block,
                                        Shared& shared) const
    {
        const DeviceSparse& mine = block == 0 ? add.a : add.b;
        const DeviceSparse& other = block == 0 ? add.b : add.a;
        const Part part = partOf(*mine.count, thread, kThreads);
        if (phase == 0) {
            std::int64_t common = 0;
            for (std::int64_t i = part.begin; i < part.end; ++i) {
                common += find(other, mine.rows[i]).exists ? 1 : 0;
            }
            Scan::begin(thread, common, shared);
        } else if (phase <= Scan::phases()) {
            Scan::step(phase - 1, thread, shared);
        } else {
            std::int64_t common = Scan::before(thread, shared);
            for (std::int64_t i = part.begin; i < part.end; ++i) {
                const Found found = find(other, mine.rows[i]);
                if (block == 0 || !found.exists) {
                    add.sum.rows[i + found.below - common] = mine.rows[i];
                }
                common += found.exists ? 1 : 0;
            }
            if (block == 0 && thread == 0) {
                *add.sum.count = *mine.count + *other.count - Scan::total(shared);
            }
        }
    }
};

struct AddValuesBody
{
    AddSparse add;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const Place place = placeOf(index, add.sum.cols);
        if (place.row >= *add.sum.count) {
            return;
        }
        const std::int32_t row = add.sum.rows[place.row];
        float sum = 0;
        addRow(add.a, row, place.col, sum);
        addRow(add.b, row, place.col, sum);
        add.sum.values[index] = sum;
    }

private:
    CANNERY_HOST_DEVICE static void addRow(const DeviceSparse& part, std::int32_t row,
                                           std::int64_t col, float& sum)
    {
        if (const Found found = find(part, row); found.exists) {
            sum += part.values[found.below * part.cols + col];
        }
    }
};

struct ScatterAddBody
{
    ScatterAdd scatter;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const Place place = placeOf(index, scatter.gradient.cols);
        if (place.row < *scatter.gradient.count) {
            element(scatter.dense, {scatter.gradient.rows[place.row], place.col}) +=
                scatter.gradient.values[index];
        }
    }
};

template <typename Launcher>
void run(Launcher& launcher, const AddSparse& add)
{
    launcher.forEachBlock(2, MergeRowsBody{add});
    launcher.forEach(add.sum.capacity * add.sum.cols, AddValuesBody{add});
}

template <typename Launcher>
void run(Launcher& launcher, const ScatterAdd& scatter)
{
    launcher.forEach(scatter.gradient.capacity * scatter.gradient.cols, ScatterAddBody{scatter});
}

} // namespace cannery::kernels::bodies

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/element.h"

#include <cmath>

/// Rows of a table combined by ids; see SparseCombineKernels.
namespace cannery::kernels::bodies {

/// Which entries of a batch count, and by which factor.
struct Entries
{
    DeviceIds ids;
    std::int64_t tableRows = 0;
    Combiner combiner = Combiner::Sum;
    bool anyWeight = false;

    static Entries of(const DeviceIds& ids, std::int64_t tableRows,
                      const SparseCombineOptions& options)
    {
        return {ids, tableRows, options.combiner,
                options.anyWeight || options.combiner == Combiner::Sum};
    }

    CANNERY_HOST_DEVICE float weight(std::int64_t entry) const
    {
        return ids.weights == nullptr ? 1.0F : ids.weights[entry];
    }
    CANNERY_HOST_DEVICE bool counts(std::int64_t entry) const
    {
        const std::int32_t id = ids.ids[entry];
        return id >= 0 && id < tableRows && (anyWeight || weight(entry) > 0);
    }
    CANNERY_HOST_DEVICE Part row(std::int64_t row) const
    {
        return {ids.rowOffsets[row], ids.rowOffsets[row + 1]};
    }
    CANNERY_HOST_DEVICE bool isInUse(std::int64_t row) const
    {
        return ids.rowsInUse.cursor == nullptr || row < *stepValue<std::int64_t>(ids.rowsInUse);
    }
    /// What a row's weights are divided by.
    CANNERY_HOST_DEVICE float divisor(Part row) const
    {
        if (combiner == Combiner::Sum) {
            return 1.0F;
        }
        float sum = 0;
        for (std::int64_t e = row.begin; e < row.end; ++e) {
            if (counts(e)) {
                sum += combiner == Combiner::Mean ? weight(e) : weight(e) * weight(e);
            }
        }
        return combiner == Combiner::Mean ? sum : std::sqrt(sum);
    }
    /// Weights that cancel out give zeros, as in TensorFlow's div_no_nan.
    CANNERY_HOST_DEVICE float factor(std::int64_t entry, float divisor) const
    {
        return divisor == 0.0F ? 0.0F : weight(entry) / divisor;
    }
};

CANNERY_HOST_DEVICE inline float squaredNorm(const float* row, std::int64_t cols)
{
    float sum = 0;
    for (std::int64_t c = 0; c < cols; ++c) {
        sum += row[c] * row[c];
    }
    return sum;
}

/// For each element of dst.
struct LookupBody
{
    Entries entries;
    ConstMatrixView table;
    bool accumulate = false;
    MatrixView dst;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const Place place = placeOf(index, dst.cols);
        const Part row = entries.row(place.row);
        const float divisor = entries.divisor(row);
        float sum = accumulate ? element(dst, place) : 0.0F;
        for (std::int64_t e = row.begin; e < row.end; ++e) {
            if (entries.counts(e)) {
                const float value = element(table, {entries.ids.ids[e], place.col});
                sum += entries.factor(e, divisor) * value;
            }
        }
        element(dst, place) = sum;
    }
};

/// The same with a limit of the norm of the table's rows, for each row.
struct ClippedLookupBody
{
    Entries entries;
    ConstMatrixView table;
    float maxNorm = 0.0F;
    bool accumulate = false;
    MatrixView dst;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const Part row = entries.row(index);
        const float divisor = entries.divisor(row);
        float* const target = dst.data + index * dst.stride;
        for (std::int64_t c = 0; !accumulate && c < dst.cols; ++c) {
            target[c] = 0.0F;
        }
        for (std::int64_t e = row.begin; e < row.end; ++e) {
            if (!entries.counts(e)) {
                continue;
            }
            const float* const source = table.data + entries.ids.ids[e] * table.stride;
            const float norm = std::sqrt(squaredNorm(source, dst.cols));
            const float clip = norm > maxNorm ? maxNorm / norm : 1.0F;
            const float factor = entries.factor(e, divisor) * clip;
            for (std::int64_t c = 0; c < dst.cols; ++c) {
                target[c] += factor * source[c];
            }
        }
    }
};

template <typename Launcher>
void run(Launcher& launcher, const Lookup& lookup)
{
    const Entries entries = Entries::of(lookup.ids, lookup.table.rows, lookup.options);
    const bool accumulate = lookup.options.accumulate;
    if (lookup.options.maxNorm) {
        launcher.forEach(lookup.dst.rows,
                         ClippedLookupBody{entries, lookup.table, *lookup.options.maxNorm,
                                           accumulate, lookup.dst});
        return;
    }
    launcher.forEach(lookup.dst.rows * lookup.dst.cols,
                     LookupBody{entries, lookup.table, accumulate, lookup.dst});
}

} // namespace cannery::kernels::bodies

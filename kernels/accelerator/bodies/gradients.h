// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/totals.h"
#include "kernels/math/global_norm.h"

/// Clipping of gradients, dense ones or those of some rows.
namespace cannery::kernels::bodies {

/// As many as there may be.
inline std::int64_t countOf(const GradientValues& gradient)
{
    return gradient.sparse.rows != nullptr ? gradient.sparse.capacity * gradient.sparse.cols
                                           : gradient.dense.rows * gradient.dense.cols;
}

/// Null if there is no such row in this step.
CANNERY_HOST_DEVICE inline float* valueAt(const GradientValues& gradient, std::int64_t index)
{
    if (gradient.sparse.rows == nullptr) {
        return &element(gradient.dense, placeOf(index, gradient.dense.cols));
    }
    const bool exists = index < *gradient.sparse.count * gradient.sparse.cols;
    return exists ? gradient.sparse.values + index : nullptr;
}

struct ClipByValueBody
{
    ClipByValue clip;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        if (float* const value = valueAt(clip.gradient, index)) {
            const float x = *value;
            *value = x < -clip.limit ? -clip.limit : (x > clip.limit ? clip.limit : x);
        }
    }
};

struct SquareTerm
{
    GradientValues gradient;
    double* partial = nullptr;

    CANNERY_HOST_DEVICE double value(std::int64_t index) const
    {
        const float* const found = valueAt(gradient, index);
        return found == nullptr ? 0.0 : static_cast<double>(*found) * *found;
    }
    CANNERY_HOST_DEVICE void store(std::int64_t block, double sum) const { partial[block] = sum; }
};

struct ScaleByNormBody
{
    ScaleByNorm scale;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        if (float* const value = valueAt(scale.gradient, index)) {
            *value = scale.ofVariable
                         ? *value * scale.limit / normDivisor(*scale.sumOfSquares, scale.limit)
                         : *value * globalNormScale(*scale.sumOfSquares, scale.limit);
        }
    }
};

template <typename Launcher>
void run(Launcher& launcher, const ClipByValue& clip)
{
    launcher.forEach(countOf(clip.gradient), ClipByValueBody{clip});
}

template <typename Launcher>
void run(Launcher& launcher, const SumOfSquares& sum)
{
    double* const partial = launcher.partialSums();
    total(launcher, SquareTerm{sum.gradient, partial}, countOf(sum.gradient),
          {partial, 1.0, sum.sum, sum.addTo});
}

template <typename Launcher>
void run(Launcher& launcher, const ScaleByNorm& scale)
{
    launcher.forEach(countOf(scale.gradient), ScaleByNormBody{scale});
}

} // namespace cannery::kernels::bodies

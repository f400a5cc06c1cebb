// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/column_sums.h"
#include "kernels/accelerator/bodies/map.h"

#include <type_traits>

namespace cannery::kernels::bodies {

template <typename Formula>
struct ActivateFunction
{
    static constexpr int kInputs = 1;
    const float* bias = nullptr;

    CANNERY_HOST_DEVICE float operator()(std::int64_t col, const float* of) const
    {
        return Formula::value(bias == nullptr ? of[0] : of[0] + bias[col]);
    }
};

/// Of the gradient, and what the slope is computed from, see needsInput().
template <typename Formula>
struct ActivateBackwardFunction
{
    static constexpr int kInputs = 2;

    CANNERY_HOST_DEVICE float operator()(std::int64_t, const float* of) const
    {
        return of[0] * Formula::slope(of[1]);
    }
};

/// The same, with the sums of its rows.
template <typename Formula>
struct ActivateBackwardTerms
{
    static constexpr int kSums = 1;
    struct Item
    {
        float dstGrad = 0.0F;
        float from = 0.0F;
    };

    ConstMatrixView from;
    ConstMatrixView dstGrad;
    MatrixView srcGrad;
    float* biasGrad = nullptr;

    CANNERY_HOST_DEVICE std::int64_t rows() const { return srcGrad.rows; }
    CANNERY_HOST_DEVICE std::int64_t cols() const { return srcGrad.cols; }
    CANNERY_HOST_DEVICE Item load(std::int64_t row, std::int64_t col) const
    {
        return {element(dstGrad, {row, col}), element(from, {row, col})};
    }
    CANNERY_HOST_DEVICE void add(Item item, std::int64_t row, std::int64_t col, double* sums) const
    {
        const float grad = item.dstGrad * Formula::slope(item.from);
        element(srcGrad, {row, col}) = grad;
        sums[0] += grad;
    }
    CANNERY_HOST_DEVICE void finish(std::int64_t col, const double* sums) const
    {
        biasGrad[col] = static_cast<float>(sums[0]);
    }
};

template <typename Launcher>
void run(Launcher& launcher, const Activate& activate)
{
    withFormula(activate.activation, [&](auto formula) {
        map(launcher, ActivateFunction<decltype(formula)>{activate.bias}, activate.dst,
            activate.src);
    });
}

template <typename Launcher>
void run(Launcher& launcher, const ActivateBackward& backward)
{
    withFormula(backward.activation, [&](auto formula) {
        using Formula = decltype(formula);
        // A linear slope is computed from nothing, and nothing may be there.
        constexpr bool kIsLinear = std::is_same_v<Formula, LinearFormula>;
        const ConstMatrixView from = kIsLinear              ? backward.dstGrad
                                     : Formula::kNeedsInput ? backward.src
                                                            : backward.dst;
        if (backward.biasGrad == nullptr) {
            map(launcher, ActivateBackwardFunction<Formula>{}, backward.srcGrad, backward.dstGrad,
                from);
        } else {
            sumColumns(launcher, ActivateBackwardTerms<Formula>{
                                     from, backward.dstGrad, backward.srcGrad, backward.biasGrad});
        }
    });
}

} // namespace cannery::kernels::bodies

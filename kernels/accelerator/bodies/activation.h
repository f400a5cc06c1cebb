// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/element.h"

namespace cannery::kernels::bodies {

template <typename Formula>
struct ActivateBody
{
    ConstMatrixView src;
    const float* bias = nullptr;
    MatrixView dst;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const Place place = placeOf(index, dst.cols);
        const float value = element(src, place);
        element(dst, place) = Formula::value(bias == nullptr ? value : value + bias[place.col]);
    }
};

/// `from`: what the slope is computed from, see needsInput().
template <typename Formula>
struct ActivateBackwardBody
{
    ConstMatrixView from;
    ConstMatrixView dstGrad;
    MatrixView srcGrad;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const Place place = placeOf(index, srcGrad.cols);
        const float slope = Formula::slope(element(from, place));
        element(srcGrad, place) = element(dstGrad, place) * slope;
    }
};

/// Its slope is 1 wherever it is, and there may be nothing that it could be computed from.
template <>
struct ActivateBackwardBody<LinearFormula>
{
    ConstMatrixView from;
    ConstMatrixView dstGrad;
    MatrixView srcGrad;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const Place place = placeOf(index, srcGrad.cols);
        element(srcGrad, place) = element(dstGrad, place);
    }
};

template <typename Launcher>
void run(Launcher& launcher, const Activate& activate)
{
    withFormula(activate.activation, [&](auto formula) {
        launcher.forEach(
            activate.dst.rows * activate.dst.cols,
            ActivateBody<decltype(formula)>{activate.src, activate.bias, activate.dst});
    });
}

template <typename Launcher>
void run(Launcher& launcher, const ActivateBackward& backward)
{
    withFormula(backward.activation, [&](auto formula) {
        using Formula = decltype(formula);
        launcher.forEach(
            backward.srcGrad.rows * backward.srcGrad.cols,
            ActivateBackwardBody<Formula>{Formula::kNeedsInput ? backward.src : backward.dst,
                                          backward.dstGrad, backward.srcGrad});
    });
}

} // namespace cannery::kernels::bodies

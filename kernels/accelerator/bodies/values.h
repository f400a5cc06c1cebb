// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/map.h"

/// Values moved and filled, and the count of steps.
namespace cannery::kernels::bodies {

struct AdvanceStepBody
{
    AdvanceStep step;

    CANNERY_HOST_DEVICE void operator()(std::int64_t) const
    {
        *step.cursor = (*step.cursor + 1) % step.count;
    }
};

struct FillBody
{
    FillValues fill;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        element(fill.dst, placeOf(index, fill.dst.cols)) = fill.value;
    }
};

struct CopyFunction
{
    static constexpr int kInputs = 1;
    CANNERY_HOST_DEVICE float operator()(std::int64_t, const float* of) const { return of[0]; }
};

struct AddFunction
{
    static constexpr int kInputs = 2;
    CANNERY_HOST_DEVICE float operator()(std::int64_t, const float* of) const
    {
        return of[0] + of[1];
    }
};

struct KeepLossBody
{
    KeepLoss keep;

    CANNERY_HOST_DEVICE void operator()(std::int64_t) const
    {
        keep.dst[*keep.step.cursor] = *keep.src;
    }
};

struct KeepValuesBody
{
    KeepValues keep;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const std::int64_t size = keep.src.rows * keep.src.cols;
        keep.dst[*keep.step.cursor * size + index] =
            element(keep.src, placeOf(index, keep.src.cols));
    }
};

struct MeanOfColumnsBody
{
    MeanOfColumns mean;

    CANNERY_HOST_DEVICE void operator()(std::int64_t row) const
    {
        double sum = 0;
        for (std::int64_t c = 0; c < mean.src.cols; ++c) {
            sum += element(mean.src, {row, c});
        }
        element(mean.dst, {row, 0}) = static_cast<float>(sum / static_cast<double>(mean.src.cols));
    }
};

template <typename Launcher>
void run(Launcher& launcher, const AdvanceStep& step)
{
    launcher.forEach(1, AdvanceStepBody{step});
}

template <typename Launcher>
void run(Launcher& launcher, const FillValues& fill)
{
    launcher.forEach(fill.dst.rows * fill.dst.cols, FillBody{fill});
}

template <typename Launcher>
void run(Launcher& launcher, const CopyValues& copy)
{
    if (copy.accumulate) {
        map(launcher, AddFunction{}, copy.dst, copy.dst, copy.src);
    } else {
        map(launcher, CopyFunction{}, copy.dst, copy.src);
    }
}

template <typename Launcher>
void run(Launcher& launcher, const KeepLoss& keep)
{
    launcher.forEach(1, KeepLossBody{keep});
}

template <typename Launcher>
void run(Launcher& launcher, const KeepValues& keep)
{
    launcher.forEach(keep.src.rows * keep.src.cols, KeepValuesBody{keep});
}

template <typename Launcher>
void run(Launcher& launcher, const MeanOfColumns& mean)
{
    launcher.forEach(mean.dst.rows, MeanOfColumnsBody{mean});
}

} // namespace cannery::kernels::bodies

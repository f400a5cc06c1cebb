// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/column_sums.h"
#include "kernels/accelerator/bodies/map.h"
#include "kernels/accelerator/bodies/parts.h"
#include "kernels/math/moments.h"

#include <cmath>

/// See BatchNormKernels for the formulas; sums are in double.
namespace cannery::kernels::bodies {

CANNERY_HOST_DEVICE inline double inverseDeviation(const DeviceBatchNorm& parameters,
                                                   std::int64_t col)
{
    return 1.0 / std::sqrt(static_cast<double>(parameters.variance[col]) + parameters.epsilon);
}

struct MeanTerms
{
    static constexpr int kSums = 1;
    using Item = float;
    BatchMoments moments;

    CANNERY_HOST_DEVICE std::int64_t rows() const { return moments.src.rows; }
    CANNERY_HOST_DEVICE std::int64_t cols() const { return moments.src.cols; }
    CANNERY_HOST_DEVICE float load(std::int64_t row, std::int64_t col) const
    {
        return element(moments.src, {row, col});
    }
    CANNERY_HOST_DEVICE void add(float x, std::int64_t, std::int64_t, double* sums) const
    {
        sums[0] += x;
    }
    CANNERY_HOST_DEVICE void finish(std::int64_t col, const double* sums) const
    {
        moments.mean[col] = static_cast<float>(sums[0] / static_cast<double>(rows()));
    }
};

/// Of the distances to the mean, which is rounded: what it lacks is corrected.
struct VarianceTerms : MeanTerms
{
    static constexpr int kSums = 2;

    CANNERY_HOST_DEVICE void add(float x, std::int64_t, std::int64_t col, double* sums) const
    {
        const double distance = static_cast<double>(x) - moments.mean[col];
        sums[0] += distance;
        sums[1] += distance * distance;
    }
    CANNERY_HOST_DEVICE void finish(std::int64_t col, const double* sums) const
    {
        const double lack = sums[0] / static_cast<double>(rows());
        const double squares = sums[1] / static_cast<double>(rows());
        moments.variance[col] = static_cast<float>(squares - lack * lack);
        if (moments.partial != nullptr) {
            keepPartial(col, lack, sums[1] - sums[0] * lack);
        }
    }

private:
    CANNERY_HOST_DEVICE void keepPartial(std::int64_t col, double lack, double squares) const
    {
        const bool isEmpty = rows() == 0;
        if (col == 0) {
            moments.partial[0] = static_cast<double>(rows());
        }
        moments.partial[1 + col] = isEmpty ? 0.0 : moments.mean[col] + lack;
        moments.partial[1 + cols() + col] = isEmpty ? 0.0 : squares;
    }
};

/// For each column.
struct MergeMomentsBody
{
    using Sum = PartialMoments;
    MergeMoments merge;

    CANNERY_HOST_DEVICE PartialMoments part(std::int64_t leaf, std::int64_t col) const
    {
        return partialMomentsOf(merge.parts + leaf * partialMomentsSize(merge.cols), merge.cols,
                                col);
    }
    CANNERY_HOST_DEVICE void add(PartialMoments& left, const PartialMoments& right) const
    {
        left.add(right);
    }
    CANNERY_HOST_DEVICE void operator()(std::int64_t col) const
    {
        const PartialMoments all = sumOfTree(*this, merge.partCount, col);
        merge.mean[col] = static_cast<float>(all.mean);
        merge.variance[col] = static_cast<float>(all.squares / all.rows);
        if (col == 0) {
            *merge.rows = all.rows;
        }
    }
};

struct BatchNormalizeFunction
{
    static constexpr int kInputs = 1;
    DeviceBatchNorm parameters;

    CANNERY_HOST_DEVICE float operator()(std::int64_t col, const float* of) const
    {
        const double factor = inverseDeviation(parameters, col) * parameters.gamma[col];
        const double centered = static_cast<double>(of[0]) - parameters.mean[col];
        return static_cast<float>(centered * factor + parameters.beta[col]);
    }
};

struct BatchNormGradientTerms
{
    static constexpr int kSums = 2;
    struct Item
    {
        float x = 0.0F;
        float dstGrad = 0.0F;
    };
    BatchNormParameterGradients gradients;

    CANNERY_HOST_DEVICE std::int64_t rows() const { return gradients.src.rows; }
    CANNERY_HOST_DEVICE std::int64_t cols() const { return gradients.src.cols; }
    CANNERY_HOST_DEVICE Item load(std::int64_t row, std::int64_t col) const
    {
        return {element(gradients.src, {row, col}), element(gradients.dstGrad, {row, col})};
    }
    CANNERY_HOST_DEVICE void add(Item item, std::int64_t, std::int64_t col, double* sums) const
    {
        const double grad = item.dstGrad;
        sums[0] += grad * (static_cast<double>(item.x) - gradients.parameters.mean[col]);
        sums[1] += grad;
    }
    CANNERY_HOST_DEVICE void finish(std::int64_t col, const double* sums) const
    {
        gradients.gammaGrad[col] =
            static_cast<float>(sums[0] * inverseDeviation(gradients.parameters, col));
        gradients.betaGrad[col] = static_cast<float>(sums[1]);
        if (gradients.partial != nullptr) {
            gradients.partial[col] = sums[0];
            gradients.partial[cols() + col] = sums[1];
        }
    }
};

/// For each column.
struct MergeBatchNormGradientsBody
{
    struct Sum
    {
        double products = 0;
        double grads = 0;
    };
    MergeBatchNormGradients merge;

    CANNERY_HOST_DEVICE Sum part(std::int64_t leaf, std::int64_t col) const
    {
        const double* const products = merge.parts + leaf * 2 * merge.cols;
        return {products[col], products[merge.cols + col]};
    }
    CANNERY_HOST_DEVICE void add(Sum& left, const Sum& right) const
    {
        left.products += right.products;
        left.grads += right.grads;
    }
    CANNERY_HOST_DEVICE void operator()(std::int64_t col) const
    {
        const Sum all = sumOfTree(*this, merge.partCount, col);
        merge.gammaGrad[col] =
            static_cast<float>(all.products * inverseDeviation(merge.parameters, col));
        merge.betaGrad[col] = static_cast<float>(all.grads);
    }
};

/// Of src and dstGrad.
struct BatchNormSrcGradientFunction
{
    static constexpr int kInputs = 2;
    BatchNormSrcGradient gradient;

    CANNERY_HOST_DEVICE float operator()(std::int64_t col, const float* of) const
    {
        const double rows = gradient.momentRows == nullptr ? static_cast<double>(gradient.src.rows)
                                                           : *gradient.momentRows;
        const double inverse = inverseDeviation(gradient.parameters, col);
        const double normalized =
            (static_cast<double>(of[0]) - gradient.parameters.mean[col]) * inverse;
        const double rest =
            of[1] - gradient.betaGrad[col] / rows - normalized * gradient.gammaGrad[col] / rows;
        return static_cast<float>(rest * inverse * gradient.parameters.gamma[col]);
    }
};

template <typename Launcher>
void run(Launcher& launcher, const BatchMoments& moments)
{
    sumColumns(launcher, MeanTerms{moments});
    sumColumns(launcher, VarianceTerms{moments});
}

template <typename Launcher>
void run(Launcher& launcher, const MergeMoments& merge)
{
    launcher.forEach(merge.cols, MergeMomentsBody{merge});
}

template <typename Launcher>
void run(Launcher& launcher, const BatchNormalize& normalize)
{
    map(launcher, BatchNormalizeFunction{normalize.parameters}, normalize.dst, normalize.src);
}

template <typename Launcher>
void run(Launcher& launcher, const BatchNormParameterGradients& gradients)
{
    sumColumns(launcher, BatchNormGradientTerms{gradients});
}

template <typename Launcher>
void run(Launcher& launcher, const MergeBatchNormGradients& merge)
{
    launcher.forEach(merge.cols, MergeBatchNormGradientsBody{merge});
}

template <typename Launcher>
void run(Launcher& launcher, const BatchNormSrcGradient& gradient)
{
    map(launcher, BatchNormSrcGradientFunction{gradient}, gradient.srcGrad, gradient.src,
        gradient.dstGrad);
}

} // namespace cannery::kernels::bodies

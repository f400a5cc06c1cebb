// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/column_sums.h"

#include <cmath>

/// See BatchNormKernels for the formulas; sums are in double.
namespace cannery::kernels::bodies {

CANNERY_HOST_DEVICE inline double inverseDeviation(const DeviceBatchNorm& parameters,
                                                   std::int64_t col)
{
    return 1.0 / std::sqrt(static_cast<double>(parameters.variance[col]) + parameters.epsilon);
}

/// The sum of a column, then that of the squares of the distances to the mean.
struct BatchMomentsBody
{
    using Lanes = ColumnLanes<1>;
    static constexpr int kThreads = Lanes::kThreads;
    struct Shared
    {
        Lanes::Shared lanes;
        double mean[Lanes::kMostCols];
    };

    /// What is added.
    struct Values
    {
        ConstMatrixView src;
        CANNERY_HOST_DEVICE void add(std::int64_t row, std::int64_t col, double* sums) const
        {
            sums[0] += element(src, {row, col});
        }
    };
    struct Squares
    {
        ConstMatrixView src;
        double mean = 0;
        CANNERY_HOST_DEVICE void add(std::int64_t row, std::int64_t col, double* sums) const
        {
            const double distance = element(src, {row, col}) - mean;
            sums[0] += distance * distance;
        }
    };

    BatchMoments moments;
    Lanes lanes;

    CANNERY_HOST_DEVICE int phases() const { return 2 * (lanes.treePhases() + 2); }

    CANNERY_HOST_DEVICE void operator()(int phase, int thread, std::int64_t block,
                                        Shared& shared) const
    {
        const int half = lanes.treePhases() + 2;
        const int step = phase % half;
        const std::int64_t rows = moments.src.rows;
        if (step == 0 && phase == 0) {
            lanes.sum(thread, block, rows, shared.lanes, Values{moments.src});
        } else if (step == 0) {
            const double mean = shared.mean[thread % lanes.width];
            lanes.sum(thread, block, rows, shared.lanes, Squares{moments.src, mean});
        } else if (step <= lanes.treePhases()) {
            lanes.halve(step - 1, thread, shared.lanes);
        } else if (lanes.finishes(thread, block)) {
            const double value = shared.lanes.sums[0][thread] / static_cast<double>(rows);
            if (phase < half) {
                shared.mean[thread] = value;
            }
            float* const target = phase < half ? moments.mean : moments.variance;
            target[lanes.colOf(thread, block)] = static_cast<float>(value);
        }
    }
};

struct BatchNormalizeBody
{
    BatchNormalize normalize;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const Place place = placeOf(index, normalize.dst.cols);
        const DeviceBatchNorm& of = normalize.parameters;
        const double factor = inverseDeviation(of, place.col) * of.gamma[place.col];
        const double centered =
            static_cast<double>(element(normalize.src, place)) - of.mean[place.col];
        element(normalize.dst, place) = static_cast<float>(centered * factor + of.beta[place.col]);
    }
};

struct BatchNormGradientTerms
{
    static constexpr int kSums = 2;
    BatchNormParameterGradients gradients;

    CANNERY_HOST_DEVICE std::int64_t rows() const { return gradients.src.rows; }
    CANNERY_HOST_DEVICE std::int64_t cols() const { return gradients.src.cols; }
    CANNERY_HOST_DEVICE void add(std::int64_t row, std::int64_t col, double* sums) const
    {
        const double grad = element(gradients.dstGrad, {row, col});
        const double x = element(gradients.src, {row, col});
        sums[0] += grad * (x - gradients.parameters.mean[col]);
        sums[1] += grad;
    }
    CANNERY_HOST_DEVICE void finish(std::int64_t col, const double* sums) const
    {
        gradients.gammaGrad[col] =
            static_cast<float>(sums[0] * inverseDeviation(gradients.parameters, col));
        gradients.betaGrad[col] = static_cast<float>(sums[1]);
    }
};

struct BatchNormSrcGradientBody
{
    BatchNormSrcGradient gradient;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const Place place = placeOf(index, gradient.srcGrad.cols);
        const std::int64_t col = place.col;
        const auto rows = static_cast<double>(gradient.src.rows);
        const double inverse = inverseDeviation(gradient.parameters, col);
        const double x = element(gradient.src, place);
        const double normalized = (x - gradient.parameters.mean[col]) * inverse;
        const double grad = element(gradient.dstGrad, place);
        const double rest =
            grad - gradient.betaGrad[col] / rows - normalized * gradient.gammaGrad[col] / rows;
        element(gradient.srcGrad, place) =
            static_cast<float>(rest * inverse * gradient.parameters.gamma[col]);
    }
};

template <typename Launcher>
void run(Launcher& launcher, const BatchMoments& moments)
{
    const auto lanes = ColumnLanes<1>::of(moments.src.cols);
    launcher.forEachBlock(lanes.blocks(), BatchMomentsBody{moments, lanes});
}

template <typename Launcher>
void run(Launcher& launcher, const BatchNormalize& normalize)
{
    launcher.forEach(normalize.dst.rows * normalize.dst.cols, BatchNormalizeBody{normalize});
}

template <typename Launcher>
void run(Launcher& launcher, const BatchNormParameterGradients& gradients)
{
    sumColumns(launcher, BatchNormGradientTerms{gradients});
}

template <typename Launcher>
void run(Launcher& launcher, const BatchNormSrcGradient& gradient)
{
    launcher.forEach(gradient.srcGrad.rows * gradient.srcGrad.cols,
                     BatchNormSrcGradientBody{gradient});
}

} // namespace cannery::kernels::bodies

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/device_views.h"
#include "kernels/device/tensor_view.h"
#include "kernels/math/center_formulas.h"

#include <cstdint>

/// Operations of k-means; their formulas are in kernels/math/center_formulas.h.
namespace cannery::kernels {

/// Each row of dst = that of src divided by its length; dst may be src.
struct DivideByLength
{
    ConstMatrixView src;
    MatrixView dst;
};

/// NearestCentersKernels::distances, in the same bits.
struct CenterDistances
{
    CenterDistance distance = CenterDistance::SquaredEuclidean;
    ConstMatrixView points;
    ConstMatrixView centers;
    float* squares = nullptr; ///< working memory: a number for each row and for each center
    MatrixView dst;
};

/// NearestCentersKernels::nearest, in the same bits. At least one center.
struct NearestCenters
{
    CenterDistance distance = CenterDistance::SquaredEuclidean;
    ConstMatrixView points;
    ConstMatrixView centers;
    float* squares = nullptr; ///< as CenterDistances
    std::int32_t* index = nullptr;
    float* least = nullptr;
};

/// The rows of each center, added up: in their order, or in parts of a fixed order if there are
/// many.
struct SumByCenter
{
    ConstMatrixView points;
    const std::int32_t* index = nullptr; ///< the center of each row
    std::int64_t centers = 0;
    double* sums = nullptr;         ///< [centers, points.cols]
    std::int64_t* rowsOf = nullptr; ///< of each center: how many rows it has
    std::byte* scratch = nullptr;   ///< centerScratchBytes(points.rows, centers)
};

/// Centers go to the means of their rows, or with `counts` towards them; these then include the
/// rows. In a mini-batch a center without rows stays.
struct MoveCenters
{
    const double* sums = nullptr;         ///< as SumByCenter
    const std::int64_t* rowsOf = nullptr; ///< the same
    MatrixView centers;
    std::int64_t* counts = nullptr; ///< of a full batch if null
};

/// If this step begins an iteration: centers = updated, of length 1 if wanted, and counts = 0.
struct BeginIteration
{
    StepData begins; ///< int64: 0 if it does not
    ConstMatrixView updated;
    MatrixView centers;
    bool ofUnitLength = false;
    std::int64_t* counts = nullptr;
};

/// Working memory of SumByCenter, in bytes: enough for any device.
std::int64_t centerScratchBytes(std::int64_t rows, std::int64_t centers);

} // namespace cannery::kernels

// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/nearest_centers.h"

#include <cmath>

namespace cannery::kernels::reference {

namespace {

float product(const float* left, const float* right, std::int64_t depth)
{
    float sum = 0;
    for (std::int64_t d = 0; d < depth; ++d) {
        sum = std::fma(left[d], right[d], sum);
    }
    return sum;
}

/// The distance without what all centers share.
float keyOf(CenterDistance kind, const float* point, const float* center, std::int64_t depth)
{
    const float dot = product(point, center, depth);
    return kind == CenterDistance::Cosine ? 1.0F - dot
                                          : std::fma(-2.0F, dot, product(center, center, depth));
}

float sharedBy(CenterDistance kind, const float* point, std::int64_t depth)
{
    return kind == CenterDistance::Cosine ? 0.0F : product(point, point, depth);
}

void distances(ThreadPool&, CenterDistance kind, ConstMatrixView points, ConstMatrixView centers,
               MatrixView dst)
{
    for (std::int64_t r = 0; r < points.rows; ++r) {
        const float shared = sharedBy(kind, points.at(r), points.cols);
        for (std::int64_t c = 0; c < centers.rows; ++c) {
            dst.at(r)[c] = keyOf(kind, points.at(r), centers.at(c), points.cols) + shared;
        }
    }
}

void nearest(ThreadPool&, CenterDistance kind, ConstMatrixView points, ConstMatrixView centers,
             std::span<std::int32_t> index, std::span<float> distance)
{
    for (std::int64_t r = 0; r < points.rows; ++r) {
        std::int32_t best = 0;
        float least = keyOf(kind, points.at(r), centers.at(0), points.cols);
        for (std::int64_t c = 1; c < centers.rows; ++c) {
            const float key = keyOf(kind, points.at(r), centers.at(c), points.cols);
            if (key < least) {
                least = key;
                best = static_cast<std::int32_t>(c);
            }
        }
        index[static_cast<std::size_t>(r)] = best;
        distance[static_cast<std::size_t>(r)] = least + sharedBy(kind, points.at(r), points.cols);
    }
}

} // namespace

const NearestCentersKernels kNearestCenters = {distances, nearest};

} // namespace cannery::kernels::reference

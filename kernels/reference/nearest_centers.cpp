// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/nearest_centers.h"

namespace cannery::kernels::reference {

namespace {

/// The distance without what all centers share.
float keyOf(CenterDistance kind, const float* point, const float* center, std::int64_t depth)
{
    return distanceKey(kind, chainedProduct(point, center, depth),
                       chainedProduct(center, center, depth));
}

float sharedBy(CenterDistance kind, const float* point, std::int64_t depth)
{
    return kind == CenterDistance::Cosine ? 0.0F : chainedProduct(point, point, depth);
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

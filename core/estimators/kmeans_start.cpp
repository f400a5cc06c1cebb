// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/kmeans_start.h"

#include "kernels/device/random.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace cannery::estimators {

namespace {

/// 53 bits, in [0, 1).
double uniformOf(kernels::RandomStream& random)
{
    return static_cast<double>(random.nextBits64() >> 11U) * 0x1p-53;
}

/// k-means++ (Arthur and Vassilvitskii, 2007) with several candidates a center, of which the one
/// that leaves the least sum of distances is taken, as TensorFlow's kernel does.
/// Draws centers one after the other.
class FarApart
{
public:
    FarApart(kernels::ConstMatrixView points, std::uint64_t seed, std::int64_t candidates,
             kernels::ThreadPool& pool)
        : m_points(points), m_random(seed), m_pool(pool),
          m_least(static_cast<std::size_t>(points.rows), std::numeric_limits<float>::infinity()),
          m_candidates(static_cast<std::size_t>(candidates * points.cols)),
          m_distances(static_cast<std::size_t>(candidates * points.rows)), m_count(candidates)
    {}

    /// A first one.
    void draw(std::span<float> center)
    {
        const auto row = static_cast<std::int64_t>(
            m_random.nextBelow(static_cast<std::uint64_t>(m_points.rows)));
        std::ranges::copy(m_points.row(row), center.begin());
        measure(kernels::ConstMatrixView{center.data(), 1, m_points.cols, m_points.cols});
        take(0, 1);
    }

    /// Another one.
    void drawNext(std::span<float> center)
    {
        double total = 0;
        for (const float distance : m_least) {
            total += static_cast<double>(distance);
        }
        const kernels::MatrixView candidates =
            kernels::matrixView(std::span<float>(m_candidates), m_count, m_points.cols);
        for (std::int64_t i = 0; i < m_count; ++i) {
            std::ranges::copy(m_points.row(drawRow(total)), candidates.at(i));
        }
        measure(candidates);
        const std::int64_t best = bestOf(m_count);
        std::ranges::copy(candidates.row(best), center.begin());
        take(best, m_count);
    }

private:
    std::int64_t drawRow(double total)
    {
        const double drawn = uniformOf(m_random) * total;
        // All rows lie on centers: any of them is as good.
        if (!(total > 0)) {
            return static_cast<std::int64_t>(
                m_random.nextBelow(static_cast<std::uint64_t>(m_points.rows)));
        }
        double sum = 0;
        std::int64_t last = 0;
        for (std::int64_t row = 0; row < m_points.rows; ++row) {
            const auto distance = static_cast<double>(m_least[static_cast<std::size_t>(row)]);
            sum += distance;
            if (drawn < sum) {
                return row;
            }
            // Rounding may leave the drawn number just above the last sum.
            last = distance > 0 ? row : last;
        }
        return last;
    }

    /// Squared distances of all rows from these, never below 0.
    void measure(kernels::ConstMatrixView centers)
    {
        const kernels::MatrixView distances =
            kernels::matrixView(std::span<float>(m_distances), m_points.rows, centers.rows);
        kernels::nearestCentersKernels({.depth = centers.cols, .centers = centers.rows})
            .distances(m_pool, kernels::CenterDistance::SquaredEuclidean, m_points, centers,
                       distances);
        // The kernel computes |x|² - 2 x · c + |c|², which may round below 0.
        for (float& distance : m_distances) {
            distance = std::max(distance, 0.0F);
        }
    }

    float distanceIfTaken(std::int64_t row, std::int64_t candidate, std::int64_t count) const
    {
        return std::min(m_least[static_cast<std::size_t>(row)],
                        m_distances[static_cast<std::size_t>(row * count + candidate)]);
    }

    std::int64_t bestOf(std::int64_t count) const
    {
        std::int64_t best = 0;
        double least = std::numeric_limits<double>::infinity();
        for (std::int64_t candidate = 0; candidate < count; ++candidate) {
            double sum = 0;
            for (std::int64_t row = 0; row < m_points.rows; ++row) {
                sum += static_cast<double>(distanceIfTaken(row, candidate, count));
            }
            if (sum < least) {
                least = sum;
                best = candidate;
            }
        }
        return best;
    }

    void take(std::int64_t candidate, std::int64_t count)
    {
        for (std::int64_t row = 0; row < m_points.rows; ++row) {
            m_least[static_cast<std::size_t>(row)] = distanceIfTaken(row, candidate, count);
        }
    }

    kernels::ConstMatrixView m_points;
    kernels::RandomStream m_random;
    kernels::ThreadPool& m_pool;
    std::vector<float> m_least; ///< squared distance from the nearest center so far
    std::vector<float> m_candidates;
    std::vector<float> m_distances; ///< [rows, candidates]
    std::int64_t m_count;
};

} // namespace

void startAtRandom(kernels::ConstMatrixView points, std::uint64_t seed, kernels::MatrixView centers)
{
    // Drawn with replacement, as TensorFlow's random initialisation.
    kernels::RandomStream random(seed);
    for (std::int64_t center = 0; center < centers.rows; ++center) {
        const auto row =
            static_cast<std::int64_t>(random.nextBelow(static_cast<std::uint64_t>(points.rows)));
        std::ranges::copy(points.row(row), centers.at(center));
    }
}

void startFarApart(kernels::ConstMatrixView points, std::uint64_t seed, std::int64_t retries,
                   kernels::ThreadPool& pool, kernels::MatrixView centers)
{
    FarApart drawing(points, seed, retries + 1, pool);
    drawing.draw(centers.row(0));
    for (std::int64_t center = 1; center < centers.rows; ++center) {
        drawing.drawNext(centers.row(center));
    }
}

} // namespace cannery::estimators

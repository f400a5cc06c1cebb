// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/map.h"
#include "kernels/math/center_formulas.h"

#include <limits>

/// Distances of rows from centers, and the nearest one. Each product is one chain along the depth,
/// so it has the same bits wherever it is computed.
namespace cannery::kernels::bodies {

/// For each row.
struct DivideByLengthBody
{
    DivideByLength divide;

    CANNERY_HOST_DEVICE void operator()(std::int64_t row) const
    {
        const float* const src = &element(divide.src, {row, 0});
        float* const dst = &element(divide.dst, {row, 0});
        const float scale = scaleToUnitLength(src, divide.src.cols);
        for (std::int64_t c = 0; c < divide.src.cols; ++c) {
            dst[c] = src[c] * scale;
        }
    }
};

/// For each row: |x|^2.
struct SquareOfRowBody
{
    ConstMatrixView rows;
    float* squares = nullptr;

    CANNERY_HOST_DEVICE void operator()(std::int64_t row) const
    {
        const float* const values = &element(rows, {row, 0});
        squares[row] = chainedProduct(values, values, rows.cols);
    }
};

/// Rows and centers of an operation.
struct RowsAndCenters
{
    CenterDistance distance = CenterDistance::SquaredEuclidean;
    ConstMatrixView points;
    ConstMatrixView centers;
    float* squares = nullptr; ///< of rows, then of centers
    bool isAligned = false;

    template <typename Work>
    static RowsAndCenters of(const Work& work)
    {
        return {work.distance, work.points, work.centers, work.squares,
                hasQuads(work.points) && hasQuads(work.centers)};
    }
    CANNERY_HOST_DEVICE bool isSquared() const
    {
        return distance == CenterDistance::SquaredEuclidean;
    }
    CANNERY_HOST_DEVICE float key(std::int64_t center, float product) const
    {
        return distanceKey(distance, product, isSquared() ? squares[points.rows + center] : 0.0F);
    }
    /// What a row's distances from all centers have besides their keys.
    CANNERY_HOST_DEVICE float shared(std::int64_t row) const
    {
        return isSquared() ? squares[row] : 0.0F;
    }
};

/// Products of a few rows with a few centers: what is read of either serves all of the other.
struct ProductTile
{
    static constexpr int kRows = 4;
    static constexpr int kCenters = 4;

    float products[kRows][kCenters];

    /// Of rows `row`, `row + rowStep` and so on with successive centers. In place of those beyond
    /// the last one, it is computed again.
    CANNERY_HOST_DEVICE ProductTile(const RowsAndCenters& pairs, std::int64_t row,
                                    std::int64_t rowStep, std::int64_t center)
    {
        const float* rowAt[kRows];
        const float* centerAt[kCenters];
        for (int r = 0; r < kRows; ++r) {
            const std::int64_t wanted = row + r * rowStep;
            const std::int64_t last = pairs.points.rows - 1;
            rowAt[r] = &element(pairs.points, {wanted < last ? wanted : last, 0});
            for (int c = 0; c < kCenters; ++c) {
                products[r][c] = 0;
            }
        }
        for (int c = 0; c < kCenters; ++c) {
            const std::int64_t last = pairs.centers.rows - 1;
            centerAt[c] = &element(pairs.centers, {center + c < last ? center + c : last, 0});
        }
        const std::int64_t depth = pairs.points.cols;
        if (!pairs.isAligned) {
            for (std::int64_t d = 0; d < depth; ++d) {
                addTerm(rowAt, centerAt, d);
            }
            return;
        }
        for (std::int64_t d = 0; d < depth; d += kQuad) {
            addQuad(rowAt, centerAt, d);
        }
    }

private:
    CANNERY_HOST_DEVICE void addTerm(const float* const* rowAt, const float* const* centerAt,
                                     std::int64_t d)
    {
        for (int r = 0; r < kRows; ++r) {
            for (int c = 0; c < kCenters; ++c) {
                products[r][c] = std::fma(rowAt[r][d], centerAt[c][d], products[r][c]);
            }
        }
    }

    CANNERY_HOST_DEVICE void addQuad(const float* const* rowAt, const float* const* centerAt,
                                     std::int64_t d)
    {
        Quad rows[kRows];
        for (int r = 0; r < kRows; ++r) {
            rows[r] = loadQuad(rowAt[r] + d);
        }
        for (int c = 0; c < kCenters; ++c) {
            const Quad center = loadQuad(centerAt[c] + d);
            for (int r = 0; r < kRows; ++r) {
                for (int unit = 0; unit < kQuad; ++unit) {
                    products[r][c] =
                        std::fma(rows[r].values[unit], center.values[unit], products[r][c]);
                }
            }
        }
    }
};

/// For each tile of dst.
struct CenterDistancesBody
{
    RowsAndCenters pairs;
    MatrixView dst;

    std::int64_t count() const
    {
        return blocksOf(dst.rows, ProductTile::kRows) * blocksOf(dst.cols, ProductTile::kCenters);
    }

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const Place place = placeOf(index, blocksOf(dst.cols, ProductTile::kCenters));
        const std::int64_t firstRow = place.row * ProductTile::kRows;
        const std::int64_t firstCenter = place.col * ProductTile::kCenters;
        const ProductTile tile(pairs, firstRow, 1, firstCenter);
        for (int r = 0; r < ProductTile::kRows && firstRow + r < dst.rows; ++r) {
            const float shared = pairs.shared(firstRow + r);
            for (int c = 0; c < ProductTile::kCenters && firstCenter + c < dst.cols; ++c) {
                element(dst, {firstRow + r, firstCenter + c}) =
                    pairs.key(firstCenter + c, tile.products[r][c]) + shared;
            }
        }
    }
};

/// A block has some rows. Its threads are in lanes, each with a part of the centers; those of a
/// lane are side by side and read the same center. Then the nearest ones of the lanes are compared
/// in order.
struct NearestCentersBody
{
    static constexpr int kThreads = 256;
    static constexpr int kMostLanes = 8; ///< of at least as many threads as run together
    static constexpr int kKept = kThreads * ProductTile::kRows;
    struct Shared
    {
        float keys[kKept]; ///< [lanes, rows of the block]
        std::int32_t index[kKept];
    };

    RowsAndCenters pairs;
    std::int32_t* index = nullptr;
    float* least = nullptr;
    int lanes = 1; ///< a power of two

    static NearestCentersBody of(const NearestCenters& nearest)
    {
        NearestCentersBody body{RowsAndCenters::of(nearest), nearest.index, nearest.least};
        while (body.lanes < kMostLanes && body.lanes < body.tiles()) {
            body.lanes *= 2;
        }
        return body;
    }
    std::int64_t blocks() const { return blocksOf(pairs.points.rows, rowsOfBlock()); }
    CANNERY_HOST_DEVICE int phases() const { return 2; }

    CANNERY_HOST_DEVICE void operator()(int phase, int thread, std::int64_t block,
                                        Shared& shared) const
    {
        const std::int64_t first = block * rowsOfBlock();
        if (phase == 0) {
            return search(thread, first, shared);
        }
        for (int row = thread; row < rowsOfBlock() && first + row < pairs.points.rows;
             row += kThreads) {
            choose(first, row, shared);
        }
    }

private:
    CANNERY_HOST_DEVICE int rowsOfBlock() const { return kKept / lanes; }
    CANNERY_HOST_DEVICE std::int64_t tiles() const
    {
        return blocksOf(pairs.centers.rows, ProductTile::kCenters);
    }

    /// Among the centers of a lane. The first center of all counts even if its key is NaN, as the
    /// reference has it.
    CANNERY_HOST_DEVICE void search(int thread, std::int64_t first, Shared& shared) const
    {
        const int threads = kThreads / lanes;
        const int lane = thread / threads;
        const int slot = thread % threads;
        float keys[ProductTile::kRows];
        std::int32_t nearest[ProductTile::kRows];
        for (int r = 0; r < ProductTile::kRows; ++r) {
            keys[r] = std::numeric_limits<float>::infinity();
            nearest[r] = 0;
        }
        const Part part = partOf(tiles(), lane, lanes);
        for (std::int64_t at = part.begin; at < part.end; ++at) {
            const std::int64_t center = at * ProductTile::kCenters;
            const ProductTile tile(pairs, first + slot, threads, center);
            for (int c = 0; c < ProductTile::kCenters && center + c < pairs.centers.rows; ++c) {
                for (int r = 0; r < ProductTile::kRows; ++r) {
                    const float key = pairs.key(center + c, tile.products[r][c]);
                    if (key < keys[r] || center + c == 0) {
                        keys[r] = key;
                        nearest[r] = static_cast<std::int32_t>(center + c);
                    }
                }
            }
        }
        for (int r = 0; r < ProductTile::kRows; ++r) {
            const int kept = lane * rowsOfBlock() + slot + r * threads;
            shared.keys[kept] = keys[r];
            shared.index[kept] = nearest[r];
        }
    }

    CANNERY_HOST_DEVICE void choose(std::int64_t first, int row, const Shared& shared) const
    {
        float key = shared.keys[row];
        std::int32_t nearest = shared.index[row];
        for (int lane = 1; lane < lanes; ++lane) {
            const int kept = lane * rowsOfBlock() + row;
            if (shared.keys[kept] < key) {
                key = shared.keys[kept];
                nearest = shared.index[kept];
            }
        }
        index[first + row] = nearest;
        least[first + row] = key + pairs.shared(first + row);
    }
};

template <typename Launcher>
void squareRows(Launcher& launcher, const RowsAndCenters& pairs)
{
    if (pairs.isSquared()) {
        launcher.forEach(pairs.points.rows, SquareOfRowBody{pairs.points, pairs.squares});
        launcher.forEach(pairs.centers.rows,
                         SquareOfRowBody{pairs.centers, pairs.squares + pairs.points.rows});
    }
}

template <typename Launcher>
void run(Launcher& launcher, const DivideByLength& divide)
{
    launcher.forEach(divide.dst.rows, DivideByLengthBody{divide});
}

template <typename Launcher>
void run(Launcher& launcher, const CenterDistances& distances)
{
    const CenterDistancesBody body{RowsAndCenters::of(distances), distances.dst};
    squareRows(launcher, body.pairs);
    launcher.forEach(body.count(), body);
}

template <typename Launcher>
void run(Launcher& launcher, const NearestCenters& nearest)
{
    const auto body = NearestCentersBody::of(nearest);
    squareRows(launcher, body.pairs);
    launcher.forEachBlock(body.blocks(), body);
}

} // namespace cannery::kernels::bodies

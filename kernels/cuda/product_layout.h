// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/operations.h"

#include <algorithm>
#include <cstdint>

/// A product as a library of column-major matrices sees it: our matrices are its transposed ones,
/// so nothing is copied. No CUDA here: tests compile it everywhere.
namespace cannery::kernels::cuda {

/// A factor as it lies in memory: column after column, `stride` floats apart.
struct FactorLayout
{
    const float* data = nullptr;
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::int64_t stride = 0;
    bool isTransposed = false; ///< before it is multiplied
};

/// dst[rows, cols] = left[rows, depth] right[depth, cols] (+ dst) (+ bias in each column), of
/// factors that have been transposed.
struct ProductLayout
{
    FactorLayout left;
    FactorLayout right;
    float* dst = nullptr;
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::int64_t depth = 0;
    std::int64_t dstStride = 0;
    bool accumulate = false;
    const float* bias = nullptr; ///< of each row
};

/// The transposed of a row-major matrix, which is the same memory.
inline FactorLayout transposedLayout(ConstMatrixView view, bool isTransposed)
{
    return {view.data, view.cols, view.rows, std::max<std::int64_t>({view.stride, view.cols, 1}),
            isTransposed};
}

/// A bias is added by the product only where nothing comes after it: others are added by the
/// activation, which reads every element anyway.
inline ProductLayout layoutOf(const Product& product)
{
    // Transposed: dst' = b' a', or (a b')' = b a', or (a' b)' = b' a. The library's matrix is b'
    // already.
    ProductLayout layout{
        .left = transposedLayout(product.b, product.kind == ProductKind::SrcGradient),
        .right = transposedLayout(product.a, product.kind == ProductKind::WeightsGradient),
        .dst = product.dst.data,
        .rows = product.dst.cols,
        .cols = product.dst.rows,
        .dstStride = std::max<std::int64_t>({product.dst.stride, product.dst.cols, 1}),
        .accumulate = product.accumulate,
        .bias = product.activation == Activation::Linear ? product.bias : nullptr};
    layout.depth = layout.left.isTransposed ? layout.left.rows : layout.left.cols;
    return layout;
}

/// What is left to do after the product; nothing if it is linear.
inline bool needsActivation(const Product& product)
{
    return product.activation != Activation::Linear;
}

} // namespace cannery::kernels::cuda

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ops/matmul.h"

/// The dense layer's products for a layer of one unit, whose weights are a vector: tiles of sums
/// would waste all lanes but one. `weights` has one column of stride 1.
namespace cannery::kernels::cpu {

/// Rows whose sums are computed together, and the columns whose sums stay in registers.
inline constexpr std::int64_t kVectorRows = 8;
inline constexpr std::int64_t kVectorCols = 64;

/// One instruction set's functions.
struct VectorKernels
{
    /// sums[i] = sum_k src[row + i, k] * weights[k] for `count` <= kVectorRows rows; the rest of
    /// the sums is arbitrary. Lane l sums the products of k = l, l + 8, ..., each chain fused, and
    /// the lanes are added pairwise: ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)).
    void (*multiplyRows)(ConstMatrixView src, std::int64_t row, std::int64_t count,
                         const float* weights, float* sums) = nullptr;
    /// sums[c] = sum over `rows` of src[r, cols.first + c] * dstGrad[r], each one chain of fused
    /// products, for cols.count <= kVectorCols.
    void (*sumColumns)(ConstMatrixView src, ConstMatrixView dstGrad, BlockRange rows,
                       BlockRange cols, float* sums) = nullptr;
};

extern const VectorKernels kVectorAvx2;
extern const VectorKernels kVectorEigen;

/// dst[r] = (accumulate ? dst[r] : 0) + sum_k src[r, k] * weights[k] (+ bias); the caller applies
/// the activation.
void multiplyVector(const VectorKernels& kernels, ThreadPool& pool, ConstMatrixView src,
                    ConstMatrixView weights, const MatmulEpilogue& epilogue, MatrixView dst);

/// srcGrad[r, k] = dstGrad[r] * weights[k]
void vectorSrcGradient(ThreadPool& pool, ConstMatrixView dstGrad, ConstMatrixView weights,
                       MatrixView srcGrad);

/// weightsGrad[k] = sum_r src[r, k] * dstGrad[r], in chunks of rows as in the matrix product.
void vectorWeightsGradient(const VectorKernels& kernels, ThreadPool& pool, ConstMatrixView src,
                           ConstMatrixView dstGrad, MatrixView weightsGrad);

} // namespace cannery::kernels::cpu

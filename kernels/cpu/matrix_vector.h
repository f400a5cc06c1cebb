// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ops/matmul.h"

/// The dense layer's products for a layer of one unit, whose weights are a vector: tiles of sums
/// would waste all lanes but one. `weights` has one column of stride 1.
namespace cannery::kernels::cpu {

/// dst[r] = (accumulate ? dst[r] : 0) + sum_k src[r, k] * weights[k] (+ bias). Lane l sums the
/// products of k = l, l + 8, ..., then the lanes are added pairwise; the caller applies the
/// activation.
void multiplyVector(ThreadPool& pool, ConstMatrixView src, ConstMatrixView weights,
                    const MatmulEpilogue& epilogue, MatrixView dst);

/// srcGrad[r, k] = dstGrad[r] * weights[k]
void vectorSrcGradient(ThreadPool& pool, ConstMatrixView dstGrad, ConstMatrixView weights,
                       MatrixView srcGrad);

/// weightsGrad[k] = sum_r src[r, k] * dstGrad[r], in chunks of rows as in the matrix product.
void vectorWeightsGradient(ThreadPool& pool, ConstMatrixView src, ConstMatrixView dstGrad,
                           MatrixView weightsGrad);

} // namespace cannery::kernels::cpu

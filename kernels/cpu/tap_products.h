// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/cpu/gemm_kernels.h"
#include "kernels/ops/convolution.h"

/// A convolution tap by tap: for each row of positions, the pixels under one tap are the rows of a
/// factor in place. Padding is left out instead of being filled with zeros, so these functions
/// compute what arithmetic says where zeros would meet NaN. Many small products take longer than
/// those of picture_columns.h.
namespace cannery::kernels::cpu {

void forwardByTaps(const GemmKernels& gemm, const ConvolutionProblem& problem, ThreadPool& pool,
                   ConstMatrixView src, std::span<const float> kernel,
                   const ConvolutionEpilogue& epilogue, MatrixView dst);

void kernelGradientByTaps(const GemmKernels& gemm, const ConvolutionProblem& problem,
                          ThreadPool& pool, ConstMatrixView src, ConstMatrixView dstGrad,
                          std::span<float> kernelGrad);

} // namespace cannery::kernels::cpu

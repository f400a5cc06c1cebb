// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ops/convolution.h"

/// The pictures of one group of channels as a matrix (im2col): a row has the depth() values under
/// the window at one position, zeros in the padding, in the order of the kernel. A convolution is
/// the product of this matrix and the kernel. Only parts of it are ever in memory.
namespace cannery::kernels::cpu {

/// A rectangle of the matrix. Positions are counted through all images.
struct ColumnsPart
{
    std::int64_t firstPosition = 0;
    std::int64_t positions = 0;
    std::int64_t firstCol = 0;
    std::int64_t cols = 0;
};

/// Writes the part to `panel`, rows without gaps.
void gatherColumns(const ConvolutionProblem& problem, std::int64_t group, ConstMatrixView src,
                   const ColumnsPart& part, float* panel);

/// The adjoint: adds each value of `panel` to the value of the picture that it would have been
/// gathered from, position by position; those in the padding are dropped.
void scatterColumns(const ConvolutionProblem& problem, std::int64_t group, const float* panel,
                    const ColumnsPart& part, MatrixView src);

} // namespace cannery::kernels::cpu

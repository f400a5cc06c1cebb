// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ops/convolution.h"

#include <string>
#include <vector>

namespace cannery::benchmarks {

/// Microseconds of processor time that one implementation takes for a convolution of one image.
struct ConvolutionTime
{
    std::string implementation;
    double forward = 0; ///< with bias and ReLU
    double srcGradient = 0;
    double kernelGradient = 0;
};

/// All implementations of the list but the reference that accept the problem and can be planned, on
/// one thread. They take turns for at least `seconds`, and the best turn of each counts.
std::vector<ConvolutionTime> convolutionTimes(const kernels::ConvolutionProblem& problem,
                                              double seconds);

} // namespace cannery::benchmarks

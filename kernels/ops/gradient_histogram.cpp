// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/gradient_histogram.h"

#include <array>

namespace cannery::kernels {

namespace {

std::string_view refusalOfPacked(const GradientHistogramProblem& problem)
{
    const bool isWidth = problem.width > 0 && problem.width <= kHistogramGroup;
    return isWidth && problem.width % kHistogramWidthUnit == 0 ? std::string_view()
                                                               : "a row has 4, 8, 12 or 16 bins";
}

constexpr std::array<GradientHistogramImplementation, 2> kImplementations = {{
    {"packed", refusalOfPacked, &cpu::kGradientHistogram},
    {"reference", acceptsAll<GradientHistogramProblem>, &reference::kGradientHistogram},
}};

} // namespace

std::span<const GradientHistogramImplementation> gradientHistogramImplementations()
{
    return kImplementations;
}

const GradientHistogramKernels& gradientHistogramKernels(const GradientHistogramProblem& problem)
{
    return *choose(gradientHistogramImplementations(), problem).kernels;
}

} // namespace cannery::kernels

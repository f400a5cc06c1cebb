// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/noise.h"

#include "kernels/math/activations.h"

#include <array>
#include <cmath>

namespace cannery::kernels {

namespace {

constexpr std::array<NoiseImplementation, 2> kImplementations = {{
    {"vector", acceptsAll<NoiseProblem>, &cpu::kNoise},
    {"reference", acceptsAll<NoiseProblem>, &reference::kNoise},
}};

} // namespace

double alphaDropoutLimit()
{
    return -SeluFormula::kScaleAlpha;
}

AlphaDropoutScale alphaDropoutScale(double rate)
{
    const double limit = alphaDropoutLimit();
    const double factor = 1.0 / std::sqrt((1.0 - rate) * (1.0 + rate * limit * limit));
    return {factor, -factor * limit * rate};
}

std::span<const NoiseImplementation> noiseImplementations()
{
    return kImplementations;
}

const NoiseKernels& noiseKernels(const NoiseProblem& problem)
{
    return *choose(noiseImplementations(), problem).kernels;
}

} // namespace cannery::kernels

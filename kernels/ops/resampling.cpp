// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/resampling.h"

#include <array>

namespace cannery::kernels {

namespace {

constexpr std::array<ResamplingImplementation, 2> kImplementations = {{
    {"vector", acceptsAll<ResamplingProblem>, &cpu::kResampling},
    {"reference", acceptsAll<ResamplingProblem>, &reference::kResampling},
}};

} // namespace

ResampledAxis ResampledAxis::adjoint(std::int64_t size) const
{
    // Counted, then filled: a position's taps stay in the order of what they lead to.
    ResampledAxis back;
    back.begins.assign(static_cast<std::size_t>(size) + 1, 0);
    for (const std::int64_t place : places) {
        ++back.begins[static_cast<std::size_t>(place) + 1];
    }
    for (std::size_t pixel = 1; pixel < back.begins.size(); ++pixel) {
        back.begins[pixel] += back.begins[pixel - 1];
    }
    back.places.resize(places.size());
    back.weights.resize(places.size());
    std::vector<std::int64_t> next(back.begins.begin(), back.begins.end() - 1);
    for (std::int64_t position = 0; position < positions(); ++position) {
        const auto at = static_cast<std::size_t>(position);
        for (std::int64_t tap = begins[at]; tap < begins[at + 1]; ++tap) {
            const auto own = static_cast<std::size_t>(tap);
            const auto there =
                static_cast<std::size_t>(next[static_cast<std::size_t>(places[own])]++);
            back.places[there] = position;
            back.weights[there] = weights[own];
        }
    }
    return back;
}

std::span<const ResamplingImplementation> resamplingImplementations()
{
    return kImplementations;
}

const ResamplingKernels& resamplingKernels(const ResamplingProblem& problem)
{
    return *choose(resamplingImplementations(), problem).kernels;
}

} // namespace cannery::kernels

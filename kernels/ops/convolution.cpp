// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/convolution.h"

#include "kernels/device/instructions.h"

#include <array>

namespace cannery::kernels {

namespace {

/// A channel has its own kernel: products of matrices would have a single column.
std::string_view isDepthwise(const ConvolutionProblem& problem)
{
    return problem.isDepthwise() ? std::string_view()
                                 : std::string_view("it is for depthwise convolutions only");
}

#if CANNERY_X86_64_V3
std::string_view needsAvx512(const ConvolutionProblem& problem)
{
    return problem.level < CpuLevel::X86_64_v4
               ? std::string_view("it needs the level x86-64-v4 (AVX-512)")
               : std::string_view();
}

/// Shapes for which oneDNN 2.6 has code of its own, and takes less time than ours.
std::string_view isWorthOnednn(const ConvolutionProblem& problem)
{
    const std::string_view level = needsAvx512(problem);
    if (!level.empty()) {
        return level;
    }
    const auto isWide = [](const WindowAxis& axis) {
        return axis.before >= axis.reach() || axis.after >= axis.reach();
    };
    if (problem.depth() == 0 || problem.dstFloats() == 0) {
        return "it refuses convolutions of nothing";
    }
    if (isWide(problem.height) || isWide(problem.width)) {
        return "it refuses padding that is wider than the window";
    }
    return {};
}

#else

std::string_view isLeftOut(const ConvolutionProblem&)
{
    return "it is left out of engines for other processors than x86-64-v3";
}

#endif

constexpr auto kImplementations = std::to_array<ConvolutionImplementation>({
#if CANNERY_X86_64_V3
    {"onednn", isWorthOnednn, &onednn::kConvolution},
#else
    {"onednn", isLeftOut, nullptr},
#endif
        {"depthwise", isDepthwise, &cpu::kDepthwise},
#if CANNERY_X86_64_V3
        {"columns avx512", needsAvx512, &cpu::kConvolutionAvx512},
        {"columns avx2", acceptsAll<ConvolutionProblem>, &cpu::kConvolution},
#endif
        {"columns eigen", acceptsAll<ConvolutionProblem>, &cpu::kConvolutionEigen},
        {"reference", acceptsAll<ConvolutionProblem>, &reference::kConvolution},
});

} // namespace

std::span<const ConvolutionImplementation> convolutionImplementations()
{
    return kImplementations;
}

Convolution::Convolution(const ConvolutionImplementation& implementation,
                         const ConvolutionProblem& problem)
    : m_implementation(&implementation), m_plan(implementation.kernels->plan(problem))
{}

Convolution::Convolution(const ConvolutionProblem& problem, std::vector<Refusal>* refusals)
{
    std::span<const ConvolutionImplementation> rest = convolutionImplementations();
    // The last row accepts everything.
    while (!isPlanned()) {
        const ConvolutionImplementation& row = choose(rest, problem, refusals);
        *this = Convolution(row, problem);
        if (!isPlanned() && refusals != nullptr) {
            refusals->push_back({row.name, "it has no plan for this shape here"});
        }
        rest = rest.subspan(static_cast<std::size_t>(&row - rest.data()) + 1);
    }
}

} // namespace cannery::kernels

// SPDX-License-Identifier: Apache-2.0
#include "tests/benchmarks/programs/convolution_rate.h"

#include "kernels/device/random.h"
#include "tests/benchmarks/programs/peak_rate.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace cannery::benchmarks {

namespace {

using kernels::Convolution;
using kernels::ConvolutionImplementation;
using kernels::ConvolutionProblem;
using kernels::MatrixView;

std::vector<float> randomValues(std::int64_t count, std::uint64_t seed)
{
    kernels::RandomStream random(seed);
    std::vector<float> values(static_cast<std::size_t>(count));
    std::ranges::generate(values, [&] { return random.nextUniform(-1.0F, 1.0F); });
    return values;
}

/// The layer's pictures and kernel.
class ConvolutionLayer
{
public:
    explicit ConvolutionLayer(const ConvolutionProblem& problem)
        : m_problem(problem), m_src(randomValues(problem.images * problem.srcFloats(), 1)),
          m_kernel(randomValues(problem.kernelFloats(), 2)),
          m_dst(randomValues(problem.images * problem.dstFloats(), 3)),
          m_bias(randomValues(problem.filters, 4)), m_srcGrad(m_src), m_kernelGrad(m_kernel)
    {}

    /// One turn; the better time of each pass so far stays in `best`.
    void run(const Convolution& convolution, ConvolutionTime& best)
    {
        const std::int64_t images = m_problem.images;
        const MatrixView src = kernels::matrixView(std::span(m_src), images, m_problem.srcFloats());
        const MatrixView dst = kernels::matrixView(std::span(m_dst), images, m_problem.dstFloats());
        const MatrixView srcGrad =
            kernels::matrixView(std::span(m_srcGrad), images, m_problem.srcFloats());
        time(best.srcGradient, [&] { convolution.srcGradient(m_pool, dst, m_kernel, srcGrad); });
        time(best.kernelGradient,
             [&] { convolution.kernelGradient(m_pool, src, dst, m_kernelGrad); });
        time(best.forward, [&] {
            convolution.forward(m_pool, src, m_kernel,
                                {.bias = m_bias, .activation = kernels::Activation::Relu}, dst);
        });
    }

private:
    template <typename Pass>
    void time(double& best, const Pass& pass)
    {
        const double begin = processorSeconds();
        pass();
        const double seconds = processorSeconds() - begin;
        best = std::min(best, seconds / static_cast<double>(m_problem.images) * 1e6);
    }

    ConvolutionProblem m_problem;
    kernels::ThreadPool m_pool{1};
    std::vector<float> m_src;
    std::vector<float> m_kernel;
    std::vector<float> m_dst;
    std::vector<float> m_bias;
    std::vector<float> m_srcGrad;
    std::vector<float> m_kernelGrad;
};

} // namespace

std::vector<ConvolutionTime> convolutionTimes(const ConvolutionProblem& problem, double seconds)
{
    constexpr double kNone = std::numeric_limits<double>::infinity();
    std::vector<std::pair<Convolution, ConvolutionTime>> runners;
    const std::span<const ConvolutionImplementation> list = kernels::convolutionImplementations();
    for (const ConvolutionImplementation& row : list.first(list.size() - 1)) {
        if (!row.refusal(problem).empty()) {
            continue;
        }
        Convolution convolution(row, problem);
        if (convolution.isPlanned()) {
            runners.emplace_back(std::move(convolution),
                                 ConvolutionTime{std::string(row.name), kNone, kNone, kNone});
        }
    }
    ConvolutionLayer layer(problem);
    const double begin = processorSeconds();
    do {
        for (auto& [convolution, best] : runners) {
            layer.run(convolution, best);
        }
    } while (processorSeconds() - begin < seconds);
    std::vector<ConvolutionTime> times;
    for (const auto& [convolution, best] : runners) {
        times.push_back(best);
    }
    return times;
}

} // namespace cannery::benchmarks

// SPDX-License-Identifier: Apache-2.0
#include "tests/benchmarks/programs/product_rate.h"

#include "kernels/device/random.h"
#include "tests/benchmarks/programs/peak_rate.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

namespace cannery::benchmarks {

namespace {

using kernels::Matmul;
using kernels::MatmulProblem;
using kernels::MatrixView;
using kernels::ThreadPool;

/// Products of a turn: a millisecond or so.
constexpr std::int64_t kProductsOfTurn = 40'000'000;

std::vector<float> randomValues(std::int64_t count, std::uint64_t seed)
{
    kernels::RandomStream random(seed);
    std::vector<float> values(static_cast<std::size_t>(count));
    std::ranges::generate(values, [&] { return random.nextUniform(-1.0F, 1.0F); });
    return values;
}

/// The layer's matrices.
class DenseLayerProducts
{
public:
    explicit DenseLayerProducts(const MatmulProblem& problem)
        : m_problem(problem), m_src(randomValues(problem.rows * problem.depth, 1)),
          m_weights(randomValues(problem.depth * problem.cols, 2)),
          m_dst(randomValues(problem.rows * problem.cols, 3)),
          m_bias(randomValues(problem.cols, 4)), m_srcGrad(m_src), m_weightsGrad(m_weights)
    {}

    /// One turn; the better time of each product so far stays in `best`.
    void run(const Matmul& matmul, ProductTime& best)
    {
        const auto [rows, depth, cols, level] = m_problem;
        const MatrixView src = kernels::matrixView(std::span(m_src), rows, depth);
        const MatrixView weights = kernels::matrixView(std::span(m_weights), depth, cols);
        const MatrixView dst = kernels::matrixView(std::span(m_dst), rows, cols);
        const MatrixView srcGrad = kernels::matrixView(std::span(m_srcGrad), rows, depth);
        const MatrixView weightsGrad = kernels::matrixView(std::span(m_weightsGrad), depth, cols);
        time(best.srcGradient, [&] { matmul.srcGradient(m_pool, dst, weights, srcGrad); });
        time(best.weightsGradient, [&] { matmul.weightsGradient(m_pool, src, dst, weightsGrad); });
        time(best.forward, [&] {
            matmul.forward(m_pool, src, weights,
                           {.bias = m_bias, .activation = kernels::Activation::Relu}, dst);
        });
    }

private:
    template <typename Product>
    void time(double& best, const Product& product)
    {
        const std::int64_t count = std::max<std::int64_t>(
            1, kProductsOfTurn / (m_problem.rows * m_problem.depth * m_problem.cols));
        const double begin = processorSeconds();
        for (std::int64_t i = 0; i < count; ++i) {
            product();
        }
        best = std::min(best, (processorSeconds() - begin) / static_cast<double>(count) * 1e6);
    }

    MatmulProblem m_problem;
    ThreadPool m_pool{1};
    std::vector<float> m_src;
    std::vector<float> m_weights;
    std::vector<float> m_dst;
    std::vector<float> m_bias;
    std::vector<float> m_srcGrad;
    std::vector<float> m_weightsGrad;
};

} // namespace

std::vector<ProductTime> productTimes(const MatmulProblem& problem, double seconds)
{
    constexpr double kNone = std::numeric_limits<double>::infinity();
    std::vector<std::pair<Matmul, ProductTime>> runners;
    const std::span<const kernels::MatmulImplementation> list = kernels::matmulImplementations();
    for (const kernels::MatmulImplementation& row : list.first(list.size() - 1)) {
        // Some rows refuse shapes for which they are slower: that is what is measured here.
        if (!row.refusal(MatmulProblem{128, 256, 128, problem.level}).empty()) {
            continue;
        }
        Matmul matmul(row, problem);
        if (matmul.isPlanned()) {
            runners.emplace_back(std::move(matmul),
                                 ProductTime{std::string(row.name), kNone, kNone, kNone});
        }
    }
    DenseLayerProducts layer(problem);
    const double begin = processorSeconds();
    do {
        for (auto& [matmul, best] : runners) {
            layer.run(matmul, best);
        }
    } while (processorSeconds() - begin < seconds);
    std::vector<ProductTime> times;
    for (const auto& [matmul, best] : runners) {
        times.push_back(best);
    }
    return times;
}

} // namespace cannery::benchmarks

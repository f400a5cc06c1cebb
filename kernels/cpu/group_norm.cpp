// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/group_norm.h"

#include "kernels/device/row_blocks.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace cannery::kernels::cpu {

namespace {

/// The numbers of a row along the last axis: where they, their groups and their parameters begin.
struct Run
{
    std::int64_t first = 0;
    std::int64_t group = 0;
    std::int64_t parameter = 0;
    std::int64_t size = 0;
};

template <typename Function>
void forEachGroupRun(const GroupNormShape& shape, Function&& function)
{
    const std::int64_t size = shape.axes.back().size;
    for (std::int64_t first = 0; first < shape.width; first += size) {
        Run run{.first = first, .size = size};
        std::int64_t rest = first / size;
        for (std::size_t axis = shape.axes.size() - 1; axis-- > 0;) {
            const GroupNormShape::Axis& outer = shape.axes[axis];
            run.group += rest % outer.size * outer.groupStep;
            run.parameter += rest % outer.size * outer.parameterStep;
            rest /= outer.size;
        }
        function(run);
    }
}

/// Steps that the compiler knows: only then does it make vectors of a loop.
template <int kStep>
using KnownStep = std::integral_constant<std::int64_t, kStep>;

/// function(step of groups, step of parameters) along the last axis.
template <typename Function>
void withKnownSteps(const GroupNormShape& shape, Function&& function)
{
    const GroupNormShape::Axis& last = shape.axes.back();
    if (last.groupStep == 0) {
        last.parameterStep == 0 ? function(KnownStep<0>(), KnownStep<0>())
                                : function(KnownStep<0>(), KnownStep<1>());
    } else {
        last.parameterStep == 0 ? function(KnownStep<1>(), KnownStep<0>())
                                : function(KnownStep<1>(), KnownStep<1>());
    }
}

/// sums[group] += term(index within the run), of all numbers of a run.
template <typename GroupStep, typename Term>
void addTerms(const Run& run, GroupStep, double* sums, Term&& term)
{
    if constexpr (GroupStep::value == 0) {
        double sum = 0.0;
        for (std::int64_t i = 0; i < run.size; ++i) {
            sum += term(i);
        }
        sums[run.group] += sum;
    } else {
        for (std::int64_t i = 0; i < run.size; ++i) {
            sums[run.group + i] += term(i);
        }
    }
}

/// A row of the statistics.
struct RowStatistics
{
    RowStatistics(const GroupStatistics& all, std::int64_t row, std::int64_t count)
        : mean(all.mean.data() + row * count), inverse(all.inverse.data() + row * count),
          sums(all.sums.data() + row * count), products(all.products.data() + row * count),
          groups(count)
    {}

    double* mean;
    double* inverse;
    double* sums;
    double* products;
    std::int64_t groups;
};

/// function(row, its statistics) on the threads of the pool.
template <typename Function>
void forEachRowOf(ThreadPool& pool, const GroupNormShape& shape, std::int64_t rows,
                  const GroupStatistics& known, Function&& function)
{
    forEachRowBlock(pool, rows, shape.width, [&](BlockRange block, int) {
        for (std::int64_t r = block.first; r < block.first + block.count; ++r) {
            function(r, RowStatistics(known, r, shape.groups));
        }
    });
}

template <typename GroupStep>
void findMeans(const GroupNormShape& shape, const float* src, const RowStatistics& row,
               GroupStep step)
{
    const auto size = static_cast<double>(shape.groupSize());
    forEachGroupRun(shape, [&](const Run& run) {
        addTerms(run, step, row.mean, [&](std::int64_t i) { return double{src[run.first + i]}; });
    });
    for (std::int64_t group = 0; group < row.groups; ++group) {
        row.mean[group] /= size;
    }
}

void statistics(ThreadPool& pool, const GroupNormProblem& problem, ConstMatrixView src,
                const GroupStatistics& found)
{
    const GroupNormShape& shape = problem.shape;
    const bool byMoments = problem.rule == GroupNormRule::Moments;
    const auto size = static_cast<double>(shape.groupSize());
    const double epsilon = problem.epsilon;
    withKnownSteps(shape, [&](auto step, auto) {
        forEachRowOf(pool, shape, src.rows, found, [&](std::int64_t r, const RowStatistics& row) {
            const float* const from = src.at(r);
            std::fill_n(row.mean, row.groups, 0.0);
            std::fill_n(row.inverse, row.groups, 0.0);
            if (byMoments) {
                findMeans(shape, from, row, step);
            }
            // A second pass over the distances: the mean of squares less the squared mean would
            // lose the digits that matter.
            forEachGroupRun(shape, [&](const Run& run) {
                addTerms(run, step, row.inverse, [&](std::int64_t i) {
                    const double distance = double{from[run.first + i]} -
                                            row.mean[run.group + i * decltype(step)::value];
                    return distance * distance;
                });
            });
            for (std::int64_t group = 0; group < row.groups; ++group) {
                const double squares = row.inverse[group];
                row.inverse[group] =
                    1.0 / std::sqrt(byMoments ? squares / size + epsilon
                                              : (squares < epsilon ? epsilon : squares));
            }
        });
    });
}

void normalize(ThreadPool& pool, const GroupNormProblem& problem, const GroupStatistics& known,
               ConstMatrixView src, std::span<const float> gamma, std::span<const float> beta,
               MatrixView dst)
{
    withKnownSteps(problem.shape, [&](auto groupStep, auto parameterStep) {
        constexpr std::int64_t kGroup = decltype(groupStep)::value;
        constexpr std::int64_t kParameter = decltype(parameterStep)::value;
        forEachRowOf(
            pool, problem.shape, src.rows, known, [&](std::int64_t r, const RowStatistics& row) {
                forEachGroupRun(problem.shape, [&](const Run& run) {
                    const float* const from = src.at(r) + run.first;
                    float* const to = dst.at(r) + run.first;
                    const double* const mean = row.mean + run.group;
                    const double* const inverse = row.inverse + run.group;
                    const float* const factor = gamma.data() + run.parameter;
                    const float* const shift = beta.data() + run.parameter;
                    for (std::int64_t i = 0; i < run.size; ++i) {
                        const float distance = from[i] - static_cast<float>(mean[i * kGroup]);
                        to[i] = distance * static_cast<float>(inverse[i * kGroup]) *
                                    factor[i * kParameter] +
                                shift[i * kParameter];
                    }
                });
            });
    });
}

/// sum(g) and sum(g h) of each group of a row.
template <typename GroupStep, typename ParameterStep>
void sumGradients(const GroupNormShape& shape, const RowStatistics& row, const float* src,
                  const float* gamma, const float* grad, GroupStep groupStep, ParameterStep)
{
    constexpr std::int64_t kGroup = GroupStep::value;
    constexpr std::int64_t kParameter = ParameterStep::value;
    std::fill_n(row.sums, row.groups, 0.0);
    std::fill_n(row.products, row.groups, 0.0);
    forEachGroupRun(shape, [&](const Run& run) {
        const auto gradient = [&](std::int64_t i) {
            return double{grad[run.first + i]} * double{gamma[run.parameter + i * kParameter]};
        };
        addTerms(run, groupStep, row.sums, gradient);
        addTerms(run, groupStep, row.products, [&](std::int64_t i) {
            const std::int64_t group = run.group + i * kGroup;
            return gradient(i) * (double{src[run.first + i]} - row.mean[group]) *
                   row.inverse[group];
        });
    });
}

/// The sums become what is subtracted from g: sums + h products.
void makeShares(const GroupNormProblem& problem, const RowStatistics& row)
{
    const auto size = static_cast<double>(problem.shape.groupSize());
    if (problem.rule == GroupNormRule::Moments) {
        for (std::int64_t group = 0; group < row.groups; ++group) {
            row.sums[group] /= size;
            row.products[group] /= size;
        }
        return;
    }
    // A length of at most epsilon is a constant.
    const double cap = 1.0 / std::sqrt(double{problem.epsilon});
    for (std::int64_t group = 0; group < row.groups; ++group) {
        row.sums[group] = 0.0;
        row.products[group] = row.inverse[group] == cap ? 0.0 : row.products[group];
    }
}

void srcGradient(ThreadPool& pool, const GroupNormProblem& problem, const GroupStatistics& known,
                 ConstMatrixView src, std::span<const float> gamma, ConstMatrixView dstGrad,
                 MatrixView srcGrad)
{
    const GroupNormShape& shape = problem.shape;
    withKnownSteps(shape, [&](auto groupStep, auto parameterStep) {
        constexpr std::int64_t kGroup = decltype(groupStep)::value;
        constexpr std::int64_t kParameter = decltype(parameterStep)::value;
        forEachRowOf(pool, shape, src.rows, known, [&](std::int64_t r, const RowStatistics& row) {
            sumGradients(shape, row, src.at(r), gamma.data(), dstGrad.at(r), groupStep,
                         parameterStep);
            makeShares(problem, row);
            forEachGroupRun(shape, [&](const Run& run) {
                const float* const x = src.at(r) + run.first;
                const float* const grad = dstGrad.at(r) + run.first;
                const float* const factor = gamma.data() + run.parameter;
                float* const to = srcGrad.at(r) + run.first;
                for (std::int64_t i = 0; i < run.size; ++i) {
                    const std::int64_t group = run.group + i * kGroup;
                    const double h = (double{x[i]} - row.mean[group]) * row.inverse[group];
                    const double g = double{grad[i]} * double{factor[i * kParameter]};
                    to[i] = static_cast<float>(row.inverse[group] *
                                               (g - row.sums[group] - h * row.products[group]));
                }
            });
        });
    });
}

/// What some rows add to the gradients of gamma and beta.
template <typename GroupStep, typename ParameterStep>
void addParameterGradients(const GroupNormShape& shape, const RowStatistics& row, const float* src,
                           const float* grad, double* gammaSums, double* betaSums, GroupStep,
                           ParameterStep parameterStep)
{
    forEachGroupRun(shape, [&](const Run& run) {
        // Sums by parameter instead of by group.
        const Run byParameter{.first = run.first, .group = run.parameter, .size = run.size};
        addTerms(byParameter, parameterStep, betaSums,
                 [&](std::int64_t i) { return double{grad[run.first + i]}; });
        addTerms(byParameter, parameterStep, gammaSums, [&](std::int64_t i) {
            const std::int64_t group = run.group + i * GroupStep::value;
            return double{grad[run.first + i]} * (double{src[run.first + i]} - row.mean[group]) *
                   row.inverse[group];
        });
    });
}

void parameterGradients(ThreadPool& pool, const GroupNormProblem& problem,
                        const GroupStatistics& known, ConstMatrixView src, ConstMatrixView dstGrad,
                        std::span<double> parts, std::span<float> gammaGrad,
                        std::span<float> betaGrad)
{
    const GroupNormShape& shape = problem.shape;
    const std::int64_t count = shape.parameters;
    const std::int64_t fewest = std::max<std::int64_t>(1, kBlockElements / shape.width);
    const std::int64_t partRows =
        std::max(fewest, (src.rows + kGroupNormParts - 1) / kGroupNormParts);
    const std::int64_t partCount = std::max<std::int64_t>(1, (src.rows + partRows - 1) / partRows);
    std::fill_n(parts.begin(), partCount * 2 * count, 0.0);
    withKnownSteps(shape, [&](auto groupStep, auto parameterStep) {
        forEachBlock(pool, src.rows, partRows, [&](BlockRange rows, int) {
            double* const products = parts.data() + rows.first / partRows * 2 * count;
            for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
                addParameterGradients(shape, RowStatistics(known, r, shape.groups), src.at(r),
                                      dstGrad.at(r), products, products + count, groupStep,
                                      parameterStep);
            }
        });
    });
    for (std::int64_t i = 0; i < count; ++i) {
        double product = 0.0;
        double sum = 0.0;
        for (std::int64_t part = 0; part < partCount; ++part) {
            const double* const own = parts.data() + part * 2 * count;
            product += own[i];
            sum += own[count + i];
        }
        gammaGrad[static_cast<std::size_t>(i)] = static_cast<float>(product);
        betaGrad[static_cast<std::size_t>(i)] = static_cast<float>(sum);
    }
}

} // namespace

const GroupNormKernels kGroupNorm = {statistics, normalize, srcGradient, parameterGradients};

} // namespace cannery::kernels::cpu

// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/group_norm.h"

#include <cmath>

namespace cannery::kernels::reference {

namespace {

/// The group and the parameter of a number of a row.
struct Place
{
    std::size_t group = 0;
    std::size_t parameter = 0;
};

Place placeOf(const GroupNormShape& shape, std::int64_t index)
{
    Place place;
    for (auto axis = shape.axes.rbegin(); axis != shape.axes.rend(); ++axis) {
        place.group += static_cast<std::size_t>(index % axis->size * axis->groupStep);
        place.parameter += static_cast<std::size_t>(index % axis->size * axis->parameterStep);
        index /= axis->size;
    }
    return place;
}

/// function(value, its place), of a row; groups are counted over all rows.
template <typename Function>
void forEachNumber(const GroupNormShape& shape, ConstMatrixView values, Function&& function)
{
    for (std::int64_t r = 0; r < values.rows; ++r) {
        for (std::int64_t i = 0; i < shape.width; ++i) {
            Place place = placeOf(shape, i);
            place.group += static_cast<std::size_t>(r * shape.groups);
            function(r, i, place);
        }
    }
}

void statistics(ThreadPool&, const GroupNormProblem& problem, ConstMatrixView src,
                const GroupStatistics& found)
{
    const GroupNormShape& shape = problem.shape;
    const auto size = static_cast<double>(shape.groupSize());
    const auto groups = static_cast<std::size_t>(src.rows * shape.groups);
    const bool byMoments = problem.rule == GroupNormRule::Moments;
    std::vector<double> sums(groups);
    std::vector<double> squares(groups);
    forEachNumber(shape, src, [&](std::int64_t r, std::int64_t i, Place place) {
        sums[place.group] += double{src.at(r)[i]};
    });
    for (std::size_t group = 0; group < groups; ++group) {
        found.mean[group] = byMoments ? sums[group] / size : 0.0;
    }
    forEachNumber(shape, src, [&](std::int64_t r, std::int64_t i, Place place) {
        const double distance = double{src.at(r)[i]} - found.mean[place.group];
        squares[place.group] += distance * distance;
    });
    for (std::size_t group = 0; group < groups; ++group) {
        const double epsilon = problem.epsilon;
        found.inverse[group] =
            1.0 / std::sqrt(byMoments ? squares[group] / size + epsilon
                                      : (squares[group] < epsilon ? epsilon : squares[group]));
    }
}

double normalized(const GroupStatistics& known, float x, std::size_t group)
{
    return (double{x} - known.mean[group]) * known.inverse[group];
}

void normalize(ThreadPool&, const GroupNormProblem& problem, const GroupStatistics& known,
               ConstMatrixView src, std::span<const float> gamma, std::span<const float> beta,
               MatrixView dst)
{
    forEachNumber(problem.shape, src, [&](std::int64_t r, std::int64_t i, Place place) {
        dst.at(r)[i] = static_cast<float>(normalized(known, src.at(r)[i], place.group) *
                                              double{gamma[place.parameter]} +
                                          double{beta[place.parameter]});
    });
}

void srcGradient(ThreadPool&, const GroupNormProblem& problem, const GroupStatistics& known,
                 ConstMatrixView src, std::span<const float> gamma, ConstMatrixView dstGrad,
                 MatrixView srcGrad)
{
    const GroupNormShape& shape = problem.shape;
    const auto groups = static_cast<std::size_t>(src.rows * shape.groups);
    const auto size = static_cast<double>(shape.groupSize());
    const double cap = 1.0 / std::sqrt(double{problem.epsilon});
    std::vector<double> sums(groups);
    std::vector<double> products(groups);
    forEachNumber(shape, src, [&](std::int64_t r, std::int64_t i, Place place) {
        const double grad = double{dstGrad.at(r)[i]} * double{gamma[place.parameter]};
        sums[place.group] += grad;
        products[place.group] += grad * normalized(known, src.at(r)[i], place.group);
    });
    forEachNumber(shape, src, [&](std::int64_t r, std::int64_t i, Place place) {
        const double grad = double{dstGrad.at(r)[i]} * double{gamma[place.parameter]};
        const double h = normalized(known, src.at(r)[i], place.group);
        const double inverse = known.inverse[place.group];
        const double rest = problem.rule == GroupNormRule::Moments
                                ? sums[place.group] / size + h * products[place.group] / size
                                : (inverse == cap ? 0.0 : h * products[place.group]);
        srcGrad.at(r)[i] = static_cast<float>(inverse * (grad - rest));
    });
}

void parameterGradients(ThreadPool&, const GroupNormProblem& problem, const GroupStatistics& known,
                        ConstMatrixView src, ConstMatrixView dstGrad, std::span<double> parts,
                        std::span<float> gammaGrad, std::span<float> betaGrad)
{
    const auto count = static_cast<std::size_t>(problem.shape.parameters);
    const std::span<double> products = parts.first(count);
    const std::span<double> sums = parts.subspan(count, count);
    std::fill_n(parts.begin(), 2 * count, 0.0);
    forEachNumber(problem.shape, src, [&](std::int64_t r, std::int64_t i, Place place) {
        const double grad = dstGrad.at(r)[i];
        products[place.parameter] += grad * normalized(known, src.at(r)[i], place.group);
        sums[place.parameter] += grad;
    });
    for (std::size_t i = 0; i < count; ++i) {
        gammaGrad[i] = static_cast<float>(products[i]);
        betaGrad[i] = static_cast<float>(sums[i]);
    }
}

} // namespace

const GroupNormKernels kGroupNorm = {statistics, normalize, srcGradient, parameterGradients};

} // namespace cannery::kernels::reference

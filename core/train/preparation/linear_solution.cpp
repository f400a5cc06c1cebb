// SPDX-License-Identifier: Apache-2.0
#include "core/train/preparation/linear_solution.h"

#include "core/train/preparation/normal_equations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace cannery::train {
namespace {

constexpr int kMostNewtonRounds = 25;
constexpr int kMostHalvings = 30;
constexpr int kMostConjugateRounds = 400;
constexpr double kResidualLeft = 1e-7;
constexpr double kResidualLeftEarly = 0.05;
constexpr double kSufficientDecrease = 1e-4;
/// Keeps constant-zero columns from dividing by 0.
constexpr double kLeastCurvature = 1e-10;

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

double softplus(double z)
{
    return std::max(z, 0.0) + std::log1p(std::exp(-std::fabs(z)));
}

double logistic(double z)
{
    return 1.0 / (1.0 + std::exp(-z));
}

class Solver
{
public:
    Solver(const LinearProblem& problem, std::span<const std::int64_t> rows, double l2,
           double gradientLeft = kGradientLeft)
        : m_problem(problem), m_rows(rows), m_l2(l2), m_gradientLeft(gradientLeft),
          m_units(static_cast<std::size_t>(problem.units)),
          m_biasBegin(static_cast<std::size_t>(problem.rows.columnCount) * m_units),
          m_logits(rows.size() * m_units), m_curvature(rows.size() * m_units)
    {}

    std::size_t size() const { return m_biasBegin + m_units; }

    LinearWeights solve(LinearWeights weights)
    {
        // A rough solution is found in fewer products with the rows than their own products take.
        if (m_gradientLeft <= kGradientLeft) {
            // For squares of few columns the exact solution is one system of equations.
            m_equations = NormalEquations::of(m_problem, m_rows, m_l2);
        }
        // Compared with the gradient at zero weights, so that a good start needs no more work than
        // a bad one.
        Vector gradient(size());
        double value = lookAt(LinearWeights(size(), 0.0), &gradient);
        const double first = std::sqrt(dot(gradient, gradient));
        if (!weights.empty()) {
            value = lookAt(weights, &gradient);
        }
        weights.resize(size(), 0.0);
        // Newton's method: quadratic near the solution, so few rounds are usual.
        for (int round = 0; round < kMostNewtonRounds; ++round) {
            const double left = std::sqrt(dot(gradient, gradient));
            // Not less: NaN ends the search, too.
            if (!(left > m_gradientLeft * first)) {
                break;
            }
            const Vector step = newtonStep(gradient, left / first);
            const double slope = dot(step, gradient);
            // A step that does not descend is rounding: the solution is as good as it gets.
            if (!(slope < 0) || !walk(weights, step, slope, value, gradient)) {
                break;
            }
        }
        return weights;
    }

    LinearSlopes slopesAt(const LinearWeights& weights)
    {
        LinearSlopes slopes;
        lookAt(weights, &slopes.gradient);
        slopes.curvature = diagonal();
        return slopes;
    }

    double lossOf(const LinearWeights& weights)
    {
        fillLogits(weights, m_logits, true);
        double sum = 0;
        for (std::size_t row = 0; row < m_rows.size(); ++row) {
            sum += rowLoss(row, nullptr);
        }
        return sum;
    }

private:
    double rowWeight(std::size_t row) const
    {
        // Without weights every row counts as one.
        return m_problem.rowWeights.empty() ? 1.0
                                            : static_cast<double>(m_problem.rowWeights[at(row)]);
    }
    std::size_t at(std::size_t row) const { return static_cast<std::size_t>(m_rows[row]); }

    /// out = rows * weights + bias (+ offsets).
    void fillLogits(const Vector& weights, Vector& out, bool withOffsets) const
    {
        const LinearRows& rows = m_problem.rows;
        for (std::size_t row = 0; row < m_rows.size(); ++row) {
            double* z = out.data() + row * m_units;
            // The bias is the starting value of every unit.
            std::copy_n(weights.data() + m_biasBegin, m_units, z);
            if (withOffsets && !m_problem.offsets.empty()) {
                for (std::size_t unit = 0; unit < m_units; ++unit) {
                    z[unit] += static_cast<double>(m_problem.offsets[at(row) * m_units + unit]);
                }
            }
            const auto end = static_cast<std::size_t>(rows.rowBegins[at(row) + 1]);
            for (auto i = static_cast<std::size_t>(rows.rowBegins[at(row)]); i < end; ++i) {
                const double* w =
                    weights.data() + static_cast<std::size_t>(rows.columns[i]) * m_units;
                const auto x = static_cast<double>(rows.values[i]);
                for (std::size_t unit = 0; unit < m_units; ++unit) {
                    z[unit] += x * w[unit];
                }
            }
        }
    }

    /// out += transposed rows * perRow; if `squared`, with the squared values of the rows.
    void addTransposed(const Vector& perRow, Vector& out, bool squared) const
    {
        const LinearRows& rows = m_problem.rows;
        for (std::size_t row = 0; row < m_rows.size(); ++row) {
            const double* u = perRow.data() + row * m_units;
            // The bias has the value 1 in each row.
            for (std::size_t unit = 0; unit < m_units; ++unit) {
                out[m_biasBegin + unit] += u[unit];
            }
            const auto end = static_cast<std::size_t>(rows.rowBegins[at(row) + 1]);
            for (auto i = static_cast<std::size_t>(rows.rowBegins[at(row)]); i < end; ++i) {
                double* w = out.data() + static_cast<std::size_t>(rows.columns[i]) * m_units;
                auto x = static_cast<double>(rows.values[i]);
                x = squared ? x * x : x;
                for (std::size_t unit = 0; unit < m_units; ++unit) {
                    w[unit] += x * u[unit];
                }
            }
        }
    }

    /// The loss of a row from m_logits; fills its d loss / d z, and m_curvature (for a softmax: its
    /// probabilities).
    double rowLoss(std::size_t row, double* slope)
    {
        const double* z = m_logits.data() + row * m_units;
        double* curvature = m_curvature.data() + row * m_units;
        const double weight = rowWeight(row);
        if (m_problem.loss == LinearLoss::Softmax) {
            return weight * softmaxLoss(row, z, curvature, weight, slope);
        }
        double sum = 0;
        for (std::size_t unit = 0; unit < m_units; ++unit) {
            const auto target = static_cast<double>(m_problem.targets[at(row) * m_units + unit]);
            double one = 0;
            if (m_problem.loss == LinearLoss::Squares) {
                // The factor 2 of a square's slope is kept: the loss is the sum of squares, not
                // half of it.
                one = 2 * (z[unit] - target);
                sum += (z[unit] - target) * (z[unit] - target);
                curvature[unit] = 2 * weight;
            } else {
                const double p = logistic(z[unit]);
                one = p - target;
                // In this form, large logits do not overflow.
                sum += softplus(z[unit]) - target * z[unit];
                curvature[unit] = weight * p * (1 - p);
            }
            if (slope != nullptr) {
                slope[unit] = weight * one;
            }
        }
        return weight * sum;
    }

    double softmaxLoss(std::size_t row, const double* z, double* p, double weight, double* slope)
    {
        // Subtracted, so that the exponentials do not overflow.
        const double most = *std::max_element(z, z + m_units);
        double total = 0;
        for (std::size_t unit = 0; unit < m_units; ++unit) {
            p[unit] = std::exp(z[unit] - most);
            total += p[unit];
        }
        const auto target = static_cast<std::size_t>(m_problem.targets[at(row)]);
        for (std::size_t unit = 0; unit < m_units; ++unit) {
            p[unit] /= total;
            if (slope != nullptr) {
                slope[unit] = weight * (p[unit] - (unit == target ? 1.0 : 0.0));
            }
        }
        return std::log(total) + most - z[target];
    }

    /// The penalized sum of losses, its gradient, and the curvature at that point.
    double lookAt(const Vector& weights, Vector* gradient)
    {
        fillLogits(weights, m_logits, true);
        Vector slopes(gradient == nullptr ? 0 : m_logits.size());
        double value = 0;
        for (std::size_t row = 0; row < m_rows.size(); ++row) {
            value += rowLoss(row, gradient == nullptr ? nullptr : slopes.data() + row * m_units);
        }
        // The bias is not penalized.
        for (std::size_t i = 0; i < m_biasBegin; ++i) {
            value += m_l2 * weights[i] * weights[i];
        }
        if (gradient != nullptr) {
            gradient->assign(size(), 0.0);
            addTransposed(slopes, *gradient, false);
            for (std::size_t i = 0; i < m_biasBegin; ++i) {
                (*gradient)[i] += 2 * m_l2 * weights[i];
            }
        }
        return value;
    }

    /// perRow *= the curvature of each row's loss.
    void bend(Vector& perRow) const
    {
        for (std::size_t row = 0; row < m_rows.size(); ++row) {
            double* u = perRow.data() + row * m_units;
            const double* c = m_curvature.data() + row * m_units;
            if (m_problem.loss != LinearLoss::Softmax) {
                for (std::size_t unit = 0; unit < m_units; ++unit) {
                    u[unit] *= c[unit];
                }
                continue;
            }
            // The curvature of a softmax: diag(p) - p p', without building the matrix.
            double mean = 0;
            for (std::size_t unit = 0; unit < m_units; ++unit) {
                mean += c[unit] * u[unit];
            }
            const double weight = rowWeight(row);
            for (std::size_t unit = 0; unit < m_units; ++unit) {
                u[unit] = weight * c[unit] * (u[unit] - mean);
            }
        }
    }

    Vector timesHessian(const Vector& direction, Vector& perRow) const
    {
        fillLogits(direction, perRow, false);
        bend(perRow);
        Vector out(size(), 0.0);
        addTransposed(perRow, out, false);
        for (std::size_t i = 0; i < m_biasBegin; ++i) {
            out[i] += 2 * m_l2 * direction[i];
        }
        return out;
    }

    Vector diagonal() const
    {
        Vector perRow = m_curvature;
        if (m_problem.loss == LinearLoss::Softmax) {
            // The diagonal of the same.
            for (std::size_t i = 0; i < perRow.size(); ++i) {
                perRow[i] *= (1 - perRow[i]) * rowWeight(i / m_units);
            }
        }
        Vector out(size(), kLeastCurvature);
        addTransposed(perRow, out, true);
        for (std::size_t i = 0; i < m_biasBegin; ++i) {
            out[i] += 2 * m_l2;
        }
        return out;
    }

    /// Minus the inverse Hessian times the gradient, as accurately as currently useful.
    Vector newtonStep(const Vector& gradient, double gradientLeft) const
    {
        // With the equations, one step is exact.
        if (m_equations) {
            return m_equations->stepFrom(gradient);
        }
        const bool isExact = m_problem.loss == LinearLoss::Squares;
        // Far from the solution a rough step is enough; it is taken from elsewhere next time.
        const double wanted =
            isExact ? kResidualLeft
                    : std::max(kResidualLeft, std::min(kResidualLeftEarly, gradientLeft));
        const Vector scale = diagonal();
        Vector step(size(), 0.0);
        Vector residual(size());
        Vector direction(size());
        Vector perRow(m_logits.size());
        double energy = 0;
        for (std::size_t i = 0; i < size(); ++i) {
            residual[i] = -gradient[i];
            // Scaled by the diagonal, as columns may differ by orders of magnitude.
            direction[i] = residual[i] / scale[i];
            energy += residual[i] * direction[i];
        }
        const double first = energy;
        for (int round = 0; round < kMostConjugateRounds && energy > wanted * wanted * first;
             ++round) {
            const Vector product = timesHessian(direction, perRow);
            const double bent = dot(direction, product);
            // A direction without curvature adds nothing more to the step.
            if (!(bent > 0)) {
                break;
            }
            const double length = energy / bent;
            double next = 0;
            for (std::size_t i = 0; i < size(); ++i) {
                step[i] += length * direction[i];
                residual[i] -= length * product[i];
                next += residual[i] * residual[i] / scale[i];
            }
            for (std::size_t i = 0; i < size(); ++i) {
                direction[i] = residual[i] / scale[i] + next / energy * direction[i];
            }
            energy = next;
        }
        return step;
    }

    /// Follows the step as long as the loss decreases; false if it does not.
    bool walk(Vector& weights, const Vector& step, double slope, double& value, Vector& gradient)
    {
        double length = 1;
        Vector next(size());
        for (int halving = 0; halving < kMostHalvings; ++halving, length /= 2) {
            for (std::size_t i = 0; i < size(); ++i) {
                next[i] = weights[i] + length * step[i];
            }
            const double there = lookAt(next, nullptr);
            // Armijo's rule: the loss must fall by a part of what the slope promises.
            if (there <= value + kSufficientDecrease * length * slope) {
                weights = next;
                value = lookAt(weights, &gradient);
                return true;
            }
        }
        // Even the shortest step does not improve the loss.
        return false;
    }

    const LinearProblem& m_problem;
    std::span<const std::int64_t> m_rows;
    double m_l2;
    double m_gradientLeft;
    std::size_t m_units;
    std::size_t m_biasBegin;
    Vector m_logits;
    Vector m_curvature;
    std::optional<NormalEquations> m_equations;
};

} // namespace

LinearWeights solveLinear(const LinearProblem& problem, std::span<const std::int64_t> rows,
                          double l2, LinearWeights start, double gradientLeft)
{
    return Solver(problem, rows, l2, gradientLeft).solve(std::move(start));
}

double linearLoss(const LinearProblem& problem, std::span<const std::int64_t> rows,
                  const LinearWeights& weights)
{
    return Solver(problem, rows, 0.0).lossOf(weights);
}

LinearSlopes linearSlopes(const LinearProblem& problem, std::span<const std::int64_t> rows,
                          const LinearWeights& weights)
{
    return Solver(problem, rows, 0.0).slopesAt(weights);
}

} // namespace cannery::train

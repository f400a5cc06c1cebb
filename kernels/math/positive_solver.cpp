// SPDX-License-Identifier: Apache-2.0
#include "kernels/math/positive_solver.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <utility>

namespace cannery::kernels {

namespace {

/// A pivot of a matrix with a diagonal of ones that is smaller is what rounding has left of 0.
constexpr double kLeastPivot = 1e-11;

} // namespace

struct PositiveSolver::Factors
{
    Eigen::VectorXd scale; ///< makes the diagonal ones, so that units of columns do not matter
    Eigen::LDLT<Eigen::MatrixXd> solver;
};

PositiveSolver::PositiveSolver(std::unique_ptr<const Factors> factors)
    : m_factors(std::move(factors))
{}

PositiveSolver::PositiveSolver(PositiveSolver&&) noexcept = default;
PositiveSolver& PositiveSolver::operator=(PositiveSolver&&) noexcept = default;
PositiveSolver::~PositiveSolver() = default;

std::optional<PositiveSolver> PositiveSolver::of(std::span<const double> matrix, std::size_t size)
{
    const auto count = static_cast<Eigen::Index>(size);
    // A copy: results must not depend on where the caller's numbers begin.
    Eigen::MatrixXd scaled =
        Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
            matrix.data(), count, count);
    const Eigen::VectorXd diagonal = scaled.diagonal();
    // A column without a square has no solution of its own; NaN fails as well.
    if (count > 0 && !(diagonal.minCoeff() > 0)) {
        return std::nullopt;
    }
    auto factors = std::make_unique<Factors>();
    factors->scale = diagonal.cwiseSqrt().cwiseInverse();
    scaled = factors->scale.asDiagonal() * scaled * factors->scale.asDiagonal();
    if (!scaled.triangularView<Eigen::Lower>().toDenseMatrix().allFinite()) {
        return std::nullopt;
    }
    factors->solver.compute(scaled);
    // Columns that depend on each other leave a pivot of almost 0.
    if (count > 0 && !(factors->solver.vectorD().minCoeff() > kLeastPivot)) {
        return std::nullopt;
    }
    return PositiveSolver(std::move(factors));
}

std::vector<double> PositiveSolver::solve(std::span<const double> right) const
{
    const auto count = static_cast<Eigen::Index>(right.size());
    const Eigen::VectorXd scaled =
        m_factors->scale.cwiseProduct(Eigen::Map<const Eigen::VectorXd>(right.data(), count));
    // The scale is undone on both sides.
    const Eigen::VectorXd solved = m_factors->scale.cwiseProduct(m_factors->solver.solve(scaled));
    return {solved.data(), solved.data() + solved.size()};
}

} // namespace cannery::kernels

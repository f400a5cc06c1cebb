// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace cannery::kernels {

/// A symmetric positive definite matrix, factored as P' L D L' P with pivots (Higham 2002, §11.1),
/// once for any number of right sides. Immutable; on the calling thread; throws std::bad_alloc.
class PositiveSolver
{
public:
    /// For a matrix [size, size] of which only the lower triangle is read, in about size³ / 3
    /// operations. Nothing if a number is not finite, or if a row is, up to rounding, a combination
    /// of others. Rows may be of different magnitudes.
    static std::optional<PositiveSolver> of(std::span<const double> matrix, std::size_t size);

    PositiveSolver(PositiveSolver&&) noexcept;
    PositiveSolver& operator=(PositiveSolver&&) noexcept;
    ~PositiveSolver();

    /// The x [size] of matrix * x = right [size].
    std::vector<double> solve(std::span<const double> right) const;

private:
    struct Factors;
    explicit PositiveSolver(std::unique_ptr<const Factors> factors);

    std::unique_ptr<const Factors> m_factors;
};

} // namespace cannery::kernels

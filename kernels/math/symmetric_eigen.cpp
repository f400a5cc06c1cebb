// SPDX-License-Identifier: Apache-2.0
#include "kernels/math/symmetric_eigen.h"

#include <Eigen/Eigenvalues>

namespace cannery::kernels {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

SymmetricEigen eigenOf(const std::vector<double>& matrix, std::size_t size)
{
    SymmetricEigen parts{std::vector<double>(size), std::vector<double>(size * size)};
    if (size == 0) {
        return parts;
    }
    const auto count = static_cast<Eigen::Index>(size);
    const Eigen::Map<const Matrix> whole(matrix.data(), count, count);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(whole);
    // Eigen's values are ascending, and its vectors are columns.
    Eigen::Map<Eigen::VectorXd>(parts.values.data(), count) = solver.eigenvalues().reverse();
    Eigen::Map<Matrix>(parts.vectors.data(), count, count) =
        solver.eigenvectors().rowwise().reverse().transpose();
    return parts;
}

} // namespace cannery::kernels

// SPDX-License-Identifier: Apache-2.0
#include "kernels/math/row_products.h"

#include <Eigen/Core>

namespace cannery::kernels {

void addRowProducts(std::span<const double> rows, std::size_t columns, std::span<double> sums)
{
    if (columns == 0 || rows.empty()) {
        return;
    }
    const auto width = static_cast<Eigen::Index>(columns);
    // Rows are the columns of a matrix in Eigen's order, and a symmetric matrix is its own
    // transpose: the upper triangle there is the lower one here.
    const Eigen::Map<const Eigen::MatrixXd> turned(
        rows.data(), width, static_cast<Eigen::Index>(rows.size() / columns));
    Eigen::Map<Eigen::MatrixXd> all(sums.data(), width, width);
    all.selfadjointView<Eigen::Upper>().rankUpdate(turned);
}

} // namespace cannery::kernels

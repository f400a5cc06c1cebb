// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/columns_product.h"

#include <vector>

namespace cannery::kernels::reference {

namespace {

void addPart(const ColumnsPart& part, std::int64_t row, std::vector<double>& sums)
{
    const auto addRow = [&](double factor, std::int64_t weightRow) {
        for (std::size_t c = 0; c < sums.size(); ++c) {
            sums[c] += factor * part.weights.at(weightRow)[c];
        }
    };
    if (part.values.data != nullptr) {
        for (std::int64_t k = 0; k < part.values.cols; ++k) {
            addRow(part.values.at(row)[k], k);
        }
        return;
    }
    const auto at = static_cast<std::size_t>(row);
    for (std::int64_t e = part.ids.rowOffsets[at]; e < part.ids.rowOffsets[at + 1]; ++e) {
        const std::int32_t id = part.ids.ids[static_cast<std::size_t>(e)];
        if (id >= 0 && id < part.weights.rows) {
            addRow(part.ids.weight(e), id);
        }
    }
}

void forward(ThreadPool&, std::span<const ColumnsPart> parts, std::span<const float> bias,
             bool relu, MatrixView dst)
{
    std::vector<double> sums(static_cast<std::size_t>(dst.cols));
    for (std::int64_t r = 0; r < dst.rows; ++r) {
        std::fill(sums.begin(), sums.end(), 0.0);
        for (const ColumnsPart& part : parts) {
            addPart(part, r, sums);
        }
        for (std::size_t c = 0; c < sums.size(); ++c) {
            const double sum = bias.empty() ? sums[c] : sums[c] + bias[c];
            dst.at(r)[c] = static_cast<float>(relu && sum < 0 ? 0.0 : sum);
        }
    }
}

} // namespace

const ColumnsProductKernels kColumnsProduct = {forward};

} // namespace cannery::kernels::reference

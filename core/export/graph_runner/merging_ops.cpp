// SPDX-License-Identifier: Apache-2.0
#include "core/export/graph_runner/op_call.h"

#include <algorithm>
#include <array>

namespace cannery::exporting {

using storage::HostTensor;

namespace {

/// The last two dimensions of a tensor, as its product reads them.
struct MatrixOfBatch
{
    std::size_t rows = 0;
    std::size_t cols = 0;
    std::size_t rowStep = 0;
    std::size_t colStep = 0;
};

MatrixOfBatch matrixOfBatch(const Shape& shape, bool isTransposed)
{
    const auto rows = static_cast<std::size_t>(shape.dims[shape.dims.size() - 2]);
    const auto cols = static_cast<std::size_t>(shape.dims.back());
    if (isTransposed) {
        return {.rows = cols, .cols = rows, .rowStep = 1, .colStep = cols};
    }
    return {.rows = rows, .cols = cols, .rowStep = cols, .colStep = 1};
}

/// Of tensors whose other dimensions are the same: nothing here emits batches that repeat.
Result<void> batchMatMul(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const auto left, call.values<float>(0));
    CANNERY_TRY_ASSIGN(const auto right, call.values<float>(1));
    Shape shape = call.inputs[0]->tensor.shape;
    const Shape& other = call.inputs[1]->tensor.shape;
    if (shape.rank() < 2 || other.rank() != shape.rank() ||
        !std::equal(shape.dims.begin(), shape.dims.end() - 2, other.dims.begin())) {
        return call.invalid("multiplies batches of different shapes");
    }
    const MatrixOfBatch a = matrixOfBatch(shape, call.attrOr("adj_x", false));
    const MatrixOfBatch b = matrixOfBatch(other, call.attrOr("adj_y", false));
    if (a.cols != b.rows) {
        return call.invalid("multiplies matrices that do not fit together");
    }
    shape.dims[shape.dims.size() - 2] = static_cast<std::int64_t>(a.rows);
    shape.dims.back() = static_cast<std::int64_t>(b.cols);
    CANNERY_TRY_ASSIGN(const std::int64_t count, call.room(shape, sizeof(float)));
    // A graph may come from anyone: small tensors can ask for hours of products.
    if (static_cast<double>(count) * static_cast<double>(a.cols) > kMaxProducts) {
        return call.invalid(fmt::format("needs more than {:g} products", kMaxProducts));
    }
    std::vector<float> result;
    for (std::size_t at = 0; at < static_cast<std::size_t>(count); ++at) {
        const std::size_t batch = at / (a.rows * b.cols);
        const std::size_t x = batch * a.rows * a.cols + at / b.cols % a.rows * a.rowStep;
        const std::size_t y = batch * b.rows * b.cols + at % b.cols * b.colStep;
        double sum = 0;
        for (std::size_t k = 0; k < a.cols; ++k) {
            sum += double{left[x + k * a.colStep]} * double{right[y + k * b.rowStep]};
        }
        result.push_back(static_cast<float>(sum));
    }
    call.give(HostTensor::of(result, shape));
    return {};
}

constexpr std::array kMergingOps{
    OpRow{"BatchMatMulV2", batchMatMul},
};

} // namespace

std::span<const OpRow> mergingOps()
{
    return kMergingOps;
}

} // namespace cannery::exporting

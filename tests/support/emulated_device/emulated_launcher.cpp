// SPDX-License-Identifier: Apache-2.0
#include "tests/support/emulated_device/emulated_launcher.h"

#include "kernels/math/rounding.h"
#include "kernels/ops/matmul.h"

#include <algorithm>
#include <numeric>
#include <vector>

using namespace cannery::kernels;

namespace cannery::tests {

namespace {

/// A factor as the product reads it: itself, or rounded in `rounded`.
ConstMatrixView factor(ConstMatrixView values, ProductPrecision precision,
                       std::vector<float>& rounded)
{
    if (precision == ProductPrecision::Float32) {
        return values;
    }
    for (std::int64_t r = 0; r < values.rows; ++r) {
        for (const float value : values.row(r)) {
            rounded.push_back(precision == ProductPrecision::BFloat16
                                  ? fromBFloat16(toBFloat16(value))
                                  : toTensorFloat32(value));
        }
    }
    return {rounded.data(), values.rows, values.cols, values.cols};
}

} // namespace

void EmulatedLauncher::sort(const bodies::SortPairs& pairs)
{
    std::vector<std::int64_t> order(static_cast<std::size_t>(pairs.count));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::int64_t i) { return pairs.keys[i]; });
    for (std::size_t i = 0; i < order.size(); ++i) {
        pairs.sortedKeys[i] = pairs.keys[order[i]];
        pairs.sortedEntries[i] = pairs.entries[order[i]];
    }
}

void EmulatedLauncher::product(const Product& product)
{
    std::vector<float> roundedA;
    std::vector<float> roundedB;
    const ConstMatrixView a = factor(product.a, product.precision, roundedA);
    const ConstMatrixView b = factor(product.b, product.precision, roundedB);
    ThreadPool pool(1);
    if (product.kind == ProductKind::Forward) {
        const std::size_t biases =
            product.bias == nullptr ? 0 : static_cast<std::size_t>(product.dst.cols);
        const MatmulEpilogue epilogue{.bias = {product.bias, biases},
                                      .activation = product.activation,
                                      .accumulate = product.accumulate};
        return reference::kMatmul.forward(nullptr, pool, a, b, epilogue, product.dst);
    }
    const auto multiply = product.kind == ProductKind::SrcGradient
                              ? reference::kMatmul.srcGradient
                              : reference::kMatmul.weightsGradient;
    if (!product.accumulate) {
        return multiply(nullptr, pool, a, b, product.dst);
    }
    std::vector<float> sums(static_cast<std::size_t>(product.dst.rows * product.dst.cols));
    const MatrixView added{sums.data(), product.dst.rows, product.dst.cols, product.dst.cols};
    multiply(nullptr, pool, a, b, added);
    for (std::int64_t r = 0; r < added.rows; ++r) {
        for (std::int64_t c = 0; c < added.cols; ++c) {
            product.dst.at(r)[c] += added.at(r)[c];
        }
    }
}

} // namespace cannery::tests

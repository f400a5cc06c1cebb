// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/launch_shape.h"
#include "kernels/cuda/product_layout.h"
#include "kernels/ops/matmul.h"
#include "tests/kernels/kernel_compare.h"
#include "tests/support/test_main.h"

#include <array>

using namespace cannery::kernels;
using namespace cannery::kernels::cuda;
using namespace cannery::tests;

/// What the CUDA launcher and cuBLASLt are told, as far as it needs no GPU.
class TstProductLayout : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void layoutsComputeForwardProducts();
    void layoutsComputeSrcGradients();
    void layoutsComputeWeightsGradients();
    void onlyLinearProductsAddTheirBias();
    void stridesOfSingleRowsAreValid();
    void everyElementHasAThread();
    void largeGridsAreLimited();

private:
    ThreadPool m_pool;
};

namespace {

constexpr std::int64_t kRows = 7;
constexpr std::int64_t kDepth = 5;
constexpr std::int64_t kCols = 6;

/// An element of a factor after it has been transposed, if it is.
float valueOf(const FactorLayout& factor, std::int64_t row, std::int64_t col)
{
    return factor.isTransposed ? factor.data[row * factor.stride + col]
                               : factor.data[col * factor.stride + row];
}

std::int64_t rowsOf(const FactorLayout& factor)
{
    return factor.isTransposed ? factor.cols : factor.rows;
}

std::int64_t colsOf(const FactorLayout& factor)
{
    return factor.isTransposed ? factor.rows : factor.cols;
}

/// As a library of column-major matrices would.
void compute(const ProductLayout& layout)
{
    QCOMPARE(rowsOf(layout.left), layout.rows);
    QCOMPARE(colsOf(layout.left), layout.depth);
    QCOMPARE(rowsOf(layout.right), layout.depth);
    QCOMPARE(colsOf(layout.right), layout.cols);
    for (std::int64_t c = 0; c < layout.cols; ++c) {
        for (std::int64_t r = 0; r < layout.rows; ++r) {
            float& target = layout.dst[c * layout.dstStride + r];
            double sum = layout.accumulate ? target : 0.0;
            for (std::int64_t k = 0; k < layout.depth; ++k) {
                sum +=
                    static_cast<double>(valueOf(layout.left, r, k)) * valueOf(layout.right, k, c);
            }
            target = static_cast<float>(sum + (layout.bias == nullptr ? 0.0F : layout.bias[r]));
        }
    }
}

} // namespace

void TstProductLayout::layoutsComputeForwardProducts()
{
    const Matrix a = Matrix(kRows, kDepth, 2).fillRandom(1);
    const Matrix b = Matrix(kDepth, kCols, 1).fillRandom(2);
    const std::vector<float> bias = Matrix(1, kCols).fillRandom(3).values;
    for (const bool accumulate : {false, true}) {
        Matrix actual = Matrix(kRows, kCols, 3).fillRandom(4);
        Matrix expected = actual;
        compute(layoutOf({.a = a.view(),
                          .b = b.view(),
                          .bias = bias.data(),
                          .accumulate = accumulate,
                          .dst = actual.view()}));
        reference::kMatmul.forward(nullptr, m_pool, a.view(), b.view(),
                                   {.bias = bias, .accumulate = accumulate}, expected.view());
        VERIFY_CLOSE(actual.values, expected.values);
    }
}

void TstProductLayout::layoutsComputeSrcGradients()
{
    const Matrix grad = Matrix(kRows, kCols, 2).fillRandom(1);
    const Matrix weights = Matrix(kDepth, kCols, 1).fillRandom(2);
    Matrix actual(kRows, kDepth, 3);
    Matrix expected = actual;
    compute(layoutOf({.kind = ProductKind::SrcGradient,
                      .a = grad.view(),
                      .b = weights.view(),
                      .dst = actual.view()}));
    reference::kMatmul.srcGradient(nullptr, m_pool, grad.view(), weights.view(), expected.view());
    VERIFY_CLOSE(actual.values, expected.values);
}

void TstProductLayout::layoutsComputeWeightsGradients()
{
    const Matrix src = Matrix(kRows, kDepth, 2).fillRandom(1);
    const Matrix grad = Matrix(kRows, kCols, 1).fillRandom(2);
    Matrix actual(kDepth, kCols, 3);
    Matrix expected = actual;
    compute(layoutOf({.kind = ProductKind::WeightsGradient,
                      .a = src.view(),
                      .b = grad.view(),
                      .dst = actual.view()}));
    reference::kMatmul.weightsGradient(nullptr, m_pool, src.view(), grad.view(), expected.view());
    VERIFY_CLOSE(actual.values, expected.values);
}

void TstProductLayout::onlyLinearProductsAddTheirBias()
{
    const float bias = 1.0F;
    Product product{.bias = &bias};
    QVERIFY(!needsActivation(product));
    QCOMPARE(layoutOf(product).bias, &bias);
    // A library's ReLU may turn NaN into 0, so activations stay ours, and add the bias.
    product.activation = Activation::Relu;
    QVERIFY(needsActivation(product));
    QCOMPARE(layoutOf(product).bias, nullptr);
}

void TstProductLayout::stridesOfSingleRowsAreValid()
{
    float value = 0.0F;
    const ProductLayout layout =
        layoutOf({.a = {&value, 1, 3, 0}, .b = {&value, 3, 0, 0}, .dst = {&value, 1, 2, 0}});
    QCOMPARE(layout.right.stride, 3);
    QCOMPARE(layout.left.stride, 1);
    QCOMPARE(layout.dstStride, 2);
}

void TstProductLayout::everyElementHasAThread()
{
    QCOMPARE(gridOfElements(0), 0U);
    QCOMPARE(gridOfElements(1), 1U);
    QCOMPARE(gridOfElements(kElementThreads), 1U);
    QCOMPARE(gridOfElements(kElementThreads + 1), 2U);
    QCOMPARE(gridOfElements((std::int64_t{1} << 32) + 1), (1U << 24) + 1U);
}

void TstProductLayout::largeGridsAreLimited()
{
    QCOMPARE(gridOf(0), 0U);
    QCOMPARE(gridOf(kMostBlocks), 2147483647U);
    QCOMPARE(gridOf(kMostBlocks + 1), 2147483647U);
    QCOMPARE(gridOfElements(std::numeric_limits<std::int64_t>::max()), 2147483647U);
}

CANNERY_TEST(TstProductLayout)
#include "tst_product_layout.moc"

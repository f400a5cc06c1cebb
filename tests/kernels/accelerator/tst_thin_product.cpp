// SPDX-License-Identifier: Apache-2.0
#include "kernels/accelerator/bodies/thin_product.h"
#include "tests/kernels/kernel_compare.h"
#include "tests/support/emulated_device/emulated_launcher.h"
#include "tests/support/test_main.h"

#include <array>

using namespace cannery::kernels;
using namespace cannery::tests;

/// Our own kernels of products against the reference, by which the launcher of the tests computes.
class TstThinProduct : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void agreesWithTheReference_data();
    void agreesWithTheReference();
    void roundsItsFactorsWhenAsked();
    void saysWhichProductsAreThin();
};

namespace {

/// Computes both ways and compares; `product.dst` is the first row of `dst`.
void compare(Product product, const Matrix& dst)
{
    std::vector<double> partialSums(bodies::kMostPartialSums);
    EmulatedLauncher launcher(partialSums.data());
    Matrix actual = dst;
    product.dst = actual.view();
    bodies::thinProduct(launcher, product);
    Matrix expected = dst;
    product.dst = expected.view();
    launcher.product(product);
    VERIFY_CLOSE(actual.values, expected.values, 1e-5, 1e-5);
}

} // namespace

void TstThinProduct::agreesWithTheReference_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("depth");
    QTest::addColumn<int>("cols");
    for (const std::array<int, 3> size : {std::array{0, 5, 1},
                                          {1, 1, 1},
                                          {9, 0, 3},
                                          {3, 7, 1},
                                          {17, 100, 1},
                                          {33, 40, 4},
                                          {50, 2, 70},
                                          {10'000, 5, 1},
                                          {20'000, 1, 3},
                                          {6, 9, 11}}) {
        QTest::addRow("%d x %d x %d", size[0], size[1], size[2]) << size[0] << size[1] << size[2];
    }
}

void TstThinProduct::agreesWithTheReference()
{
    QFETCH(int, rows);
    QFETCH(int, depth);
    QFETCH(int, cols);
    const Matrix src = Matrix(rows, depth, 2).fillRandom(1);
    const Matrix weights = Matrix(depth, cols, 1).fillRandom(2);
    const Matrix grad = Matrix(rows, cols, 3).fillRandom(3);
    const std::vector<float> bias = Matrix(1, cols).fillRandom(4).values;
    for (const bool accumulate : {false, true}) {
        compare({.a = src.view(),
                 .b = weights.view(),
                 .bias = accumulate ? bias.data() : nullptr,
                 .accumulate = accumulate},
                Matrix(rows, cols, 1).fillRandom(5));
        compare({.kind = ProductKind::SrcGradient,
                 .a = grad.view(),
                 .b = weights.view(),
                 .accumulate = accumulate},
                Matrix(rows, depth, 2).fillRandom(6));
        compare({.kind = ProductKind::WeightsGradient,
                 .a = src.view(),
                 .b = grad.view(),
                 .accumulate = accumulate},
                Matrix(depth, cols, 3).fillRandom(7));
    }
}

void TstThinProduct::roundsItsFactorsWhenAsked()
{
    const Matrix src = Matrix(40, 30).fillRandom(1);
    const Matrix weights = Matrix(30, 2).fillRandom(2);
    for (const ProductPrecision precision :
         {ProductPrecision::TensorFloat32, ProductPrecision::BFloat16}) {
        compare({.a = src.view(), .b = weights.view(), .precision = precision}, Matrix(40, 2));
    }
}

void TstThinProduct::saysWhichProductsAreThin()
{
    const auto isThin = [](ProductKind kind, std::int64_t rows, std::int64_t depth,
                           std::int64_t cols) {
        const ConstMatrixView src{nullptr, rows, depth, depth};
        const ConstMatrixView weights{nullptr, depth, cols, cols};
        const ConstMatrixView grad{nullptr, rows, cols, cols};
        switch (kind) {
        case ProductKind::Forward:
            return bodies::isThin({.a = src, .b = weights, .dst = {nullptr, rows, cols, cols}});
        case ProductKind::SrcGradient:
            return bodies::isThin(
                {.kind = kind, .a = grad, .b = weights, .dst = {nullptr, rows, depth, depth}});
        case ProductKind::WeightsGradient:
            return bodies::isThin(
                {.kind = kind, .a = src, .b = grad, .dst = {nullptr, depth, cols, cols}});
        }
        return false;
    };
    for (const ProductKind kind :
         {ProductKind::Forward, ProductKind::SrcGradient, ProductKind::WeightsGradient}) {
        QVERIFY(!isThin(kind, 64, 64, 64));
        QVERIFY(isThin(kind, 64, 64, bodies::kMostThin)); // logits
        QVERIFY(isThin(kind, 64, 1, 64));                 // a numeric column
    }
    QVERIFY(!isThin(ProductKind::Forward, 1, 64, 64)); // a batch of one row
    QVERIFY(isThin(ProductKind::WeightsGradient, 1, 64, 64));
}

CANNERY_TEST(TstThinProduct)
#include "tst_thin_product.moc"

// SPDX-License-Identifier: Apache-2.0
#include "kernels/math/rounding.h"
#include "kernels/ops/activation.h"
#include "kernels/ops/bias_grad.h"
#include "kernels/ops/dropout.h"
#include "kernels/ops/matmul.h"
#include "tests/kernels/accelerator/device_case.h"
#include "tests/support/test_main.h"

using namespace cannery::kernels;
using namespace cannery::tests;

/// Operations of dense layers on a device against the reference kernels.
class TstDenseOperations : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { SKIP_WITHOUT_TEST_DEVICE(); }
    void productsAgreeWithTheReference();
    void productsRoundTheirFactorsWhenAsked();
    void roundsToTheNearestEven();
    void activationsAgreeWithTheReference_data();
    void activationsAgreeWithTheReference();
    void nonFiniteValuesPassLikeInTheReference_data() { activationsAgreeWithTheReference_data(); }
    void nonFiniteValuesPassLikeInTheReference();
    void alignedRowsHaveTheSameBits();
    void gradientsBringTheirSumsAlong();
    void sumsOfRowsAgreeWithTheReference();
    void sumsHaveTheSameBitsTwice();
    void sumsAreAddedToOthers();
    void dropoutDropsTheSameValues();

private:
    ThreadPool m_pool;
};

namespace {

struct Size
{
    std::int64_t rows;
    std::int64_t cols;
};

/// The last ones have sums in several chunks.
constexpr std::array<Size, 10> kSizes = {{{0, 3},
                                          {1, 1},
                                          {1, 40},
                                          {7, 5},
                                          {65, 8},
                                          {300, 17},
                                          {2500, 1},
                                          {1030, 3},
                                          {700, 40},
                                          {20'000, 1}}};

} // namespace

void TstDenseOperations::productsAgreeWithTheReference()
{
    for (const Size size : kSizes) {
        for (const std::int64_t depth : {0, 1, 6}) {
            const Matrix a = Matrix(size.rows, depth, 2).fillRandom(1);
            const Matrix b = Matrix(depth, size.cols, 1).fillRandom(2);
            const Matrix grad = Matrix(size.rows, size.cols, 3).fillRandom(3);
            const std::vector<float> bias = Matrix(1, size.cols).fillRandom(4).values;
            Matrix forward = Matrix(size.rows, size.cols, 1).fillRandom(5);
            Matrix srcGrad = Matrix(size.rows, depth, 1).fillRandom(6);
            Matrix weightsGrad = Matrix(depth, size.cols, 1).fillRandom(7);
            DeviceCase device;
            const MatrixView placedA = device.put(a);
            const MatrixView placedB = device.put(b);
            const MatrixView placedGrad = device.put(grad);
            const std::array<MatrixView, 3> dst = {device.put(forward), device.put(srcGrad),
                                                   device.put(weightsGrad)};
            RUN_ON(device, {Product{ProductKind::Forward, placedA, placedB, device.put(bias),
                                    Activation::Tanh, true, ProductPrecision::Float32, dst[0]},
                            Product{ProductKind::SrcGradient, placedGrad, placedB, nullptr,
                                    Activation::Linear, false, ProductPrecision::Float32, dst[1]},
                            Product{ProductKind::WeightsGradient, placedA, placedGrad, nullptr,
                                    Activation::Linear, false, ProductPrecision::Float32, dst[2]},
                            Product{ProductKind::WeightsGradient, placedA, placedGrad, nullptr,
                                    Activation::Linear, true, ProductPrecision::Float32, dst[2]}});
            const MatmulKernels& reference = reference::kMatmul;
            reference.forward(nullptr, m_pool, a.view(), b.view(), {bias, Activation::Tanh, true},
                              forward.view());
            reference.srcGradient(nullptr, m_pool, grad.view(), b.view(), srcGrad.view());
            reference.weightsGradient(nullptr, m_pool, a.view(), grad.view(), weightsGrad.view());
            for (std::int64_t r = 0; r < depth; ++r) {
                for (std::int64_t c = 0; c < size.cols; ++c) {
                    weightsGrad.at(r, c) *= 2;
                }
            }
            VERIFY_CLOSE(device.take(dst[0]), forward.values);
            VERIFY_CLOSE(device.take(dst[1]), srcGrad.values);
            VERIFY_CLOSE(device.take(dst[2]), weightsGrad.values);
        }
    }
}

void TstDenseOperations::productsRoundTheirFactorsWhenAsked()
{
    // 1 + 2^-9 has too many digits for bfloat16, 1 + 2^-12 also for TF32.
    for (const auto& [value, precision, wanted] :
         {std::tuple{1 + 0x1p-9F, ProductPrecision::BFloat16, 3.0F},
          {1 + 0x1p-9F, ProductPrecision::TensorFloat32, 3 * (1 + 0x1p-9F)},
          {1 + 0x1p-12F, ProductPrecision::TensorFloat32, 3.0F},
          {1 + 0x1p-12F, ProductPrecision::Float32, 3 * (1 + 0x1p-12F)}}) {
        DeviceCase device;
        float* const a = device.put(std::vector<float>{value});
        float* const b = device.put(std::vector<float>{3.0F});
        float* const dst = device.room<float>(1);
        RUN_ON(device, {Product{.a = {a, 1, 1, 1},
                                .b = {b, 1, 1, 1},
                                .precision = precision,
                                .dst = {dst, 1, 1, 1}}});
        QCOMPARE(device.take(dst, 1)[0], wanted);
    }
}

void TstDenseOperations::roundsToTheNearestEven()
{
    QCOMPARE(fromBFloat16(toBFloat16(1 + 0x1p-8F)), 1.0F);
    QCOMPARE(fromBFloat16(toBFloat16(1 + 3 * 0x1p-8F)), 1 + 0x1p-6F);
    QCOMPARE(fromBFloat16(toBFloat16(-1 - 0x1p-8F - 0x1p-20F)), -1 - 0x1p-7F);
    const float infinity = std::numeric_limits<float>::infinity();
    const float largest = std::numeric_limits<float>::max();
    QCOMPARE(fromBFloat16(toBFloat16(largest)), infinity);
    QCOMPARE(fromBFloat16(toBFloat16(-infinity)), -infinity);
    QVERIFY(std::isnan(fromBFloat16(toBFloat16(std::bit_cast<float>(0x7F800001U)))));
    QCOMPARE(toTensorFloat32(1 + 0x1p-11F), 1.0F);
    QCOMPARE(toTensorFloat32(1 + 3 * 0x1p-11F), 1 + 0x1p-9F);
    QCOMPARE(toTensorFloat32(largest), infinity);
    QVERIFY(std::isnan(toTensorFloat32(std::bit_cast<float>(0x7F800001U))));
}

void TstDenseOperations::activationsAgreeWithTheReference_data()
{
    QTest::addColumn<int>("index");
    for (int i = 0; i < kActivationCount; ++i) {
        QTest::addRow("%s", std::string(name(static_cast<Activation>(i))).c_str()) << i;
    }
}

void TstDenseOperations::activationsAgreeWithTheReference()
{
    QFETCH(int, index);
    const auto activation = static_cast<Activation>(index);
    for (const Size size : kSizes) {
        Matrix src = Matrix(size.rows, size.cols, 2).fillRandom(1);
        for (float& value : src.values) {
            value *= 4;
        }
        const Matrix grad = Matrix(size.rows, size.cols, 1).fillRandom(2);
        const std::vector<float> bias = Matrix(1, size.cols).fillRandom(3).values;
        Matrix dst(size.rows, size.cols, 3);
        Matrix srcGrad(size.rows, size.cols, 1);
        DeviceCase device;
        const MatrixView placedSrc = device.put(src);
        const MatrixView placedDst = device.put(dst);
        const MatrixView placedGrad = device.put(srcGrad);
        RUN_ON(device,
               {Activate{activation, placedSrc, device.put(bias), placedDst},
                ActivateBackward{activation, placedSrc, placedDst, device.put(grad), placedGrad}});
        reference::kActivation.forward(m_pool, activation, src.view(), bias, dst.view());
        reference::kActivation.backward(m_pool, activation,
                                        {src.view(), dst.view(), grad.view(), srcGrad.view()});
        VERIFY_CLOSE(device.take(placedDst), dst.values, 1e-5, 2e-6);
        VERIFY_CLOSE(device.take(placedGrad), srcGrad.values, 1e-5, 2e-6);
    }
}

void TstDenseOperations::nonFiniteValuesPassLikeInTheReference()
{
    QFETCH(int, index);
    const auto activation = static_cast<Activation>(index);
    const float infinity = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    Matrix src(1, 5);
    src.values = {nan, infinity, -infinity, 0.0F, -0.0F};
    DeviceCase device;
    const MatrixView placed = device.put(src);
    // In place, and without a bias.
    RUN_ON(device, {Activate{activation, placed, nullptr, placed}});
    Matrix dst(1, 5);
    activationKernels({1, 5, activation}).forward(m_pool, activation, src.view(), {}, dst.view());
    VERIFY_CLOSE(device.take(placed), dst.values);
}

void TstDenseOperations::alignedRowsHaveTheSameBits()
{
    // Four elements at a time, and one by one.
    const Matrix src = Matrix(5, 12).fillRandom(1);
    DeviceCase device;
    const MatrixView aligned = device.put(Matrix(5, 12));
    const MatrixView other = device.put(Matrix(5, 12, 1));
    const MatrixView alignedGrad = device.put(Matrix(5, 12, 4));
    const MatrixView otherGrad = device.put(Matrix(5, 12, 3));
    const MatrixView placed = device.put(src);
    const StepData index = {
        reinterpret_cast<const std::byte*>(device.put(std::vector<std::int64_t>{3, 0, 4, 1, 2})), 0,
        device.room<std::int64_t>(1), 0};
    const StepData step = device.step(DropoutStep{5, 7});
    std::vector<Operation> operations;
    for (const auto& [dst, grad] : {std::pair{aligned, alignedGrad}, {other, otherGrad}}) {
        operations.insert(
            operations.end(),
            {GatherRows{placed, index, dst}, CopyValues{placed, dst, true},
             Activate{Activation::Tanh, dst, nullptr, dst},
             ActivateBackward{Activation::Tanh, {}, dst, placed, grad},
             Dropout{.rate = 0.3F, .seed = 1, .step = step, .src = grad, .dst = grad}});
    }
    RUN_ON(device, operations);
    const auto rowsOf = [&](const MatrixView& view) {
        const std::vector<float> all = device.take(view);
        std::vector<float> rows;
        for (std::int64_t r = 0; r < view.rows; ++r) {
            rows.insert(rows.end(), all.begin() + r * view.stride,
                        all.begin() + r * view.stride + view.cols);
        }
        return rows;
    };
    QVERIFY(sameBits(rowsOf(aligned), rowsOf(other)));
    QVERIFY(sameBits(rowsOf(alignedGrad), rowsOf(otherGrad)));
    QCOMPARE(rowsOf(aligned)[0], hyperbolicTangent(src.values[0] + src.values[36]));
}

void TstDenseOperations::gradientsBringTheirSumsAlong()
{
    for (const Size size : kSizes) {
        const Matrix src = Matrix(size.rows, size.cols, 2).fillRandom(1);
        const Matrix dst = Matrix(size.rows, size.cols, 1).fillRandom(2);
        const Matrix grad = Matrix(size.rows, size.cols, 3).fillRandom(3);
        for (const Activation activation :
             {Activation::Linear, Activation::Relu, Activation::Swish}) {
            DeviceCase device;
            ActivateBackward backward{.activation = activation,
                                      .src = device.put(src),
                                      .dst = device.put(dst),
                                      .dstGrad = device.put(grad),
                                      .srcGrad = device.put(grad)};
            ActivateBackward summing = backward;
            summing.srcGrad = device.put(grad);
            summing.dstGrad = summing.srcGrad;
            summing.biasGrad = device.room<float>(size.cols);
            float* const sums = device.room<float>(size.cols);
            RUN_ON(device, {backward, SumRows{backward.srcGrad, sums}, summing});
            QVERIFY(sameBits(device.take(summing.srcGrad), device.take(backward.srcGrad)));
            QVERIFY(
                sameBits(device.take(summing.biasGrad, size.cols), device.take(sums, size.cols)));
        }
    }
}

void TstDenseOperations::sumsOfRowsAgreeWithTheReference()
{
    for (const Size size : kSizes) {
        Matrix grad = Matrix(size.rows, size.cols, 2).fillRandom(1);
        if (size.rows > 100) {
            grad.at(50, 0) = std::numeric_limits<float>::quiet_NaN();
        }
        DeviceCase device;
        float* const placed = device.room<float>(size.cols);
        RUN_ON(device, {SumRows{device.put(grad), placed}});
        std::vector<float> sums(static_cast<std::size_t>(size.cols));
        reference::kBiasGrad.run(m_pool, grad.view(), sums);
        VERIFY_CLOSE(device.take(placed, size.cols), sums);
    }
}

void TstDenseOperations::sumsHaveTheSameBitsTwice()
{
    const Matrix grad = Matrix(3000, 5).fillRandom(1);
    DeviceCase device;
    const MatrixView placed = device.put(grad);
    float* const first = device.room<float>(5);
    float* const second = device.room<float>(5);
    RUN_ON(device, {SumRows{placed, first}, SumRows{placed, second}});
    QVERIFY(sameBits(device.take(first, 5), device.take(second, 5)));
}

void TstDenseOperations::sumsAreAddedToOthers()
{
    const Matrix before = Matrix(1, 5).fillRandom(2);
    DeviceCase device;
    const MatrixView placed = device.put(Matrix(3000, 5).fillRandom(1));
    float* const sums = device.room<float>(5);
    float* const both = device.put(before.values);
    RUN_ON(device, {SumRows{placed, sums}, SumRows{placed, both, true}});
    const std::vector<float> added = device.take(sums, 5);
    const std::vector<float> found = device.take(both, 5);
    for (std::size_t i = 0; i < found.size(); ++i) {
        QCOMPARE(found[i], before.values[i] + added[i]);
    }
}

void TstDenseOperations::dropoutDropsTheSameValues()
{
    for (const Size size : kSizes) {
        const Matrix src = Matrix(size.rows, size.cols, 1).fillRandom(1);
        Matrix dst(size.rows, size.cols, 2);
        const DropoutMask mask{.rate = 0.3F,
                               .seed = 0x123456789ABCDEFU,
                               .layer = 7,
                               .step = (std::uint64_t{1} << 40) + 5,
                               .firstRow = 1000};
        DeviceCase device;
        const MatrixView placed = device.put(dst);
        RUN_ON(device, {Dropout{.rate = mask.rate,
                                .seed = mask.seed,
                                .layer = mask.layer,
                                .step = device.step(DropoutStep{mask.step, mask.firstRow}),
                                .src = device.put(src),
                                .dst = placed}});
        reference::kDropout.run(m_pool, mask, src.view(), dst.view());
        QVERIFY(sameBits(device.take(placed), dst.values));
    }
}

CANNERY_TEST(TstDenseOperations)
#include "tst_dense_operations.moc"

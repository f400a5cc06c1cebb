// SPDX-License-Identifier: Apache-2.0
#include "core/layers/placement.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <array>
#include <vector>

using namespace cannery;
using namespace cannery::layers;

/// What layers place over all steps of sequences.
class TstPlacement : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void productsOverStepsHaveOneShape_data();
    void productsOverStepsHaveOneShape();
    void sumsOverStepsAddUp();
};

namespace {

constexpr std::int64_t kBatch = 3;
constexpr std::int64_t kPart = kStepsOfProduct * kBatch;

Placement placementOf(kernels::AcceleratorProgram& program, std::int64_t most)
{
    return {.program = program, .rows = kBatch, .steps = {.rows = kBatch, .most = most}};
}

kernels::MatrixView matrixAt(std::vector<float>& values, std::int64_t rows, std::int64_t cols)
{
    values.resize(static_cast<std::size_t>(rows * cols));
    return {values.data(), rows, cols, cols};
}

} // namespace

void TstPlacement::productsOverStepsHaveOneShape_data()
{
    QTest::addColumn<int>("most");
    QTest::newRow("a part") << 8;
    QTest::newRow("several") << 48;
}

/// However many steps there are: a device chooses how to compute a product by its shape.
void TstPlacement::productsOverStepsHaveOneShape()
{
    QFETCH(int, most);
    const std::int64_t steps = most * kBatch;
    std::array<std::vector<float>, 3> memory;
    const kernels::MatrixView input = matrixAt(memory[0], steps, 2);
    const kernels::MatrixView output = matrixAt(memory[1], steps, 5);
    const kernels::MatrixView weights = matrixAt(memory[2], 2, 5);
    using Kind = kernels::ProductKind;
    for (const kernels::Product& whole :
         {kernels::Product{.kind = Kind::Forward, .a = input, .b = weights, .dst = output},
          kernels::Product{.kind = Kind::SrcGradient, .a = output, .b = weights, .dst = input},
          kernels::Product{
              .kind = Kind::WeightsGradient, .a = input, .b = output, .dst = weights}}) {
        kernels::AcceleratorProgram program;
        placeStepProduct(placementOf(program, most), whole);
        QCOMPARE(program.operations().size(), static_cast<std::size_t>(most / kStepsOfProduct));
        std::int64_t first = 0;
        for (const kernels::Operation& operation : program.operations()) {
            const auto& part = std::get<kernels::Product>(operation);
            QCOMPARE(part.a.rows, kPart);
            QVERIFY(part.a.data == whole.a.slice(first, kPart).data);
            if (whole.kind == Kind::WeightsGradient) {
                QCOMPARE(part.b.rows, kPart);
                QVERIFY(part.b.data == whole.b.slice(first, kPart).data);
                QVERIFY(part.dst.data == whole.dst.data);
                QCOMPARE(part.accumulate, first > 0);
            } else {
                QCOMPARE(part.dst.rows, kPart);
                QVERIFY(part.dst.data == whole.dst.slice(first, kPart).data);
                QVERIFY(part.b.data == whole.b.data);
                QVERIFY(!part.accumulate);
            }
            first += kPart;
        }
    }
}

void TstPlacement::sumsOverStepsAddUp()
{
    std::vector<float> memory;
    const kernels::MatrixView values = matrixAt(memory, 3 * kPart, 2);
    std::array<float, 2> sums{};
    kernels::AcceleratorProgram program;
    placeStepSums(placementOf(program, 3 * kStepsOfProduct), values, sums.data());
    QCOMPARE(program.operations().size(), std::size_t{3});
    for (std::size_t part = 0; part < 3; ++part) {
        const auto& sum = std::get<kernels::SumRows>(program.operations()[part]);
        QVERIFY(sum.dstGrad.data == values.at(static_cast<std::int64_t>(part) * kPart));
        QCOMPARE(sum.dstGrad.rows, kPart);
        QCOMPARE(sum.accumulate, part > 0);
        QVERIFY(sum.biasGrad == sums.data());
    }
}

CANNERY_TEST(TstPlacement)
#include "tst_placement.moc"

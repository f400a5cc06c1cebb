// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/random.h"
#include "kernels/ops/gradient_histogram.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery::kernels;

class TstGradientHistogram : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyRowAgreesWithTheReference_data();
    void everyRowAgreesWithTheReference();
    void largestGradientsDoNotOverflow();
    void refusesWidthsThatAreNoRegister();
};

namespace {

/// A group of columns with a few rows more than are asked for.
struct Group
{
    Group(std::int64_t groupWidth, std::int64_t columns, std::size_t tableRows) : width(groupWidth)
    {
        RandomStream random(3);
        std::int64_t first = 0;
        for (std::int64_t c = 0; c < columns; ++c) {
            const std::int64_t count = c == 0 ? kHistogramBins : 1 + c * 7;
            ranges.push_back({first, count});
            first += count;
        }
        cells = first;
        for (std::size_t row = 0; row < tableRows; ++row) {
            for (std::int64_t c = 0; c < width; ++c) {
                const std::int64_t count =
                    c < columns ? ranges[static_cast<std::size_t>(c)].bins : kHistogramBins;
                bins.push_back(
                    static_cast<std::uint8_t>(random.nextBelow(static_cast<std::uint64_t>(count))));
            }
            gradients.push_back(
                packGradient(static_cast<std::int32_t>(random.nextBelow(2 * kGradientLimit + 1)) -
                                 kGradientLimit,
                             static_cast<std::int32_t>(random.nextBelow(kHessianLimit + 1))));
        }
    }

    /// Gradients, second derivatives and counts; one cell more that must stay.
    std::vector<std::int64_t> sums(const GradientHistogramKernels& kernels,
                                   std::span<const std::uint32_t> rows) const
    {
        std::vector<std::int64_t> all(static_cast<std::size_t>(3 * cells + 1), 5);
        std::vector<std::uint64_t> scratch(
            static_cast<std::size_t>(kHistogramGroup * kHistogramBins));
        kernels.add({bins.data(), width}, rows, gradients, ranges,
                    {all.data(), all.data() + cells, all.data() + 2 * cells}, scratch);
        return all;
    }

    std::int64_t width;
    std::int64_t cells = 0;
    std::vector<std::uint8_t> bins;
    std::vector<std::uint64_t> gradients;
    std::vector<HistogramRange> ranges;
};

} // namespace

void TstGradientHistogram::everyRowAgreesWithTheReference_data()
{
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("columns");
    QTest::addColumn<int>("rows");
    for (const int width : {4, 8, 12, 16}) {
        for (const int rows : {0, 1, 17, 2048, 2049, 5000}) {
            const QByteArray name = QByteArray::number(width) + " x " + QByteArray::number(rows);
            QTest::newRow(name.constData()) << width << width - 1 << rows;
        }
    }
    QTest::newRow("without padding") << 16 << 16 << 300;
}

void TstGradientHistogram::everyRowAgreesWithTheReference()
{
    QFETCH(int, width);
    QFETCH(int, columns);
    QFETCH(int, rows);
    const Group group(width, columns, static_cast<std::size_t>(2 * rows) + 1);
    std::vector<std::uint32_t> odd;
    for (int i = 0; i < rows; ++i) {
        odd.push_back(static_cast<std::uint32_t>(2 * i + 1));
    }
    const std::vector<std::int64_t> expected = group.sums(reference::kGradientHistogram, odd);
    for (const auto& row : gradientHistogramImplementations()) {
        if (row.refusal({width}).empty()) {
            QVERIFY2(group.sums(*row.kernels, odd) == expected, row.name.data());
        }
    }
}

void TstGradientHistogram::largestGradientsDoNotOverflow()
{
    constexpr std::int64_t kRows = 3 * kHistogramBlockRows;
    for (const std::int32_t gradient : {kGradientLimit, -kGradientLimit}) {
        Group group(4, 1, static_cast<std::size_t>(kRows));
        std::fill(group.bins.begin(), group.bins.end(), 0);
        std::fill(group.gradients.begin(), group.gradients.end(),
                  packGradient(gradient, kHessianLimit));
        std::vector<std::uint32_t> rows;
        for (std::int64_t row = 0; row < kRows; ++row) {
            rows.push_back(static_cast<std::uint32_t>(row));
        }
        const std::vector<std::int64_t> sums = group.sums(gradientHistogramKernels({4}), rows);
        QCOMPARE(sums[0], 5 + kRows * gradient);
        QCOMPARE(sums[static_cast<std::size_t>(group.cells)], 5 + kRows * kHessianLimit);
        QCOMPARE(sums[static_cast<std::size_t>(2 * group.cells)], 5 + kRows);
    }
}

void TstGradientHistogram::refusesWidthsThatAreNoRegister()
{
    for (const std::int64_t width : {0, 3, 20}) {
        QCOMPARE(&gradientHistogramKernels({width}), &reference::kGradientHistogram);
    }
}

CANNERY_TEST(TstGradientHistogram)

#include "tst_gradient_histogram.moc"

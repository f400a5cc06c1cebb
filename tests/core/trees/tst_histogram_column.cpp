// SPDX-License-Identifier: Apache-2.0
#include "core/trees/histogram_column.h"
#include "kernels/device/random.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

using namespace cannery;
using namespace cannery::trees;

class TstHistogramColumn : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void fewValuesHaveABinEach();
    void neighbouringFloatsAreTold();
    void manyValuesFillBinsEvenly();
    void aFrequentValueHasABinOfItsOwn();
    void noBinHasBothSigns();
    void aBinHoldsWhatItsThresholdsSay();
    void missingNumbersAreInTheLastBin();
    void aColumnWithoutNumbersHasOneBinForThem();
    void rareCategoriesShareTheLastBin();
};

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();

std::vector<std::uint8_t> binsOf(const HistogramColumn& column, const std::vector<float>& values)
{
    std::vector<std::uint8_t> bins(values.size());
    binNumbers(column, values.data(), 1, bins);
    return bins;
}

} // namespace

void TstHistogramColumn::fewValuesHaveABinEach()
{
    const HistogramColumn column = numberColumn({3, 1, 1, 7, -kInfinity, 3, kInfinity}, 256);
    QCOMPARE(column.thresholds.size(), std::size_t{4});
    QCOMPARE(column.thresholds[1], 2.0F);
    QCOMPARE(column.thresholds[2], 5.0F);
    const std::vector<std::uint8_t> expected{0, 1, 2, 3, 4};
    QCOMPARE(binsOf(column, {-kInfinity, 1, 3, 7, kInfinity}), expected);
    QCOMPARE(column.bins(), 6);
}

void TstHistogramColumn::neighbouringFloatsAreTold()
{
    const float next = std::nextafter(1.0F, 2.0F);
    const float largest = std::numeric_limits<float>::max();
    const HistogramColumn column = numberColumn({1.0F, next, -largest, largest}, 256);
    const std::vector<std::uint8_t> expected{0, 1, 2, 3};
    QCOMPARE(binsOf(column, {-largest, 1.0F, next, largest}), expected);
}

void TstHistogramColumn::manyValuesFillBinsEvenly()
{
    std::vector<float> values;
    for (int i = 0; i < 10'000; ++i) {
        values.push_back(static_cast<float>(i * 7919 % 10'000));
    }
    for (const std::int64_t bins : {2, 10, 200, 256}) {
        const HistogramColumn column = numberColumn(values, bins);
        const std::int64_t counted = std::min<std::int64_t>(bins, 255);
        QCOMPARE(column.bins(), counted + 1);
        std::vector<int> counts(static_cast<std::size_t>(counted));
        for (const std::uint8_t bin : binsOf(column, values)) {
            ++counts[bin];
        }
        const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
        QVERIFY2(*most - *least <= 1, QByteArray::number(bins).constData());
    }
}

void TstHistogramColumn::aFrequentValueHasABinOfItsOwn()
{
    std::vector<float> values(5000, 0.0F);
    for (int i = 1; i <= 2500; ++i) {
        values.push_back(static_cast<float>(i));
        values.push_back(static_cast<float>(-i));
    }
    const HistogramColumn column = numberColumn(values, 16);
    const std::vector<std::uint8_t> bins = binsOf(column, {-1.0F, 0.0F, 1.0F});
    QVERIFY(bins[0] < bins[1]);
    QVERIFY(bins[1] < bins[2]);
    QVERIFY(column.bins() >= 15);
}

void TstHistogramColumn::noBinHasBothSigns()
{
    std::vector<float> values;
    for (int i = 0; i < 1000; ++i) {
        values.push_back(static_cast<float>(i) - 333.25F);
    }
    for (const std::int64_t bins : {16, 256}) {
        const HistogramColumn column = numberColumn(values, bins);
        QCOMPARE(std::ranges::count(column.thresholds, 0.0F), 1);
        QVERIFY(std::ssize(column.thresholds) < bins);
    }
    QCOMPARE(numberColumn({-1.0F, 5.0F}, 256).thresholds, std::vector<float>{0.0F});
}

void TstHistogramColumn::aBinHoldsWhatItsThresholdsSay()
{
    kernels::RandomStream random(5);
    std::vector<float> values;
    for (int i = 0; i < 3001; ++i) {
        values.push_back(static_cast<float>(random.nextNormal()));
    }
    const HistogramColumn column = numberColumn(values, 256);
    values.insert(values.end(), column.thresholds.begin(), column.thresholds.end());
    const std::vector<std::uint8_t> bins = binsOf(column, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto expected = std::count_if(column.thresholds.begin(), column.thresholds.end(),
                                            [&](float t) { return values[i] > t; });
        QCOMPARE(static_cast<std::ptrdiff_t>(bins[i]), expected);
    }
}

void TstHistogramColumn::missingNumbersAreInTheLastBin()
{
    const HistogramColumn column = numberColumn({2, kNotANumber, 1, kNotANumber}, 256);
    const std::vector<std::uint8_t> expected{2, 0, 1};
    QCOMPARE(binsOf(column, {kNotANumber, 1, 2}), expected);
}

void TstHistogramColumn::aColumnWithoutNumbersHasOneBinForThem()
{
    for (const HistogramColumn& column :
         {numberColumn({}, 256), numberColumn({kNotANumber}, 256)}) {
        QCOMPARE(column.bins(), 2);
        const std::vector<std::uint8_t> expected{0, 1, 0};
        QCOMPARE(binsOf(column, {5, kNotANumber, -5}), expected);
    }
}

void TstHistogramColumn::rareCategoriesShareTheLastBin()
{
    std::vector<std::int64_t> counts(400, 2);
    counts[7] = 0;
    counts[399] = 5;
    counts[398] = 1;
    const HistogramColumn column = categoryColumn(counts);
    QCOMPARE(column.bins(), 256);
    QVERIFY(std::is_sorted(column.categories.begin(), column.categories.end()));
    std::vector<std::uint8_t> bins(7);
    binCategories(column, std::vector<std::int32_t>{0, 8, 399, 7, 398, -1, 400}, bins);
    const std::vector<std::uint8_t> expected{0, 7, 254, 255, 255, 255, 255};
    QCOMPARE(bins, expected);
    QCOMPARE(column.categories[254], 399);
}

CANNERY_TEST(TstHistogramColumn)
#include "tst_histogram_column.moc"

// SPDX-License-Identifier: Apache-2.0
// Built for the engine's processor, so that the lanes in its registers and those in arrays are both
// here.
#include "core/data/double_lanes.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

using namespace cannery::data::detail;

class TstDoubleLanes : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void passesHaveTheSameBits();
    void passesAreThoseOfPlainLoops();
};

namespace {

using Bits = std::vector<std::uint64_t>;

/// Zeros of both signs among numbers of very different sizes.
std::vector<double> numbers(std::mt19937_64& random, std::size_t count)
{
    std::vector<double> values(count);
    for (double& value : values) {
        const double magnitude = std::ldexp(double(random() >> 11U), int(random() % 80) - 90);
        value = (random() % 4 == 0 ? 0.0 : magnitude) * (random() % 2 == 0 ? 1 : -1);
    }
    return values;
}

template <typename Lanes>
Bits bitsOf(std::span<const double> values, double mean)
{
    const FirstPass found = firstPass<Lanes>(values);
    return {std::bit_cast<std::uint64_t>(found.sum), found.zeros,
            std::bit_cast<std::uint64_t>(found.min), std::bit_cast<std::uint64_t>(found.max),
            std::bit_cast<std::uint64_t>(squaresAround<Lanes>(values, mean))};
}

} // namespace

void TstDoubleLanes::passesHaveTheSameBits()
{
    std::mt19937_64 random(19);
    for (std::size_t count = 1; count < 600; ++count) {
        const std::vector<double> values = numbers(random, count);
        QCOMPARE(bitsOf<ArrayLanes>(values, values[0]), bitsOf<DoubleLanes>(values, values[0]));
    }
    const std::vector<double> zeros = {0.0, -0.0, -0.0, 0.0, -0.0, 0.0, 0.0, -0.0};
    QCOMPARE(bitsOf<ArrayLanes>(zeros, -0.0), bitsOf<DoubleLanes>(zeros, -0.0));
}

void TstDoubleLanes::passesAreThoseOfPlainLoops()
{
    std::vector<double> values(1003); // every sum is exact
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<double>((i * 37) % 101) - 50;
    }
    double sum = 0;
    double squares = 0;
    std::uint64_t zeros = 0;
    for (const double value : values) {
        sum += value;
        squares += (value - 3) * (value - 3);
        zeros += value == 0 ? 1 : 0;
    }
    const FirstPass found = firstPass<ArrayLanes>(values);
    QCOMPARE(found.sum, sum);
    QCOMPARE(found.zeros, zeros);
    QCOMPARE(found.min, -50.0);
    QCOMPARE(found.max, 50.0);
    QCOMPARE(squaresAround<ArrayLanes>(values, 3), squares);
}

CANNERY_TEST(TstDoubleLanes)
#include "tst_double_lanes.moc"

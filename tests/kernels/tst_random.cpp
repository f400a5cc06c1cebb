// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/random.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>
#include <vector>

using namespace cannery::kernels;

class TstRandom : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void philoxGivesItsPublishedAnswers();
    void streamsAreReproducibleAndDiffer();
    void uniformsFillTheirRange();
    void normalsHaveTheirMoments();
    void truncatedNormalsStayWithinTwoDeviations();
    void nextBelowReachesEveryValue();
};

void TstRandom::philoxGivesItsPublishedAnswers()
{
    using Words = std::array<std::uint32_t, 4>;
    constexpr std::uint32_t kOnes = 0xFFFFFFFFU;
    QVERIFY(philox({0, 0, 0, 0}, {0, 0}) ==
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    QVERIFY(philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}) ==
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    QVERIFY(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

void TstRandom::streamsAreReproducibleAndDiffer()
{
    const auto draw = [](std::uint64_t seed, std::uint64_t stream) {
        RandomStream random(seed, stream);
        std::vector<std::uint32_t> bits;
        for (int i = 0; i < 9; ++i) {
            bits.push_back(random.nextBits());
        }
        return bits;
    };
    QCOMPARE(draw(7, 3), draw(7, 3));
    QVERIFY(draw(7, 3) != draw(7, 4));
    QVERIFY(draw(7, 3) != draw(8, 3));
}

void TstRandom::uniformsFillTheirRange()
{
    RandomStream random(1);
    double sum = 0;
    for (int i = 0; i < 10000; ++i) {
        const float value = random.nextUniform(-2.0F, 4.0F);
        QVERIFY(value >= -2.0F && value < 4.0F);
        sum += value;
    }
    QVERIFY(std::abs(sum / 10000 - 1.0) < 0.05);
    QCOMPARE(uniformFloat(0), 0.0F);
    QVERIFY(uniformFloat(0xFFFFFFFFU) < 1.0F);
}

void TstRandom::normalsHaveTheirMoments()
{
    RandomStream random(2);
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < 20000; ++i) {
        const double value = random.nextNormal();
        sum += value;
        squares += value * value;
    }
    QVERIFY(std::abs(sum / 20000) < 0.03);
    QVERIFY(std::abs(squares / 20000 - 1) < 0.04);
}

void TstRandom::truncatedNormalsStayWithinTwoDeviations()
{
    RandomStream random(3);
    double squares = 0;
    for (int i = 0; i < 20000; ++i) {
        const double value = random.nextTruncatedNormal();
        QVERIFY(std::abs(value) <= 2);
        squares += value * value;
    }
    // The standard deviation of a normal truncated at two of its own.
    QVERIFY(std::abs(std::sqrt(squares / 20000) - 0.8796) < 0.01);
}

void TstRandom::nextBelowReachesEveryValue()
{
    RandomStream random(4);
    std::vector<int> counts(7);
    for (int i = 0; i < 7000; ++i) {
        ++counts.at(random.nextBelow(7));
    }
    for (const int count : counts) {
        QVERIFY(std::abs(count - 1000) < 150);
    }
}

CANNERY_TEST(TstRandom)
#include "tst_random.moc"

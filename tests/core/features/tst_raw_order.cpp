// SPDX-License-Identifier: Apache-2.0
#include "core/features/raw_order.h"
#include "core/spec/feature_columns.pb.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace cannery;
using namespace cannery::features;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

Normalizer linear(double subtract, double divide)
{
    spec::Normalizer message;
    message.mutable_subtract_divide()->set_subtract(subtract);
    message.mutable_subtract_divide()->set_divide(divide);
    return *Normalizer::create(message, "x");
}

Normalizer logarithm(double offset, double subtract, double divide)
{
    spec::Normalizer message;
    message.mutable_log()->set_offset(offset);
    message.mutable_log()->set_subtract(subtract);
    message.mutable_log()->set_divide(divide);
    return *Normalizer::create(message, "x");
}

} // namespace

class TstRawOrder : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aBoundaryLiesWhereNormalizedNumbersReachIt_data();
    void aBoundaryLiesWhereNormalizedNumbersReachIt();
    void everyNumberIsAboveNoBoundary();
    void whatIsTakenForZeroIsNotComparedAsNumber();
    void logarithmsBeginWhereTheyAreDefined();
};

void TstRawOrder::aBoundaryLiesWhereNormalizedNumbersReachIt_data()
{
    QTest::addColumn<int>("kind");
    QTest::newRow("identity") << 0;
    QTest::newRow("divided") << 1;
    QTest::newRow("shifted") << 2;
    QTest::newRow("descending") << 3;
    QTest::newRow("logarithm") << 4;
    QTest::newRow("descending logarithm") << 5;
    QTest::newRow("divided by a tiny number") << 6;
}

void TstRawOrder::aBoundaryLiesWhereNormalizedNumbersReachIt()
{
    QFETCH(int, kind);
    const std::array<Normalizer, 7> normalizers{
        Normalizer(),         linear(0, 100),        linear(3.3, 0.7),    linear(1.5, -7),
        logarithm(1, 2, 0.3), logarithm(0.5, 1, -3), linear(1e-30, 1e-38)};
    const Normalizer& normalizer = normalizers[static_cast<std::size_t>(kind)];
    const RawOrder order(normalizer);
    QCOMPARE(order.descends(), kind == 3 || kind == 5);
    for (const float boundary : {-1.5F, -0.3F, 0.0F, 0.2F, 0.35F, 0.38F, 0.45F, 1.0F, 20.0F}) {
        const std::int32_t reached = order.firstAtLeast(boundary);
        const std::int32_t above = order.firstAbove(boundary);
        QVERIFY(reached != RawOrder::kNowhere && above != RawOrder::kNowhere);
        for (std::int32_t place = reached - 40; place <= reached + 40; ++place) {
            const float normalized = normalizer.normalized(order.numberAt(place));
            QCOMPARE(normalized >= boundary, place >= reached && !std::isnan(normalized));
            QCOMPARE(normalized > boundary, place >= above && !std::isnan(normalized));
        }
    }
}

void TstRawOrder::everyNumberIsAboveNoBoundary()
{
    const RawOrder order{Normalizer()};
    QCOMPARE(order.firstAbove(kInfinity), RawOrder::kNowhere);
    QCOMPARE(order.numberAt(order.firstAtLeast(kInfinity)), kInfinity);
    QCOMPARE(order.numberAt(order.firstAtLeast(-kInfinity)), -kInfinity);
}

void TstRawOrder::whatIsTakenForZeroIsNotComparedAsNumber()
{
    const RawOrder order{Normalizer()};
    QVERIFY(order.comparesAsNumber(order.firstAtLeast(0.5F)));
    QVERIFY(order.comparesAsNumber(order.firstAtLeast(-kInfinity)));
    QVERIFY(!order.comparesAsNumber(order.firstAtLeast(0)));
    QVERIFY(!order.comparesAsNumber(order.firstAbove(0)));
    QVERIFY(!order.comparesAsNumber(RawOrder::kNowhere));
    const RawOrder descending(linear(0, -1));
    QVERIFY(!descending.comparesAsNumber(descending.firstAtLeast(0.5F)));
}

void TstRawOrder::logarithmsBeginWhereTheyAreDefined()
{
    const Normalizer normalizer = logarithm(2, 0, 1);
    const RawOrder order(normalizer);
    QCOMPARE(order.numberAt(order.firstKey()), -2.0F);
    QVERIFY(std::isnan(normalizer.normalized(order.numberAt(order.firstKey() - 1))));
    QCOMPARE(order.firstAtLeast(-kInfinity), order.firstKey());
}

CANNERY_TEST(TstRawOrder)
#include "tst_raw_order.moc"

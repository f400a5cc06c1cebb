// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/spaced_floats.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <numeric>
#include <vector>

using namespace cannery::kernels;

class TstSpacedFloats : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void copiesThoseAndNoOthers_data();
    void copiesThoseAndNoOthers();
};

void TstSpacedFloats::copiesThoseAndNoOthers_data()
{
    QTest::addColumn<qint64>("stride");
    for (const qint64 stride : {1, 2, 3, 4, 5, 9}) {
        QTest::addRow("%lld apart", static_cast<long long>(stride)) << stride;
    }
}

/// With every number of floats around whole vectors, from memory that ends with the last one: a
/// build with AddressSanitizer sees a read after it.
void TstSpacedFloats::copiesThoseAndNoOthers()
{
    QFETCH(qint64, stride);
    constexpr float kUntouched = -1;
    for (std::int64_t count = 0; count < 50; ++count) {
        std::vector<float> from(static_cast<std::size_t>(count > 0 ? (count - 1) * stride + 1 : 0));
        std::iota(from.begin(), from.end(), 0.5F);
        std::vector<float> to(static_cast<std::size_t>(count) + 1, kUntouched);
        copySpaced(from.data(), stride,
                   std::as_writable_bytes(std::span(to).first(static_cast<std::size_t>(count))));
        std::vector<float> expected;
        for (std::int64_t i = 0; i < count; ++i) {
            expected.push_back(static_cast<float>(i * stride) + 0.5F);
        }
        expected.push_back(kUntouched);
        QCOMPARE(to, expected);
    }
}

CANNERY_TEST(TstSpacedFloats)
#include "tst_spaced_floats.moc"

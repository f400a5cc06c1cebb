// SPDX-License-Identifier: Apache-2.0
#include "core/parameters/placement.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <map>

using namespace cannery;
using namespace cannery::parameters;

class TstPlacement : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void cutsAsTensorFlow_data();
    void cutsAsTensorFlow();
    void coversEveryElementOnce();
    void balancesBytes();
    void keepsScalarsAndEmptyVariables();
};

/// Sizes in rows, from tf.compat.v1.min_max_variable_partitioner of TensorFlow 2.15.
void TstPlacement::cutsAsTensorFlow_data()
{
    QTest::addColumn<QList<qint64>>("shape");
    QTest::addColumn<qint64>("most");
    QTest::addColumn<qint64>("least");
    QTest::addColumn<QList<qint64>>("rows");
    QTest::newRow("small: whole") << QList<qint64>{10, 4} << 8LL << 262144LL << QList<qint64>{10};
    QTest::newRow("limited by number")
        << QList<qint64>{10, 4} << 3LL << 1LL << QList<qint64>{4, 3, 3};
    QTest::newRow("limited by size")
        << QList<qint64>{10, 4} << 8LL << 64LL << QList<qint64>{4, 3, 3};
    QTest::newRow("limited by rows") << QList<qint64>{2, 100} << 8LL << 4LL << QList<qint64>{1, 1};
    QTest::newRow("a vector") << QList<qint64>{7} << 2LL << 4LL << QList<qint64>{4, 3};
    QTest::newRow("exactly two slices")
        << QList<qint64>{4, 4} << 8LL << 32LL << QList<qint64>{2, 2};
}

void TstPlacement::cutsAsTensorFlow()
{
    QFETCH(const QList<qint64>, shape);
    QFETCH(const qint64, most);
    QFETCH(const qint64, least);
    QFETCH(const QList<qint64>, rows);
    const std::vector<Shape> shapes{Shape{{shape.begin(), shape.end()}}};
    QList<qint64> actual;
    for (const Part& part : place(shapes, {.maxPartitions = most, .minSliceSize = least}, 2)) {
        actual.push_back(part.count / part.cols);
    }
    QCOMPARE(actual, rows);
}

void TstPlacement::coversEveryElementOnce()
{
    const std::vector<Shape> shapes{Shape{{100, 3}}, Shape{{17}}, Shape{{5, 2, 3}}};
    for (const int servers : {1, 2, 5}) {
        std::map<std::size_t, std::int64_t> covered;
        for (const Part& part : place(shapes, {.maxPartitions = 7, .minSliceSize = 1}, servers)) {
            QCOMPARE(part.first, covered[part.variable]);
            covered[part.variable] += part.count;
            QVERIFY(part.server >= 0 && part.server < servers);
        }
        for (std::size_t variable = 0; variable < shapes.size(); ++variable) {
            QCOMPARE(covered[variable], shapes[variable].elementCount());
        }
    }
}

void TstPlacement::balancesBytes()
{
    const std::vector<Shape> shapes{Shape{{8}}, Shape{{2}}, Shape{{3}}, Shape{{2}}, Shape{{2}}};
    QList<int> servers;
    for (const Part& part : place(shapes, {}, 2)) {
        servers.push_back(part.server);
    }
    QCOMPARE(servers, (QList<int>{0, 1, 1, 1, 1}));
}

void TstPlacement::keepsScalarsAndEmptyVariables()
{
    const std::vector<Shape> shapes{Shape{}, Shape{{0, 4}}};
    const std::vector<Part> parts = place(shapes, {.maxPartitions = 4, .minSliceSize = 1}, 2);
    QCOMPARE(parts.size(), std::size_t{2});
    QCOMPARE(parts[0].count, std::int64_t{1});
    QCOMPARE(parts[1].count, std::int64_t{0});
}

CANNERY_TEST(TstPlacement)
#include "tst_placement.moc"

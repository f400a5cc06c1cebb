// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/editing/network_map.h"

#include <QSet>
#include <QTest>

using namespace cannery::ui;

namespace {

/// A layer for each list of inputs.
NetworkOutline network(const QList<QList<int>>& inputs)
{
    NetworkOutline outline{.path = QStringLiteral("layers"), .layers = {}};
    for (const QList<int>& read : inputs) {
        outline.layers << OutlinedLayer{
            .name = QString::number(outline.layers.size()), .kind = {}, .inputs = read};
    }
    return outline;
}

} // namespace

/// Where layers are drawn.
class TstNetworkMap : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void chainsGoStraightDown();
    void branchesStandSideBySide();
    void shortcutsLeadAroundWhatTheyPass();
    void noTwoLayersShareAPlace();
    void crossingsAreAvoided();
    void circlesAreDrawn();
};

void TstNetworkMap::chainsGoStraightDown()
{
    const NetworkMap map = mapOf(network({{}, {0}, {1}}));
    QCOMPARE(map.places, (QList<QPointF>{{0, 0}, {0, 1}, {0, 2}}));
    QCOMPARE(map.rows, 3);
    QCOMPARE(map.columns, 1.0);
}

void TstNetworkMap::branchesStandSideBySide()
{
    const NetworkMap map = mapOf(network({{}, {0}, {0}, {1, 2}}));
    QCOMPARE(map.places, (QList<QPointF>{{0, 0}, {-0.5, 1}, {0.5, 1}, {0, 2}}));
    QCOMPARE(map.connections.size(), 4);
}

void TstNetworkMap::shortcutsLeadAroundWhatTheyPass()
{
    const NetworkMap map = mapOf(network({{}, {0}, {1}, {0, 2}}));
    for (const NetworkMap::Connection& connection : map.connections) {
        for (qsizetype i = 1; i + 1 < connection.way.size(); ++i) {
            QVERIFY(!map.places.contains(connection.way[i]));
        }
        QCOMPARE(connection.way.first(), map.places[connection.from]);
        QCOMPARE(connection.way.last(), map.places[connection.to]);
    }
    QCOMPARE(map.columns, 2.0);
}

void TstNetworkMap::noTwoLayersShareAPlace()
{
    QList<QList<int>> inputs{{}};
    for (int layer = 1; layer < 200; ++layer) {
        inputs << (layer % 7 == 0 ? QList<int>{layer - 1, layer - 3} : QList<int>{(layer * 3) / 4});
    }
    const NetworkMap map = mapOf(network(inputs));
    QSet<QPair<int, int>> seen;
    for (const QPointF& place : map.places) {
        seen << qMakePair(qRound(place.x() * 2), qRound(place.y()));
    }
    QCOMPARE(seen.size(), 200);
}

void TstNetworkMap::crossingsAreAvoided()
{
    // As written, the two lines of the middle would cross.
    const NetworkMap map = mapOf(network({{}, {}, {1}, {0}}));
    const double between = map.places[0].x() - map.places[1].x();
    QVERIFY(between * (map.places[3].x() - map.places[2].x()) > 0);
}

void TstNetworkMap::circlesAreDrawn()
{
    const NetworkMap map = mapOf(network({{}, {0, 2}, {1}}));
    QCOMPARE(map.places.size(), 3);
    QVERIFY(map.rows <= 3);
}

CANNERY_TEST(TstNetworkMap)
#include "tst_network_map.moc"

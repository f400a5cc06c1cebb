// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/charts/scripted_series.h"
#include "ui/charts/chart_grid.h"
#include "ui/charts/curves/chart_card.h"
#include "ui/charts/tag_search.h"
#include "ui/widgets/style/theme.h"

#include <QAbstractButton>
#include <QApplication>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

using namespace cannery::ui;
using cannery::tests::kPatience;

namespace {

QStringList manyTags(int count)
{
    QStringList tags;
    for (int i = 0; i < count; ++i) {
        tags += QStringLiteral("layer_%1/value_%2").arg(i % 100).arg(i);
    }
    return tags;
}

} // namespace

class TstChartGrid : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, {}); }

    void onlyWhatIsInViewExists();
    void groupsFold();
    void filterIsARegularExpressionOrPlainText();
    void cardsAreKeptWhenGroupsChange();
    void revealScrollsThere();
    void tabWalksThroughHeadingsAndCards();
    void tagsAreFoundLikeOneByOne();
};

void TstChartGrid::onlyWhatIsInViewExists()
{
    ChartGrid grid;
    int fills = 0;
    grid.setFill([&](ChartCard&, const QString&, const QString&) { ++fills; });
    grid.resize(900, 700);
    grid.setGroups({{"pinned", "Pinned", {"loss"}, true}, {"all", "All", manyTags(20'000)}});
    grid.show();
    QTRY_VERIFY_WITH_TIMEOUT(grid.cards().size() >= 9, kPatience);
    QApplication::processEvents();
    QVERIFY(grid.cards().size() < 20);
    QCOMPARE(fills, int(grid.cards().size()));
    QCOMPARE(grid.tagCount(), 20'001);
    QCOMPARE(grid.cards().front()->objectName(), QString("chart.loss"));
    QVERIFY(grid.cards().front()->height() > grid.cards().back()->height());
    QSignalSpy released(&grid, &ChartGrid::cardReleased);
    grid.verticalScrollBar()->setValue(grid.verticalScrollBar()->maximum());
    QTRY_VERIFY_WITH_TIMEOUT(grid.card("layer_99/value_19999"), kPatience);
    QVERIFY(grid.cards().size() < 24);
    QVERIFY(!grid.card("loss"));
    QVERIFY(released.size() > 5);
    // No card overlaps another, and none is wider than the window.
    for (ChartCard* a : grid.cards()) {
        QVERIFY(a->geometry().right() < grid.viewport()->width());
        for (ChartCard* b : grid.cards()) {
            QVERIFY(a == b || !a->geometry().intersects(b->geometry()));
        }
    }
}

void TstChartGrid::groupsFold()
{
    ChartGrid grid;
    grid.resize(900, 700);
    grid.setGroups({{"a", "First", manyTags(3)}, {"b", "Second", {"x", "y"}}});
    grid.show();
    QTRY_COMPARE_WITH_TIMEOUT(grid.cards().size(), 5, kPatience);
    QSignalSpy folded(&grid, &ChartGrid::foldedChanged);
    auto* heading = grid.findChild<QAbstractButton*>("charts.group.a");
    QVERIFY(heading && heading->accessibleName().contains("First"));
    QTest::keyClick(heading, Qt::Key_Space);
    QCOMPARE(folded.size(), 1);
    QCOMPARE(grid.foldedGroups(), QStringList{"a"});
    QCOMPARE(grid.cards().size(), 2);
    heading->click();
    QTRY_COMPARE_WITH_TIMEOUT(grid.cards().size(), 5, kPatience);
}

void TstChartGrid::filterIsARegularExpressionOrPlainText()
{
    ChartGrid grid;
    grid.resize(900, 700);
    grid.setGroups({{"a", "Losses", {"loss", "regularization_loss"}},
                    {"b", "Others", {"auc", "Accuracy", "lr (base)"}}});
    grid.show();
    grid.setFilter("loss|auc");
    QCOMPARE(grid.shownCount(), 3);
    grid.setFilter("ACC");
    QCOMPARE(grid.shownCount(), 1);
    QTRY_VERIFY_WITH_TIMEOUT(grid.card("Accuracy"), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(grid.cards().size(), 1, kPatience);
    grid.setFilter("lr (b");
    QCOMPARE(grid.shownCount(), 1);
    grid.setFilter("nothing");
    QCOMPARE(grid.shownCount(), 0);
    QVERIFY(grid.cards().isEmpty());
    grid.setFilter({});
    QTRY_COMPARE_WITH_TIMEOUT(grid.cards().size(), 5, kPatience);
}

void TstChartGrid::cardsAreKeptWhenGroupsChange()
{
    ChartGrid grid;
    grid.resize(900, 700);
    grid.setGroups({{"a", "A", {"x", "z"}}});
    grid.show();
    QTRY_COMPARE_WITH_TIMEOUT(grid.cards().size(), 2, kPatience);
    ChartCard* z = grid.card("z");
    grid.setGroups({{"a", "A", {"x", "y", "z"}}});
    QTRY_COMPARE_WITH_TIMEOUT(grid.cards().size(), 3, kPatience);
    QCOMPARE(grid.card("z"), z);
    QCOMPARE(grid.cards().back(), z);
}

void TstChartGrid::revealScrollsThere()
{
    ChartGrid grid;
    grid.resize(900, 700);
    grid.setGroups({{"a", "A", manyTags(5000)}});
    grid.setFolded("a", true);
    grid.show();
    grid.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&grid, kPatience));
    grid.reveal("layer_21/value_4321");
    ChartCard* card = grid.card("layer_21/value_4321");
    QVERIFY(card && card->hasFocus());
    QVERIFY(grid.viewport()->rect().contains(card->geometry()));
}

void TstChartGrid::tabWalksThroughHeadingsAndCards()
{
    ChartGrid grid;
    grid.resize(900, 700);
    grid.setGroups({{"a", "A", manyTags(300)}});
    grid.show();
    grid.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&grid, kPatience));
    QTRY_VERIFY_WITH_TIMEOUT(grid.cards().size() >= 9, kPatience);
    grid.findChild<QAbstractButton*>("charts.group.a")->setFocus();
    QStringList visited;
    for (int i = 0; i < 60; ++i) {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        QApplication::processEvents();
        if (auto* card = qobject_cast<ChartCard*>(QApplication::focusWidget())) {
            visited += card->tag();
            QVERIFY(grid.viewport()->rect().contains(card->geometry().center()));
        }
    }
    QVERIFY(visited.size() >= 20);
    QCOMPARE(visited, manyTags(300).mid(0, visited.size()));
}

void TstChartGrid::tagsAreFoundLikeOneByOne()
{
    const QStringList tags = manyTags(3000) + QStringList{"Loss", "a/b", "", "straße", "İstanbul"};
    const TagSearch search(tags);
    const QStringList filters{"",       "layer_7", "LAYER_7", "value_2.*9$", "^a",
                              "[^/]+$", "e_1\\d",  "b|oss",   "(",           ".",
                              "\\s",    "STRASSE", "straße",  "^$"};
    for (const QString& filter : filters) {
        QRegularExpression expression(filter, QRegularExpression::CaseInsensitiveOption);
        if (!expression.isValid()) {
            expression.setPattern(QRegularExpression::escape(filter));
        }
        QStringList expected;
        for (const QString& tag : tags) {
            if (filter.isEmpty() || expression.match(tag).hasMatch()) {
                expected += tag;
            }
        }
        QCOMPARE(search.matching(filter), expected);
    }
}

CANNERY_TEST(TstChartGrid)
#include "tst_chart_grid.moc"

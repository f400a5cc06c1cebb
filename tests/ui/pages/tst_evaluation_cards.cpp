// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/pages/runs/evaluation_cards.h"
#include "ui/pages/runs/run_overview.h"

#include <QLayout>
#include <QTableView>
#include <QTest>

using namespace cannery;
using namespace cannery::ui;

namespace {

EvaluationTable sliceOf(double last)
{
    return {.title = "sex",
            .isSlice = true,
            .columns = {"Rows", "auc"},
            .rows = {{.name = "male", .values = {40, 0.5}},
                     {.name = "female", .values = {9, last}, .isSmall = true}}};
}

QString firstName(const QTableView& view)
{
    return view.model()->index(0, 0).data().toString();
}

} // namespace

class TstEvaluationCards : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void isHiddenWithoutTables()
    {
        EvaluationCards cards;
        cards.setTables({sliceOf(1)});
        QVERIFY(!cards.isHidden());
        cards.setTables({});
        QVERIFY(cards.isHidden());
        QVERIFY(cards.findChildren<QTableView*>().isEmpty());
    }

    void aTableIsSortedByAnyColumn()
    {
        EvaluationCards cards;
        cards.setTables({sliceOf(1)});
        auto* view = cards.findChild<QTableView*>("table.evaluation_0");
        QVERIFY(view != nullptr);
        QCOMPARE(firstName(*view), QString("male"));
        view->sortByColumn(1, Qt::AscendingOrder);
        QCOMPARE(firstName(*view), QString("female"));
    }

    void theSameTablesStayAsTheyAreSorted()
    {
        EvaluationCards cards;
        cards.setTables({sliceOf(1)});
        cards.findChild<QTableView*>("table.evaluation_0")->sortByColumn(1, Qt::AscendingOrder);
        cards.setTables({sliceOf(1)});
        QCOMPARE(firstName(*cards.findChild<QTableView*>("table.evaluation_0")), QString("female"));
        cards.setTables({sliceOf(0.25)});
        QCOMPARE(cards.findChildren<QTableView*>().size(), 1);
    }

    /// Of which there are many.
    void tablesStandAboveTheFilesOfTheRun()
    {
        tests::PageBench bench;
        RunOverview overview(bench.context());
        const auto placeOf = [&](QWidget* part) {
            while (part->parentWidget() != &overview) {
                part = part->parentWidget();
            }
            return overview.layout()->indexOf(part);
        };
        QVERIFY(placeOf(overview.findChild<EvaluationCards*>()) <
                placeOf(overview.findChild<QWidget*>("facts.files")));
    }
};

CANNERY_TEST(TstEvaluationCards)
#include "tst_evaluation_cards.moc"

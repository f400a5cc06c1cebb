// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "tests/ui/models/run_rows.h"
#include "ui/models/runs/run_filter_proxy.h"
#include "ui/models/runs/run_table_model.h"

#include <QAbstractItemModelTester>
#include <QMimeData>
#include <QSignalSpy>
#include <QTest>

using namespace cannery::ui;
using cannery::tests::runOf;
using cannery::tests::snapshotOf;
using Tester = QAbstractItemModelTester;

namespace {

QList<RunRow> manyRuns(int count)
{
    QList<RunRow> runs;
    for (int i = 0; i < count; ++i) {
        runs.append(runOf(QString("run-%1").arg(count - i, 4, 10, QChar('0')), 0.5 + i * 0.0001,
                          QString::number(0.01 * (1 + i % 3))));
    }
    return runs;
}

} // namespace

class TstRunTableModel : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_model = std::make_unique<RunTableModel>();
        m_proxy = std::make_unique<RunFilterProxy>(*m_model);
        m_tester = std::make_unique<Tester>(m_model.get(), Tester::FailureReportingMode::Fatal);
        m_proxyTester =
            std::make_unique<Tester>(m_proxy.get(), Tester::FailureReportingMode::Fatal);
    }
    void cleanup()
    {
        m_proxyTester.reset();
        m_tester.reset();
        m_proxy.reset();
        m_model.reset();
    }

    void oneChangedRunOfManyChangesOneRow()
    {
        RunTableModel model; // without a tester, which checks every row at every change
        QList<RunRow> runs = manyRuns(2000);
        model.setSnapshot(snapshotOf(runs));
        model.setColumns(defaultColumns(*model.snapshot()));
        QCOMPARE(model.rowCount(), 2000);
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        runs[7].globalStep = 400;
        model.setSnapshot(snapshotOf(runs));
        QCOMPARE(changed.size(), 1);
        QCOMPARE(changed.front().at(0).toModelIndex().row(), 7);
        QCOMPARE(changed.front().at(1).toModelIndex().row(), 7);
        QCOMPARE(reset.size(), 0);
    }

    void newAndDeletedRunsMoveNothingElse()
    {
        QList<RunRow> runs = manyRuns(5);
        m_model->setSnapshot(snapshotOf(runs));
        QSignalSpy reset(m_model.get(), &QAbstractItemModel::modelReset);
        const QPersistentModelIndex third = m_model->index(2, 3);
        runs.removeAt(1);
        runs.prepend(runOf("run-0006", 0.9, "0.1"));
        runs.insert(3, runOf("run-0002b", 0.9, "0.1"));
        m_model->setSnapshot(snapshotOf(runs));
        QCOMPARE(reset.size(), 0);
        QCOMPARE(third.data(RunTableModel::RunRole).toString(), QString("run-0003"));
        QCOMPARE(m_model->rowOf("run-0006"), 0);
        QCOMPARE(m_model->rowCount(), 6);
    }

    void newestRunsAreShownAtFirstAndNewOnesFromThenOn()
    {
        QList<RunRow> runs = manyRuns(30);
        QSignalSpy shown(m_model.get(), &RunTableModel::shownChanged);
        m_model->setSnapshot(snapshotOf(runs));
        QCOMPARE(m_model->shownRuns().size(), RunTableModel::kShownAtFirst);
        QVERIFY(m_model->isShown("run-0030"));
        QVERIFY(!m_model->isShown("run-0001"));
        m_model->setShown({"run-0030"}, false);
        runs.prepend(runOf("run-0031", 0.9, "0.1"));
        m_model->setSnapshot(snapshotOf(runs));
        QVERIFY(m_model->isShown("run-0031"));
        QVERIFY(!m_model->isShown("run-0030"));
        QCOMPARE(shown.size(), 3);
    }

    void choicesSurviveARestart()
    {
        const QList<RunRow> runs = manyRuns(12);
        m_model->setSnapshot(snapshotOf(runs));
        m_model->setShown({"run-0001"}, true);
        RunTableModel again;
        again.restoreShown(m_model->shownRuns(), m_model->knownRuns());
        again.setSnapshot(snapshotOf(runs));
        QCOMPARE(again.shownRuns(), m_model->shownRuns());
    }

    void sortsByColumnWithRunsWithoutValueLast()
    {
        QList<RunRow> runs{runOf("a", 0.8, "0.1"), runOf("b", 0.9, "0.2"), runOf("c", 0.7, "0.3")};
        runs[1].metrics.clear();
        m_model->setSnapshot(snapshotOf(runs));
        m_model->setColumns(defaultColumns(*m_model->snapshot()));
        const int auc = m_model->columnOf(RunColumn::Kind::Metric);
        const auto order = [&] {
            QStringList names;
            for (int i = 0; i < m_proxy->rowCount(); ++i) {
                names.append(m_proxy->runAt(i));
            }
            return names;
        };
        m_proxy->sort(auc, Qt::DescendingOrder);
        QCOMPARE(order(), (QStringList{"a", "c", "b"}));
        m_proxy->sort(auc, Qt::AscendingOrder);
        QCOMPARE(order(), (QStringList{"c", "a", "b"}));
    }

    void filterAndTrashDecideWhatIsListed()
    {
        QList<RunRow> runs{runOf("a", 0.95, "0.1"), runOf("b", 0.8, "0.2"),
                           runOf("c", 0.97, "0.3")};
        runs[2].trashed = true;
        m_model->setSnapshot(snapshotOf(runs));
        QCOMPARE(m_proxy->rowCount(), 2);
        m_proxy->setFilter(RunFilter::parse("auc > 0.9"));
        QCOMPARE(m_proxy->rowCount(), 1);
        QCOMPARE(m_proxy->hiddenCount(), 1);
        m_proxy->setFilter(RunFilter::parse("auc >"));
        QCOMPARE(m_proxy->rowCount(), 1);
        m_proxy->setShowsTrash(true);
        QCOMPARE(m_proxy->runAt(0), QString("c"));
        QCOMPARE(m_proxy->trashedCount(), 1);
    }

    void reducersAreByColumn()
    {
        RunRow run = runOf("a", 0.9, "0.1");
        run.evaluations = {{.step = 200, .values = {{"auc", 0.71}}}};
        const auto value = [&](Reducer reducer) {
            return *columnNumber(
                run,
                {.kind = RunColumn::Kind::Metric, .key = "auc", .reducer = reducer, .step = 200});
        };
        QCOMPARE(value(Reducer::AtBest), 0.9);
        QCOMPARE(value(Reducer::Last), 0.89);
        QCOMPARE(value(Reducer::Min), 0.89);
        QCOMPARE(value(Reducer::Max), 0.9);
        QCOMPARE(value(Reducer::AtStep), 0.71);
        QVERIFY(!columnNumber(run, {.kind = RunColumn::Kind::Metric,
                                    .key = "auc",
                                    .reducer = Reducer::AtStep,
                                    .step = 7}));
    }

    void baselineStandsBesideEveryMetric()
    {
        m_model->setSnapshot(snapshotOf({runOf("a", 0.95, "0.1"), runOf("b", 0.9, "0.2")}));
        m_model->setColumns(defaultColumns(*m_model->snapshot()));
        const int auc = m_model->columnOf(RunColumn::Kind::Metric);
        QVERIFY(m_model->index(0, auc).data(RunTableModel::DeltaRole).toString().isEmpty());
        QVERIFY(m_model->index(0, auc).data(RunTableModel::BestRole).toBool());
        QVERIFY(!m_model->index(1, auc).data(RunTableModel::BestRole).toBool());
        m_model->setBaseline("a");
        QCOMPARE(m_model->index(1, auc).data(RunTableModel::DeltaRole).toString(),
                 QString::fromUtf8("−0.050"));
        QVERIFY(m_model->index(0, auc).data(RunTableModel::DeltaRole).toString().isEmpty());
    }

    void namesAreEditedInPlaceAndRowsCanBeDragged()
    {
        m_model->setSnapshot(snapshotOf({runOf("a", 0.95, "0.1")}));
        const QModelIndex name = m_model->index(0, m_model->columnOf(RunColumn::Kind::Name));
        QSignalSpy renamed(m_model.get(), &RunTableModel::renameRequested);
        QVERIFY(!m_model->setData(name, "a", Qt::EditRole));
        QVERIFY(m_model->setData(name, " best one ", Qt::EditRole));
        QCOMPARE(renamed.front(), (QVariantList{"a", "best one"}));
        const std::unique_ptr<QMimeData> mime(m_model->mimeData({name}));
        QCOMPARE(mime->data(RunTableModel::kMimeType), QByteArray("a"));
    }

    void columnsSurviveARestart()
    {
        const ProjectSnapshotPtr snapshot =
            snapshotOf({runOf("a", 0.95, "0.1"), runOf("b", 0.9, "0.2")});
        QList<RunColumn> columns = defaultColumns(*snapshot);
        QCOMPARE(headerText(columns.last()), QString("lr"));
        columns.append({.kind = RunColumn::Kind::Metric,
                        .key = "loss",
                        .reducer = Reducer::AtStep,
                        .step = 400});
        columns.append({.kind = RunColumn::Kind::Tags});
        QCOMPARE(columnsFromJson(toJson(columns)), columns);
        QCOMPARE(columnsFromJson({}), fixedColumns());
    }

    void parametersThatDifferAreOfferedFirst()
    {
        const ProjectSnapshotPtr snapshot =
            snapshotOf({runOf("a", 0.95, "0.1"), runOf("b", 0.9, "0.2")});
        QStringList differing;
        for (const ColumnOffer& offer : availableColumns(*snapshot)) {
            if (offer.differs) {
                differing.append(offer.column.key);
            }
        }
        QCOMPARE(differing,
                 (QStringList{"learning_rate",
                              "estimator.dnn_classifier.optimizer.adagrad.learning_rate"}));
    }

private:
    std::unique_ptr<RunTableModel> m_model;
    std::unique_ptr<RunFilterProxy> m_proxy;
    std::unique_ptr<Tester> m_tester;
    std::unique_ptr<Tester> m_proxyTester;
};

CANNERY_TEST(TstRunTableModel)
#include "tst_run_table_model.moc"

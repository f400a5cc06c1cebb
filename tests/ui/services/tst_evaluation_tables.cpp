// SPDX-License-Identifier: GPL-3.0-only
#include "storage/runs/run_files.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"
#include "ui/services/runs/evaluation_tables.h"

#include <QAbstractItemModelTester>
#include <QSortFilterProxyModel>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <limits>

using namespace cannery;
using namespace cannery::ui;

namespace {

storage::RunEvaluation evaluationAt(std::int64_t step)
{
    return {.globalStep = step,
            .metrics = {{"auc", 0.5}},
            .tables = {{.name = "m",
                        .rows = {"no", "yes"},
                        .columns = {"no", "yes"},
                        .values = {3, 1, 0, 9}}},
            .slices = {{.columns = {"sex", "deck"},
                        .groups = {{.values = {"male", std::nullopt},
                                    .rows = 30,
                                    .metrics = {{"auc", 0.5}, {"loss", 2}}},
                                   {.values = {"female", "A"},
                                    .rows = 29,
                                    .metrics = {{"auc", 0.75}, {"loss", 10}}},
                                   {.merged = 4, .rows = 2, .metrics = {{"auc", 1}}}}}}};
}

/// What reading a folder gives.
QList<EvaluationTable> tablesOf(const QTemporaryDir& folder, qint64 step)
{
    QObject receiver;
    std::optional<QList<EvaluationTable>> read;
    readEvaluationTables(folder.path(), step, &receiver,
                         [&](const QList<EvaluationTable>& tables) { read = tables; });
    return QTest::qWaitFor([&] { return read.has_value(); }) ? *read : QList<EvaluationTable>();
}

} // namespace

class TstEvaluationTables : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void slicesStandBeforeTables();
    void otherStepsHaveNone();
    void aDamagedFolderHasNone();
    void groupsOfFewRowsAreGrey();
    void numbersAreSortedAsNumbers();
};

void TstEvaluationTables::slicesStandBeforeTables()
{
    const QTemporaryDir folder;
    storage::RunFiles files(folder.path().toStdString());
    VERIFY_OK(files.addEvaluation(evaluationAt(5)));
    const QList<EvaluationTable> tables = tablesOf(folder, 5);
    QCOMPARE(tables.size(), 2);
    QVERIFY(tables[0].isSlice);
    QCOMPARE(tables[0].title, QString("sex, deck"));
    QCOMPARE(tables[0].columns, (QStringList{"Rows", "AUC", "Loss"}));
    // The group that lacks a number of the others is left out.
    QCOMPARE(tables[0].rows.size(), 2);
    QCOMPARE(tables[0].rows[0].name, QString("male, (missing)"));
    QCOMPARE(tables[0].rows[0].values, (QList<double>{30, 0.5, 2}));
    QCOMPARE(tables[1].title, QString("m"));
    QCOMPARE(tables[1].rows[1].values, (QList<double>{0, 9}));
}

void TstEvaluationTables::otherStepsHaveNone()
{
    const QTemporaryDir folder;
    storage::RunFiles files(folder.path().toStdString());
    VERIFY_OK(files.addEvaluation(evaluationAt(5)));
    QVERIFY(tablesOf(folder, 6).isEmpty());
    QVERIFY(tablesOf(QTemporaryDir(), 5).isEmpty());
}

void TstEvaluationTables::aDamagedFolderHasNone()
{
    const QTemporaryDir folder;
    std::ofstream(folder.filePath("evaluations.jsonl").toStdString()) << "{\"metrics\": 5}\n{}\n";
    QVERIFY(tablesOf(folder, 5).isEmpty());
}

void TstEvaluationTables::groupsOfFewRowsAreGrey()
{
    const QTemporaryDir folder;
    storage::RunFiles files(folder.path().toStdString());
    VERIFY_OK(files.addEvaluation(evaluationAt(5)));
    const EvaluationTableModel model(tablesOf(folder, 5).at(0));
    QVERIFY(!model.index(0, 1).data(Qt::ForegroundRole).isValid());
    QVERIFY(model.index(1, 1).data(Qt::ForegroundRole).isValid());
    QVERIFY(model.index(1, 2).data(Qt::ToolTipRole).toString().contains("29"));
    QCOMPARE(model.headerData(0, Qt::Horizontal).toString(), QString("sex, deck"));
    QCOMPARE(model.headerData(2, Qt::Horizontal).toString(), QString("AUC"));
}

void TstEvaluationTables::numbersAreSortedAsNumbers()
{
    const QTemporaryDir folder;
    storage::RunFiles files(folder.path().toStdString());
    VERIFY_OK(files.addEvaluation(evaluationAt(5)));
    EvaluationTableModel model(tablesOf(folder, 5).at(0));
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    QSortFilterProxyModel sorted;
    sorted.setSourceModel(&model);
    sorted.setSortRole(EvaluationTableModel::SortRole);
    sorted.sort(3, Qt::DescendingOrder); // 10 before 2
    QCOMPARE(sorted.index(0, 0).data().toString(), QString("female, A"));
}

CANNERY_TEST(TstEvaluationTables)
#include "tst_evaluation_tables.moc"

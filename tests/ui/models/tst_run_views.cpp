// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "tests/ui/models/run_rows.h"
#include "ui/models/curves/readout_model.h"
#include "ui/models/curves/tag_list_model.h"
#include "ui/models/runs/checkpoint_model.h"
#include "ui/models/runs/parameter_diff_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QSortFilterProxyModel>
#include <QTest>

using namespace cannery::ui;
using cannery::tests::metric;
using cannery::tests::runOf;
using Tester = QAbstractItemModelTester;

namespace {

constexpr auto kFatal = Tester::FailureReportingMode::Fatal;

QList<ReadoutEntry> entries()
{
    return {{.run = "run-1",
             .label = "run-1",
             .source = "evaluation",
             .step = 5000,
             .value = 0.836735F,
             .wallTime = 1'700'000'000.25,
             .sinceStart = 42.4},
            {.run = "run-2",
             .label = "run-2",
             .source = "evaluation",
             .colourSlot = 1,
             .step = 5000,
             .value = 0.1F,
             .smoothed = 0.125,
             .wallTime = 1'700'000'001,
             .sinceStart = 9.1},
            {.run = "run-2",
             .label = "run-2",
             .source = "training",
             .colourSlot = 1,
             .step = 5000,
             .value = 0.9F,
             .wallTime = 1'700'000'001,
             .sinceStart = 9.1}};
}

} // namespace

class TstRunViews : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void D28_readoutValuesAreTheLoggedFloatsExactly()
    {
        ReadoutModel model;
        const Tester tester(&model, kFatal);
        model.setEntries(entries(), "auc", true);
        const QStringList lines = model.asTabSeparated().split('\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 4);
        QCOMPARE(lines[0],
                 QString("Run\tOf\tStep\tValue\tSmoothed\tΔ to best\tWall clock\tSince start"));
        for (int i = 0; i < 3; ++i) {
            const QString value = lines[i + 1].section('\t', 3, 3);
            QCOMPARE(value.toFloat(), entries()[i].value);
        }
        QCOMPARE(lines[2].section('\t', 4, 4), QString("0.125"));
        QCOMPARE(model.asTabSeparated({1}).count('\n'), 2);
        QVERIFY(model.asCsv().startsWith("tag,run,"));
        QVERIFY(model.asCsv().contains("\nauc,run-1,evaluation,5000,0.836735,"));
    }

    void D28_readoutSortsAndPins()
    {
        ReadoutModel model;
        const Tester tester(&model, kFatal);
        QSortFilterProxyModel sorted;
        sorted.setSortRole(ReadoutModel::SortRole);
        sorted.setSourceModel(&model);
        model.setEntries(entries(), "auc", true);
        sorted.sort(ReadoutModel::Value, Qt::DescendingOrder);
        QCOMPARE(sorted.index(0, ReadoutModel::Source).data().toString(), QString("training"));
        QCOMPARE(sorted.index(2, ReadoutModel::Run).data().toString(), QString("run-2"));
        model.pin();
        QCOMPARE(model.rowCount(), 6);
        QVERIFY(model.index(0, 0).data(ReadoutModel::PinnedRole).toBool());
        model.setEntries({}, "auc", true);
        QCOMPARE(model.rowCount(), 3);
        model.unpin();
        QCOMPARE(model.rowCount(), 0);
    }

    void movingTheCursorKeepsRowsInPlace()
    {
        ReadoutModel model;
        model.setEntries(entries(), "auc", true);
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        QList<ReadoutEntry> next = entries();
        next[0].value = 0.5F;
        model.setEntries(next, "auc", true);
        QCOMPARE(reset.size(), 0);
        QCOMPARE(model.index(1, ReadoutModel::DeltaToBest).data().toString(),
                 QString::fromUtf8("−0.40"));
        QCOMPARE(model.index(2, ReadoutModel::DeltaToBest).data().toString(), QString("0"));
    }

    void manyTagsAreGroupedAndFiltered()
    {
        QSet<QString> tags{"loss", "auc", "cannery/gradient_norm"};
        for (int i = 0; i < 20'000; ++i) {
            tags.insert(QString("layer_%1/weights_%2").arg(i % 100).arg(i));
        }
        TagListModel model;
        const Tester tester(&model, kFatal);
        model.setTags(tags);
        QCOMPARE(model.rowCount(), tags.size());
        QCOMPARE(model.groups().size(), 102);
        QCOMPARE(model.groups().front().tags, (QStringList{"auc", "loss"}));
        QCOMPARE(model.groups().last().id, QString("cannery"));
        model.setFilter("LOSS|auc");
        QCOMPARE(model.rowCount(), 2);
        model.setFilter("^layer_7/weights_\\d+07$");
        QCOMPARE(model.rowCount(), 199);
        model.setFilter("weights_(");
        QCOMPARE(model.rowCount(), 0);
        QVERIFY(!model.matcher().problem().isEmpty());
        model.setFilter(" ");
        QCOMPARE(model.rowCount(), tags.size());
    }

    void onlyDifferingParametersAreListedAtFirst()
    {
        RunRow other = runOf("b", 0.9, "0.2");
        other.parameters.append(std::pair<QString, QString>("run_config.tf_random_seed", "42"));
        other.parameters[3].second = "";
        ParameterDiffModel model;
        const Tester tester(&model, kFatal);
        model.setRuns({runOf("a", 0.9, "0.1"), other});
        QCOMPARE(model.summary(), QString("3 of 7"));
        QCOMPARE(model.rowCount(), 3);
        const QModelIndex seedOfFirst = model.index(2, 1);
        QVERIFY(seedOfFirst.data(ParameterDiffModel::MissingRole).toBool());
        const QModelIndex emptyOfSecond = model.index(1, 2);
        QCOMPARE(emptyOfSecond.data().toString(), QString());
        QVERIFY(!emptyOfSecond.data(ParameterDiffModel::MissingRole).toBool());
        model.setDifferingOnly(false);
        QCOMPARE(model.summary(), QString("7 of 7"));
    }

    void checkpointsStandNewestFirstWithTheirMetrics()
    {
        RunRow run = runOf("a", 0.9, "0.1");
        run.checkpoints = {{.step = 500,
                            .bytes = 1'200'000,
                            .keptBecause = "recent",
                            .isBest = true,
                            .metrics = {metric("auc", 0.9, 0.9)}},
                           {.step = 1000, .bytes = 1'200'000, .keptBecause = "latest"}};
        CheckpointModel model;
        const Tester tester(&model, kFatal);
        model.setRun(run);
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.headerData(2, Qt::Horizontal, Qt::DisplayRole).toString(), QString("AUC"));
        QCOMPARE(model.index(0, 1).data().toString(), QString("1,000"));
        QCOMPARE(model.index(0, 2).data().toString(), QString::fromUtf8("–"));
        QCOMPARE(model.index(1, 2).data().toString(), QString("0.9000"));
        QVERIFY(model.index(1, 0).data(CheckpointModel::BestRole).toBool());
    }
};

CANNERY_TEST(TstRunViews)
#include "tst_run_views.moc"

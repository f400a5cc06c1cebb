// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "tests/ui/models/run_rows.h"
#include "ui/models/runs/parameter_study.h"

#include <QTest>

#include <cmath>

using namespace cannery::ui;
using cannery::tests::runOf;
using cannery::tests::snapshotOf;

namespace {

const QString kRate = "estimator.dnn_classifier.optimizer.adagrad.learning_rate";

void setParameter(RunRow& run, const QString& path, const QString& value)
{
    for (auto& [known, text] : run.parameters) {
        if (known == path) {
            text = value;
        }
    }
}

/// Twelve runs whose metric rises with the rate; the batch size has nothing to do with it.
QList<RunRow> sweptRuns()
{
    QList<RunRow> runs;
    for (int i = 0; i < 12; ++i) {
        runs << runOf(QString("run-%1").arg(i, 3, 10, QChar('0')), 0.5 + 0.03 * (i / 4),
                      i / 4 == 0   ? "0.001"
                      : i / 4 == 1 ? "0.01"
                                   : "0.1");
        setParameter(runs.back(), "train_spec.input.batch_size", i % 2 == 0 ? "32" : "64");
    }
    return runs;
}

QStringList namesOf(const QList<RunRow>& runs)
{
    QStringList names;
    for (const RunRow& run : runs) {
        names << run.name;
    }
    return names;
}

} // namespace

class TstParameterStudy : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theMostImportantParameterComesFirstAndTheMetricLast();
    void placesAreSharesOfAnAxis();
    void choicesStandAtEqualDistances();
    void fewRunsTellNothing();
    void runsWithoutTheMetricAreLeftOut();
    void manyParametersAreCutToTheImportantOnes();
    void parametersOfOneNameAreToldApart();
    void labelsThatStillCoincideBecomeLonger();
};

void TstParameterStudy::theMostImportantParameterComesFirstAndTheMetricLast()
{
    const QList<RunRow> runs = sweptRuns();
    const ParameterStudy study = studyParameters(*snapshotOf(runs), namesOf(runs));
    QCOMPARE(study.metric, QString("auc"));
    QVERIFY(study.higherIsBetter);
    QCOMPARE(study.axes.size(), 3);
    QCOMPARE(study.axes[0].path, kRate);
    QCOMPARE(study.axes[0].label, QString("learning_rate"));
    QCOMPARE(study.axes[0].importance, 1.0);
    QCOMPARE(study.axes[1].path, QString("train_spec.input.batch_size"));
    QCOMPARE(study.axes[1].importance, 0.0);
    QCOMPARE(study.axes[2].path, QString("auc"));
    QCOMPARE(study.leftOut, 0);
}

void TstParameterStudy::placesAreSharesOfAnAxis()
{
    const QList<RunRow> runs = sweptRuns();
    const ParameterStudy study = studyParameters(*snapshotOf(runs), namesOf(runs));
    QVERIFY(study.axes[0].isLogarithmic);
    QVERIFY(!study.axes[1].isLogarithmic);
    QCOMPARE(study.lines.size(), 12);
    QCOMPARE(study.lines[0].places[0], 0.0);
    QVERIFY(std::abs(study.lines[4].places[0] - 0.5) < 1e-12); // 0.01, between 0.001 and 0.1
    QCOMPARE(study.lines[11].places, (QList<double>{1, 1, 1}));
    QCOMPARE(study.lines[0].values.first(), QString("0.001"));
}

void TstParameterStudy::choicesStandAtEqualDistances()
{
    QList<RunRow> runs = sweptRuns();
    const char* units[] = {"[8]", "[64, 32]", "[128]"};
    for (int i = 0; i < 12; ++i) {
        setParameter(runs[i], "estimator.dnn_classifier.hidden_units", units[i % 3]);
    }
    const ParameterStudy study = studyParameters(*snapshotOf(runs), namesOf(runs));
    const auto axis = std::find_if(study.axes.begin(), study.axes.end(), [](const StudyAxis& one) {
        return one.label == "hidden_units";
    });
    QVERIFY(axis != study.axes.end());
    QVERIFY(!axis->isNumeric);
    QCOMPARE(axis->choices, (QStringList{"[128]", "[64, 32]", "[8]"}));
    const qsizetype at = axis - study.axes.begin();
    QCOMPARE(study.lines[0].places[at], 1.0);
    QCOMPARE(study.lines[1].places[at], 0.5);
    QCOMPARE(study.lines[2].places[at], 0.0);
}

void TstParameterStudy::fewRunsTellNothing()
{
    const QList<RunRow> runs{runOf("a", 0.5, "0.1"), runOf("b", 0.6, "0.2")};
    const ParameterStudy study = studyParameters(*snapshotOf(runs), {"a", "b", "gone"});
    QCOMPARE(study.axes.size(), 2);
    QVERIFY(std::isnan(study.axes[0].importance));
    QCOMPARE(study.lines.size(), 2);
}

void TstParameterStudy::runsWithoutTheMetricAreLeftOut()
{
    QList<RunRow> runs = sweptRuns();
    runs[3].metrics.clear();
    runs[5].metrics[0].last = std::nan("");
    const ParameterStudy study = studyParameters(*snapshotOf(runs), namesOf(runs));
    QCOMPARE(study.lines.size(), 10);
    for (RunRow& run : runs) {
        run.metrics.clear();
    }
    QVERIFY(studyParameters(*snapshotOf(runs), namesOf(runs)).axes.isEmpty());
}

void TstParameterStudy::manyParametersAreCutToTheImportantOnes()
{
    QList<RunRow> runs = sweptRuns();
    for (int i = 0; i < 12; ++i) {
        for (int other = 0; other < 10; ++other) {
            runs[i].parameters.append(
                {QString("other%1").arg(other), QString::number((i * 7 + other * 5) % 12)});
        }
    }
    const ParameterStudy study = studyParameters(*snapshotOf(runs), namesOf(runs));
    QCOMPARE(study.axes.size(), 9);
    QCOMPARE(study.leftOut, 4);
    QCOMPARE(study.axes[0].path, kRate);
}

void TstParameterStudy::parametersOfOneNameAreToldApart()
{
    QList<RunRow> runs = sweptRuns();
    for (int i = 0; i < 12; ++i) {
        runs[i].parameters.append(
            {"estimator.linear_classifier.optimizer.ftrl.learning_rate", QString::number(i)});
    }
    const ParameterStudy study = studyParameters(*snapshotOf(runs), namesOf(runs));
    QStringList labels;
    for (const StudyAxis& axis : study.axes) {
        labels << axis.label;
    }
    QVERIFY2(labels.contains("dnn_classifier.learning_rate") &&
                 labels.contains("linear_classifier.learning_rate") &&
                 labels.contains("batch_size"),
             qPrintable(labels.join(' ')));
}

/// Two optimizers of one estimator, and a parameter that is called as the metric.
void TstParameterStudy::labelsThatStillCoincideBecomeLonger()
{
    QList<RunRow> runs = sweptRuns();
    const QString both = "estimator.dnn_linear_combined_classifier.%1_optimizer.ftrl.l1";
    for (int i = 0; i < 12; ++i) {
        runs[i].parameters.append({both.arg("linear"), QString::number(i)});
        runs[i].parameters.append({both.arg("dnn"), QString::number(11 - i)});
        runs[i].parameters.append({"eval_spec.auc", QString::number(i % 5)});
    }
    const ParameterStudy study = studyParameters(*snapshotOf(runs), namesOf(runs));
    QStringList labels;
    for (const StudyAxis& axis : study.axes) {
        QVERIFY2(!labels.contains(axis.label), qPrintable(axis.label));
        labels << axis.label;
    }
    for (const char* label :
         {"linear_optimizer.ftrl.l1", "dnn_optimizer.ftrl.l1", "learning_rate", "batch_size"}) {
        QVERIFY2(labels.contains(label), qPrintable(labels.join(' ')));
    }
}

CANNERY_TEST(TstParameterStudy)
#include "tst_parameter_study.moc"

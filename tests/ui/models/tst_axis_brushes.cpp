// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/models/curves/axis_brushes.h"

#include <QTest>

#include <cmath>

using namespace cannery::ui;

namespace {

ParameterStudy studyOf(double most)
{
    ParameterStudy study{.metric = "auc"};
    study.axes = {
        {.path = "a.rate", .label = "rate", .isLogarithmic = true, .min = 0.001, .max = most},
        {.path = "a.kind", .label = "kind", .isNumeric = false, .choices = {"adam", "ftrl"}},
        {.path = "auc", .label = "AUC", .min = 0.5, .max = 1}};
    const auto add = [&](const QString& run, double rate, double kind, double auc) {
        study.lines << StudyLine{
            .run = run,
            .places = {placeOf(study.axes[0], rate), kind, placeOf(study.axes[2], auc)}};
    };
    add("run-1", 0.001, 0, 0.5);
    add("run-2", 0.01, 1, 0.75);
    add("run-3", 0.1, 1, 1);
    add("run-4", 0.1, std::nan(""), 0.9);
    return study;
}

} // namespace

/// Which runs marked parts of the axes choose.
class TstAxisBrushes : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void linesThroughAllPartsAreChosen();
    void partsAreLimitedToTheirAxis();
    void aNewerStudyKeepsTheMarkedValues();
    void wordsNameValuesAndChoices();
};

void TstAxisBrushes::linesThroughAllPartsAreChosen()
{
    const ParameterStudy study = studyOf(0.1);
    AxisBrushes brushes;
    QCOMPARE(brushes.chosen(study), QStringList());
    QVERIFY(brushes.admits(study, study.lines[0]));
    brushes.set("a.rate", {0.5, 1}); // 0.01 to 0.1
    QCOMPARE(brushes.chosen(study), (QStringList{"run-2", "run-3", "run-4"}));
    brushes.set("a.kind", {1, 0.9}); // NaN is nowhere
    QCOMPARE(brushes.chosen(study), (QStringList{"run-2", "run-3"}));
    brushes.set("auc", {0, 0.5});
    QCOMPARE(brushes.chosen(study), QStringList{"run-2"});
    brushes.clear("a.kind");
    brushes.clear("auc");
    QCOMPARE(brushes.chosen(study).size(), 3);
    brushes.clear();
    QVERIFY(brushes.isEmpty());
}

void TstAxisBrushes::partsAreLimitedToTheirAxis()
{
    AxisBrushes brushes;
    brushes.set("a.rate", {1.4, 0.3});
    QCOMPARE(brushes.on("a.rate"), (AxisPart{0.3, 1}));
    QVERIFY(!brushes.on("a.kind"));
}

void TstAxisBrushes::aNewerStudyKeepsTheMarkedValues()
{
    AxisBrushes brushes;
    brushes.set("a.rate", {0.5, 1});
    brushes.set("a.kind", {1, 1});
    brushes.set("gone", {0, 1});
    ParameterStudy newer = studyOf(10); // the same rates lie lower now
    brushes.follow(studyOf(0.1), newer);
    QCOMPARE(brushes.on("a.rate")->from, 0.25);
    QCOMPARE(brushes.on("a.rate")->to, 0.5);
    QVERIFY(!brushes.on("gone"));
    QCOMPARE(brushes.chosen(newer), (QStringList{"run-2", "run-3"}));
    ParameterStudy other = newer;
    other.axes[1].choices = {"adam", "ftrl", "sgd"};
    brushes.follow(newer, other);
    QVERIFY(!brushes.on("a.kind")); // its places mean other choices
    QVERIFY(brushes.on("a.rate").has_value());
}

void TstAxisBrushes::wordsNameValuesAndChoices()
{
    const ParameterStudy study = studyOf(0.1);
    AxisBrushes brushes;
    brushes.set("a.rate", {0.5, 1});
    brushes.set("a.kind", {0, 1});
    QCOMPARE(brushes.words(study), "rate 0.01000 to 0.1000; kind adam, ftrl");
    brushes.set("a.kind", {0.2, 0.6});
    QVERIFY2(brushes.words(study).endsWith("kind nothing"), qPrintable(brushes.words(study)));
}

CANNERY_TEST(TstAxisBrushes)
#include "tst_axis_brushes.moc"

// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/pages/runs/chart_choices.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QTest>

using namespace cannery::ui;

/// What a person has chosen for the charts of Runs.
class TstChartChoices : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void onlyTheYAxisIsACardsOwn();
    void toggledOptionsReachEveryCard();
    void proposedTagsArePinnedUntilAPersonPins();
    void whatIsSavedIsRestored();
};

namespace {

/// With everything chosen that can be.
ChartChoices chosen()
{
    ChartChoices choices;
    ChartOptions options;
    options.logX = true;
    options.logY = true;
    options.yLimits = AxisLimits{0, 2};
    choices.takeFrom("auc", options);
    choices.overlay("auc", "accuracy");
    choices.setPinned("loss", true);
    return choices;
}

QJsonObject saved(const ChartChoices& choices)
{
    QJsonObject state;
    choices.save(state);
    return state;
}

} // namespace

void TstChartChoices::onlyTheYAxisIsACardsOwn()
{
    const ChartChoices choices = chosen();
    QVERIFY(choices.shared().logX && !choices.shared().logY);
    QVERIFY(choices.optionsOf("auc").logY && !choices.optionsOf("loss").logY);
    QVERIFY(choices.optionsOf("loss").logX);
    QCOMPARE(choices.optionsOf("auc").yLimits, std::optional(AxisLimits{0, 2}));
    QVERIFY(!choices.optionsOf("loss").yLimits);
    ChartChoices reset = choices;
    reset.resetY();
    QVERIFY(!reset.optionsOf("auc").yLimits && reset.optionsOf("auc").logY);
}

void TstChartChoices::toggledOptionsReachEveryCard()
{
    ChartChoices choices = chosen();
    choices.toggle(&ChartOptions::logY);
    QVERIFY(choices.optionsOf("auc").logY && choices.optionsOf("loss").logY);
    choices.toggle(&ChartOptions::logY);
    QVERIFY(!choices.optionsOf("auc").logY && !choices.optionsOf("loss").logY);
}

void TstChartChoices::proposedTagsArePinnedUntilAPersonPins()
{
    ChartChoices choices;
    choices.proposePinned({"auc", "loss"});
    QCOMPARE(choices.pinned(), (QStringList{"auc", "loss"}));
    choices.proposePinned({"loss"});
    QCOMPARE(choices.pinned(), QStringList{"loss"});
    QVERIFY(!saved(choices).contains("pinned"));
    choices.setPinned("loss", false);
    choices.proposePinned({"auc"});
    QVERIFY(choices.pinned().isEmpty());
    QCOMPARE(saved(choices).value("pinned").toArray(), QJsonArray());
}

void TstChartChoices::whatIsSavedIsRestored()
{
    const ChartChoices choices = chosen();
    ChartChoices restored;
    restored.overlay("other", "loss");
    restored.restore(saved(choices));
    QCOMPARE(saved(restored), saved(choices));
    QCOMPARE(restored.overlaid("auc"), QStringList{"accuracy"});
    QVERIFY(restored.overlaid("other").isEmpty());
    restored.removeOverlaid("auc");
    QVERIFY(restored.overlaid("auc").isEmpty());
    restored.restore({});
    QCOMPARE(saved(restored), saved(ChartChoices()));
}

CANNERY_TEST(TstChartChoices)
#include "tst_chart_choices.moc"

// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/frame/arrival.h"

#include <QTest>

using namespace cannery::ui;

/// The page that a window shows after opening a project.
class TstArrival : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theResultIsInSight_data()
    {
        QTest::addColumn<Opening>("why");
        QTest::addColumn<QList<RunState>>("states");
        QTest::addColumn<QString>("place");
        const auto row = [](const char* name, Opening why, const QList<RunState>& states,
                            const char* place) {
            QTest::newRow(name) << why << states << QString::fromLatin1(place);
        };
        row("made from a table", Opening::Created, {}, "data");
        row("made beside other runs", Opening::Created, {RunState::Finished}, "data");
        row("a copy to be edited", Opening::Duplicated, {RunState::Finished}, "model");
        row("a sample", Opening::Sample, {}, "train");
        row("opened, without runs", Opening::Chosen, {}, "data");
        row("opened, with runs", Opening::Chosen, {RunState::Finished, RunState::Failed}, "runs");
        row("opened, one trains", Opening::Chosen, {RunState::Finished, RunState::Running},
            "train");
        row("another experiment", Opening::Switched, {RunState::Running}, "");
        row("as it was", Opening::Restored, {RunState::Running}, "");
    }

    void theResultIsInSight()
    {
        QFETCH(Opening, why);
        QFETCH(QList<RunState>, states);
        ProjectSnapshot runs;
        for (const RunState state : states) {
            RunRow row;
            row.state = state;
            runs.runs.append(row);
        }
        QTEST(placeAfter(why, false, runs), "place");
        QCOMPARE(placeAfter(why, true, runs), QString("runs"));
    }

    void runsInTheTrashAreNoResult()
    {
        ProjectSnapshot runs;
        RunRow row;
        row.state = RunState::Finished;
        row.trashed = true;
        runs.runs.append(row);
        QCOMPARE(placeAfter(Opening::Chosen, false, runs), QString("data"));
    }
};

CANNERY_TEST(TstArrival)
#include "tst_arrival.moc"

// SPDX-License-Identifier: GPL-3.0-only
#include "tests/faults/hostile_project.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/services/runs/series_store.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace cannery::ui;
using cannery::tests::HostileProject;
using cannery::tests::kPatience;

/// Whole project folders with malicious changes, read by the code that the window uses.
class TstOpeningHostileProjects : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void servicesSurviveAndStayInside();
};

void TstOpeningHostileProjects::servicesSurviveAndStayInside()
{
    constexpr unsigned kFirst = 1000;
    constexpr unsigned kChanges = 40;
    HostileProject project;
    int opened = 0;
    int runs = 0;
    for (unsigned number = kFirst; number < kFirst + kChanges; ++number) {
        const QByteArray change = project.change(number);
        const QTemporaryDir home;
        ProjectSession session(nullptr, home.filePath("settings.ini"));
        session.setProgram(QStringLiteral(CANNERY_PROGRAM));
        QSignalSpy changed(&session.project(), &OpenProject::changed);
        QSignalSpy failed(&session, &ProjectSession::failed);
        (void)session.project().open(project.path());
        QVERIFY2(
            QTest::qWaitFor([&] { return !changed.isEmpty() || !failed.isEmpty(); }, kPatience),
            change.constData());
        if (changed.isEmpty()) {
            QVERIFY2(!failed[0][0].toString().isEmpty(), change.constData());
            continue;
        }
        ++opened;
        QVERIFY2(QTest::qWaitFor([&] { return session.runs().isLoaded(); }, kPatience),
                 change.constData());
        const ProjectSnapshotPtr snapshot = session.runs().snapshot();
        QVERIFY2(!snapshot->runs.isEmpty() || !snapshot->error.isEmpty(), change.constData());
        SeriesStore series;
        for (const RunRow& run : snapshot->runs) {
            ++runs;
            QVERIFY2(run.folder.startsWith(project.path() + "/runs/") && !run.name.contains(u'/') &&
                         run.name != QLatin1String(".."),
                     change.constData());
            series.addRun(run.name, run.folder);
            series.setWatched(run.name, true);
        }
        session.runs().emptyTrash();
        for (const RunRow& run : snapshot->runs) {
            QVERIFY2(QTest::qWaitFor(
                         [&] {
                             return series.loadedFraction(run.name) >= 1 ||
                                    !series.problem(run.name).isEmpty();
                         },
                         kPatience),
                     (change + run.name.toUtf8()).constData());
        }
    }
    const QByteArray outside = project.problemOutside();
    QVERIFY2(outside.isEmpty(), outside.constData());
    QVERIFY(opened > int(kChanges) / 2 && runs > opened);
}

CANNERY_TEST(TstOpeningHostileProjects)
#include "tst_opening_hostile_projects.moc"

// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "tests/support/widget_walk.h"
#include "ui/frame/drawer/drawer.h"
#include "ui/frame/drawer/issues_model.h"
#include "ui/frame/drawer/jobs_model.h"
#include "ui/frame/drawer/log_model.h"
#include "ui/services/job_runner.h"
#include "ui/widgets/table_view.h"

#include <QAbstractButton>
#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QGuiApplication>
#include <QSignalSpy>
#include <QTest>

using namespace cannery::ui;

class TstDrawer : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void errorsStandBeforeWarnings();
    void notesStandLastUnderTheirSubject();
    void issuesOfferShowAndEdit();
    void anIssueWithARemedyOffersIt();
    void logIsCappedAndKeepsTheNewest();
    void jobsTellProgressWithoutAReset();
    void copyDetailsTellsPlaceAndId();
};

namespace {

using Mode = QAbstractItemModelTester::FailureReportingMode;

QList<ProblemRow> someProblems()
{
    return {{.level = ProblemRow::Level::Warning,
             .id = "data.many_missing",
             .file = "/p/titanic.cannery",
             .line = 4,
             .sentence = "deck is 77 % missing.",
             .page = "data"},
            {.level = ProblemRow::Level::Error,
             .id = "spec.out_of_range",
             .file = "/p/titanic.cannery",
             .line = 12,
             .column = 3,
             .path = "estimator.dnn_classifier.dropout",
             .sentence = "Dropout is 1.5, but must be below 1.",
             .page = "model"}};
}

Job job(int id, Job::State state, double progress)
{
    return {.id = id, .title = "Exporting", .state = state, .progress = progress, .message = "…"};
}

} // namespace

void TstDrawer::errorsStandBeforeWarnings()
{
    IssuesModel model;
    const QAbstractItemModelTester tester(&model, Mode::Fatal);
    model.setProblems(someProblems());
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.worst(), ProblemRow::Level::Error);
    QCOMPARE(model.index(0, IssuesModel::Place).data().toString(), "titanic.cannery, line 12");
    QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
    model.setProblems(someProblems());
    QCOMPARE(reset.size(), 0);
}

void TstDrawer::notesStandLastUnderTheirSubject()
{
    IssuesModel model;
    QList<ProblemRow> problems{{.level = ProblemRow::Level::Note,
                                .id = "remark.twins",
                                .sentence = "Rows are equal.",
                                .page = "data",
                                .place = "Split",
                                .target = "remark:remark.twins"}};
    problems += someProblems();
    model.setProblems(problems);
    const QModelIndex place = model.index(2, IssuesModel::Place);
    QCOMPARE(place.data().toString(), "Split");
    QCOMPARE(place.data(Qt::AccessibleTextRole).toString(), "Note on Split");
    QCOMPARE(model.index(1, IssuesModel::Place).data(Qt::AccessibleTextRole).toString(),
             "Warning in titanic.cannery, line 4");
    QCOMPARE(model.details(2), "Split\nRows are equal.\n[remark.twins]");
}

void TstDrawer::issuesOfferShowAndEdit()
{
    JobRunner runner;
    Drawer drawer(runner);
    drawer.resize(1000, 220);
    drawer.issues().setProblems(someProblems());
    drawer.show();
    QSignalSpy shown(&drawer, &Drawer::showProblem);
    auto* cell = drawer.findChild<QWidget*>("issue.spec.out_of_range");
    QVERIFY(cell);
    const auto buttons = cell->findChildren<QAbstractButton*>();
    QCOMPARE(buttons.size(), 2);
    buttons.last()->click();
    QCOMPARE(shown.size(), 1);
    QCOMPARE(shown.first().first().value<ProblemRow>().id, "spec.out_of_range");
}

void TstDrawer::anIssueWithARemedyOffersIt()
{
    JobRunner runner;
    Drawer drawer(runner);
    QList<ProblemRow> problems = someProblems();
    for (ProblemRow& problem : problems) {
        problem.fix = problem.id == "spec.out_of_range" ? "Reset Dropout" : QString();
    }
    drawer.issues().setProblems(problems);
    QSignalSpy fixed(&drawer, &Drawer::fixProblem);
    auto* cell = drawer.findChild<QWidget*>("issue.spec.out_of_range");
    QVERIFY(cell);
    auto* button = cell->findChildren<QAbstractButton*>().last();
    QCOMPARE(button->text(), "Reset Dropout");
    button->click();
    QCOMPARE(fixed.size(), 1);
    QCOMPARE(fixed.first().first().value<ProblemRow>().fix, "Reset Dropout");
}

void TstDrawer::logIsCappedAndKeepsTheNewest()
{
    LogModel small;
    const QAbstractItemModelTester tester(&small, Mode::Fatal);
    for (int i = 0; i < 5; ++i) {
        small.append({{.run = "run-001", .sentence = QString::number(i)}});
    }
    QCOMPARE(small.rowCount(), 5);
    for (int i = 0; i < 5; ++i) {
        QCOMPARE(small.index(i, LogModel::Sentence).data().toString(), QString::number(i));
    }
    LogModel model;
    for (int i = 0; i < LogModel::kLimit + 10; ++i) {
        model.append({{.run = "run-001", .sentence = QString::number(i)}});
    }
    QVERIFY(model.rowCount() <= LogModel::kLimit);
    QCOMPARE(model.index(model.rowCount() - 1, LogModel::Sentence).data().toInt(),
             LogModel::kLimit + 9);
}

void TstDrawer::jobsTellProgressWithoutAReset()
{
    JobsModel model;
    const QAbstractItemModelTester tester(&model, Mode::Fatal);
    model.setJobs({job(1, Job::State::Running, 0.1)});
    QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    model.setJobs({job(1, Job::State::Running, 0.4)});
    QCOMPARE(reset.size(), 0);
    QCOMPARE(changed.size(), 1);
    QCOMPARE(model.index(0, JobsModel::Progress).data(JobsModel::FractionRole).toDouble(), 0.4);
    QCOMPARE(model.runningCount(), 1);
    model.setJobs({job(1, Job::State::Finished, 1)});
    QCOMPARE(model.runningCount(), 0);
}

void TstDrawer::copyDetailsTellsPlaceAndId()
{
    JobRunner runner;
    Drawer drawer(runner);
    drawer.issues().setProblems(someProblems());
    drawer.showPart(Drawer::Part::Issues);
    drawer.findChild<QAbstractButton*>("button.copy_details")->click();
    const QString text = QGuiApplication::clipboard()->text();
    QVERIFY(text.contains("/p/titanic.cannery:12:3"));
    QVERIFY(text.contains("spec.out_of_range"));
}

CANNERY_TEST(TstDrawer)
#include "tst_drawer.moc"

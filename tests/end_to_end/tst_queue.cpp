// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <csignal>

using namespace cannery::tests;

namespace {

QJsonObject printedJson(const ProgramResult& result)
{
    return QJsonDocument::fromJson(result.out.toUtf8()).object();
}

} // namespace

/// The queue of a project, without the workbench.
class TstQueue : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void entriesAreTrainedOneAfterAnother();
    void anEditAfterQueueingComesTooLate();
    void anInvalidExperimentIsNotQueued();
    void anEntryThatCannotBeginStaysWithItsReason();
    void addingWithStartTrainsInTheBackground();
    void anEntryCanBeStartedNow();
    void aStoppedRunnerStopsItsTrainingAndKeepsTheRest();
    void aKilledRunnerLosesNothing();

private:
    static QJsonArray entries(const ProjectFixture& project)
    {
        return printedJson(project.run({"queue", "list", "--json"}))["entries"].toArray();
    }
    static QJsonArray runs(const ProjectFixture& project)
    {
        return printedJson(project.run({"runs", "--json"}))["runs"].toArray();
    }
};

void TstQueue::entriesAreTrainedOneAfterAnother()
{
    const ProjectFixture project;
    const ProgramResult first = project.run(
        {"queue", "add", "fixture.cannery", "--set", "train_spec.max_steps=20", "--json"});
    QVERIFY2(first.exitCode == 0, qPrintable(first.err));
    QCOMPARE(printedJson(first)["state"].toString(), QStringLiteral("Waiting"));
    const int second = printedJson(project.run(
        {"queue", "add", "fixture.cannery", "--title", "long", "--json"}))["id"]
                           .toInt();
    QCOMPARE(project.run({"queue", "move", QString::number(second), "1"}).exitCode, 0);
    QCOMPARE(entries(project)[0].toObject()["id"].toInt(), second);
    const ProgramResult ran = project.run({"queue", "run"});
    QVERIFY2(ran.exitCode == 0, qPrintable(ran.err));
    QCOMPARE(entries(project).size(), 0);
    const QJsonArray made = runs(project);
    QCOMPARE(made.size(), 2);
    QCOMPARE(made[1].toObject()["title"].toString(), QStringLiteral("long"));
    QCOMPARE(made[1].toObject()["global_step"].toInt(), 60);
    QCOMPARE(made[0].toObject()["global_step"].toInt(), 20);
}

void TstQueue::anEditAfterQueueingComesTooLate()
{
    const ProjectFixture project;
    QCOMPARE(project.run({"queue", "add", "fixture.cannery"}).exitCode, 0);
    project.write("fixture.cannery", project.experiment("max_steps: 60", "max_steps: 10"));
    QCOMPARE(project.run({"queue", "run"}).exitCode, 0);
    QCOMPARE(runs(project)[0].toObject()["global_step"].toInt(), 60);
}

void TstQueue::anInvalidExperimentIsNotQueued()
{
    const ProjectFixture project;
    project.write("fixture.cannery", project.experiment("dropout: 0.1", "dropout: 1.5"));
    QCOMPARE(project.run({"queue", "add", "fixture.cannery"}).exitCode, 3);
    QCOMPARE(project.run({"queue", "add", "nothing.cannery"}).exitCode, 3);
    QCOMPARE(project.run({"queue", "move", "5", "1"}).exitCode, 1);
    QCOMPARE(project.run({"queue", "remove", "five"}).exitCode, 2);
    QCOMPARE(entries(project).size(), 0);
}

void TstQueue::anEntryThatCannotBeginStaysWithItsReason()
{
    const ProjectFixture project;
    QCOMPARE(
        project
            .run({"queue", "add", "fixture.cannery", "--set", "data.train.csv.files=nothing.csv"})
            .exitCode,
        0);
    QCOMPARE(project.run({"queue", "run"}).exitCode, 0);
    const QJsonObject entry = entries(project)[0].toObject();
    QCOMPARE(entry["state"].toString(), QStringLiteral("Failed"));
    QVERIFY2(entry["reason"].toString().contains("nothing.csv"),
             qPrintable(entry["reason"].toString()));
    QCOMPARE(project.run({"queue", "remove", QString::number(entry["id"].toInt())}).exitCode, 0);
    QCOMPARE(entries(project).size(), 0);
}

void TstQueue::addingWithStartTrainsInTheBackground()
{
    const ProjectFixture project;
    QCOMPARE(project.run({"queue", "add", "fixture.cannery", "--start"}).exitCode, 0);
    QTRY_COMPARE_WITH_TIMEOUT(entries(project).size(), 0, kPatience);
    QCOMPARE(runs(project)[0].toObject()["state"].toString(), QStringLiteral("Finished"));
}

void TstQueue::anEntryCanBeStartedNow()
{
    const ProjectFixture project;
    QCOMPARE(project.run({"queue", "add", "fixture.cannery"}).exitCode, 0);
    const int second = printedJson(project.run(
        {"queue", "add", "fixture.cannery", "--title", "now", "--json"}))["id"]
                           .toInt();
    QCOMPARE(project.run({"queue", "start", QString::number(second)}).exitCode, 0);
    QTRY_COMPARE_WITH_TIMEOUT(entries(project).size(), 1, kPatience);
    QCOMPARE(entries(project)[0].toObject()["state"].toString(), QStringLiteral("Waiting"));
    QCOMPARE(runs(project)[0].toObject()["title"].toString(), QStringLiteral("now"));
    QCOMPARE(project.run({"queue", "start", "77"}).exitCode, 1);
    QCOMPARE(project.run({"queue", "start"}).exitCode, 0);
    QTRY_COMPARE_WITH_TIMEOUT(entries(project).size(), 0, kPatience);
    QCOMPARE(runs(project).size(), 2);
}

void TstQueue::aStoppedRunnerStopsItsTrainingAndKeepsTheRest()
{
    const ProjectFixture project;
    for (int i = 0; i < 2; ++i) {
        QCOMPARE(
            project
                .run({"queue", "add", "fixture.cannery", "--set", "train_spec.max_steps=100000000"})
                .exitCode,
            0);
    }
    const auto runner = project.start({"queue", "run"});
    QTRY_VERIFY_WITH_TIMEOUT(runs(project).size() == 1 &&
                                 runs(project)[0].toObject()["global_step"].toInt() > 0,
                             kPatience);
    QVERIFY(printedJson(project.run({"queue", "list", "--json"}))["running"].toBool());
    QCOMPARE(project.run({"queue", "run"}).exitCode, 0); // one runner is enough
    runner->terminate();
    QVERIFY(runner->waitForFinished(kPatience));
    QCOMPARE(runs(project)[0].toObject()["state"].toString(), QStringLiteral("Stopped"));
    QCOMPARE(entries(project).size(), 1);
    QCOMPARE(entries(project)[0].toObject()["state"].toString(), QStringLiteral("Waiting"));
}

void TstQueue::aKilledRunnerLosesNothing()
{
    const ProjectFixture project;
    QCOMPARE(
        project.run({"queue", "add", "fixture.cannery", "--set", "train_spec.max_steps=100000000"})
            .exitCode,
        0);
    QCOMPARE(project.run({"queue", "add", "fixture.cannery"}).exitCode, 0);
    const auto runner = project.start({"queue", "run"});
    QTRY_VERIFY_WITH_TIMEOUT(runs(project).size() == 1 &&
                                 runs(project)[0].toObject()["global_step"].toInt() > 0,
                             kPatience);
    const QString lock = "runs/" + runs(project)[0].toObject()["run"].toString() + "/run.lock";
    runner->kill();
    QVERIFY(runner->waitForFinished(kPatience));
    // The training continues alone; the next runner waits for it before it takes the second.
    const auto next = project.start({"queue", "run"});
    const QByteArray owner = project.read(lock).split('\n').value(0);
    ::kill(owner.mid(4).toInt(), SIGTERM);
    QVERIFY(next->waitForFinished(kPatience));
    QCOMPARE(entries(project).size(), 0);
    const QJsonArray made = runs(project);
    QCOMPARE(made.size(), 2);
    QCOMPARE(made[1].toObject()["state"].toString(), QStringLiteral("Stopped"));
    QCOMPARE(made[0].toObject()["global_step"].toInt(), 60);
}

CANNERY_TEST(TstQueue)
#include "tst_queue.moc"

// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/run_store.h"
#include "storage/tf/checkpoints/checkpoint_state.h"
#include "tests/faults/fault_project.h"
#include "tests/support/audit.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QTest>

#include <csignal>

using namespace cannery;
using namespace cannery::tests;

/// A program killed before, or in the middle of, any of its system calls: nothing that was
/// committed is lost, and the same command again gives the same result.
class TstKilledAtEveryCall : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void shimIsInPlace();
    void trainingEndsInTheSameBits_data();
    void trainingEndsInTheSameBits();
    void resumeEndsInTheSameBits();
    void noCheckpointIsForgotten_data();
    void noCheckpointIsForgotten();
    void exportersLeaveNoUntrueWord();
    void exportIsWholeOrAbsent();
    void annotationIsOldOrNew_data();
    void annotationIsOldOrNew();
    void rescanLosesNothing();

private:
    /// The last step that the run's log reports as saved; -1: none.
    static int lastSaved(const FaultProject& project)
    {
        static const QByteArray kSaved = "Saved the checkpoint of step ";
        const QByteArray log = project.read("runs/run-001/train.log");
        const qsizetype last = log.lastIndexOf(kSaved);
        return last < 0 ? -1 : log.mid(last + kSaved.size()).split(':').first().toInt();
    }
};

void TstKilledAtEveryCall::shimIsInPlace()
{
    const FaultProject project;
    const QStringList calls = project.calls(FaultProject::trainWords());
    QVERIFY(calls.filter("rename runs/run-001/model.ckpt-2.index").size() == 1);
    QVERIFY(!calls.filter("sync runs/run-001/model.ckpt-2.data").isEmpty());
    QVERIFY(!calls.filter("write cannery.db-wal").isEmpty());
    QVERIFY(!calls.filter("remove runs/run-001/model.ckpt-0").isEmpty());
    project.clear();
    QCOMPARE(project.cannery(FaultProject::trainWords(), {.at = 40}).signal, SIGKILL);
}

void TstKilledAtEveryCall::trainingEndsInTheSameBits_data()
{
    QTest::addColumn<QByteArray>("what");
    QTest::addColumn<bool>("savesBehind");
    QTest::newRow("before the call") << QByteArray("kill") << false;
    QTest::newRow("in the middle of a write") << QByteArray("tear") << false;
    QTest::newRow("before the call, while saving behind") << QByteArray("kill") << true;
    QTest::newRow("in the middle of a write, while saving behind") << QByteArray("tear") << true;
}

void TstKilledAtEveryCall::trainingEndsInTheSameBits()
{
    QFETCH(QByteArray, what);
    QFETCH(bool, savesBehind);
    const bool tears = what == "tear";
    const FaultProject project(savesBehind ? FaultProject::Saves::Behind
                                           : FaultProject::Saves::AtOnce);
    const QByteArray kinds = tears ? "write" : kChanges;
    const QStringList calls = project.calls(FaultProject::trainWords(), kinds);
    const RunResult undisturbed = RunResult::of(project.run(), FaultProject::kSteps);
    const std::string& data = undisturbed.files.at("model.ckpt-3.data-00000-of-00001");
    constexpr std::size_t kMegabyte = 1 << 20;
    QCOMPARE(data.size() > kMegabyte, savesBehind);
    int passed = 0;
    for (int call = 1;; ++call) {
        project.clear();
        const Ended killed =
            project.cannery(FaultProject::trainWords(), {.at = call, .what = what, .calls = kinds});
        if (killed.exitCode == 0) {
            QVERIFY2(call > calls.size() - 8, atCall(calls, call, "it was not killed").constData());
            break;
        }
        QCOMPARE(killed.signal, SIGKILL);
        // What the log reports as saved exists, so at most one interval is repeated.
        QByteArray problem = checkpointProblem(project.run(), lastSaved(project));
        QVERIFY2(problem.isEmpty(), atCall(calls, call, problem).constData());
        const Ended resumed = project.cannery(project.continueWords());
        QVERIFY2(resumed.exitCode == 0, atCall(calls, call, resumed.describe()).constData());
        problem = RunResult::of(project.run(), FaultProject::kSteps).differenceFrom(undisturbed) +
                  checkpointProblem(project.run(), FaultProject::kSteps) +
                  storeProblem(project.folder()) + straysIn(project.path()).join(" ").toUtf8();
        QVERIFY2(problem.isEmpty(), atCall(calls, call, problem).constData());
        ++passed;
    }
    qInfo("%d passed: killed %s, resumed to the same bits", passed, QTest::currentDataTag());
}

void TstKilledAtEveryCall::resumeEndsInTheSameBits()
{
    FaultProject project;
    const QStringList further{"resume", "runs/run-001", "--quiet", "--max-steps", "4"};
    project.trainAndKeep();
    const QStringList calls = project.calls(further);
    const RunResult undisturbed = RunResult::of(project.run(), 4);
    int passed = 0;
    for (int call = 1; call <= calls.size(); ++call) {
        project.restore();
        const Ended killed = project.cannery(further, {.at = call});
        QVERIFY(killed.signal == SIGKILL || killed.exitCode == 0);
        QByteArray problem = checkpointProblem(project.run(), FaultProject::kSteps);
        QVERIFY2(problem.isEmpty(), atCall(calls, call, problem).constData());
        const Ended resumed = project.cannery(further);
        QVERIFY2(resumed.exitCode == 0, atCall(calls, call, resumed.describe()).constData());
        problem = RunResult::of(project.run(), 4).differenceFrom(undisturbed) +
                  storeProblem(project.folder());
        QVERIFY2(problem.isEmpty(), atCall(calls, call, problem).constData());
        ++passed;
    }
    qInfo("%d passed: a resumed run killed, resumed to the same bits", passed);
}

void TstKilledAtEveryCall::noCheckpointIsForgotten_data()
{
    QTest::addColumn<bool>("savesBehind");
    QTest::addColumn<QByteArray>("runConfig");
    QTest::addColumn<QByteArray>("evalSpec");
    QTest::addColumn<bool>("keepsAll");
    const QByteArray few = "keep_checkpoint_max: 1";
    const QByteArray worst = "exporter { best_exporter { name: \"worst\" metric: \"loss\" "
                             "higher_is_better: true exports_to_keep: 1 } }";
    QTest::newRow("saved at once")
        << false << QByteArray("keep_checkpoint_max: 2") << QByteArray() << false;
    QTest::newRow("saved behind") << true << few << QByteArray() << false;
    QTest::newRow("one beside the best") << false << few << worst << false;
    QTest::newRow("kept by the hour")
        << false << few + " keep_checkpoint_every_n_hours: 1e-12" << QByteArray() << true;
}

/// A resumed run saves at different steps than the killed one, so that no save hides another.
void TstKilledAtEveryCall::noCheckpointIsForgotten()
{
    QFETCH(bool, savesBehind);
    QFETCH(QByteArray, runConfig);
    QFETCH(QByteArray, evalSpec);
    QFETCH(bool, keepsAll);
    const FaultProject project(savesBehind ? FaultProject::Saves::Behind
                                           : FaultProject::Saves::AtOnce);
    QByteArray experiment = project.read("faults.cannery");
    experiment.replace("keep_checkpoint_max: 2", runConfig);
    experiment.replace("eval_spec {", "eval_spec { " + evalSpec);
    project.write("faults.cannery", experiment);
    const QByteArray kinds = "rename,remove";
    const QStringList further =
        FaultProject::trainWords({"--set", "run_config.save_checkpoints_steps=1000"});
    const QStringList calls = project.calls(FaultProject::trainWords(), kinds);
    int passed = 0;
    for (int call = 1; call <= calls.size(); ++call) {
        project.clear();
        const Ended killed = project.cannery(FaultProject::trainWords(),
                                             {.at = call, .what = "kill", .calls = kinds});
        if (killed.exitCode == 0) {
            QVERIFY2(call > calls.size() - 8, atCall(calls, call, "it was not killed").constData());
            break;
        }
        QCOMPARE(killed.signal, SIGKILL);
        // With one in the state file, all older ones have been kept permanently.
        const auto named = storage::latestCheckpoint(project.run());
        QVERIFY(named.has_value());
        const std::int64_t newest = storage::checkpointStep(named->value_or("")).value_or(0);
        const Ended resumed = project.cannery(further);
        QVERIFY2(resumed.exitCode == 0, atCall(calls, call, resumed.describe()).constData());
        QByteArray problem = checkpointProblem(project.run(), FaultProject::kSteps) +
                             auditProblem(project.path()) +
                             straysIn(project.path()).join(" ").toUtf8();
        for (int step = 0; keepsAll && step < newest; ++step) {
            if (project.read(QString("runs/run-001/model.ckpt-%1.index").arg(step)).isEmpty()) {
                problem += "the checkpoint of step " + QByteArray::number(step) + " is gone";
            }
        }
        QVERIFY2(problem.isEmpty(), atCall(calls, call, problem).constData());
        ++passed;
    }
    qInfo("%d passed: killed %s, and every checkpoint is listed", passed, QTest::currentDataTag());
}

/// Killed at every call related to exports; what is then announced is audited by the project,
/// before the run resumes and afterwards.
void TstKilledAtEveryCall::exportersLeaveNoUntrueWord()
{
    const FaultProject project;
    QByteArray experiment = project.read("faults.cannery");
    experiment.replace("eval_spec {",
                       "eval_spec { exporter { latest_exporter { exports_to_keep: 1 } } "
                       "exporter { best_exporter { name: \"best\" exports_to_keep: 1 } } ");
    project.write("faults.cannery", experiment);
    const QByteArray kinds = "rename,remove,mkdir";
    const QStringList calls = project.calls(FaultProject::trainWords(), kinds);
    int passed = 0;
    for (int call = 1; call <= calls.size(); ++call) {
        if (!calls[call - 1].contains("export")) {
            continue;
        }
        project.clear();
        const Ended killed = project.cannery(FaultProject::trainWords(),
                                             {.at = call, .what = "kill", .calls = kinds});
        QCOMPARE(killed.signal, SIGKILL);
        const Ended resumed = project.cannery(project.continueWords());
        QVERIFY2(resumed.exitCode == 0, atCall(calls, call, resumed.describe()).constData());
        for (const char* exporter : {"latest", "best"}) {
            const QDir exports(project.path("runs/run-001/export/" + QString(exporter)));
            QVERIFY2(exports.entryList(QDir::Dirs | QDir::NoDotAndDotDot).size() == 1,
                     atCall(calls, call, "not one export of " + QByteArray(exporter)).constData());
        }
        ++passed;
    }
    QVERIFY(passed > 20);
    qInfo("%d passed: killed while exporting", passed);
}

void TstKilledAtEveryCall::exportIsWholeOrAbsent()
{
    FaultProject project;
    project.trainAndKeep();
    const QStringList words{"export", "runs/run-001", "--output", "served"};
    const QStringList calls = project.calls(words);
    const auto versions = [&] {
        return QDir(project.path("served")).entryList({"[0-9]*"}, QDir::Dirs, QDir::Name);
    };
    const auto contentOf = [&](const QString& version) {
        const QString folder = "served/" + version + "/";
        return project.read(folder + "saved_model.pb") +
               project.read(folder + "variables/variables.index") +
               project.read(folder + "variables/variables.data-00000-of-00001");
    };
    const QByteArray whole = contentOf(versions().value(0));
    QVERIFY(whole.size() > 2000);
    int passed = 0;
    for (int call = 1; call <= calls.size(); ++call) {
        project.restore();
        const Ended killed = project.cannery(words, {.at = call});
        QVERIFY(killed.signal == SIGKILL);
        const QStringList left = versions();
        const Ended again = project.cannery(words);
        QVERIFY2(again.exitCode == 0, atCall(calls, call, again.describe()).constData());
        QCOMPARE(versions().size(), left.size() + 1);
        for (const QString& version : versions()) {
            QVERIFY2(contentOf(version) == whole,
                     atCall(calls, call, "it is not whole").constData());
        }
        const QStringList strays = straysIn(project.path());
        QVERIFY2(strays.isEmpty(), atCall(calls, call, strays.join(" ").toUtf8()).constData());
        ++passed;
    }
    qInfo("%d passed: an export killed, exported again", passed);
}

void TstKilledAtEveryCall::annotationIsOldOrNew_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::newRow("rename") << QStringList{"runs", "rename", "run-001", "new"};
    QTest::newRow("note") << QStringList{"runs", "note", "run-001", "new"};
    QTest::newRow("tag") << QStringList{"runs", "tag", "run-001", "new"};
    QTest::newRow("queue") << QStringList{"queue", "add", "faults.cannery"};
}

void TstKilledAtEveryCall::annotationIsOldOrNew()
{
    QFETCH(QStringList, words);
    FaultProject project;
    project.trainAndKeep({{"runs", "rename", "run-001", "old title"},
                          {"runs", "note", "run-001", "old note"},
                          {"runs", "tag", "run-001", "old"}});
    const QStringList calls = project.calls(words);
    QVERIFY(calls.size() > 1);
    for (int call = 1; call <= calls.size(); ++call) {
        project.restore();
        QCOMPARE(project.cannery(words, {.at = call}).signal, SIGKILL);
        const QByteArray problem = storeProblem(project.folder());
        QVERIFY2(problem.isEmpty(), atCall(calls, call, problem).constData());
        auto store = storage::RunStore::open(project.folder());
        QVERIFY(store.has_value());
        const auto said = store->show("run-001")->annotations;
        QVERIFY(said.title == "old title" || (said.title == "new" && words[1] == "rename"));
        QVERIFY(said.notes == "old note" || (said.notes == "new" && words[1] == "note"));
        QVERIFY(std::find(said.tags.begin(), said.tags.end(), "old") != said.tags.end());
    }
    qInfo("%d passed: %s killed, what stood there is there", int(calls.size()),
          QTest::currentDataTag());
}

void TstKilledAtEveryCall::rescanLosesNothing()
{
    FaultProject project;
    project.trainAndKeep({{"runs", "rename", "run-001", "title"}});
    const QStringList calls = project.calls({"runs", "rescan"});
    for (int call = 1; call <= calls.size(); ++call) {
        project.restore();
        QCOMPARE(project.cannery({"runs", "rescan"}, {.at = call}).signal, SIGKILL);
        const QByteArray problem = storeProblem(project.folder());
        QVERIFY2(problem.isEmpty(), atCall(calls, call, problem).constData());
    }
    qInfo("%d passed: a rescan killed, the store is whole", int(calls.size()));
}

CANNERY_TEST(TstKilledAtEveryCall)
#include "tst_killed_at_every_call.moc"

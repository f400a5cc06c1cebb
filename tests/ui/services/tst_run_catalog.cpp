// SPDX-License-Identifier: GPL-3.0-only
#include "storage/io/files.h"
#include "storage/runs/annotation_store.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_lock.h"
#include "storage/runs/run_store.h"
#include "tests/support/patience.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/services/runs/run_reader.h"
#include "ui/services/runs/run_row_builder.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>

using namespace cannery;
using namespace cannery::ui;
using cannery::tests::kPatience;

namespace {

storage::RunInfo infoOf(const std::string& name, double createdAt)
{
    return {.name = name,
            .experimentName = "Titanic",
            .estimator = "dnn_classifier",
            .trainRows = 640,
            .createdAt = createdAt,
            .parameters = {{"train_spec.input.batch_size", "32"},
                           {"eval_spec.exporter[0].best_exporter.metric", "\"loss\""}}};
}

storage::RunEvaluation evaluationAt(std::int64_t step, double auc, double loss)
{
    return {.globalStep = step,
            .wallTime = 1000.0 + static_cast<double>(step),
            .metrics = {{"auc", auc}, {"loss", loss}}};
}

/// A finished run in the store and in its folder.
void addRun(storage::RunStore& store, const std::string& name, double createdAt)
{
    const storage::RunInfo info = infoOf(name, createdAt);
    const storage::RunStatus status{.state = storage::RunState::Finished,
                                    .globalStep = 200,
                                    .maxSteps = 200,
                                    .updatedAt = createdAt + 5,
                                    .startedAt = createdAt,
                                    .finishedAt = createdAt + 5};
    VERIFY_OK(storage::makeFolders(store.folderOf(name)));
    storage::RunFiles files(store.folderOf(name));
    VERIFY_OK(files.writeInfo(info));
    VERIFY_OK(files.writeStatus(status));
    VERIFY_OK(store.putRun(info, status));
    for (const auto& evaluation : {evaluationAt(100, 0.9, 0.3), evaluationAt(200, 0.8, 0.2)}) {
        VERIFY_OK(files.addEvaluation(evaluation));
        VERIFY_OK(store.addEvaluation(name, evaluation));
    }
    const std::vector<storage::RunCheckpoint> checkpoints{
        {.globalStep = 100, .bytes = 1000, .savedAt = createdAt, .keptBecause = "recent"},
        {.globalStep = 200, .bytes = 1000, .savedAt = createdAt, .keptBecause = "latest"}};
    VERIFY_OK(files.writeCheckpoints(checkpoints));
    VERIFY_OK(store.setCheckpoints(name, checkpoints));
}

} // namespace

using Evaluations = std::vector<storage::RunEvaluation>;

class TstRunCatalog : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_store.emplace(std::move(*storage::RunStore::open(m_folder->path().toStdString())));
        addRun(*m_store, "run-1", 1000);
        addRun(*m_store, "run-2", 2000);
        addRun(*m_store, "run-3", 3000);
    }
    void cleanup()
    {
        m_store.reset();
        m_folder.reset();
    }

    void aRunIsReadWhole()
    {
        const auto catalog = opened();
        QCOMPARE(catalog->snapshot()->runs.size(), 3);
        QCOMPARE(catalog->snapshot()->runs.front().name, QString("run-3"));
        const RunRow& run = *catalog->snapshot()->find("run-1");
        QCOMPARE(run.state, ui::RunState::Finished);
        QCOMPARE(run.decisionMetric, QString("auc"));
        QCOMPARE(run.bestStep, 100);
        QCOMPARE(run.metric("auc")->atBest, 0.9);
        QCOMPARE(run.metric("auc")->last, 0.8);
        QCOMPARE(run.metric("loss")->atBest, 0.3);
        QCOMPARE(run.metric("loss")->min, 0.2);
        QVERIFY(run.checkpoints.front().isBest && !run.checkpoints.back().isBest);
        QCOMPARE(run.stepsPerEpoch(), 20.0);
        QVERIFY(run.error.isEmpty());
    }

    void whatAnotherProgramWritesIsNoticed()
    {
        const auto catalog = opened();
        addRun(*m_store, "run-4", 4000);
        QTRY_COMPARE_WITH_TIMEOUT(catalog->snapshot()->runs.size(), 4, kPatience);
        VERIFY_OK(storage::AnnotationStore(m_store->database()).setTitle("run-4", "deep"));
        QTRY_COMPARE_WITH_TIMEOUT(catalog->snapshot()->find("run-4")->title, QString("deep"),
                                  kPatience);
    }

    void onlyWhatChangedIsReadAgain()
    {
        RunReader reader;
        VERIFY_OK(reader.open(m_folder->path()));
        const ProjectSnapshotPtr first = reader.read(true);
        QCOMPARE(reader.runsRead(), 3);
        QVERIFY(!reader.hasNews());
        VERIFY_OK(m_store->setStatus(
            "run-2", {.state = storage::RunState::Stopped, .globalStep = 150, .updatedAt = 2500}));
        VERIFY_OK(storage::AnnotationStore(m_store->database()).setStar("run-1", true));
        QVERIFY(reader.hasNews());
        const ProjectSnapshotPtr second = reader.read(false);
        QCOMPARE(reader.runsRead(), 4);
        QCOMPARE(second->find("run-2")->state, ui::RunState::Stopped);
        QVERIFY(second->find("run-1")->starred);
        VERIFY_OK(m_store->addEvaluation("run-3", evaluationAt(50, 0.99, 0.1)));
        const ProjectSnapshotPtr third = reader.read(true);
        QCOMPARE(reader.runsRead(), 5);
        QCOMPARE(third->find("run-3")->bestStep, 50);
    }

    void whatAPersonSaysShowsAtOnceAndIsKept()
    {
        {
            const auto catalog = opened();
            catalog->setTitle("run-1", "best one");
            catalog->setNotes("run-1", "Dropout helps");
            catalog->setStar("run-1", true);
            catalog->setTags("run-1", {" v2", "base", "v2", ""});
            catalog->setColourSlot("run-1", 9);
            const RunRow& run = *catalog->snapshot()->find("run-1");
            QCOMPARE(run.displayName(), QString("best one"));
            QVERIFY(run.starred);
            QCOMPARE(run.tags, (QStringList{"base", "v2"}));
            QCOMPARE(run.colourSlot, 9);
            catalog->setTags("run-1", {"base"});
        }
        const auto again = opened();
        const RunRow& run = *again->snapshot()->find("run-1");
        QCOMPARE(run.title, QString("best one"));
        QCOMPARE(run.notes, QString("Dropout helps"));
        QCOMPARE(run.tags, QStringList{"base"});
        QCOMPARE(run.colourSlot, 9);
    }

    void D29_coloursAreStable()
    {
        QHash<QString, int> colours;
        {
            const auto catalog = opened();
            for (const RunRow& run : catalog->snapshot()->runs) {
                colours.insert(run.name, run.colourSlot);
            }
            QCOMPARE(colours.value("run-1"), 0);
            QCOMPARE(colours.value("run-3"), 2);
            catalog->moveToTrash({"run-1"});
            catalog->emptyTrash();
            QTRY_VERIFY_WITH_TIMEOUT(!catalog->snapshot()->find("run-1"), kPatience);
            QCOMPARE(catalog->snapshot()->find("run-2")->colourSlot, colours.value("run-2"));
        }
        addRun(*m_store, "run-4", 4000);
        const auto again = opened();
        QCOMPARE(again->snapshot()->find("run-2")->colourSlot, colours.value("run-2"));
        QCOMPARE(again->snapshot()->find("run-3")->colourSlot, colours.value("run-3"));
        QCOMPARE(again->snapshot()->find("run-4")->colourSlot, 0); // free again
    }

    void D42_restoredRunKeepsEverything()
    {
        auto catalog = opened();
        catalog->setNotes("run-2", "keep me");
        catalog->setTags("run-2", {"base"});
        const int slot = catalog->snapshot()->find("run-2")->colourSlot;
        catalog->moveToTrash({"run-2"});
        QVERIFY(catalog->snapshot()->find("run-2")->trashed);
        catalog->restore({"run-2"});
        QVERIFY(!catalog->snapshot()->find("run-2")->trashed);
        catalog.reset(); // waits for pending writes
        const auto again = opened();
        const RunRow& run = *again->snapshot()->find("run-2");
        QVERIFY(!run.trashed);
        QCOMPARE(run.notes, QString("keep me"));
        QCOMPARE(run.tags, QStringList{"base"});
        QCOMPARE(run.colourSlot, slot);
    }

    void whatAPersonSaysIsUndoneInItsOrder()
    {
        QUndoStack history;
        auto catalog = opened();
        catalog->setUndoStack(&history);
        catalog->setStar("run-1", true);
        catalog->setStar("run-1", true); // changes nothing
        catalog->moveToTrash({"run-2", "run-3"});
        QCOMPARE(history.count(), 2);
        QCOMPARE(history.undoText(), QString("Move 2 runs to the Trash"));
        history.undo();
        QVERIFY(!catalog->snapshot()->find("run-2")->trashed);
        QVERIFY(!catalog->snapshot()->find("run-3")->trashed);
        QVERIFY(catalog->snapshot()->find("run-1")->starred);
        QCOMPARE(history.undoText(), QString("Star of run-1"));
        history.undo();
        QVERIFY(!catalog->snapshot()->find("run-1")->starred);
        history.redo();
        catalog.reset(); // waits for pending writes
        const auto again = opened();
        QVERIFY(again->snapshot()->find("run-1")->starred);
        QVERIFY(!again->snapshot()->find("run-2")->trashed);
    }

    void D42_runningRunRefusesWithAReason()
    {
        auto lock = storage::RunLock::acquire(m_store->folderOf("run-2"));
        VERIFY_OK(lock);
        VERIFY_OK(
            m_store->setStatus("run-2", {.state = storage::RunState::Running, .updatedAt = 2500}));
        const auto catalog = opened();
        QCOMPARE(catalog->snapshot()->find("run-2")->state, ui::RunState::Running);
        QSignalSpy failed(catalog.get(), &RunCatalog::failed);
        catalog->moveToTrash({"run-2", "run-1"});
        QCOMPARE(failed.size(), 1);
        QVERIFY(failed.front().front().toString().contains("run-2"));
        QVERIFY(!catalog->snapshot()->find("run-2")->trashed);
        QVERIFY(catalog->snapshot()->find("run-1")->trashed);
    }

    /// Another program has just resumed one of them: the store knows it, the snapshot does not.
    void D42_trashedIsSaidOfWhatIsThereOnly()
    {
        const auto catalog = opened();
        auto lock = storage::RunLock::acquire(m_store->folderOf("run-2"));
        VERIFY_OK(lock);
        QSignalSpy trashed(catalog.get(), &RunCatalog::trashed);
        QSignalSpy failed(catalog.get(), &RunCatalog::failed);
        catalog->moveToTrash({"run-2"});
        catalog->moveToTrash({"run-1"});
        QTRY_COMPARE_WITH_TIMEOUT(trashed.size(), 1, kPatience);
        QCOMPARE(trashed.front().front().toStringList(), QStringList{"run-1"});
        QCOMPARE(failed.size(), 1);
        QVERIFY(failed.front().front().toString().contains("run-2"));
        QVERIFY(!catalog->snapshot()->find("run-2")->trashed);
    }

    void aRunWhoseEngineIsGoneIsInterrupted()
    {
        auto lock = storage::RunLock::acquire(m_store->folderOf("run-2"));
        VERIFY_OK(lock);
        VERIFY_OK(
            m_store->setStatus("run-2", {.state = storage::RunState::Running, .updatedAt = 2500}));
        const auto catalog = opened();
        QCOMPARE(catalog->snapshot()->find("run-2")->state, ui::RunState::Running);
        {
            const auto gone = std::move(*lock);
        }
        QTRY_COMPARE_WITH_TIMEOUT(catalog->snapshot()->find("run-2")->state,
                                  ui::RunState::Interrupted, kPatience);
    }

    void emptyTrashDeletesForEver()
    {
        const auto catalog = opened();
        catalog->moveToTrash({"run-3"});
        catalog->emptyTrash();
        QTRY_VERIFY_WITH_TIMEOUT(!catalog->snapshot()->find("run-3"), kPatience);
        QVERIFY(!QFile::exists(m_folder->path() + "/runs/run-3"));
    }

    void oneDamagedRunDoesNotHideTheOthers()
    {
        const QString folder = m_folder->path() + "/runs/run-9";
        VERIFY_OK(storage::makeFolders(folder.toStdString()));
        QFile file(folder + "/run.json");
        QVERIFY(file.open(QFile::WriteOnly) && file.write("{\"name\":") > 0);
        file.close();
        RunReader reader;
        reader.setNewFolderSeconds(0);
        VERIFY_OK(reader.open(m_folder->path()));
        const ProjectSnapshotPtr snapshot = reader.read(true);
        QVERIFY(snapshot->find("run-9"));
        QVERIFY(!snapshot->find("run-9")->error.isEmpty());
        QVERIFY(snapshot->find("run-1")->error.isEmpty());
    }

    /// The window, the command line and the exporters mean the same model by "best".
    void bestIsWhatTheStoreCallsBest()
    {
        QFETCH(QString, watched);
        QFETCH(Evaluations, evaluations);
        QFETCH(QList<int>, onDisk);
        storage::RunDetails run;
        run.info.parameters = {
            {"eval_spec.exporter[0].best_exporter.metric", '"' + watched.toStdString() + '"'}};
        run.evaluations = evaluations;
        for (const int step : std::as_const(onDisk)) {
            run.checkpoints.push_back({.globalStep = step});
        }
        const RunRow row = runRow(run, "/somewhere");
        QTEST(row.decisionMetric, "metric");
        QTEST(static_cast<int>(row.bestStep), "best");
        QList<int> marked;
        for (const CheckpointRow& checkpoint : row.checkpoints) {
            if (checkpoint.isBest) {
                marked.append(static_cast<int>(checkpoint.step));
            }
        }
        QTEST(marked, "marked");
    }
    void bestIsWhatTheStoreCallsBest_data()
    {
        QTest::addColumn<QString>("watched");
        QTest::addColumn<Evaluations>("evaluations");
        QTest::addColumn<QList<int>>("onDisk");
        QTest::addColumn<QString>("metric");
        QTest::addColumn<int>("best");
        QTest::addColumn<QList<int>>("marked");
        const Evaluations three{evaluationAt(100, 0.9, 0.3), evaluationAt(200, 0.8, 0.2),
                                evaluationAt(300, 0.85, 0.4)};
        const auto row = [](const char* name, const char* watched, const Evaluations& evaluations,
                            const QList<int>& onDisk, const char* metric, int best,
                            const QList<int>& marked) {
            QTest::newRow(name) << QString(watched) << evaluations << onDisk << QString(metric)
                                << best << marked;
        };
        row("all there", "loss", three, {100, 200, 300}, "auc", 100, {100});
        row("the best is gone", "loss", three, {200, 300}, "auc", 100, {300});
        row("none is there", "loss", three, {}, "auc", 100, {});
        row("a metric that falls", "average_loss",
            {{.globalStep = 1, .metrics = {{"average_loss", 5}, {"auc", 0.6}}},
             {.globalStep = 2, .metrics = {{"average_loss", 4}, {"auc", 0.5}}}},
            {1, 2}, "average_loss", 2, {2});
        row("only named evaluations", "loss",
            {{.name = "test", .globalStep = 1, .metrics = {{"auc", 0.7}}},
             {.name = "test", .globalStep = 2, .metrics = {{"auc", 0.6}}}},
            {1, 2}, "eval_test/auc", 1, {1});
        row("a step evaluated again", "loss",
            {evaluationAt(100, 0.9, 0.3), evaluationAt(200, 0.8, 0.2), evaluationAt(100, 0.7, 0.5)},
            {100, 200}, "auc", 200, {200});
        row("nothing evaluated", "loss", {}, {1}, "", -1, {});
    }

    void rescanBringsBackWhatTheStoreHasLost()
    {
        VERIFY_OK(storage::AnnotationStore(m_store->database()).setTitle("run-1", "kept"));
        VERIFY_OK(m_store->database().execute("DELETE FROM runs WHERE name = 'run-1'"));
        const auto catalog = opened();
        catalog->rescan();
        QTRY_VERIFY_WITH_TIMEOUT(catalog->snapshot()->find("run-1") &&
                                     catalog->snapshot()->find("run-1")->error.isEmpty(),
                                 kPatience);
        QCOMPARE(catalog->snapshot()->find("run-1")->title, QString("kept"));
        QCOMPARE(catalog->snapshot()->find("run-1")->bestStep, 100);
    }

    void runsWithoutAStoreAreRead()
    {
        VERIFY_OK(storage::AnnotationStore(m_store->database()).setTitle("run-1", "kept"));
        m_store.reset();
        for (const char* end : {"", "-wal", "-shm"}) {
            QFile::remove(m_folder->path() + "/cannery.db" + end);
        }
        const auto catalog = opened();
        QCOMPARE(catalog->snapshot()->runs.size(), 3);
        QCOMPARE(catalog->snapshot()->find("run-1")->title, QString("kept"));
        QVERIFY(catalog->snapshot()->find("run-1")->error.isEmpty());
        QVERIFY(!catalog->snapshot()->isReadOnly);
    }

    void viewStateIsKeptInTheProject()
    {
        {
            const auto catalog = opened();
            catalog->setViewState("runs", "{\"filter\":\"auc\"}");
            QCOMPARE(catalog->viewState("runs"), QByteArray("{\"filter\":\"auc\"}"));
        }
        QCOMPARE(opened()->viewState("runs"), QByteArray("{\"filter\":\"auc\"}"));
    }

    void aStoreThatCannotBeReadSaysWhy()
    {
        m_store.reset();
        QFile file(m_folder->path() + "/cannery.db");
        QVERIFY(file.open(QFile::WriteOnly | QFile::Truncate));
        file.write(QByteArray(4096, 'x'));
        file.close();
        const auto catalog = opened();
        QVERIFY(!catalog->snapshot()->error.isEmpty());
        QVERIFY(catalog->snapshot()->runs.isEmpty());
        catalog->rescan(); // repairs it
        QTRY_VERIFY_WITH_TIMEOUT(catalog->snapshot()->error.isEmpty(), kPatience);
    }

private:
    std::unique_ptr<RunCatalog> opened() const
    {
        auto catalog = std::make_unique<RunCatalog>();
        catalog->openProject(m_folder->path());
        // The caller sees the snapshot at once.
        [&] { QTRY_VERIFY_WITH_TIMEOUT(catalog->isLoaded(), kPatience); }();
        return catalog;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::optional<storage::RunStore> m_store;
};

CANNERY_TEST(TstRunCatalog)
#include "tst_run_catalog.moc"

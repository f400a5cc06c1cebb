// SPDX-License-Identifier: Apache-2.0
#include "storage/io/files.h"
#include "storage/runs/annotation_store.h"
#include "storage/runs/queue_store.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_lock.h"
#include "storage/runs/run_store.h"
#include "storage/runs/sweep_store.h"
#include "storage/runs/view_state_store.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

using namespace cannery::storage;

namespace {

RunInfo infoOf(const std::string& name)
{
    return {.name = name,
            .experimentName = "Titanic",
            .experimentFile = "/data/titanic.cannery",
            .estimator = "dnn_classifier",
            .engine = "test",
            .device = "GPU:0 (Test card), float32",
            .dataFingerprint = "f00d",
            .trainRows = 10,
            .evalRows = 3,
            .rowsPerStep = 8,
            .createdAt = 1000.5,
            .parameters = {{"train_spec.max_steps", "5"}, {"name", "\"Titanic\""}}};
}

const RunStatus kFinishedStatus{.state = RunState::Finished,
                                .globalStep = 5,
                                .maxSteps = 5,
                                .updatedAt = 1002,
                                .startedAt = 1001,
                                .finishedAt = 1002,
                                .secondsBefore = 12.5};

RunEvaluation evaluationAt(std::int64_t step)
{
    return {.globalStep = step,
            .wallTime = 1001.5,
            .metrics = {{"loss", 0.25},
                        {"auc", std::numeric_limits<double>::infinity()},
                        {"accuracy", 1.0 / 3.0}}};
}

} // namespace

class TstRunStore : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void keepsEverythingAboutARun();
    void anEvaluationOfTheSameStepReplacesTheOlderOne();
    void rescanRebuildsTablesAndKeepsAnnotations();
    void rescanLeavesOutADamagedRun();
    void fourProcessesWriteAtOnce();
    void aDeadOwnerIsSeenAsInterrupted();
    void findsRunsByNamePrefixTitleAndLatest();
    void refusesAStoreOfANewerVersion();
    void readsNothingFromAProjectWithoutStore();
    void trashRefusesARunThatIsTrained();
    void annotationsAreChecked();
    void everyRunKeepsAColourOfItsOwn();
    void onlyTrashedRunsAreDeletedForEver();
    void anOlderStoreIsBroughtUpToDate();
    void aLongRecordIsNotReadToAddToIt();
    void rescanMendsADamagedStore();
    void rescanMakesAnewWhatNobodyCanRead();

private:
    std::string project() const { return m_folder->path().toStdString(); }
    std::string makeRun(const std::string& name) const;

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TstRunStore::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
}

std::string TstRunStore::makeRun(const std::string& name) const
{
    const std::string folder = project() + "/runs/" + name;
    std::filesystem::create_directories(folder);
    return folder;
}

void TstRunStore::keepsEverythingAboutARun()
{
    auto store = RunStore::open(project());
    VERIFY_OK(store);
    const std::vector<RunCheckpoint> checkpoints{
        {.globalStep = 0, .bytes = 7, .savedAt = 1, .keptBecause = "recent"},
        {.globalStep = 5, .bytes = 9, .savedAt = 2, .keptBecause = "latest"}};
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const TagStatistics tag{
        .tag = "loss", .count = 3, .lastStep = 5, .last = nan, .min = 0.5, .minStep = 3, .max = 2};
    const std::vector<TagStatistics> tags{tag};
    const RunExport entry{.exporter = "best", .path = "export/best/17", .globalStep = 5};
    VERIFY_OK(store->putRun(infoOf("a"), kFinishedStatus));
    VERIFY_OK(store->addEvaluation("a", evaluationAt(5)));
    VERIFY_OK(store->setCheckpoints("a", checkpoints));
    VERIFY_OK(store->setTags("a", tags));
    VERIFY_OK(store->addExport("a", entry));
    const auto details = store->show("a");
    VERIFY_OK(details);
    QCOMPARE(details->info, infoOf("a"));
    QCOMPARE(details->status, kFinishedStatus);
    QCOMPARE(details->evaluations, std::vector{evaluationAt(5)});
    QCOMPARE(details->checkpoints, checkpoints);
    QCOMPARE(details->tags.size(), std::size_t{1});
    QVERIFY(std::isnan(details->tags[0].last));
    QCOMPARE(details->tags[0].minStep, 3);
    QCOMPARE(details->exports, std::vector{entry});
    VERIFY_ERROR(store->show("b"), "runs.not_found");
}

void TstRunStore::anEvaluationOfTheSameStepReplacesTheOlderOne()
{
    auto store = RunStore::open(project());
    VERIFY_OK(store);
    VERIFY_OK(store->putRun(infoOf("a"), kFinishedStatus));
    VERIFY_OK(store->addEvaluation("a", evaluationAt(5)));
    RunEvaluation second{.globalStep = 5, .wallTime = 3, .metrics = {{"loss", 9}}};
    VERIFY_OK(store->addEvaluation("a", second));
    QCOMPARE(store->show("a")->evaluations, std::vector{second});
}

void TstRunStore::rescanRebuildsTablesAndKeepsAnnotations()
{
    RunFiles files(makeRun("a"));
    const std::vector<RunCheckpoint> checkpoints{{.globalStep = 5, .keptBecause = "latest"}};
    VERIFY_OK(files.writeInfo(infoOf("a")));
    VERIFY_OK(files.writeStatus(kFinishedStatus));
    VERIFY_OK(files.addEvaluation(evaluationAt(3)));
    VERIFY_OK(files.addEvaluation(evaluationAt(5)));
    std::ofstream(files.folder() + "/evaluations.jsonl", std::ios::app) << "{\"torn";
    VERIFY_OK(files.addEvaluation(evaluationAt(7)));
    VERIFY_OK(files.writeCheckpoints(checkpoints));
    VERIFY_OK(makeFolders(files.folder() + "/export/x/1"));
    VERIFY_OK(files.addExport({.path = "export/x/1"}));
    VERIFY_OK(files.addExport({.path = "export/x/2"})); // deleted manually
    auto store = RunStore::open(project());
    VERIFY_OK(store);
    AnnotationStore annotations(store->database());
    VERIFY_OK(annotations.setTitle("a", "My best"));
    VERIFY_OK(annotations.addTag("a", "good"));
    VERIFY_OK(store->putRun(infoOf("gone"), kFinishedStatus));
    const auto report = RunStore::rescan(project());
    VERIFY_OK(report);
    QCOMPARE(report->runs, 1);
    VERIFY_ERROR(store->show("gone"), "runs.not_found");
    const auto details = store->show("a");
    VERIFY_OK(details);
    QCOMPARE(details->info, infoOf("a"));
    QCOMPARE(details->evaluations,
             (std::vector{evaluationAt(3), evaluationAt(5), evaluationAt(7)}));
    QCOMPARE(details->checkpoints, checkpoints);
    QCOMPARE(details->exports.size(), std::size_t{1});
    QCOMPARE(details->annotations.title, std::string("My best"));
    QCOMPARE(details->annotations.tags, std::vector<std::string>{"good"});
}

void TstRunStore::rescanLeavesOutADamagedRun()
{
    for (const char* name : {"bad", "good"}) {
        RunFiles files(makeRun(name));
        VERIFY_OK(files.writeInfo(infoOf(name)));
        VERIFY_OK(files.writeStatus(kFinishedStatus));
    }
    std::ofstream(project() + "/runs/bad/state.json") << "{\"state\": \"Dancing\"}";
    auto store = RunStore::open(project());
    VERIFY_OK(store);
    const auto report = RunStore::rescan(project());
    VERIFY_OK(report);
    QCOMPARE(report->runs, 1);
    QCOMPARE(report->damaged.size(), std::size_t{1});
    QCOMPARE(report->damaged[0].id, std::string("run.damaged"));
    VERIFY_OK(store->show("good"));
    VERIFY_ERROR(store->show("bad"), "runs.not_found");
}

void TstRunStore::fourProcessesWriteAtOnce()
{
    constexpr int kWriters = 4;
    constexpr int kEvaluations = 25;
    std::vector<pid_t> children;
    for (int writer = 0; writer < kWriters; ++writer) {
        const pid_t child = fork();
        if (child == 0) {
            // A new store, so that the four also migrate it at the same time.
            auto store = RunStore::open(project());
            const std::string name = "run" + std::to_string(writer);
            bool ok = store && store->putRun(infoOf(name), kFinishedStatus);
            for (int step = 0; ok && step < kEvaluations; ++step) {
                ok = store->addEvaluation(name, evaluationAt(step)).has_value() &&
                     AnnotationStore(store->database())
                         .addTag("shared", name + std::to_string(step))
                         .has_value();
            }
            _exit(ok ? 0 : 1);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = 0;
        QCOMPARE(waitpid(child, &status, 0), child);
        QCOMPARE(status, 0);
    }
    auto store = RunStore::open(project());
    VERIFY_OK(store);
    const auto runs = store->list();
    VERIFY_OK(runs);
    QCOMPARE(runs->size(), std::size_t{kWriters});
    for (const RunSummary& run : *runs) {
        QCOMPARE(store->show(run.info.name)->evaluations.size(), std::size_t{kEvaluations});
    }
    QCOMPARE(AnnotationStore(store->database()).read("shared")->tags.size(),
             std::size_t{kWriters * kEvaluations});
}

void TstRunStore::aDeadOwnerIsSeenAsInterrupted()
{
    const std::string folder = makeRun("a");
    auto store = RunStore::open(project());
    VERIFY_OK(store);
    VERIFY_OK(store->putRun(infoOf("a"), {.state = RunState::Running}));
    int ready[2];
    QCOMPARE(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        const auto lock = RunLock::acquire(folder);
        const char mark = lock ? 'y' : 'n';
        (void)!write(ready[1], &mark, 1);
        pause();
        _exit(0);
    }
    char mark = 0;
    QCOMPARE(read(ready[0], &mark, 1), 1);
    QCOMPARE(mark, 'y');
    QVERIFY(store->show("a")->status.state == RunState::Running);
    QCOMPARE(RunLock::owner(folder)->processId, std::int64_t{child});
    VERIFY_ERROR(RunLock::acquire(folder), "run.locked");
    QCOMPARE(kill(child, SIGKILL), 0);
    QCOMPARE(waitpid(child, nullptr, 0), child);
    QVERIFY(store->show("a")->status.state == RunState::Interrupted);
    QVERIFY(store->list()->front().status.state == RunState::Interrupted);
    VERIFY_OK(RunLock::acquire(folder));
}

void TstRunStore::findsRunsByNamePrefixTitleAndLatest()
{
    auto store = RunStore::open(project());
    VERIFY_OK(store);
    VERIFY_ERROR(store->find("latest"), "runs.none");
    for (const char* name : {"2026-01-01_titanic", "2026-01-02_titanic", "2026-02-01_census"}) {
        VERIFY_OK(store->putRun(infoOf(name), kFinishedStatus));
    }
    VERIFY_OK(AnnotationStore(store->database()).setTitle("2026-01-02_titanic", "wide"));
    QCOMPARE(*store->find("2026-02"), std::string("2026-02-01_census"));
    QCOMPARE(*store->find("wide"), std::string("2026-01-02_titanic"));
    QCOMPARE(*store->find("latest"), std::string("2026-02-01_census"));
    QCOMPARE(*store->find("2026-01-01_titanic"), std::string("2026-01-01_titanic"));
    VERIFY_ERROR(store->find("2026-01"), "runs.ambiguous");
    VERIFY_ERROR(store->find("nothing"), "runs.not_found");
}

void TstRunStore::refusesAStoreOfANewerVersion()
{
    auto store = RunStore::open(project());
    VERIFY_OK(store);
    VERIFY_OK(store->database().execute("PRAGMA user_version = 99"));
    VERIFY_ERROR(RunStore::open(project()), "runs.newer_store");
}

void TstRunStore::readsNothingFromAProjectWithoutStore()
{
    VERIFY_ERROR(RunStore::openReadOnly(project()), "sqlite.cannot_open");
}

void TstRunStore::trashRefusesARunThatIsTrained()
{
    auto store = RunStore::open(project());
    VERIFY_OK(store);
    VERIFY_OK(store->putRun(infoOf("a"), kFinishedStatus));
    {
        const auto lock = RunLock::acquire(makeRun("a"));
        VERIFY_OK(lock);
        VERIFY_ERROR(store->moveToTrash("a", 5), "runs.still_running");
    }
    VERIFY_OK(store->moveToTrash("a", 5));
    QCOMPARE(store->list()->size(), std::size_t{0});
    QCOMPARE(store->list({.trashed = true})->size(), std::size_t{1});
    VERIFY_OK(AnnotationStore(store->database()).restoreFromTrash("a"));
    QCOMPARE(store->list()->size(), std::size_t{1});
}

void TstRunStore::annotationsAreChecked()
{
    auto store = RunStore::open(project());
    VERIFY_OK(store);
    AnnotationStore annotations(store->database());
    VERIFY_ERROR(annotations.setColour("a", "blue"), "runs.bad_colour");
    VERIFY_ERROR(annotations.addTag("a", "  "), "runs.bad_tag");
    VERIFY_OK(annotations.setColour("a", "#1d99f3"));
    VERIFY_OK(annotations.setNotes("a", "n\nm"));
    VERIFY_OK(annotations.setStar("a", true));
    VERIFY_OK(annotations.addTag("a", "x"));
    VERIFY_OK(annotations.addTag("a", "x"));
    VERIFY_OK(annotations.addTag("a", "b"));
    VERIFY_OK(annotations.removeTag("a", "x"));
    const RunAnnotations expected{
        .notes = "n\nm", .tags = {"b"}, .star = true, .colour = "#1d99f3"};
    QCOMPARE(*annotations.read("a"), expected);
}

void TstRunStore::everyRunKeepsAColourOfItsOwn()
{
    auto store = RunStore::open(project());
    VERIFY_OK(store);
    AnnotationStore annotations(store->database());
    for (const char* name : {"a", "b", "c"}) {
        makeRun(name);
        VERIFY_OK(store->putRun(infoOf(name), kFinishedStatus));
    }
    VERIFY_OK(annotations.setColourSlot("b", 0));
    VERIFY_ERROR(annotations.setColourSlot("b", kColourSlots), "runs.bad_colour_slot");
    QVERIFY(*annotations.assignColourSlots());
    QVERIFY(!*annotations.assignColourSlots());
    const auto slotOf = [&](const char* name) {
        return static_cast<int>(annotations.read(name)->colourSlot.value_or(-1));
    };
    QCOMPARE((QList<int>{slotOf("a"), slotOf("b"), slotOf("c")}), (QList<int>{1, 0, 2}));
    VERIFY_OK(store->moveToTrash("a", 5));
    VERIFY_OK(store->deleteForever("a"));
    for (int i = 0; i < 20; ++i) {
        VERIFY_OK(store->putRun(infoOf(fmt::format("d{:02}", i)), kFinishedStatus));
    }
    VERIFY_OK(annotations.assignColourSlots());
    QCOMPARE((QList<int>{slotOf("b"), slotOf("c"), slotOf("d00"), slotOf("d01"), slotOf("d13")}),
             (QList<int>{0, 2, 1, 3, 15}));
    QCOMPARE(slotOf("d14"), 0); // all are taken once: starts again
}

void TstRunStore::onlyTrashedRunsAreDeletedForEver()
{
    auto store = RunStore::open(project());
    VERIFY_OK(store);
    VERIFY_OK(store->putRun(infoOf("a"), kFinishedStatus));
    const std::string folder = makeRun("a");
    VERIFY_OK(RunFiles(folder).writeInfo(infoOf("a")));
    VERIFY_OK(RunFiles(folder).writeStatus(kFinishedStatus));
    VERIFY_ERROR(store->deleteForever("a"), "runs.not_in_trash");
    VERIFY_OK(store->moveToTrash("a", 5));
    {
        const auto lock = RunLock::acquire(folder);
        VERIFY_ERROR(store->deleteForever("a"), "runs.still_running_in_trash");
    }
    VERIFY_OK(store->deleteForever("a"));
    QVERIFY(!std::filesystem::exists(folder));
    QCOMPARE(store->list({.trashed = true})->size(), std::size_t{0});
    QCOMPARE(RunStore::rescan(project())->runs, std::int64_t{0});
    QCOMPARE(*AnnotationStore(store->database()).read("a"), RunAnnotations{});
}

void TstRunStore::anOlderStoreIsBroughtUpToDate()
{
    {
        auto store = RunStore::open(project());
        VERIFY_OK(store);
        VERIFY_OK(store->putRun(infoOf("a"), kFinishedStatus));
        VERIFY_OK(AnnotationStore(store->database()).setTitle("a", "wide"));
        VERIFY_OK(store->database().execute(
            "ALTER TABLE annotations DROP COLUMN colour_slot; DROP TABLE queue; DROP TABLE "
            "view_state; DROP TABLE sweeps; DROP TABLE sweep_trials; DROP TABLE sweep_folds; "
            "ALTER TABLE runs DROP COLUMN device; ALTER TABLE runs DROP COLUMN rows_per_step; "
            "ALTER TABLE runs DROP COLUMN seconds_before; PRAGMA user_version = 1"));
    }
    auto store = RunStore::openReadOnly(project());
    VERIFY_OK(store);
    QCOMPARE(store->list()->front().annotations.title, std::string("wide"));
}

/// A run that lasts days has a record of many megabytes.
void TstRunStore::aLongRecordIsNotReadToAddToIt()
{
    RunFiles files(makeRun("a"));
    const std::string path = files.folder() + "/evaluations.jsonl";
    VERIFY_OK(files.addEvaluation(evaluationAt(1)));
    const std::string line = *readWholeFile(path);
    constexpr std::size_t kLines = 20'000;
    {
        std::ofstream record(path, std::ios::app);
        for (std::size_t i = 0; i < kLines; ++i) {
            record << line;
        }
    }
    // Bytes that this process has read from files so far.
    const auto bytesRead = [] {
        const std::string io = readWholeFile("/proc/self/io").value_or("");
        return std::stoll(io.substr(io.find("rchar: ") + 7));
    };
    const auto before = bytesRead();
    VERIFY_OK(files.addEvaluation(evaluationAt(3)));
    QVERIFY(bytesRead() - before < 10'000);
    std::ofstream(path, std::ios::app) << "{\"torn";
    VERIFY_OK(files.addEvaluation(evaluationAt(5)));
    const auto all = files.readEvaluations();
    VERIFY_OK(all);
    QCOMPARE(all->size(), kLines + 3);
    QCOMPARE(all->back(), evaluationAt(5));
}

void TstRunStore::rescanMendsADamagedStore()
{
    RunFiles files(makeRun("a"));
    VERIFY_OK(files.writeInfo(infoOf("a")));
    VERIFY_OK(files.writeStatus(kFinishedStatus));
    {
        auto store = RunStore::open(project());
        VERIFY_OK(store);
        VERIFY_OK(store->putRun(infoOf("a"), kFinishedStatus));
        VERIFY_OK(AnnotationStore(store->database()).setTitle("a", "A title"));
        VERIFY_OK(AnnotationStore(store->database()).setNotes("a", "A note of a person"));
        VERIFY_OK(AnnotationStore(store->database()).addTag("a", "good"));
        VERIFY_OK(QueueStore(store->database()).add({.experimentText = "queued"}));
        VERIFY_OK(ViewStateStore(store->database()).write("runs", "{}"));
        SweepStore sweeps(store->database());
        VERIFY_OK(sweeps.findOrAdd("/p/a.cannery", "id", project() + "/runs", 1));
        VERIFY_OK(sweeps.put({.sweep = "sweep-001", .run = "a", .state = TrialState::Done}));
        VERIFY_OK(sweeps.putFolds({.sweep = "sweep-001", .folds = 1, .metrics = {{"loss", 2, 1}}}));
    }
    const std::string path = project() + "/cannery.db";
    std::string bytes = *readWholeFile(path);
    bytes[bytes.find("A note of a person") + 2] = 'N';
    std::ofstream(path, std::ios::binary) << bytes;
    auto open = RunStore::open(project()); // as opened by another program
    VERIFY_OK(open);
    VERIFY_ERROR(open->show("a"), "sqlite.corrupt");
    const auto report = RunStore::rescan(project());
    VERIFY_OK(report);
    QCOMPARE(report->runs, 1);
    QCOMPARE(report->damaged.size(), std::size_t{1});
    QCOMPARE(report->damaged[0].id, std::string("runs.salvaged"));
    QVERIFY(report->damaged[0].message().find("notes") != std::string::npos);
    const auto details = open->show("a");
    VERIFY_OK(details);
    QCOMPARE(details->info, infoOf("a"));
    QCOMPARE(details->annotations.title, std::string("A title"));
    QCOMPARE(details->annotations.notes, std::string("A note of a person")); // from its copy
    QCOMPARE(details->annotations.tags, std::vector<std::string>{"good"});
    QCOMPARE(QueueStore(open->database()).list()->at(0).experimentText, std::string("queued"));
    QCOMPARE(ViewStateStore(open->database()).read("runs"), std::string("{}"));
    SweepStore sweeps(open->database());
    QCOMPARE(sweeps.findOrAdd("/p/a.cannery", "id", project() + "/runs", 2)->startedAt, 1.0);
    QCOMPARE(sweeps.foldsOf("a")->value().metrics.at(0).mean, 2.0);
    QCOMPARE(readWholeFile(project() + "/" + std::string(kDamagedStoreFile)), bytes);
    const auto again = RunStore::rescan(project());
    VERIFY_OK(again);
    QVERIFY(again->damaged.empty());
}

void TstRunStore::rescanMakesAnewWhatNobodyCanRead()
{
    RunFiles files(makeRun("a"));
    VERIFY_OK(files.writeInfo(infoOf("a")));
    VERIFY_OK(files.writeStatus(kFinishedStatus));
    std::ofstream(project() + "/cannery.db") << std::string(9000, 'x');
    VERIFY_ERROR(RunStore::open(project()), "sqlite.corrupt");
    const auto report = RunStore::rescan(project());
    VERIFY_OK(report);
    QCOMPARE(report->runs, 1);
    QCOMPARE(report->damaged.size(), std::size_t{1});
    auto store = RunStore::open(project());
    VERIFY_OK(store);
    QCOMPARE(store->show("a")->info, infoOf("a"));
    VERIFY_OK(store->database().checkIntegrity());
}

CANNERY_TEST(TstRunStore)
#include "tst_run_store.moc"

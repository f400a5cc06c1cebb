// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/run_store.h"
#include "storage/runs/sweep_store.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QTemporaryDir>

#include <cmath>

using namespace cannery;
using namespace cannery::storage;

class TstSweepStore : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void theSameExperimentIsTheSameSweep();
    void aNameIsNeverTakenTwice();
    void aStageKeepsWhatItIs();
    void everyFoldKnowsWhatAllHaveFound();

private:
    Result<SweepInfo> findOrAdd(const std::string& file, const std::string& identity)
    {
        return SweepStore(m_store->database())
            .findOrAdd(file, identity, m_folder->filePath("runs").toStdString(), 7);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::optional<RunStore> m_store;
};

void TstSweepStore::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_store.emplace(*RunStore::open(m_folder->path().toStdString()));
}

void TstSweepStore::theSameExperimentIsTheSameSweep()
{
    const auto first = findOrAdd("/p/a.cannery", "1");
    VERIFY_OK(first);
    QCOMPARE(first->name, std::string("sweep-001"));
    QCOMPARE(first->startedAt, 7.0);
    QVERIFY(*findOrAdd("/p/a.cannery", "1") == *first);
    QCOMPARE(findOrAdd("/p/a.cannery", "2")->name, std::string("sweep-002"));
    QCOMPARE(findOrAdd("/p/b.cannery", "1")->name, std::string("sweep-003"));
    QVERIFY(*findOrAdd("/p/a.cannery", "1") == *first);
}

void TstSweepStore::aNameIsNeverTakenTwice()
{
    // Folders of a store that is lost.
    for (const char* name : {"runs/sweep-007-012", "runs/sweep-x", "runs/run-099"}) {
        QVERIFY(QDir(m_folder->path()).mkpath(name));
    }
    QCOMPARE(findOrAdd("/p/a.cannery", "1")->name, std::string("sweep-008"));
    QCOMPARE(findOrAdd("/p/a.cannery", "2")->name, std::string("sweep-009"));
}

void TstSweepStore::aStageKeepsWhatItIs()
{
    SweepStore sweeps(m_store->database());
    SweepTrial trial{.sweep = "sweep-001",
                     .trial = 4,
                     .rung = 1,
                     .run = "sweep-001-005",
                     .overrides = {"a=b", "c=\"d e\""}};
    VERIFY_OK(sweeps.put(trial));
    VERIFY_OK(sweeps.put({.sweep = "sweep-001", .trial = 4, .run = "sweep-001-005"}));
    VERIFY_OK(sweeps.put({.sweep = "sweep-002", .trial = 4, .run = "sweep-002-005"}));
    trial.state = TrialState::Diverged;
    VERIFY_OK(sweeps.put(trial));
    const auto trials = sweeps.trials("sweep-001");
    VERIFY_OK(trials);
    QCOMPARE(trials->size(), std::size_t{2});
    QCOMPARE(trials->at(0).rung, std::int64_t{0});
    QVERIFY(trials->at(0).state == TrialState::Started);
    QVERIFY(trials->at(1) == trial);
    QVERIFY(sweeps.trials("sweep-003")->empty());
}

void TstSweepStore::everyFoldKnowsWhatAllHaveFound()
{
    SweepStore sweeps(m_store->database());
    for (const std::int64_t trial : {0, 1, 2, 3}) {
        VERIFY_OK(sweeps.put({.sweep = "sweep-001",
                              .trial = trial,
                              .run = "run-" + std::to_string(trial),
                              .state = TrialState::Done}));
    }
    FoldResult result{.sweep = "sweep-001",
                      .firstTrial = 2,
                      .folds = 2,
                      .diverged = 1,
                      .metrics = {{"gone", 1, 1}, {"loss", 1, 1}}};
    VERIFY_OK(sweeps.putFolds(result));
    result.metrics = {{"accuracy", 0.5, 0.25}, {"loss", 0.75, std::nan("")}};
    VERIFY_OK(sweeps.putFolds(result));
    for (const char* run : {"run-2", "run-3"}) {
        const auto found = sweeps.foldsOf(run);
        VERIFY_OK(found);
        QVERIFY(*found);
        QCOMPARE((*found)->metrics.size(), std::size_t{2});
        QVERIFY((*found)->metrics[0] == result.metrics[0]);
        QCOMPARE((*found)->metrics[1].mean, 0.75);
        QVERIFY(std::isnan((*found)->metrics[1].deviation));
        QCOMPARE((*found)->diverged, std::int64_t{1});
    }
    QVERIFY(!*sweeps.foldsOf("run-1"));
    QVERIFY(!*sweeps.foldsOf("no such run"));
}

CANNERY_TEST(TstSweepStore)
#include "tst_sweep_store.moc"

// SPDX-License-Identifier: Apache-2.0
#include "storage/io/files.h"
#include "storage/runs/annotation_store.h"
#include "storage/runs/queue_store.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_store.h"
#include "tests/faults/fault_project.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>

#include <sqlite3.h>

#include <filesystem>

using namespace cannery;
using namespace cannery::tests;

namespace {

const QString kGoldens = CANNERY_SOURCE_DIR "/tests/golden/stores/";

QByteArray golden(const QString& name, const QString& project)
{
    QFile file(kGoldens + name);
    if (!file.open(QIODevice::ReadOnly)) {
        qFatal("%s is missing", qPrintable(file.fileName()));
    }
    return file.readAll().replace("@PROJECT@", project.toUtf8());
}

/// "version_1.sql", "version_3.db".
QStringList goldenStores()
{
    return QDir(kGoldens).entryList({"version_*.sql", "version_*.db"}, QDir::Files);
}

/// As written by its version: those before 3 have no checksums.
void makeStore(const QString& golden, const FaultProject& project)
{
    if (golden.endsWith(".db")) {
        QVERIFY(QFile::copy(kGoldens + golden, project.path("cannery.db")));
        return;
    }
    sqlite3* database = nullptr;
    sqlite3_open(qPrintable(project.path("cannery.db")), &database);
    const QByteArray sql = ::golden(golden, project.path());
    const int result = sqlite3_exec(database, sql.constData(), nullptr, nullptr, nullptr);
    sqlite3_close(database);
    QCOMPARE(result, SQLITE_OK);
}

} // namespace

/// Every file written by an earlier version can always be read.
class TstOldFiles : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyVersionOfTheStoreIsThere();
    void storeOfEveryVersionLoads_data();
    void storeOfEveryVersionLoads();
    void runOfTheFirstVersionGoesOn();
};

void TstOldFiles::everyVersionOfTheStoreIsThere()
{
    const QTemporaryDir folder;
    auto store = storage::RunStore::open(folder.path().toStdString());
    VERIFY_OK(store);
    const auto version = store->database().queryInteger("PRAGMA user_version");
    VERIFY_OK(version);
    QCOMPARE(goldenStores().size(), *version);
}

void TstOldFiles::storeOfEveryVersionLoads_data()
{
    QTest::addColumn<QString>("file");
    for (const QString& file : goldenStores()) {
        QTest::newRow(qPrintable(file)) << file;
    }
}

void TstOldFiles::storeOfEveryVersionLoads()
{
    QFETCH(QString, file);
    const FaultProject project;
    makeStore(file, project);
    auto store = storage::RunStore::openReadOnly(project.folder());
    VERIFY_OK(store);
    const auto details = store->show("run-001");
    VERIFY_OK(details);
    VERIFY_OK(store->database().checkIntegrity());
    VERIFY_OK(store->database().requirePageChecksums());
    QCOMPARE(details->status.state, storage::RunState::Finished);
    QCOMPARE(details->status.globalStep, 3);
    QCOMPARE(details->evaluations.size(), std::size_t{3});
    QCOMPARE(details->evaluations.back().metrics.size(), std::size_t{10});
    QCOMPARE(details->checkpoints.size(), std::size_t{2});
    QCOMPARE(details->tags.size(), std::size_t{10});
    QVERIFY(details->info.parameters.size() > 10);
    QCOMPARE(details->annotations.title, std::string("An old run"));
    QCOMPARE(details->annotations.tags, std::vector<std::string>{"kept"});
    const Ended renamed = project.cannery({"runs", "rename", "run-001", "A new title"});
    QVERIFY2(renamed.exitCode == 0, renamed.describe().constData());
    const Ended queued = project.cannery({"queue", "add", "faults.cannery"});
    QVERIFY2(queued.exitCode == 0, queued.describe().constData());
    const Ended listed = project.cannery({"runs", "list"});
    QVERIFY2(listed.exitCode == 0 && listed.out.contains("A new title"),
             listed.describe().constData());
}

void TstOldFiles::runOfTheFirstVersionGoesOn()
{
    const FaultProject project;
    std::filesystem::copy((kGoldens + "version_2").toStdString(), project.folder(),
                          std::filesystem::copy_options::recursive |
                              std::filesystem::copy_options::overwrite_existing);
    project.write("runs/run-001/run.json",
                  golden("version_2/runs/run-001/run.json", project.path()));
    const Ended rescan = project.cannery({"runs", "rescan"});
    QVERIFY2(rescan.exitCode == 0, rescan.describe().constData());
    QByteArray problem = storeProblem(project.folder());
    QVERIFY2(problem.isEmpty(), problem.constData());
    const Ended evaluated = project.cannery({"evaluate", "runs/run-001", "--json"});
    QVERIFY2(evaluated.exitCode == 0, evaluated.describe().constData());
    const Ended resumed =
        project.cannery({"resume", "runs/run-001", "--quiet", "--max-steps", "5"});
    QVERIFY2(resumed.exitCode == 0, resumed.describe().constData());
    problem = checkpointProblem(project.run(), 5) + storeProblem(project.folder());
    QVERIFY2(problem.isEmpty(), problem.constData());
    const QByteArray log = project.read("runs/run-001/train.log");
    QVERIFY2(log.contains("model.ckpt-3 at step 3.") && !log.contains("begins anew"),
             log.constData());
    QCOMPARE(storage::RunFiles(project.run()).readEvaluations()->size(), std::size_t{5});
}

CANNERY_TEST(TstOldFiles)
#include "tst_old_files.moc"

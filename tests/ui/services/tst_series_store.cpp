// SPDX-License-Identifier: GPL-3.0-only
#include "storage/io/files.h"
#include "tests/support/test_main.h"
#include "tests/ui/services/event_files.h"
#include "tests/ui/services/series_bench.h"
#include "ui/services/runs/series_store.h"

#include <QDir>
#include <QSignalSpy>
#include <QTest>

using namespace cannery;
using namespace cannery::tests;
using cannery::ui::Series;
using cannery::ui::SeriesKey;
using cannery::ui::SeriesSegment;
using cannery::ui::SeriesStore;

namespace {

const QString kGoldens = QStringLiteral(CANNERY_SOURCE_DIR "/tests/golden/event/");
const std::string kSmall =
    CANNERY_SOURCE_DIR "/tests/golden/event/hparams/trial_0/events.out.tfevents.1700000000.host.v2";

} // namespace

class TstSeriesStore : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { m_run = m_folders.makeRun(); }
    void agreesWithTheReaderOnGoldens_data();
    void agreesWithTheReaderOnGoldens();
    void growsByteByByte();
    void whatTheEngineSaysNeedsNoSearch();
    void whatTheEngineLeftUnsaidIsReadAtItsEnd();
    void foldersThatTheEngineTellsOfAreFound();
    void sizesThatAreNotHereYetAreWaitedFor();
    void resumedRunsHaveASeam();
    void filesOfManySizesComeWhole();
    void everyTruncationIsRead();
    void everyFlippedByteIsIsolated();
    void unwatchedRunsHoldTagsOnly();
    void unwatchedInTheMiddleIsNotTold();
    void twentyThousandTags();
    void replacedFilesAreReadAnew();
    void evaluationsJoinLater();
    void foldersMayComeLater();
    void foldersMadeAnewAreWatchedAgain();
    void removedRunsCanBeAddedAgain();
    void stepsPerEpochAreTold();

private:
    RunFolders m_folders;
    std::string m_run; ///< a new folder for each test
};

void TstSeriesStore::agreesWithTheReaderOnGoldens_data()
{
    QTest::addColumn<QString>("folder");
    for (const char* folder : {"hparams/trial_0", "hparams/trial_1", "v1", "v2"}) {
        QTest::newRow(folder) << kGoldens + QLatin1String(folder);
    }
}

void TstSeriesStore::agreesWithTheReaderOnGoldens()
{
    QFETCH(QString, folder);
    SeriesStore store;
    store.addRun("golden", folder);
    store.setWatched("golden", true);
    WAIT_UNTIL(store.loadedFraction("golden") == 1);
    QVERIFY(!store.keys("golden").isEmpty());
    for (const SeriesKey& key : store.keys("golden")) {
        const Series* series = store.series(key);
        QVERIFY(series != nullptr);
        const auto odd =
            series->nanCount() + series->positiveInfinityCount() + series->negativeInfinityCount();
        const auto expected = byReader(folder.toStdString(), key.tag.toStdString());
        QCOMPARE(series->size() - odd, static_cast<qsizetype>(expected.size()));
        QVERIFY(contentOf(*series) == expected);
    }
    QVERIFY(store.problem("golden").isEmpty());
}

void TstSeriesStore::growsByteByByte()
{
    const std::string bytes = *storage::readWholeFile(kSmall);
    const QString path = QString::fromStdString(m_run + "/events.out.tfevents.1");
    writeBytes(path.toStdString(), "");
    SeriesStore store;
    store.addRun("run", QString::fromStdString(m_run));
    store.setWatched("run", true);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        appendBytes(path.toStdString(), std::string_view(bytes).substr(i, 1));
        store.fileGrew(path, static_cast<qint64>(i) + 1);
        QCoreApplication::processEvents();
    }
    const SeriesKey key{"run", "", "accuracy"};
    const auto expected = byReader(m_run, "accuracy");
    QVERIFY(!expected.empty());
    WAIT_UNTIL(sizeOf(store, key) == static_cast<qsizetype>(expected.size()));
    QVERIFY(contentOf(*store.series(key)) == expected);
    WAIT_UNTIL(store.loadedFraction("run") == 1);
    QVERIFY(store.problem("run").isEmpty());
}

/// A growing file causes one wake-up: the watcher does not repeat it, and no folder is scanned.
void TstSeriesStore::whatTheEngineSaysNeedsNoSearch()
{
    const std::string path = writeEvents(m_run, 1, {"a"}, 0, 10);
    SeriesStore store;
    store.setPollInterval(std::chrono::hours(1));
    store.addRun("run", QString::fromStdString(m_run));
    store.setWatched("run", true);
    const SeriesKey key{"run", "", "a"};
    WAIT_UNTIL(sizeOf(store, key) == 10 && store.loadedFraction("run") == 1);
    qint64 looks = 0;
    for (int part = 1; part <= 6; ++part) {
        const std::string more = m_folders.filePath(QString("told%1").arg(part)).toStdString();
        appendBytes(path, *storage::readWholeFile(writeEvents(more, 1, {"a"}, 10 * part, 10)));
        store.fileGrew(QString::fromStdString(path), static_cast<qint64>(*storage::fileSize(path)));
        WAIT_UNTIL(sizeOf(store, key) == 10 * (part + 1));
        looks = part == 1 ? store.looks() : looks;
    }
    QVERIFY(hasLogged(store.series(key), 0, 70, 0));
    // The watcher may have seen the first part before the engine's first report.
    QVERIFY2(store.looks() <= looks + 1, qPrintable(QString::number(store.looks() - looks)));
}

/// A killed engine has flushed more than it could report.
void TstSeriesStore::whatTheEngineLeftUnsaidIsReadAtItsEnd()
{
    const std::string path = writeEvents(m_run, 1, {"a"}, 0, 10);
    SeriesStore store;
    store.setPollInterval(std::chrono::hours(1));
    store.addRun("run", QString::fromStdString(m_run));
    store.setWatched("run", true);
    store.fileGrew(QString::fromStdString(path), static_cast<qint64>(*storage::fileSize(path)));
    WAIT_UNTIL(sizeOf(store, {"run", "", "a"}) == 10);
    const std::string more = m_folders.filePath("unsaid").toStdString();
    appendBytes(path, *storage::readWholeFile(writeEvents(more, 1, {"a"}, 10, 5)));
    store.engineEnded("run");
    WAIT_UNTIL(sizeOf(store, {"run", "", "a"}) == 15);
    // From now on the watcher reports again.
    const std::string last = m_folders.filePath("later").toStdString();
    appendBytes(path, *storage::readWholeFile(writeEvents(last, 1, {"a"}, 15, 5)));
    WAIT_UNTIL(sizeOf(store, {"run", "", "a"}) == 20);
    QVERIFY(hasLogged(store.series({"run", "", "a"}), 0, 20, 0));
}

void TstSeriesStore::foldersThatTheEngineTellsOfAreFound()
{
    const std::string path = writeEvents(m_run, 1, {"loss"}, 0, 10);
    SeriesStore store;
    store.setPollInterval(std::chrono::hours(1));
    store.addRun("run", QString::fromStdString(m_run));
    store.setWatched("run", true);
    store.fileGrew(QString::fromStdString(path), static_cast<qint64>(*storage::fileSize(path)));
    WAIT_UNTIL(sizeOf(store, {"run", "", "loss"}) == 10);
    for (const char* folder : {"/eval", "/eval_test"}) {
        const std::string other = writeEvents(m_run + folder, 1, {"auc"}, 10, 1);
        store.fileGrew(QString::fromStdString(other),
                       static_cast<qint64>(*storage::fileSize(other)));
        WAIT_UNTIL(sizeOf(store, {"run", folder + 1, "auc"}) == 1);
    }
    const std::string next = writeEvents(m_run, 2, {"loss"}, 10, 10);
    store.fileGrew(QString::fromStdString(next), static_cast<qint64>(*storage::fileSize(next)));
    WAIT_UNTIL(sizeOf(store, {"run", "", "loss"}) == 20);
}

/// As on a network: the report arrives before the bytes.
void TstSeriesStore::sizesThatAreNotHereYetAreWaitedFor()
{
    const std::string path = writeEvents(m_run, 1, {"a"}, 0, 10);
    const std::string more = m_folders.filePath("late").toStdString();
    const std::string bytes = *storage::readWholeFile(writeEvents(more, 1, {"a"}, 10, 10));
    SeriesStore store;
    store.setPollInterval(std::chrono::hours(1));
    store.addRun("run", QString::fromStdString(m_run));
    store.setWatched("run", true);
    const auto size = static_cast<qint64>(*storage::fileSize(path) + bytes.size());
    store.fileGrew(QString::fromStdString(path), size);
    WAIT_UNTIL(sizeOf(store, {"run", "", "a"}) == 10 && store.loadedFraction("run") == 1);
    appendBytes(path, bytes);
    store.engineEnded("run");
    WAIT_UNTIL(sizeOf(store, {"run", "", "a"}) == 20);
}

/// Killed at step 30, resumed from the checkpoint of step 20.
void TstSeriesStore::resumedRunsHaveASeam()
{
    writeEvents(m_run, 1000, {"loss"}, 0, 30, true);
    SeriesStore store;
    store.addRun("run", QString::fromStdString(m_run));
    store.setWatched("run", true);
    const SeriesKey key{"run", "", "loss"};
    WAIT_UNTIL(sizeOf(store, key) == 30);
    writeEvents(m_run, 2000, {"loss"}, 20, 30, true);
    WAIT_UNTIL(sizeOf(store, key) == 60);
    QCOMPARE(store.series(key)->segments(),
             (std::vector<SeriesSegment>{{0, 30, 20}, {30, 60, 60}}));
    // Resumed where it had ended: nothing is overwritten, but there is still a new segment.
    writeEvents(m_run, 3000, {"loss"}, 50, 10, true);
    WAIT_UNTIL(sizeOf(store, key) == 70);
    QCOMPARE(store.series(key)->segments(),
             (std::vector<SeriesSegment>{{0, 30, 20}, {30, 60, 60}, {60, 70, 70}}));
    QCOMPARE(store.series(key)->wallStart(), 1000.75);
    QCOMPARE(store.series(key)->seconds()[30], 1000.0F);
}

void TstSeriesStore::filesOfManySizesComeWhole()
{
    writeEvents(m_run, 1, {"a", "b"}, 0, 1000);
    writeEvents(m_run, 2, {"a", "b"}, 1000, 70'000);
    writeEvents(m_run, 3, {"a", "b"}, 71'000, 1);
    writeBytes(m_run + "/events.out.tfevents.4", "");
    SeriesStore store;
    QSignalSpy changes(&store, &SeriesStore::changed);
    store.addRun("run", QString::fromStdString(m_run));
    store.setWatched("run", true);
    WAIT_UNTIL(sizeOf(store, {"run", "", "b"}) == 71'001 && store.loadedFraction("run") == 1);
    QVERIFY(hasLogged(store.series({"run", "", "a"}), 0, 71'001, 0));
    QVERIFY(hasLogged(store.series({"run", "", "b"}), 0, 71'001, 1));
    // Files that continue where the last one ended are not a resumption.
    QCOMPARE(store.series({"run", "", "a"})->segments().size(), std::size_t{1});
    for (const QList<QVariant>& change : changes) {
        QVERIFY(!change.front().value<QSet<SeriesKey>>().isEmpty());
    }
}

void TstSeriesStore::everyTruncationIsRead()
{
    const std::string bytes = *storage::readWholeFile(kSmall);
    SeriesStore store;
    const auto folderOf = [&](std::size_t size) { return m_run + "/" + std::to_string(size); };
    const auto nameOf = [](std::size_t size) { return QStringLiteral("cut%1").arg(size); };
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        QVERIFY(QDir().mkpath(QString::fromStdString(folderOf(size))));
        writeBytes(folderOf(size) + "/a.tfevents", std::string_view(bytes).substr(0, size));
        store.addRun(nameOf(size), QString::fromStdString(folderOf(size)));
        store.setWatched(nameOf(size), true);
    }
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        WAIT_UNTIL(store.loadedFraction(nameOf(size)) == 1);
        QVERIFY(store.problem(nameOf(size)).isEmpty());
        const Series* series = store.series({nameOf(size), "", "accuracy"});
        const auto expected = byReader(folderOf(size), "accuracy");
        QVERIFY(series == nullptr ? expected.empty() : contentOf(*series) == expected);
    }
}

void TstSeriesStore::everyFlippedByteIsIsolated()
{
    const std::string bytes = *storage::readWholeFile(kSmall);
    SeriesStore store;
    const auto folderOf = [&](std::size_t at) { return m_run + "/" + std::to_string(at); };
    const auto nameOf = [](std::size_t at) { return QStringLiteral("flip%1").arg(at); };
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x21);
        QVERIFY(QDir().mkpath(QString::fromStdString(folderOf(at))));
        writeBytes(folderOf(at) + "/a.tfevents", damaged);
        if (at % 16 == 0) {
            writeEvents(folderOf(at), 1, {"good"}, 0, 3);
        }
        store.addRun(nameOf(at), QString::fromStdString(folderOf(at)));
        store.setWatched(nameOf(at), true);
    }
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        WAIT_UNTIL(store.loadedFraction(nameOf(at)) == 1);
        QVERIFY(store.problem(nameOf(at)).contains(QLatin1String("is damaged at byte")));
        const Series* series = store.series({nameOf(at), "", "accuracy"});
        const auto expected = byReader(folderOf(at), "accuracy");
        QVERIFY(series == nullptr ? expected.empty() : contentOf(*series) == expected);
        QCOMPARE(sizeOf(store, {nameOf(at), "", "good"}), at % 16 == 0 ? 3 : 0);
    }
}

void TstSeriesStore::unwatchedRunsHoldTagsOnly()
{
    const std::string path = writeEvents(m_run, 1, {"a", "b"}, 0, 100'000);
    SeriesStore store;
    store.addRun("run", QString::fromStdString(m_run));
    WAIT_UNTIL(store.keys("run").size() == 2);
    QVERIFY(store.series({"run", "", "a"}) == nullptr);
    QVERIFY(store.bytesRead() < static_cast<qint64>(*storage::fileSize(path)) / 2);
    QSignalSpy removals(&store, &SeriesStore::seriesRemoved);
    store.setWatched("run", true);
    WAIT_UNTIL(sizeOf(store, {"run", "", "b"}) == 100'000 && store.loadedFraction("run") == 1);
    store.setWatched("run", false);
    QCOMPARE(removals.size(), 1);
    QVERIFY(store.series({"run", "", "a"}) == nullptr);
    QCOMPARE(store.residentBytes(), qint64{0});
    QCOMPARE(store.keys("run").size(), 2);
    const qint64 before = store.bytesRead();
    store.setWatched("run", true);
    WAIT_UNTIL(sizeOf(store, {"run", "", "a"}) == 100'000 && store.loadedFraction("run") == 1);
    QVERIFY(hasLogged(store.series({"run", "", "a"}), 0, 100'000, 0));
    QCOMPARE(store.bytesRead(), before); // out of the cache
    QCOMPARE(store.keys("run").size(), 2);
}

void TstSeriesStore::unwatchedInTheMiddleIsNotTold()
{
    writeEvents(m_run, 1, {"a"}, 0, 60'000);
    SeriesStore store;
    store.addRun("run", QString::fromStdString(m_run));
    for (int i = 0; i < 30; ++i) {
        store.setWatched("run", true);
        for (int turn = 0; turn < i % 7; ++turn) {
            QCoreApplication::processEvents();
        }
        store.setWatched("run", false);
        QVERIFY(store.series({"run", "", "a"}) == nullptr);
        store.setWatched("run", i % 2 == 0);
        QCoreApplication::processEvents();
        store.setWatched("run", false);
    }
    store.setWatched("run", true);
    WAIT_UNTIL(sizeOf(store, {"run", "", "a"}) >= 60'000 && store.loadedFraction("run") == 1);
    QVERIFY(hasLogged(store.series({"run", "", "a"}), 0, 60'000, 0));
    QCOMPARE(store.keys("run").size(), 1);
}

void TstSeriesStore::twentyThousandTags()
{
    std::vector<std::string> tags;
    for (int i = 0; i < 20'000; ++i) {
        tags.push_back("group" + std::to_string(i % 40) + "/tag" + std::to_string(i));
    }
    writeEvents(m_run, 1, tags, 0, 2);
    SeriesStore store;
    store.addRun("run", QString::fromStdString(m_run));
    WAIT_UNTIL(store.keys("run").size() == 20'000);
    store.setWatched("run", true);
    WAIT_UNTIL(sizeOf(store, {"run", "", "group39/tag19999"}) == 2 &&
               store.loadedFraction("run") == 1);
    for (const SeriesKey& key : store.keys("run")) {
        QCOMPARE(sizeOf(store, key), 2);
    }
}

void TstSeriesStore::replacedFilesAreReadAnew()
{
    const std::string old = writeEvents(m_run, 1, {"a", "old"}, 0, 5000);
    SeriesStore store;
    store.addRun("run", QString::fromStdString(m_run));
    store.setWatched("run", true);
    WAIT_UNTIL(sizeOf(store, {"run", "", "a"}) == 5000 && store.loadedFraction("run") == 1);
    QSignalSpy removals(&store, &SeriesStore::seriesRemoved);
    QVERIFY(std::remove(old.c_str()) == 0);
    writeEvents(m_run, 2, {"a", "new"}, 100, 50);
    WAIT_UNTIL(sizeOf(store, {"run", "", "a"}) == 50 && store.loadedFraction("run") == 1);
    QVERIFY(hasLogged(store.series({"run", "", "a"}), 100, 50, 0));
    QVERIFY(!removals.empty());
    QVERIFY(store.series({"run", "", "old"}) == nullptr);
    QCOMPARE(store.keys("run").size(), 2);
}

void TstSeriesStore::evaluationsJoinLater()
{
    writeEvents(m_run, 1, {"loss"}, 0, 10);
    SeriesStore store;
    QSignalSpy keys(&store, &SeriesStore::keysAdded);
    store.addRun("run", QString::fromStdString(m_run));
    store.setWatched("run", true);
    WAIT_UNTIL(sizeOf(store, {"run", "", "loss"}) == 10);
    writeEvents(m_run + "/eval", 2, {"auc"}, 10, 1);
    WAIT_UNTIL(sizeOf(store, {"run", "eval", "auc"}) == 1);
    QVERIFY(store.keys("run").back().isEvaluation());
    QVERIFY(keys.size() >= 2);
    writeEvents(m_run + "/eval_test", 2, {"auc"}, 10, 2);
    WAIT_UNTIL(sizeOf(store, {"run", "eval_test", "auc"}) == 2);
    QCOMPARE(sizeOf(store, {"run", "eval", "auc"}), 1);
}

void TstSeriesStore::foldersMayComeLater()
{
    SeriesStore store;
    store.setPollInterval(std::chrono::milliseconds(20));
    const std::string folder = m_run + "/not/yet";
    store.addRun("run", QString::fromStdString(folder));
    store.setWatched("run", true);
    WAIT_UNTIL(store.loadedFraction("run") == 1);
    QVERIFY(store.keys("run").isEmpty());
    writeEvents(folder, 1, {"loss"}, 0, 10);
    WAIT_UNTIL(sizeOf(store, {"run", "", "loss"}) == 10);
}

void TstSeriesStore::foldersMadeAnewAreWatchedAgain()
{
    SeriesStore store;
    store.setPollInterval(std::chrono::milliseconds(20));
    store.addRun("run", QString::fromStdString(m_run));
    store.setWatched("run", true);
    writeEvents(m_run, 1, {"loss"}, 0, 10);
    WAIT_UNTIL(sizeOf(store, {"run", "", "loss"}) == 10);
    QVERIFY(QDir(QString::fromStdString(m_run)).removeRecursively());
    writeEvents(m_run, 2, {"loss"}, 0, 7);
    WAIT_UNTIL(sizeOf(store, {"run", "", "loss"}) == 7);
    // From now on only the watcher can report.
    store.setPollInterval(std::chrono::hours(1));
    writeEvents(m_run, 3, {"loss"}, 7, 5);
    WAIT_UNTIL(sizeOf(store, {"run", "", "loss"}) == 12);
}

void TstSeriesStore::removedRunsCanBeAddedAgain()
{
    writeEvents(m_run, 1, {"a"}, 0, 20'000);
    SeriesStore store;
    qint64 firstTime = 0;
    for (int i = 0; i < 4; ++i) {
        store.addRun("run", QString::fromStdString(m_run));
        store.setWatched("run", true);
        WAIT_UNTIL(sizeOf(store, {"run", "", "a"}) == 20'000 && store.loadedFraction("run") == 1);
        QVERIFY(hasLogged(store.series({"run", "", "a"}), 0, 20'000, 0));
        firstTime = i == 0 ? store.bytesRead() : firstTime;
        QCOMPARE(store.bytesRead(), firstTime);
        QSignalSpy removals(&store, &SeriesStore::seriesRemoved);
        store.removeRun("run");
        QCOMPARE(removals.size(), 1);
        QVERIFY(store.keys("run").isEmpty());
    }
}

void TstSeriesStore::stepsPerEpochAreTold()
{
    writeEvents(m_run, 1, {"a"}, 0, 10);
    SeriesStore store;
    store.addRun("run", QString::fromStdString(m_run));
    store.setStepsPerEpoch("run", 12.5);
    store.setWatched("run", true);
    WAIT_UNTIL(sizeOf(store, {"run", "", "a"}) == 10);
    const Series* series = store.series({"run", "", "a"});
    QCOMPARE(series->stepsPerEpoch(), 12.5);
    QSignalSpy changes(&store, &SeriesStore::changed);
    store.setStepsPerEpoch("run", 25);
    WAIT_UNTIL(changes.size() == 1);
    QCOMPARE(series->stepsPerEpoch(), 25.0);
}

CANNERY_TEST(TstSeriesStore)
#include "tst_series_store.moc"

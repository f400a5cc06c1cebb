// SPDX-License-Identifier: GPL-3.0-only
#include "storage/io/files.h"
#include "tests/support/test_main.h"
#include "tests/ui/services/event_files.h"
#include "tests/ui/services/series_bench.h"
#include "ui/services/runs/series_store.h"

#include <QDir>
#include <QDirIterator>
#include <QSignalSpy>
#include <QTest>

using namespace cannery;
using namespace cannery::tests;
using cannery::ui::Series;
using cannery::ui::SeriesSegment;
using cannery::ui::SeriesStore;

class TstSeriesCache : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { m_run = m_folders.makeRun(); }
    void aCacheSparesTheDecoding();
    void grownFilesAreReadFromTheCachesEnd();
    void copiedFilesKeepTheirCache();
    void damagedCachesAreMadeAnew_data();
    void damagedCachesAreMadeAnew();
    void columnsThatTheDiskLosesAreMadeAnew();
    void residentColumnsAreCapped();
    void twoStoresDoNotDisturbEachOther();

private:
    RunFolders m_folders;
    std::string m_run; ///< a new folder for each test
};

void TstSeriesCache::aCacheSparesTheDecoding()
{
    const std::string path = writeEvents(m_run, 1, {"a", "b"}, 0, 5000, true);
    writeEvents(m_run, 2, {"a"}, 4000, 2);
    const auto size = static_cast<qint64>(*storage::fileSize(path));
    std::vector<SeriesSegment> segments;
    for (int start = 0; start < 3; ++start) {
        SeriesStore store;
        store.addRun("run", QString::fromStdString(m_run));
        store.setWatched("run", true);
        WAIT_UNTIL(store.loadedFraction("run") == 1 && sizeOf(store, {"run", "", "a"}) == 5002);
        QVERIFY(hasLogged(store.series({"run", "", "b"}), 0, 5000, 1));
        const Series* series = store.series({"run", "", "a"});
        QCOMPARE(series->segments(),
                 (std::vector<SeriesSegment>{{0, 5000, 4000}, {5000, 5002, 5002}}));
        if (start == 0) {
            QVERIFY(store.bytesRead() > size);
        } else {
            QCOMPARE(store.bytesRead(), qint64{0});
        }
    }
}

void TstSeriesCache::grownFilesAreReadFromTheCachesEnd()
{
    const std::string path = writeEvents(m_run, 1, {"a", "b"}, 0, 5000);
    {
        SeriesStore store;
        store.addRun("run", QString::fromStdString(m_run));
        store.setWatched("run", true);
        WAIT_UNTIL(store.loadedFraction("run") == 1);
    }
    const std::string more = m_folders.filePath("more").toStdString();
    const std::string bytes = *storage::readWholeFile(writeEvents(more, 1, {"a", "b"}, 5000, 10));
    appendBytes(path, bytes);
    SeriesStore store;
    store.addRun("run", QString::fromStdString(m_run));
    store.setWatched("run", true);
    WAIT_UNTIL(sizeOf(store, {"run", "", "a"}) == 5010 && store.loadedFraction("run") == 1);
    QVERIFY(hasLogged(store.series({"run", "", "a"}), 0, 5010, 0));
    QVERIFY(hasLogged(store.series({"run", "", "b"}), 0, 5010, 1));
    QCOMPARE(store.bytesRead(), static_cast<qint64>(bytes.size()));
}

/// As programs do that copy logs from another machine: a new file replaces the old one.
void TstSeriesCache::copiedFilesKeepTheirCache()
{
    const std::string path = writeEvents(m_run, 1, {"a"}, 0, 5000);
    SeriesStore store;
    store.addRun("run", QString::fromStdString(m_run));
    store.setWatched("run", true);
    WAIT_UNTIL(store.loadedFraction("run") == 1);
    const qint64 before = store.bytesRead();
    const std::string more = m_folders.filePath("more_of_a").toStdString();
    const std::string bytes = *storage::readWholeFile(writeEvents(more, 1, {"a"}, 5000, 10));
    QSignalSpy removals(&store, &SeriesStore::seriesRemoved);
    const std::string copy = m_folders.filePath("copy").toStdString();
    writeBytes(copy, *storage::readWholeFile(path) + bytes);
    QVERIFY(std::rename(copy.c_str(), path.c_str()) == 0);
    WAIT_UNTIL(sizeOf(store, {"run", "", "a"}) == 5010 && store.loadedFraction("run") == 1);
    QVERIFY(hasLogged(store.series({"run", "", "a"}), 0, 5010, 0));
    QVERIFY(removals.isEmpty());
    QCOMPARE(store.bytesRead(), before + static_cast<qint64>(bytes.size()));
}

void TstSeriesCache::damagedCachesAreMadeAnew_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("place"); // in percent; -1: cut in half, -2: deleted
    for (const int place : {-2, -1, 0, 50, 99}) {
        QTest::addRow("index %d", place) << "index" << place;
    }
    for (const int place : {-2, -1, 0, 20, 50}) {
        QTest::addRow("columns %d", place) << "*.columns" << place;
    }
}

void TstSeriesCache::damagedCachesAreMadeAnew()
{
    QFETCH(QString, file);
    QFETCH(int, place);
    const std::string path = writeEvents(m_run, 1, {"a"}, 0, 5000);
    const QString caches = qEnvironmentVariable("XDG_CACHE_HOME") + "/cannery/series";
    QDir(caches).removeRecursively();
    for (int start = 0; start < 2; ++start) {
        SeriesStore store;
        store.addRun("run", QString::fromStdString(m_run));
        store.setWatched("run", true);
        WAIT_UNTIL(sizeOf(store, {"run", "", "a"}) == 5000 && store.loadedFraction("run") == 1);
        QVERIFY(hasLogged(store.series({"run", "", "a"}), 0, 5000, 0));
        QCOMPARE(store.bytesRead(), static_cast<qint64>(*storage::fileSize(path)));
        if (start == 1) {
            return;
        }
        WAIT_UNTIL(
            QDirIterator(caches, {"index"}, QDir::Files, QDirIterator::Subdirectories).hasNext());
        QDirIterator found(caches, {file}, QDir::Files, QDirIterator::Subdirectories);
        QVERIFY(found.hasNext());
        const std::string damaged = found.next().toStdString();
        std::string bytes = *storage::readWholeFile(damaged);
        if (place < 0) {
            std::remove(damaged.c_str());
            bytes.resize(bytes.size() / 2);
        } else {
            bytes[bytes.size() * static_cast<std::size_t>(place) / 100] ^= 1;
        }
        if (place > -2) {
            writeBytes(damaged, bytes);
        }
    }
}

/// The file is truncated while its columns are shown: the window continues, and reads them again
/// with what is logged next.
void TstSeriesCache::columnsThatTheDiskLosesAreMadeAnew()
{
    const QString caches = qEnvironmentVariable("XDG_CACHE_HOME") + "/cannery/series";
    QDir(caches).removeRecursively();
    const std::string path = writeEvents(m_run, 1, {"a"}, 0, 20'000);
    SeriesStore store;
    store.addRun("run", QString::fromStdString(m_run));
    store.setWatched("run", true);
    WAIT_UNTIL(sizeOf(store, {"run", "", "a"}) == 20'000 && store.loadedFraction("run") == 1);
    QDirIterator found(caches, {"*.columns"}, QDir::Files, QDirIterator::Subdirectories);
    QVERIFY(found.hasNext());
    QVERIFY(QFile::resize(found.next(), 0));
    QCOMPARE(store.series({"run", "", "a"})->steps()[19'000], 0);
    const std::string more = m_folders.filePath("more").toStdString();
    appendBytes(path, *storage::readWholeFile(writeEvents(more, 1, {"a"}, 20'000, 10)));
    WAIT_UNTIL(sizeOf(store, {"run", "", "a"}) == 20'010 &&
               hasLogged(store.series({"run", "", "a"}), 0, 20'010, 0));
}

void TstSeriesCache::residentColumnsAreCapped()
{
    writeEvents(m_run, 1, {"a", "b", "c", "d", "e"}, 0, 20'000);
    SeriesStore store;
    constexpr qint64 kLimit = 700'000; // two of five
    store.setResidentLimit(kLimit);
    store.addRun("run", QString::fromStdString(m_run));
    store.setWatched("run", true);
    WAIT_UNTIL(sizeOf(store, {"run", "", "e"}) == 20'000 && store.loadedFraction("run") == 1);
    QVERIFY(store.residentBytes() <= kLimit);
    std::size_t tag = 0;
    for (const char* name : {"a", "b", "c", "d", "e"}) {
        QVERIFY(hasLogged(store.series({"run", "", name}), 0, 20'000, tag++));
    }
    store.setResidentLimit(kLimit);
    QVERIFY(store.residentBytes() <= kLimit);
    QVERIFY(store.residentBytes() > 0);
    QVERIFY(hasLogged(store.series({"run", "", "a"}), 0, 20'000, 0));
}

void TstSeriesCache::twoStoresDoNotDisturbEachOther()
{
    writeEvents(m_run, 1, {"a"}, 0, 20'000);
    SeriesStore first;
    SeriesStore second;
    for (SeriesStore* store : {&first, &second}) {
        store->addRun("run", QString::fromStdString(m_run));
        store->setWatched("run", true);
    }
    for (SeriesStore* store : {&first, &second}) {
        WAIT_UNTIL(sizeOf(*store, {"run", "", "a"}) == 20'000);
        QVERIFY(hasLogged(store->series({"run", "", "a"}), 0, 20'000, 0));
    }
    writeEvents(m_run, 2, {"a"}, 20'000, 100);
    for (SeriesStore* store : {&first, &second}) {
        WAIT_UNTIL(sizeOf(*store, {"run", "", "a"}) == 20'100);
        QVERIFY(hasLogged(store->series({"run", "", "a"}), 0, 20'100, 0));
    }
}

CANNERY_TEST(TstSeriesCache)
#include "tst_series_cache.moc"

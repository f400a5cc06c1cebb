// SPDX-License-Identifier: Apache-2.0
#include "storage/io/file_stamp.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace cannery::storage;
using namespace std::chrono_literals;

namespace fs = std::filesystem;

class TstFileStamp : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void everyChangeGivesAnotherStamp_data();
    void everyChangeGivesAnotherStamp();
    void onlyRegularFilesHaveOne();
    void knowsWhatHasSettled();

private:
    void write(const std::string& text) const { std::ofstream(m_path) << text; }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::string m_path;
};

void TstFileStamp::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_path = m_folder->filePath("table.csv").toStdString();
    write("a,b\n1,2\n");
    std::this_thread::sleep_for(80ms);
}

void TstFileStamp::everyChangeGivesAnotherStamp_data()
{
    QTest::addColumn<QString>("change");
    for (const char* change :
         {"grown", "same size, time restored", "copied over", "renamed over"}) {
        QTest::newRow(change) << change;
    }
}

void TstFileStamp::everyChangeGivesAnotherStamp()
{
    QFETCH(QString, change);
    const auto before = stampOf(m_path);
    const auto time = fs::last_write_time(m_path);
    const std::string copy = m_path + ".copy";
    fs::copy(m_path, copy);
    QVERIFY(before == stampOf(m_path));
    if (change == "grown") {
        write("a,b\n1,2\n3,4\n");
    } else if (change == "same size, time restored") {
        write("a,b\n1,3\n");
    } else if (change == "copied over") {
        fs::copy(copy, m_path, fs::copy_options::overwrite_existing);
    } else {
        fs::rename(copy, m_path);
    }
    fs::last_write_time(m_path, time);
    const auto after = stampOf(m_path);
    QVERIFY(before && after && *before != *after);
    QVERIFY(toText(*before) != toText(*after));
}

void TstFileStamp::onlyRegularFilesHaveOne()
{
    QVERIFY(!stampOf(m_path + ".none"));
    QVERIFY(!stampOf(m_folder->path().toStdString()));
    QVERIFY(!stampOf("/dev/null"));
    const std::string link = m_path + ".link";
    fs::create_symlink(m_path, link);
    QVERIFY(stampOf(link) && stampOf(link) == stampOf(m_path));
}

void TstFileStamp::knowsWhatHasSettled()
{
    const auto now = std::chrono::system_clock::now();
    QVERIFY(wasSettled(*stampOf(m_path), now));
    QVERIFY(!wasSettled(*stampOf(m_path), now - 1h));
    write("a,b\n");
    QVERIFY(!wasSettled(*stampOf(m_path), std::chrono::system_clock::now()));
    // A file system that counts whole seconds.
    constexpr std::int64_t kSecond = 1'000'000'000;
    const FileStamp coarse{.changed = 1000 * kSecond};
    const std::chrono::system_clock::time_point then(1000s);
    QVERIFY(!wasSettled(coarse, then + 1900ms));
    QVERIFY(wasSettled(coarse, then + 2s));
}

CANNERY_TEST(TstFileStamp)
#include "tst_file_stamp.moc"

// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/job_note.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace cannery;
using namespace cannery::storage;

/// What a window finds a command by that goes on by itself.
class TstJobNote : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aNoteKeepsWhatItSays();
    void onlyThisMachineKnowsWhatLives();
    void whatIsNoNoteIsPassedOver_data();
    void whatIsNoNoteIsPassedOver();
    void notesAreAmongTheUsersData();

private:
    std::string path(const char* name) const { return m_folder.filePath(name).toStdString(); }

    QTemporaryDir m_folder;
};

void TstJobNote::aNoteKeepsWhatItSays()
{
    JobNote note = noteOfThisProcess();
    QVERIFY(note.startedAt > 0);
    note.subject = "/p/a.cannery";
    note.folder = "/p";
    note.arguments = {"sweep", "/p/a.cannery", "--set", "name=\"ä\""};
    note.title = "Sweeping";
    note.isInTerminal = true;
    note.progress = 0.25;
    note.message = "trial 3";
    VERIFY_OK(writeJobNote(path("new/folder/note.json"), note));
    const auto read = readJobNote(path("new/folder/note.json"));
    QVERIFY(read.has_value());
    QVERIFY(*read == note);
}

void TstJobNote::onlyThisMachineKnowsWhatLives()
{
    JobNote note = noteOfThisProcess();
    QCOMPARE(note.isAlive(), std::optional(true));
    note.startTime += "1";
    QCOMPARE(note.isAlive(), std::optional(false));
    note.machine += "-other";
    QCOMPARE(note.isAlive(), std::optional<bool>());
}

void TstJobNote::whatIsNoNoteIsPassedOver_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("broken") << QByteArray("{\"process\": 1,");
    QTest::newRow("a list") << QByteArray("[]");
    QTest::newRow("nothing in it") << QByteArray("{}");
    QTest::newRow("another type") << QByteArray(
        R"({"process": "1", "start_time": "", "subject": "a", "folder": "b",
                          "arguments": [], "started_at": 1})");
}

void TstJobNote::whatIsNoNoteIsPassedOver()
{
    QFETCH(QByteArray, text);
    std::ofstream(path("note.json")) << text.toStdString();
    QVERIFY(!readJobNote(path("note.json")));
    QVERIFY(!readJobNote(path("missing.json")));
}

void TstJobNote::notesAreAmongTheUsersData()
{
    const QByteArray data = qgetenv("XDG_DATA_HOME");
    const QByteArray home = qgetenv("HOME");
    qputenv("HOME", "/home/ada");
    qputenv("XDG_DATA_HOME", "/data");
    QCOMPARE(jobNoteFolder(), std::string("/data/cannery/jobs"));
    qputenv("XDG_DATA_HOME", "relative");
    QCOMPARE(jobNoteFolder(), std::string("/home/ada/.local/share/cannery/jobs"));
    qputenv("HOME", "");
    QCOMPARE(jobNoteFolder(), std::string());
    qputenv("XDG_DATA_HOME", data);
    qputenv("HOME", home);
}

CANNERY_TEST(TstJobNote)
#include "tst_job_note.moc"

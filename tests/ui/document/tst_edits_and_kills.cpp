// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/document/edit_loop.h"
#include "ui/document/experiment_document.h"
#include "ui/document/experiment_file.h"

#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <QTest>

using namespace cannery::ui;
using namespace cannery::tests;

namespace {

/// What a program that edits said before it ended.
struct Printed
{
    QByteArray start;
    bool hasStarted = false;
    int saved = 0; ///< changes that are surely on the disk
    bool crashed = false;
    int exitCode = 0;
};

Printed printedBy(QProcess& process)
{
    Printed printed;
    printed.crashed = process.exitStatus() == QProcess::CrashExit;
    printed.exitCode = process.exitCode();
    for (const QByteArray& line : process.readAllStandardOutput().split('\n')) {
        if (line.startsWith("start ")) {
            printed.start = QByteArray::fromBase64(line.mid(6));
            printed.hasStarted = true;
        } else if (line.startsWith("saved ") && printed.hasStarted) {
            printed.saved = line.mid(6).toInt();
        }
    }
    return printed;
}

/// What the next window shows if the user keeps the changes: the newest text in file or journal.
QByteArray recoverableText(const QString& file)
{
    ExperimentFile onDisk(file);
    const ExperimentFile::Answer answer = onDisk.read();
    const ExperimentFile::Journal journal = onDisk.orphanedJournal();
    return journal.changes != 0 ? journal.text : answer.bytes;
}

} // namespace

/// A window that is killed at any moment, or whose disk fails, loses nothing that it called saved.
class TstEditsAndKills : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void aThousandEditsUndosSavesAndKillsLoseNoSavedByte();
    void noFileOperationLosesASavedByte_data();
    void noFileOperationLosesASavedByte();

private:
    void reset() const;
    /// Checks what is there after a program that began with `before`.
    void check(const Printed& printed, const QByteArray& before, quint32 seed, int count) const;

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_file;
};

void TstEditsAndKills::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_file = m_folder->filePath(QStringLiteral("titanic.cannery"));
    reset();
}

void TstEditsAndKills::reset() const
{
    QFile::remove(m_file);
    QFile::remove(ExperimentFile::journalOf(m_file));
    QVERIFY(QFile::copy(
        QStringLiteral(CANNERY_SOURCE_DIR "/resources/examples/titanic/titanic.cannery"), m_file));
    QVERIFY(QFile::setPermissions(m_file, QFile::ReadOwner | QFile::WriteOwner));
}

void TstEditsAndKills::check(const Printed& printed, const QByteArray& before, quint32 seed,
                             int count) const
{
    const QByteArray kept = recoverableText(m_file);
    if (!printed.hasStarted) {
        QCOMPARE(kept, before);
        return;
    }
    QCOMPARE(printed.start, before);
    int steps = -1;
    for (const LoopText& text : textsOfLoop(printed.start, seed, count)) {
        steps = text.text == kept ? text.steps : steps;
    }
    QVERIFY2(
        steps >= printed.saved,
        qPrintable(
            QStringLiteral("saved %1, kept %2, seed %3").arg(printed.saved).arg(steps).arg(seed)));
}

void TstEditsAndKills::aThousandEditsUndosSavesAndKillsLoseNoSavedByte()
{
    constexpr int kMost = 120;
    QRandomGenerator random(11);
    int changes = 0;
    int kills = 0;
    for (quint32 seed = 1; changes < 1000; ++seed) {
        QVERIFY(seed < 400);
        const QByteArray before = recoverableText(m_file);
        QProcess window;
        window.start(QStringLiteral(CANNERY_EDITS_UNTIL_KILLED),
                     {m_file, QString::number(seed), QString::number(kMost)});
        QVERIFY(window.waitForStarted(kPatience));
        const int lines = random.bounded(25);
        QByteArray heard;
        while (heard.count('\n') < lines && window.waitForReadyRead(kPatience)) {
            heard += window.peek(window.bytesAvailable()).mid(heard.size());
        }
        QTest::qSleep(random.bounded(8));
        window.kill();
        QVERIFY(window.waitForFinished(kPatience));
        const Printed printed = printedBy(window);
        check(printed, before, seed, kMost);
        if (QTest::currentTestFailed()) {
            return;
        }
        changes += printed.saved;
        kills += printed.crashed ? 1 : 0;
    }
    QVERIFY(kills > 10);
}

void TstEditsAndKills::noFileOperationLosesASavedByte_data()
{
    QTest::addColumn<QByteArray>("what");
    QTest::newRow("killed before it") << QByteArray("kill");
    QTest::newRow("killed in the middle of a write") << QByteArray("tear");
    QTest::newRow("it fails") << QByteArray("fail");
}

void TstEditsAndKills::noFileOperationLosesASavedByte()
{
    QFETCH(QByteArray, what);
    constexpr int kChanges = 5;
    constexpr quint32 kSeed = 3;
    int disturbed = 0;
    for (int at = 1; at < 400; ++at) {
        reset();
        const QByteArray before = recoverableText(m_file);
        QProcess window;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("LD_PRELOAD"), QStringLiteral(CANNERY_FAULT_SHIM));
        environment.insert(QStringLiteral("CANNERY_FAULT_ROOT"), m_folder->path());
        environment.insert(QStringLiteral("CANNERY_FAULT_CALLS"),
                           QStringLiteral("write,sync,rename,create,remove"));
        environment.insert(QStringLiteral("CANNERY_FAULT_AT"), QString::number(at));
        environment.insert(QStringLiteral("CANNERY_FAULT_DO"), QString::fromLatin1(what));
        environment.insert(QStringLiteral("CANNERY_FAULT_ERRNO"), QString::number(ENOSPC));
        window.setProcessEnvironment(environment);
        window.start(QStringLiteral(CANNERY_EDITS_UNTIL_KILLED),
                     {m_file, QString::number(kSeed), QString::number(kChanges)});
        QVERIFY(window.waitForFinished(kPatience));
        const Printed printed = printedBy(window);
        check(printed, before, kSeed, kChanges);
        QVERIFY2(!QTest::currentTestFailed(), qPrintable(QString::number(at)));
        if (what != "fail" && !printed.crashed) {
            QCOMPARE(printed.exitCode, 0);
            break; // it made fewer calls
        }
        if (++disturbed == 30 && what == "fail") {
            break;
        }
    }
    QVERIFY(disturbed >= 10);
}

CANNERY_TEST(TstEditsAndKills)
#include "tst_edits_and_kills.moc"

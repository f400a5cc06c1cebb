// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/document/edit_loop.h"
#include "ui/document/experiment_difference.h"
#include "ui/document/experiment_document.h"
#include "ui/document/experiment_file.h"
#include "ui/document/experiment_renaming.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>

using namespace cannery::ui;
using namespace cannery::tests;

namespace {

const QString kSteps = QStringLiteral("train_spec.max_steps");

QByteArray bytesOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void putBytes(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) {
        qFatal("cannot write a test file");
    }
}

} // namespace

/// Another program changes, deletes or has the file that is open here.
class TstExperimentConflicts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void aChangeMadeOnTopOfMineIsReloaded();
    void aChangeOfAnEditNotYetSavedIsAChoice();
    void aChangeThatLosesMyEditsIsAChoice();
    void mineIsKept();
    void theirsIsTaken();
    void nothingIsWrittenBeforeTheChoice();
    void anEditIsNotLostIfTheWindowDiesBeforeTheChoice();
    void theirTextBecomingMineNeedsNoChoice();
    void aFileThatVanishedIsSaidAndSavedAgain();
    void anEditWaitsUntilAVanishedFileIsWantedBack();
    void anEditOfAFileThatComesBackIsWritten();
    void anEditOfAFileThatComesBackLaterIsRecovered();
    void aVanishedExperimentIsDiscarded();
    void renamingMovesFileAndName();
    void renamingIsUndoneAndRedone();
    void renamingReplacesNoFile();
    void changesAreNamedInTheSchemasWords();

private:
    bool waitForChoice(ExperimentDocument& document) const;
    /// The document with an edit of max_steps that is saved, then overwritten by `m_other`.
    bool openConflict(ExperimentDocument& document) const;

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_file;
    QByteArray m_original;
    QByteArray m_other; ///< the original with another name
};

void TstExperimentConflicts::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_file = m_folder->filePath(QStringLiteral("titanic.cannery"));
    m_original =
        bytesOf(QStringLiteral(CANNERY_SOURCE_DIR "/resources/examples/titanic/titanic.cannery"));
    m_other = m_original;
    m_other.replace("Titanic, wide and deep", "From git");
    putBytes(m_file, m_original);
}

bool TstExperimentConflicts::waitForChoice(ExperimentDocument& document) const
{
    return QTest::qWaitFor([&] { return document.storage().standing() == Standing::BothChanged; },
                           kPatience);
}

bool TstExperimentConflicts::openConflict(ExperimentDocument& document) const
{
    if (!openAndWait(document, m_file) || !document.setValue(kSteps, QStringLiteral("77")) ||
        !QTest::qWaitFor([&] { return !document.storage().isSaving(); }, kPatience)) {
        return false;
    }
    putBytes(m_file, m_other);
    return waitForChoice(document);
}

void TstExperimentConflicts::aChangeMadeOnTopOfMineIsReloaded()
{
    ExperimentDocument document;
    QVERIFY(openAndWait(document, m_file));
    QVERIFY(document.setValue(kSteps, QStringLiteral("77")));
    QTRY_VERIFY_WITH_TIMEOUT(!document.storage().isSaving(), kPatience);
    QByteArray theirs = document.text().toUtf8();
    theirs.replace("Titanic, wide and deep", "From git");
    QSignalSpy reloaded(&document, &ExperimentDocument::reloaded);
    putBytes(m_file, theirs);
    QTRY_COMPARE_WITH_TIMEOUT(reloaded.size(), 1, kPatience);
    QCOMPARE(document.storage().standing(), Standing::Settled);
    QCOMPARE(document.text().toUtf8(), theirs);
    document.undoStack()->undo();
    QCOMPARE(document.value(kSteps), QStringLiteral("77"));
    QTRY_VERIFY_WITH_TIMEOUT(!document.storage().isSaving(), kPatience);
    QVERIFY(!bytesOf(m_file).contains("From git"));
}

void TstExperimentConflicts::aChangeOfAnEditNotYetSavedIsAChoice()
{
    ExperimentDocument document;
    QVERIFY(openAndWait(document, m_file));
    putBytes(m_file, m_other);
    QVERIFY(document.setValue(kSteps, QStringLiteral("77")));
    QVERIFY(waitForChoice(document));
    QCOMPARE(bytesOf(m_file), m_other);
    QCOMPARE(document.storage().theirText().toUtf8(), m_other);
    QVERIFY(document.text().contains(QLatin1String("max_steps: 77")));
    QVERIFY(!document.storage().isSaving());
}

void TstExperimentConflicts::aChangeThatLosesMyEditsIsAChoice()
{
    ExperimentDocument document;
    QVERIFY(openConflict(document));
    QVERIFY(document.text().contains(QLatin1String("max_steps: 77")));
    QCOMPARE(bytesOf(m_file), m_other);
}

void TstExperimentConflicts::mineIsKept()
{
    ExperimentDocument document;
    QVERIFY(openConflict(document));
    const QByteArray mine = document.text().toUtf8();
    document.storage().keepMine();
    QCOMPARE(document.storage().standing(), Standing::Settled);
    QCOMPARE(document.text().toUtf8(), mine);
    QTRY_COMPARE_WITH_TIMEOUT(bytesOf(m_file), mine, kPatience);
    document.undoStack()->undo();
    QCOMPARE(document.text().toUtf8(), m_other);
    QTRY_COMPARE_WITH_TIMEOUT(bytesOf(m_file), m_other, kPatience);
    document.undoStack()->undo();
    QCOMPARE(document.text().toUtf8(), mine);
    document.undoStack()->undo();
    QCOMPARE(document.text().toUtf8(), m_original);
    QTRY_COMPARE_WITH_TIMEOUT(bytesOf(m_file), m_original, kPatience);
}

void TstExperimentConflicts::theirsIsTaken()
{
    ExperimentDocument document;
    QVERIFY(openConflict(document));
    const QByteArray mine = document.text().toUtf8();
    document.storage().takeTheirs();
    QCOMPARE(document.storage().standing(), Standing::Settled);
    QTRY_COMPARE_WITH_TIMEOUT(document.name(), QStringLiteral("From git"), kPatience);
    QCOMPARE(bytesOf(m_file), m_other);
    QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(ExperimentFile::journalOf(m_file)), kPatience);
    document.undoStack()->undo();
    QTRY_COMPARE_WITH_TIMEOUT(bytesOf(m_file), mine, kPatience);
}

void TstExperimentConflicts::nothingIsWrittenBeforeTheChoice()
{
    ExperimentDocument document;
    QVERIFY(openConflict(document));
    QVERIFY(document.setValue(kSteps, QStringLiteral("78")));
    bool isWritten = false;
    document.storage().afterWriting([&] { isWritten = true; });
    QTRY_VERIFY_WITH_TIMEOUT(isWritten, kPatience);
    QCOMPARE(bytesOf(m_file), m_other);
    document.storage().keepMine();
    QTRY_VERIFY_WITH_TIMEOUT(bytesOf(m_file).contains("max_steps: 78"), kPatience);
}

void TstExperimentConflicts::anEditIsNotLostIfTheWindowDiesBeforeTheChoice()
{
    {
        ExperimentDocument document;
        QVERIFY(openConflict(document));
    }
    QCOMPARE(bytesOf(m_file), m_other);
    ExperimentDocument next;
    QVERIFY(openAndWait(next, m_file));
    QVERIFY(next.storage().recovered().unsaved);
    QVERIFY(next.storage().recovered().after.contains(QLatin1String("max_steps: 77")));
    QCOMPARE(next.storage().recovered().before.toUtf8(), m_other);
    next.storage().keepRecovered();
    QTRY_VERIFY_WITH_TIMEOUT(bytesOf(m_file).contains("max_steps: 77"), kPatience);
}

void TstExperimentConflicts::theirTextBecomingMineNeedsNoChoice()
{
    ExperimentDocument document;
    QVERIFY(openConflict(document));
    putBytes(m_file, document.text().toUtf8());
    QTRY_COMPARE_WITH_TIMEOUT(document.storage().standing(), Standing::Settled, kPatience);
    QVERIFY(document.setValue(kSteps, QStringLiteral("79")));
    QTRY_VERIFY_WITH_TIMEOUT(bytesOf(m_file).contains("max_steps: 79"), kPatience);
}

void TstExperimentConflicts::aFileThatVanishedIsSaidAndSavedAgain()
{
    ExperimentDocument document;
    QVERIFY(openAndWait(document, m_file));
    QSignalSpy failed(&document, &ExperimentDocument::failed);
    QVERIFY(QFile::remove(m_file));
    QTRY_COMPARE_WITH_TIMEOUT(document.storage().standing(), Standing::Gone, kPatience);
    QCOMPARE(document.text().toUtf8(), m_original);
    QVERIFY(!QFile::exists(m_file));
    document.storage().saveAgain();
    QTRY_COMPARE_WITH_TIMEOUT(document.storage().standing(), Standing::Settled, kPatience);
    QCOMPARE(bytesOf(m_file), m_original);
    QVERIFY(failed.isEmpty());
}

/// Even before the document has noticed that the file has vanished.
void TstExperimentConflicts::anEditWaitsUntilAVanishedFileIsWantedBack()
{
    ExperimentDocument document;
    QVERIFY(openAndWait(document, m_file));
    QVERIFY(QFile::remove(m_file));
    QVERIFY(document.setValue(kSteps, QStringLiteral("76")));
    QTRY_COMPARE_WITH_TIMEOUT(document.storage().standing(), Standing::Gone, kPatience);
    QVERIFY(document.setValue(kSteps, QStringLiteral("77")));
    document.storage().afterWriting(
        [&document] { document.setObjectName(QStringLiteral("done")); });
    QTRY_COMPARE_WITH_TIMEOUT(document.objectName(), QStringLiteral("done"), kPatience);
    QCOMPARE(document.storage().standing(), Standing::Gone);
    QVERIFY(!QFile::exists(m_file));
    QVERIFY(!document.isSettled());
    document.storage().saveAgain();
    QTRY_COMPARE_WITH_TIMEOUT(document.storage().standing(), Standing::Settled, kPatience);
    QVERIFY(bytesOf(m_file).contains("max_steps: 77"));
}

/// It was only away for a moment.
void TstExperimentConflicts::anEditOfAFileThatComesBackIsWritten()
{
    ExperimentDocument document;
    QVERIFY(openAndWait(document, m_file));
    const QString aside = m_file + QStringLiteral(".aside");
    QVERIFY(QFile::rename(m_file, aside));
    QVERIFY(document.setValue(kSteps, QStringLiteral("77")));
    QTRY_COMPARE_WITH_TIMEOUT(document.storage().standing(), Standing::Gone, kPatience);
    QVERIFY(QFile::rename(aside, m_file));
    QTRY_VERIFY_WITH_TIMEOUT(bytesOf(m_file).contains("max_steps: 77"), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(document.storage().standing(), Standing::Settled, kPatience);
}

/// After the window was closed.
void TstExperimentConflicts::anEditOfAFileThatComesBackLaterIsRecovered()
{
    const QString aside = m_file + QStringLiteral(".aside");
    {
        ExperimentDocument document;
        QVERIFY(openAndWait(document, m_file));
        QVERIFY(QFile::rename(m_file, aside));
        QVERIFY(document.setValue(kSteps, QStringLiteral("77")));
        QTRY_COMPARE_WITH_TIMEOUT(document.storage().standing(), Standing::Gone, kPatience);
    }
    QVERIFY(QFile::rename(aside, m_file));
    ExperimentDocument document;
    QVERIFY(openAndWait(document, m_file));
    QCOMPARE(document.storage().recovered().changes, 1);
    QVERIFY(document.storage().recovered().after.contains(QLatin1String("max_steps: 77")));
}

void TstExperimentConflicts::aVanishedExperimentIsDiscarded()
{
    ExperimentDocument document;
    QVERIFY(openAndWait(document, m_file));
    document.storage().discard(); // only one that is gone
    QVERIFY(document.isOpen());
    QVERIFY(QFile::remove(m_file));
    QVERIFY(document.setValue(kSteps, QStringLiteral("77")));
    QTRY_COMPARE_WITH_TIMEOUT(document.storage().standing(), Standing::Gone, kPatience);
    QVERIFY(QFile::exists(ExperimentFile::journalOf(m_file)));
    document.storage().discard();
    QVERIFY(!document.isOpen());
    QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(ExperimentFile::journalOf(m_file)), kPatience);
    QVERIFY(!QFile::exists(m_file));
}

void TstExperimentConflicts::renamingMovesFileAndName()
{
    ExperimentDocument document;
    QVERIFY(openAndWait(document, m_file));
    QVERIFY(document.setValue(kSteps, QStringLiteral("77")));
    const QString file = m_folder->filePath(QStringLiteral("deep.cannery"));
    QSignalSpy moved(&document, &ExperimentDocument::moved);
    std::optional<QString> error;
    renameExperiment(document, QStringLiteral("Deep / \"wide\""), file,
                     [&](const QString& why) { error = why; });
    QTRY_VERIFY_WITH_TIMEOUT(error.has_value(), kPatience);
    QCOMPARE(*error, QString());
    QCOMPARE(document.file(), file);
    QCOMPARE(moved.size(), 1);
    QTRY_COMPARE_WITH_TIMEOUT(document.name(), QStringLiteral("Deep / \"wide\""), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!document.storage().isSaving(), kPatience);
    QVERIFY(!QFile::exists(m_file));
    QVERIFY(bytesOf(file).contains("max_steps: 77"));
    QVERIFY(QFile::exists(ExperimentFile::journalOf(file)));
    QVERIFY(!QFile::exists(ExperimentFile::journalOf(m_file)));
}

void TstExperimentConflicts::renamingIsUndoneAndRedone()
{
    ExperimentDocument document;
    QVERIFY(openAndWait(document, m_file));
    const QString file = m_folder->filePath(QStringLiteral("deep.cannery"));
    bool isDone = false;
    renameExperiment(document, QStringLiteral("Deep"), file,
                     [&](const QString&) { isDone = true; });
    QTRY_VERIFY_WITH_TIMEOUT(isDone, kPatience);
    QCOMPARE(document.undoStack()->count(), 1);
    document.undoStack()->undo();
    QTRY_COMPARE_WITH_TIMEOUT(document.file(), m_file, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!document.storage().isSaving(), kPatience);
    QCOMPARE(bytesOf(m_file), m_original);
    QVERIFY(!QFile::exists(file));
    document.undoStack()->redo();
    QTRY_COMPARE_WITH_TIMEOUT(document.file(), file, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(bytesOf(file).contains("name: \"Deep\""), kPatience);
    QVERIFY(!QFile::exists(m_file));
    QCOMPARE(document.storage().standing(), Standing::Settled);
}

void TstExperimentConflicts::renamingReplacesNoFile()
{
    ExperimentDocument document;
    QVERIFY(openAndWait(document, m_file));
    const QString taken = m_folder->filePath(QStringLiteral("taken.cannery"));
    putBytes(taken, "name: \"Other\"\n");
    QString error;
    renameExperiment(document, QStringLiteral("Taken"), taken,
                     [&](const QString& why) { error = why; });
    QTRY_VERIFY_WITH_TIMEOUT(!error.isEmpty(), kPatience);
    QVERIFY(error.contains(QLatin1String("taken.cannery")));
    QCOMPARE(bytesOf(taken), QByteArray("name: \"Other\"\n"));
    QCOMPARE(document.file(), m_file);
    QCOMPARE(document.text().toUtf8(), m_original);
    QCOMPARE(document.undoStack()->count(), 0);
}

void TstExperimentConflicts::changesAreNamedInTheSchemasWords()
{
    QByteArray after = m_original;
    after.replace("boundaries: [6, 16, 25, 35, 50, 65]", "boundaries: [18, 60]");
    after.replace("name: \"Titanic, wide and deep\"\n", "");
    after += "feature_column { name: \"extra\" numeric_column { key: \"fare\" } }\n# a comment\n";
    const QList<ExperimentChange> changes = experimentChanges(m_original, after);
    QCOMPARE(changes.size(), 3);
    QCOMPARE(changes[0].kind, ExperimentChange::Kind::Removed);
    QCOMPARE(changes[0].before, QStringLiteral("Titanic, wide and deep"));
    QCOMPARE(changes[1].kind, ExperimentChange::Kind::Changed);
    QCOMPARE(changes[1].label, QStringLiteral("Boundaries"));
    QCOMPARE(changes[1].place, QStringLiteral("Feature column age_buckets"));
    QCOMPARE(changes[1].before, QStringLiteral("[6, 16, 25, 35, 50, 65]"));
    QCOMPARE(changes[1].after, QStringLiteral("[18, 60]"));
    QCOMPARE(changes[1].page, QStringLiteral("features"));
    QCOMPARE(changes[2].kind, ExperimentChange::Kind::Added);
    QCOMPARE(changes[2].label, QStringLiteral("extra"));
    QCOMPARE(changes[2].after, QStringLiteral("numeric_column { key: \"fare\" }"));
    QVERIFY(experimentChanges(m_original, m_original + "# more\n").isEmpty());
}

CANNERY_TEST(TstExperimentConflicts)
#include "tst_experiment_conflicts.moc"

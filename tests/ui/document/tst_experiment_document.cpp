// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "ui/document/experiment_document.h"
#include "ui/document/field_edit.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>

#include <unistd.h>

using namespace cannery::ui;
using cannery::tests::kPatience;

namespace {

QByteArray read(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void write(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) {
        qFatal("cannot write a test file");
    }
}

} // namespace

class TstExperimentDocument : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();

    void aFileThatIsNotThereFailsWithASentence();
    void anEditIsOnTheDiskAtOnce();
    void aNameWithALineBreakIsSaved();
    void aHundredEditsUndoneAndRedoneGiveTheSameBytes();
    void severalEditsAreOneStep();
    void oneEditThatCannotBeWrittenStopsThemAll();
    void nothingIsChangedWhereItMayNot();
    void typingInAFieldIsOneStep();
    void typingWhatWasThereLeavesNoStep();
    void inputThatCannotBeWrittenIsAProblemOfItsField();
    void aWrongNumberIsKeptAndIsAProblemOfItsField();
    void anEditorsChangeIsReadAgain();
    void aFileExchangedByRenamingIsReadAgain();
    void problemsOfAnOlderTextAreIgnored();
    void aFolderThatCannotBeWrittenIsTold();
    void closingLeavesNoJournal();
    void editsOfAWindowThatDiedCanBeDiscarded();
    void anEditThatNeverReachedTheFileIsOffered();
    void aJournalThatDoesNotFitIsThrownAway();

private:
    bool open(ExperimentDocument& document);

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_file;
    QByteArray m_original;
};

void TstExperimentDocument::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_file = m_folder->filePath(QStringLiteral("titanic.cannery"));
    m_original =
        read(QStringLiteral(CANNERY_SOURCE_DIR "/resources/examples/titanic/titanic.cannery"));
    write(m_file, m_original);
}

void TstExperimentDocument::cleanup()
{
    QFile::setPermissions(m_folder->path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    m_folder.reset();
}

bool TstExperimentDocument::open(ExperimentDocument& document)
{
    document.open(m_file);
    return QTest::qWaitFor([&] { return !document.isLoading(); }, kPatience) && document.isOpen();
}

void TstExperimentDocument::aFileThatIsNotThereFailsWithASentence()
{
    ExperimentDocument document;
    QSignalSpy failed(&document, &ExperimentDocument::failed);
    document.open(m_folder->filePath(QStringLiteral("none.cannery")));
    QVERIFY(document.isLoading());
    QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, kPatience);
    QVERIFY(failed.first().first().toString().contains(QLatin1String("none.cannery")));
    QVERIFY(!document.isOpen() && !document.isLoading());
}

void TstExperimentDocument::anEditIsOnTheDiskAtOnce()
{
    ExperimentDocument document;
    QVERIFY(open(document));
    QCOMPARE(document.name(), QStringLiteral("Titanic, wide and deep"));
    QCOMPARE(memberOf(document, QStringLiteral("estimator")),
             QStringLiteral("dnn_linear_combined_classifier"));
    QSignalSpy saved(&document, &ExperimentDocument::saved);
    QVERIFY(document.setValue(QStringLiteral("train_spec.max_steps"), QStringLiteral("77")));
    QVERIFY(document.storage().isSaving());
    QTRY_VERIFY_WITH_TIMEOUT(!saved.isEmpty(), kPatience);
    QVERIFY(!document.storage().isSaving());
    QCOMPARE(QString::fromUtf8(read(m_file)), document.text());
    QTRY_COMPARE_WITH_TIMEOUT(document.value(QStringLiteral("train_spec.max_steps")),
                              QStringLiteral("77"), kPatience);
    QCOMPARE(document.undoStack()->count(), 1);
}

/// As spreadsheets have them in their headers.
void TstExperimentDocument::aNameWithALineBreakIsSaved()
{
    const QString name = QStringLiteral("is it\nred, \"really\"");
    {
        ExperimentDocument document;
        QVERIFY(open(document));
        QVERIFY(document.setValue(QStringLiteral("data.label.column"), quoted(name)));
        QTRY_VERIFY_WITH_TIMEOUT(document.isSettled(), kPatience);
        QVERIFY(!document.problems().hasErrors());
    }
    ExperimentDocument again;
    QVERIFY(open(again));
    QVERIFY(!again.problems().hasErrors());
    QCOMPARE(again.value(QStringLiteral("data.label.column")), name);
}

void TstExperimentDocument::aHundredEditsUndoneAndRedoneGiveTheSameBytes()
{
    ExperimentDocument document;
    QVERIFY(open(document));
    const QStringList paths{QStringLiteral("train_spec.max_steps"),
                            QStringLiteral("run_config.tf_random_seed"),
                            QStringLiteral("train_spec.input.batch_size"),
                            QStringLiteral("eval_spec.steps"), QStringLiteral("description")};
    for (int i = 0; i < 100; ++i) {
        const bool clears = i % 10 == 8;
        QVERIFY(document.setValue(paths[i % paths.size()],
                                  clears ? QString() : QString::number(i + 1)));
    }
    const QString after = document.text();
    const int steps = document.undoStack()->count();
    QVERIFY(steps > 90);
    document.undoStack()->setIndex(0);
    QCOMPARE(document.text().toUtf8(), m_original);
    QTRY_VERIFY_WITH_TIMEOUT(!document.storage().isSaving(), kPatience);
    QCOMPARE(read(m_file), m_original);
    document.undoStack()->setIndex(steps);
    QTRY_VERIFY_WITH_TIMEOUT(!document.storage().isSaving(), kPatience);
    QCOMPARE(QString::fromUtf8(read(m_file)), after);
}

void TstExperimentDocument::severalEditsAreOneStep()
{
    ExperimentDocument document;
    QVERIFY(open(document));
    QVERIFY(document.apply(QStringLiteral("Two fields"),
                           {FieldEdit::set("train_spec.max_steps", "77"), FieldEdit::remove("name"),
                            FieldEdit::move("feature_column[0]", 2)}));
    QCOMPARE(document.undoStack()->count(), 1);
    QCOMPARE(document.undoStack()->undoText(), QStringLiteral("Two fields"));
    QTRY_COMPARE_WITH_TIMEOUT(document.value("train_spec.max_steps"), QStringLiteral("77"),
                              kPatience);
    const QString first = document.root().child("feature_column")->children[2].name;
    document.undoStack()->undo();
    QCOMPARE(document.text().toUtf8(), m_original);
    QTRY_COMPARE_WITH_TIMEOUT(document.root().child("feature_column")->children[0].name, first,
                              kPatience);
}

void TstExperimentDocument::oneEditThatCannotBeWrittenStopsThemAll()
{
    ExperimentDocument document;
    QVERIFY(open(document));
    QSignalSpy failed(&document, &ExperimentDocument::failed);
    QVERIFY(
        !document.apply(QStringLiteral("Nothing"), {FieldEdit::set("train_spec.max_steps", "77"),
                                                    FieldEdit::set("no_such_field", "1")}));
    QCOMPARE(failed.count(), 1);
    QCOMPARE(document.text().toUtf8(), m_original);
    QCOMPARE(document.undoStack()->count(), 0);
}

void TstExperimentDocument::nothingIsChangedWhereItMayNot()
{
    ExperimentDocument document;
    QVERIFY(open(document));
    document.edits().setHindrance(QStringLiteral("The project is read-only."));
    QSignalSpy failed(&document, &ExperimentDocument::failed);
    QVERIFY(!document.setValue(QStringLiteral("train_spec.max_steps"), QStringLiteral("7")));
    QCOMPARE(failed.count(), 1);
    QCOMPARE(failed.first().first().toString(), document.edits().hindrance());
    QCOMPARE(document.text().toUtf8(), m_original);
    document.edits().setHindrance({});
    QVERIFY(document.setValue(QStringLiteral("train_spec.max_steps"), QStringLiteral("7")));
}

void TstExperimentDocument::typingInAFieldIsOneStep()
{
    ExperimentDocument document;
    QVERIFY(open(document));
    const QString steps = QStringLiteral("train_spec.max_steps");
    for (const char* text : {"7", "77", "777"}) {
        QVERIFY(document.edits().typeValue(steps, QString::fromLatin1(text)));
    }
    document.edits().endTyping();
    QVERIFY(document.edits().typeValue(steps, QStringLiteral("7778")));
    QCOMPARE(document.undoStack()->count(), 2);
    document.undoStack()->undo();
    QTRY_COMPARE_WITH_TIMEOUT(document.value(steps), QStringLiteral("777"), kPatience);
    document.undoStack()->undo();
    QCOMPARE(document.text().toUtf8(), m_original);
    document.undoStack()->redo();
    QTRY_COMPARE_WITH_TIMEOUT(document.value(steps), QStringLiteral("777"), kPatience);
}

void TstExperimentDocument::typingWhatWasThereLeavesNoStep()
{
    ExperimentDocument document;
    QVERIFY(open(document));
    const QString steps = QStringLiteral("train_spec.max_steps");
    const QString before = document.value(steps);
    QVERIFY(document.edits().typeValue(steps, before + u'1'));
    QVERIFY(document.edits().typeValue(steps, before));
    QCOMPARE(document.undoStack()->count(), 0);
    QCOMPARE(document.text().toUtf8(), m_original);
    QTRY_COMPARE_WITH_TIMEOUT(read(m_file), m_original, kPatience);
}

void TstExperimentDocument::inputThatCannotBeWrittenIsAProblemOfItsField()
{
    ExperimentDocument document;
    QVERIFY(open(document));
    const QString steps = QStringLiteral("train_spec.max_steps");
    QVERIFY(!document.edits().typeValue(steps, QStringLiteral("{ 1")));
    QCOMPARE(document.text().toUtf8(), m_original);
    QVERIFY(document.problems().hasErrors());
    QVERIFY(document.problems().at(QStringLiteral("train_spec")) != nullptr);
    QVERIFY(document.problems().at(QStringLiteral("train_spec.max")) == nullptr);
    QCOMPARE(document.problems().at(steps)->page, QStringLiteral("model"));
    QVERIFY(document.edits().typeValue(steps, document.value(steps)));
    QVERIFY(!document.problems().hasErrors());
}

void TstExperimentDocument::aWrongNumberIsKeptAndIsAProblemOfItsField()
{
    ExperimentDocument document;
    QVERIFY(open(document));
    const QString steps = QStringLiteral("train_spec.max_steps");
    for (const char* text : {"-1", "many"}) {
        QVERIFY(document.edits().typeValue(steps, QString::fromLatin1(text)));
        QTRY_VERIFY_WITH_TIMEOUT(document.problems().at(steps) != nullptr, kPatience);
        QCOMPARE(document.value(steps), QString::fromLatin1(text));
        QVERIFY(document.field(QStringLiteral("run_config.save_summary_steps")) != nullptr);
        document.undoStack()->undo();
        QTRY_VERIFY_WITH_TIMEOUT(document.problems().at(steps) == nullptr, kPatience);
    }
}

void TstExperimentDocument::anEditorsChangeIsReadAgain()
{
    ExperimentDocument document;
    QVERIFY(open(document));
    QSignalSpy reloaded(&document, &ExperimentDocument::reloaded);
    QByteArray other = m_original;
    other.replace("Titanic, wide and deep", "Another name");
    write(m_file, other);
    QTRY_VERIFY_WITH_TIMEOUT(!reloaded.isEmpty(), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(document.name(), QStringLiteral("Another name"), kPatience);
    QCOMPARE(document.text().toUtf8(), other);
    QVERIFY(!document.storage().isSaving());
}

void TstExperimentDocument::aFileExchangedByRenamingIsReadAgain()
{
    ExperimentDocument document;
    QVERIFY(open(document));
    for (const char* name : {"First", "Second"}) {
        QByteArray other = m_original;
        other.replace("Titanic, wide and deep", name);
        write(m_file + QStringLiteral("~"), other);
        QVERIFY(QFile::remove(m_file));
        QVERIFY(QFile::rename(m_file + QStringLiteral("~"), m_file));
        QTRY_COMPARE_WITH_TIMEOUT(document.name(), QString::fromLatin1(name), kPatience);
    }
}

void TstExperimentDocument::problemsOfAnOlderTextAreIgnored()
{
    ExperimentDocument document;
    QVERIFY(open(document));
    QVERIFY(!document.problems().hasErrors());
    ProblemRow row;
    row.id = QStringLiteral("data.file_missing");
    row.sentence = QStringLiteral("There is no file.");
    document.problems().setChecked(document.revision() - 1, {row});
    QVERIFY(!document.problems().hasErrors());
    document.problems().setChecked(document.revision(), {row, row});
    QCOMPARE(document.problems().all().size(), 1);
    QVERIFY(document.problems().hasErrors());
}

void TstExperimentDocument::aFolderThatCannotBeWrittenIsTold()
{
    if (geteuid() == 0) {
        QSKIP("root may write everywhere");
    }
    ExperimentDocument document;
    QVERIFY(open(document));
    QFile::setPermissions(m_folder->path(), QFile::ReadOwner | QFile::ExeOwner);
    QSignalSpy failed(&document, &ExperimentDocument::failed);
    QVERIFY(document.setValue(QStringLiteral("train_spec.max_steps"), QStringLiteral("77")));
    QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, kPatience);
    QVERIFY(!document.storage().problem().isEmpty());
    QCOMPARE(read(m_file), m_original);
}

void TstExperimentDocument::closingLeavesNoJournal()
{
    {
        ExperimentDocument document;
        QVERIFY(open(document));
        QVERIFY(document.setValue(QStringLiteral("train_spec.max_steps"), QStringLiteral("77")));
    }
    QVERIFY(read(m_file).contains("max_steps: 77"));
    const QDir folder(m_folder->path());
    QCOMPARE(folder.entryList(QDir::Files | QDir::Hidden).size(), 1);
}

void TstExperimentDocument::editsOfAWindowThatDiedCanBeDiscarded()
{
    const QString kept = m_folder->filePath(QStringLiteral("kept"));
    const QString journal = m_folder->filePath(QStringLiteral(".titanic.cannery.edits"));
    {
        ExperimentDocument document;
        QVERIFY(open(document));
        QVERIFY(document.setValue(QStringLiteral("train_spec.max_steps"), QStringLiteral("77")));
        QVERIFY(document.setValue(QStringLiteral("eval_spec.steps"), QStringLiteral("3")));
        QTRY_VERIFY_WITH_TIMEOUT(!document.storage().isSaving(), kPatience);
        QVERIFY(QFile::copy(journal, kept)); // as a kill would leave it
    }
    QVERIFY(QFile::rename(kept, journal));
    ExperimentDocument document;
    QVERIFY(open(document));
    QTRY_COMPARE_WITH_TIMEOUT(document.storage().recovered().changes, 2, kPatience);
    QVERIFY(!document.storage().recovered().unsaved);
    document.storage().discardRecovered();
    QCOMPARE(document.text().toUtf8(), m_original);
    QTRY_VERIFY_WITH_TIMEOUT(!document.storage().isSaving() && !QFile::exists(journal), kPatience);
    QCOMPARE(read(m_file), m_original);
    document.undoStack()->undo();
    QVERIFY(document.text().contains(QLatin1String("max_steps: 77")));
}

void TstExperimentDocument::anEditThatNeverReachedTheFileIsOffered()
{
    const QString journal = m_folder->filePath(QStringLiteral(".titanic.cannery.edits"));
    QByteArray edited = m_original;
    edited.replace("Titanic, wide and deep", "Edited");
    const QByteArray before = m_original.toBase64();
    write(journal, "{\"base\":\"" + before + "\",\"previous\":\"" + before + "\",\"text\":\"" +
                       edited.toBase64() + "\",\"changes\":1}");
    ExperimentDocument document;
    QVERIFY(open(document));
    QTRY_VERIFY_WITH_TIMEOUT(document.storage().recovered().unsaved, kPatience);
    document.storage().keepRecovered();
    QTRY_COMPARE_WITH_TIMEOUT(document.name(), QStringLiteral("Edited"), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!document.storage().isSaving(), kPatience);
    QCOMPARE(read(m_file), edited);
    QCOMPARE(document.storage().recovered().changes, 0);
}

void TstExperimentDocument::aJournalThatDoesNotFitIsThrownAway()
{
    const QString journal = m_folder->filePath(QStringLiteral(".titanic.cannery.edits"));
    write(journal, "{\"base\":\"YQ==\",\"previous\":\"Yg==\",\"text\":\"Yw==\",\"changes\":1}");
    ExperimentDocument document;
    QVERIFY(open(document));
    QCOMPARE(document.storage().recovered().changes, 0);
    QVERIFY(!QFile::exists(journal));
}

CANNERY_TEST(TstExperimentDocument)
#include "tst_experiment_document.moc"

// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "ui/actions/action_registry.h"
#include "ui/document/experiment_document.h"
#include "ui/frame/change_list.h"
#include "ui/frame/main_window.h"
#include "ui/frame/palette/palette_entries.h"
#include "ui/frame/palette/palette_model.h"
#include "ui/frame/theme_control.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/projects/settings.h"
#include "ui/widgets/button.h"
#include "ui/widgets/dialog.h"
#include "ui/widgets/strip.h"
#include "ui/widgets/style/theme.h"
#include "ui/widgets/toaster.h"

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>

using namespace cannery::ui;
using namespace cannery::tests;

/// Experiments of a project as the window shows them: the list, the dialogs, the questions.
class TstExperimentControl : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void theNameInTheFirstRowListsTheExperiments();
    void theListIsWalkedWithKeys();
    void thePaletteFindsTheOthers();
    void withoutAProjectEveryActionSaysWhy();
    void whatCannotBeDoneSaysWhy();
    void renamingAsksForBothNames();
    void comparingNamesTheFields();
    void deletingIsUndoneByTheToast();
    void twoVersionsAreAQuestion();
    void aVanishedFileIsSavedAgain();
    void aVanishedFileIsSavedUnderAnotherName();
    void aVanishedFileIsDiscarded();
    void recoveredChangesAreReviewed();
    void discardedChangesComeBackByTheToast();
    void undoAndRedoNameTheStep();
    void theProgramOfTheExperimentIsExported();

private:
    bool waitForOpen(const QString& fileName) const;
    void addSecond();
    void putTheirs();
    /// The journal of a window that was killed after an edit of max_steps.
    void leaveJournal();
    /// Of an action in the strip.
    QWidget* button(const QString& id) const;
    QAction* action(const char* id) const { return m_window->actions().find(id); }
    template <typename T>
    T* shown(const QString& name) const
    {
        T* widget = m_window->findChild<T*>(name);
        return widget && widget->isVisible() ? widget : nullptr;
    }
    QString path(const QString& name) const { return m_folder->filePath("titanic/" + name); }
    ExperimentDocument& document() const { return m_session->document(); }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ProjectSession> m_session;
    std::unique_ptr<ThemeControl> m_theme;
    std::unique_ptr<MainWindow> m_window;
};

namespace {

const QString kMaxSteps = "train_spec.max_steps";

QByteArray fileBytes(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

bool putFile(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
}

} // namespace

void TstExperimentControl::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    qputenv("XDG_DATA_HOME", m_folder->filePath("data").toUtf8());
    QDir().mkpath(m_folder->filePath("titanic"));
    QVERIFY(putFile(path("titanic.cannery"),
                    fileBytes(CANNERY_SOURCE_DIR "/resources/examples/titanic/titanic.cannery")));
    m_session = std::make_unique<ProjectSession>(nullptr, m_folder->filePath("settings.ini"));
    m_session->settings().setReducesMotion(true);
    m_theme =
        std::make_unique<ThemeControl>(*qobject_cast<QApplication*>(qApp), m_session->settings());
    m_window = std::make_unique<MainWindow>(*m_session, *m_theme);
    m_window->resize(1280, 800);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get(), kPatience));
    if (QTest::currentTestFunction() != QByteArray("recoveredChangesAreReviewed") &&
        QTest::currentTestFunction() != QByteArray("discardedChangesComeBackByTheToast") &&
        QTest::currentTestFunction() != QByteArray("withoutAProjectEveryActionSaysWhy")) {
        m_session->project().open(path("titanic.cannery"));
        QVERIFY(waitForOpen("titanic.cannery"));
    }
}

void TstExperimentControl::cleanup()
{
    m_window.reset();
    m_theme.reset();
    m_session.reset();
    applyTheme(*qobject_cast<QApplication*>(qApp), {});
}

bool TstExperimentControl::waitForOpen(const QString& fileName) const
{
    return QTest::qWaitFor(
        [&] {
            return document().file() == path(fileName) && !document().isLoading() &&
                   !m_session->project().isOpening() &&
                   m_session->experiments().files().contains(path(fileName));
        },
        kPatience);
}

void TstExperimentControl::addSecond()
{
    action("action.new_from_this")->trigger();
    QVERIFY(waitForOpen("titanic-2.cannery"));
}

void TstExperimentControl::putTheirs()
{
    QByteArray theirs = document().text().toUtf8();
    theirs.replace("Titanic, wide and deep", "From git");
    QVERIFY(document().setValue(kMaxSteps, "77"));
    QTRY_VERIFY_WITH_TIMEOUT(!document().storage().isSaving(), kPatience);
    QVERIFY(putFile(path("titanic.cannery"), theirs));
    QTRY_VERIFY_WITH_TIMEOUT(shown<Strip>("strip.file") != nullptr, kPatience);
}

void TstExperimentControl::leaveJournal()
{
    const QByteArray before = fileBytes(path("titanic.cannery"));
    QByteArray after = before;
    after.replace("max_steps: 1000", "max_steps: 77");
    QVERIFY(after != before);
    const QByteArray old = before.toBase64();
    QVERIFY(putFile(path(".titanic.cannery.edits"), "{\"base\":\"" + old + "\",\"previous\":\"" +
                                                        old + "\",\"text\":\"" + after.toBase64() +
                                                        "\",\"changes\":3}"));
    m_session->project().open(path("titanic.cannery"));
    QVERIFY(waitForOpen("titanic.cannery"));
    QTRY_VERIFY_WITH_TIMEOUT(shown<Strip>("strip.file") != nullptr, kPatience);
}

void TstExperimentControl::theNameInTheFirstRowListsTheExperiments()
{
    addSecond();
    auto* button = shown<QAbstractButton>("button.project");
    QVERIFY(button);
    QCOMPARE(button->text(), QString("Titanic, wide and deep 2"));
    QTest::mouseClick(button, Qt::LeftButton);
    auto* menu = shown<QMenu>("menu.experiments");
    QVERIFY(menu);
    QVERIFY(menu->findChild<QAction*>("experiment.titanic-2")->isChecked());
    auto* first = menu->findChild<QAction*>("experiment.titanic");
    QVERIFY(!first->isChecked());
    QVERIFY(menu->actions().contains(action("action.rename_experiment")));
    menu->close();
    first->trigger();
    QVERIFY(waitForOpen("titanic.cannery"));
    QTRY_COMPARE_WITH_TIMEOUT(button->text(), QString("Titanic, wide and deep"), kPatience);
}

void TstExperimentControl::theListIsWalkedWithKeys()
{
    addSecond();
    action("action.switch_experiment")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(shown<QMenu>("menu.experiments") != nullptr, kPatience);
    auto* menu = shown<QMenu>("menu.experiments");
    const auto* other = menu->findChild<QAction*>("experiment.titanic");
    for (int i = 0; i < 5 && menu->activeAction() != other; ++i) {
        QTest::keyClick(menu, Qt::Key_Down);
    }
    QCOMPARE(menu->activeAction(), other);
    QTest::keyClick(menu, Qt::Key_Return);
    QVERIFY(waitForOpen("titanic.cannery"));
}

void TstExperimentControl::thePaletteFindsTheOthers()
{
    addSecond();
    QStringList titles;
    for (const PaletteEntry& entry : paletteEntries(m_window->actions(), *m_session)) {
        if (entry.target.startsWith("experiment:")) {
            titles << entry.title;
        }
    }
    QCOMPARE(titles, QStringList{"Experiment: Titanic, wide and deep"});
    m_window->navigate("experiment:" + path("titanic.cannery"));
    QVERIFY(waitForOpen("titanic.cannery"));
}

void TstExperimentControl::withoutAProjectEveryActionSaysWhy()
{
    for (const char* id :
         {"action.switch_experiment", "action.new_from_this", "action.rename_experiment",
          "action.compare_experiments", "action.trash_experiment"}) {
        QCOMPARE(m_window->actions().hindrance(id), QString("No experiment is open."));
    }
}

void TstExperimentControl::whatCannotBeDoneSaysWhy()
{
    const auto silent = [this] {
        QStringList ids;
        for (const QAction* each : m_window->actions().actions()) {
            if (!each->isEnabled() && m_window->actions().hindrance(each->objectName()).isEmpty()) {
                ids << each->objectName();
            }
        }
        return ids;
    };
    for (const char* page : {"home", "data", "features", "model", "train", "runs", "export"}) {
        m_window->navigate(QString("page:%1").arg(page));
        QCOMPARE(silent(), QStringList());
    }
    putTheirs();
    QCOMPARE(silent(), QStringList());
    QVERIFY(!m_window->actions().hindrance("action.trash_experiment").isEmpty());
    m_session->project().close();
    for (const char* page : {"home", "data", "features", "model", "train", "runs", "export"}) {
        m_window->navigate(QString("page:%1").arg(page));
        QCOMPARE(silent(), QStringList());
    }
}

void TstExperimentControl::renamingAsksForBothNames()
{
    QVERIFY(putFile(path("taken.cannery"), "name: \"Taken\"\n"));
    action("action.rename_experiment")->trigger();
    auto* dialog = shown<Dialog>("dialog.rename_experiment");
    QVERIFY(dialog);
    auto* name = dialog->findChild<QLineEdit*>("field.experiment_name");
    auto* file = dialog->findChild<QLineEdit*>("field.experiment_file");
    auto* rename = dialog->findChild<QPushButton*>("button.rename");
    QCOMPARE(name->text(), QString("Titanic, wide and deep"));
    QCOMPARE(file->text(), QString("titanic"));
    name->clear();
    QTest::keyClicks(name, "Taken");
    QCOMPARE(file->text(), QString("taken"));
    QTest::keyClick(name, Qt::Key_Return);
    auto* problem = dialog->findChild<QWidget*>("label.rename_problem");
    QTRY_VERIFY_WITH_TIMEOUT(problem->isVisible(), kPatience);
    QVERIFY(!rename->isEnabled());
    file->clear();
    QTest::keyClicks(file, "a/b");
    QVERIFY(problem->isVisible() && !rename->isEnabled());
    file->clear();
    QTest::keyClicks(file, "mine");
    QVERIFY(!problem->isVisible());
    QTest::mouseClick(rename, Qt::LeftButton);
    QVERIFY(waitForOpen("mine.cannery"));
    QTRY_COMPARE_WITH_TIMEOUT(document().name(), QString("Taken"), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(shown<Dialog>("dialog.rename_experiment") == nullptr, kPatience);
    action("action.undo")->trigger();
    QVERIFY(waitForOpen("titanic.cannery"));
}

void TstExperimentControl::comparingNamesTheFields()
{
    QCOMPARE(m_window->actions().hindrance("action.compare_experiments"),
             QString("The project has no other experiment."));
    addSecond();
    QVERIFY(document().setValue(kMaxSteps, "77"));
    QTRY_VERIFY_WITH_TIMEOUT(action("action.compare_experiments")->isEnabled(), kPatience);
    action("action.compare_experiments")->trigger();
    auto* dialog = shown<Dialog>("dialog.compare");
    QVERIFY(dialog);
    QTRY_VERIFY_WITH_TIMEOUT(dialog->findChild<QWidget*>("change." + kMaxSteps) != nullptr,
                             kPatience);
    const QString words = dialog->findChild<QWidget*>("change." + kMaxSteps)->accessibleName();
    QVERIFY2(words.contains("1,000") && words.contains("77"), qPrintable(words));
    QVERIFY(dialog->findChild<QWidget*>("change.name") != nullptr);
    dialog->reject();
}

void TstExperimentControl::deletingIsUndoneByTheToast()
{
    addSecond();
    action("action.trash_experiment")->trigger();
    QVERIFY(waitForOpen("titanic.cannery"));
    QVERIFY(m_window->toaster().text().contains("Titanic, wide and deep 2"));
    m_window->toaster().undo();
    QVERIFY(waitForOpen("titanic-2.cannery"));
}

void TstExperimentControl::twoVersionsAreAQuestion()
{
    putTheirs();
    auto* strip = shown<Strip>("strip.file");
    QVERIFY(strip->text().contains("titanic.cannery"));
    QVERIFY(!action("action.train")->isEnabled());
    Q_EMIT strip->linkActivated("compare");
    auto* dialog = shown<Dialog>("dialog.conflict");
    QVERIFY(dialog);
    QTRY_VERIFY_WITH_TIMEOUT(dialog->findChild<QWidget*>("change." + kMaxSteps) != nullptr,
                             kPatience);
    QTest::mouseClick(dialog->findChild<QPushButton*>("button.keep_before"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(document().name(), QString("From git"), kPatience);
    QVERIFY(shown<Strip>("strip.file") == nullptr);
    action("action.undo")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(document().value(kMaxSteps), QString("77"), kPatience);
}

void TstExperimentControl::aVanishedFileIsSavedAgain()
{
    QVERIFY(QFile::remove(path("titanic.cannery")));
    QTRY_VERIFY_WITH_TIMEOUT(shown<Strip>("strip.file") != nullptr, kPatience);
    QVERIFY(!action("action.train")->isEnabled());
    auto* again = m_window->findChild<QAction*>("action.save_again");
    QVERIFY(again);
    again->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(shown<Strip>("strip.file") == nullptr, kPatience);
    QVERIFY(QFile::exists(path("titanic.cannery")));
}

QWidget* TstExperimentControl::button(const QString& id) const
{
    const QList<Button*> buttons = shown<Strip>("strip.file")->findChildren<Button*>();
    for (Button* each : buttons) {
        if (each->action()->objectName() == id) {
            return each;
        }
    }
    return nullptr;
}

void TstExperimentControl::aVanishedFileIsSavedUnderAnotherName()
{
    QVERIFY(QFile::remove(path("titanic.cannery")));
    QTRY_VERIFY_WITH_TIMEOUT(shown<Strip>("strip.file") != nullptr, kPatience);
    QVERIFY(document().setValue(kMaxSteps, "77"));
    QVERIFY(button("action.save_as"));
    QTest::mouseClick(button("action.save_as"), Qt::LeftButton);
    auto* dialog = shown<QFileDialog>("dialog.save_as");
    QVERIFY(dialog);
    QCOMPARE(dialog->directory().absolutePath(), QFileInfo(path("titanic.cannery")).path());
    dialog->findChild<QLineEdit*>("fileNameEdit")->setText("saved");
    static_cast<QDialog*>(dialog)->accept();
    QVERIFY(waitForOpen("saved.cannery"));
    QVERIFY(fileBytes(path("saved.cannery")).contains("max_steps: 77"));
    QCOMPARE(document().value(kMaxSteps), QString("77"));
    QTRY_VERIFY_WITH_TIMEOUT(shown<Strip>("strip.file") == nullptr, kPatience);
    QVERIFY(!QFile::exists(path("titanic.cannery")));
    QVERIFY(!QFile::exists(path(".titanic.cannery.edits")));
}

void TstExperimentControl::aVanishedFileIsDiscarded()
{
    addSecond();
    QVERIFY(QFile::remove(path("titanic-2.cannery")));
    QTRY_VERIFY_WITH_TIMEOUT(shown<Strip>("strip.file") != nullptr, kPatience);
    QVERIFY(document().setValue(kMaxSteps, "77"));
    QVERIFY(button("action.discard_experiment"));
    QTest::mouseClick(button("action.discard_experiment"), Qt::LeftButton);
    QVERIFY(waitForOpen("titanic.cannery"));
    QVERIFY(shown<Strip>("strip.file") == nullptr);
    QVERIFY(!QFile::exists(path("titanic-2.cannery")));
    QVERIFY(!QFile::exists(path(".titanic-2.cannery.edits")));
    QVERIFY(m_window->toaster().text().contains("Titanic, wide and deep 2"));
    m_window->toaster().undo();
    QVERIFY(waitForOpen("titanic-2.cannery"));
    QCOMPARE(document().value(kMaxSteps), QString("77"));
}

void TstExperimentControl::theProgramOfTheExperimentIsExported()
{
    m_session->setProgram(CANNERY_PROGRAM);
    for (const char* table : {"titanic_train.csv", "titanic_eval.csv"}) {
        QVERIFY(
            putFile(path(table),
                    fileBytes(QString(CANNERY_SOURCE_DIR "/resources/examples/titanic/") + table)));
    }
    action("action.export_program")->trigger();
    auto* dialog = shown<QFileDialog>("dialog.export_program");
    QVERIFY(dialog);
    QCOMPARE(dialog->findChild<QLineEdit*>("fileNameEdit")->text(), QString("titanic.py"));
    static_cast<QDialog*>(dialog)->accept();
    QTRY_VERIFY_WITH_TIMEOUT(
        fileBytes(path("titanic.py")).contains("tf.estimator.DNNLinearCombinedClassifier("),
        kPatience);
    QVERIFY(action("action.jobs")->isChecked());
}

void TstExperimentControl::recoveredChangesAreReviewed()
{
    leaveJournal();
    m_window->findChild<QAction*>("action.review_changes")->trigger();
    auto* dialog = shown<Dialog>("dialog.recovered");
    QVERIFY(dialog);
    QTRY_VERIFY_WITH_TIMEOUT(dialog->findChild<QWidget*>("change." + kMaxSteps) != nullptr,
                             kPatience);
    QTest::mouseClick(dialog->findChild<QPushButton*>("button.keep_after"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(document().value(kMaxSteps), QString("77"), kPatience);
    QVERIFY(shown<Strip>("strip.file") == nullptr);
}

void TstExperimentControl::discardedChangesComeBackByTheToast()
{
    leaveJournal();
    m_window->findChild<QAction*>("action.discard_changes")->trigger();
    QCOMPARE(document().storage().recovered().changes, 0);
    QVERIFY(document().text().contains("max_steps: 1000"));
    QTRY_VERIFY_WITH_TIMEOUT(!document().storage().isSaving(), kPatience);
    QVERIFY(fileBytes(path("titanic.cannery")).contains("max_steps: 1000"));
    m_window->toaster().undo();
    QVERIFY(document().text().contains("max_steps: 77"));
}

void TstExperimentControl::undoAndRedoNameTheStep()
{
    QCOMPARE(action("action.undo")->text(), QString("&Undo"));
    QVERIFY(!action("action.undo")->isEnabled());
    QVERIFY(document().apply("Add age × sex & more", {FieldEdit::set(kMaxSteps, "77")}));
    QCOMPARE(action("action.undo")->text(), QString("&Undo Add age × sex && more"));
    action("action.undo")->trigger();
    QCOMPARE(action("action.undo")->text(), QString("&Undo"));
    QCOMPARE(action("action.redo")->text(), QString("&Redo Add age × sex && more"));
}

CANNERY_TEST(TstExperimentControl)
#include "tst_experiment_control.moc"

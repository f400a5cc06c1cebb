// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/seeded_runs.h"
#include "ui/document/experiment_document.h"
#include "ui/frame/main_window.h"
#include "ui/frame/theme_control.h"
#include "ui/models/runs/run_table_model.h"
#include "ui/pages/page.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/projects/settings.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/widgets/dialog.h"
#include "ui/widgets/style/theme.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

using namespace cannery::ui;
using namespace cannery::tests;

/// F1 explains what has the focus, and the words of the glossary.
class TstHelp : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void aFieldIsExplained();
    void aMetricOfRunsIsExplained();
    void aPageIsExplained_data();
    void aPageIsExplained();
    void wordsAreFoundByTyping();

private:
    void openProject();
    Dialog* pressF1();
    template <typename Widget>
    Widget* find(const QString& name) const
    {
        return m_window->findChild<Widget*>(name);
    }
    QString shown(const char* label) const { return find<QLabel>(QLatin1String(label))->text(); }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ProjectSession> m_session;
    std::unique_ptr<ThemeControl> m_theme;
    std::unique_ptr<MainWindow> m_window;
};

void TstHelp::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_session = std::make_unique<ProjectSession>(nullptr, m_folder->filePath("settings.ini"));
    m_session->settings().setReducesMotion(true);
    m_theme =
        std::make_unique<ThemeControl>(*qobject_cast<QApplication*>(qApp), m_session->settings());
    m_window = std::make_unique<MainWindow>(*m_session, *m_theme);
    m_window->resize(1280, 800);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get(), kPatience));
}

void TstHelp::cleanup()
{
    m_window.reset();
    m_theme.reset();
    m_session.reset();
    applyTheme(*qobject_cast<QApplication*>(qApp), {});
}

void TstHelp::openProject()
{
    const QString project = m_folder->filePath("titanic");
    QVERIFY(QDir().mkpath(project));
    const QDir source(QStringLiteral(CANNERY_SOURCE_DIR "/resources/examples/titanic"));
    for (const QString& file : source.entryList(QDir::Files)) {
        QVERIFY(QFile::copy(source.filePath(file), project + '/' + file));
    }
    addSeededRuns(project);
    m_session->project().open(project);
    QTRY_COMPARE_WITH_TIMEOUT(m_session->runs().snapshot()->runs.size(), 6, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(m_session->document().isOpen(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!m_session->document().isLoading(), kPatience);
}

Dialog* TstHelp::pressF1()
{
    QWidget* focus = QApplication::focusWidget();
    QTest::keyClick(focus != nullptr ? focus : m_window.get(), Qt::Key_F1);
    return m_window->findChild<Dialog*>("dialog.help");
}

void TstHelp::aFieldIsExplained()
{
    openProject();
    m_window->navigate("model");
    auto* page = m_window->page("model");
    page->reveal("field:train_spec.input.batch_size");
    auto* field = page->findChild<QWidget*>("field.train_spec.input.batch_size");
    QVERIFY(field != nullptr);
    QVERIFY(field->hasFocus());
    Dialog* help = pressF1();
    QVERIFY(help != nullptr && help->isVisible());
    QCOMPARE(help->windowTitle(), "Batch size");
    QCOMPARE(shown("label.term"), "Batch");
    QCOMPARE(help->focusWidget(), find<QWidget>("list.terms"));
    QTest::qWait(50); // the dialog grows when its layout is updated
    const QString pictures = QStringLiteral(CANNERY_BINARY_DIR "/screenshots/frame");
    QVERIFY(QDir().mkpath(pictures) && help->grab().save(pictures + "/help_field.png"));
    QTest::keyClick(help, Qt::Key_Escape);
    QTRY_VERIFY_WITH_TIMEOUT(find<Dialog>("dialog.help") == nullptr, kPatience);
    QCOMPARE(m_window->focusWidget(), field);
}

void TstHelp::aMetricOfRunsIsExplained()
{
    openProject();
    m_window->navigate("runs");
    auto* table = find<QTableView>("table.runs");
    QVERIFY(table != nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(table->model()->rowCount() > 0, kPatience);
    int column = -1;
    for (int i = 0; i < table->model()->columnCount(); ++i) {
        const auto header =
            table->model()->headerData(i, Qt::Horizontal, RunTableModel::MetricRole);
        column = header.toString() == "auc" ? i : column;
    }
    QVERIFY(column >= 0);
    table->setFocus();
    table->setCurrentIndex(table->model()->index(0, column));
    Dialog* help = pressF1();
    QVERIFY(help != nullptr);
    QCOMPARE(help->windowTitle(), "AUC");
    QCOMPARE(shown("label.term"), "AUC");
    QVERIFY2(shown("label.judging").contains("0.5 is chance"), qPrintable(shown("label.judging")));
}

void TstHelp::aPageIsExplained_data()
{
    QTest::addColumn<QString>("page");
    QTest::addColumn<QString>("title");
    for (const auto& [page, title] : {std::pair{"home", "Home"},
                                      {"data", "Data"},
                                      {"features", "Features"},
                                      {"model", "Model"},
                                      {"train", "Train"},
                                      {"runs", "Runs"},
                                      {"export", "Export"},
                                      {"guided", "Guided Run"}}) {
        QTest::newRow(page) << page << title;
    }
}

void TstHelp::aPageIsExplained()
{
    QFETCH(QString, page);
    QFETCH(QString, title);
    m_window->navigate(page);
    if (QWidget* focus = QApplication::focusWidget()) {
        focus->clearFocus();
    }
    Dialog* help = pressF1();
    QVERIFY(help != nullptr);
    QCOMPARE(help->windowTitle(), title);
}

void TstHelp::wordsAreFoundByTyping()
{
    Dialog* help = pressF1();
    QVERIFY(help != nullptr);
    auto* field = find<QLineEdit>("field.find_term");
    auto* terms = find<QListWidget>("list.terms");
    const auto shownTerms = [terms] {
        int count = 0;
        for (int i = 0; i < terms->count(); ++i) {
            count += terms->item(i)->isHidden() ? 0 : 1;
        }
        return count;
    };
    QCOMPARE(shownTerms(), terms->count());
    field->setFocus();
    QTest::keyClicks(field, "loss");
    QVERIFY(shownTerms() >= 3 && shownTerms() < terms->count());
    QCOMPARE(shown("label.term"), "Loss");
    QTest::keyClick(terms, Qt::Key_Down);
    QVERIFY(shown("label.term") != "Loss");
    QTest::keyClicks(field, "xyz");
    QCOMPARE(shownTerms(), 0);
    QVERIFY(find<QLabel>("label.no_term")->isVisible());
    QVERIFY(!find<QLabel>("label.meaning")->isVisible());
    QTest::keyClick(field, Qt::Key_Escape);
    QCOMPARE(shownTerms(), terms->count());
    QVERIFY(help->isVisible());
}

CANNERY_TEST(TstHelp)
#include "tst_help.moc"

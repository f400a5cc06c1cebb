// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/support/widget_walk.h"
#include "ui/charts/steps/scatter_card.h"
#include "ui/pages/runs/run_embeddings.h"
#include "ui/pages/runs/run_inspect.h"
#include "ui/services/job_runner.h"
#include "ui/widgets/style/theme.h"

#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

using namespace cannery::tests;
using namespace cannery::ui;

/// Embeddings of runs that the real program has trained.
class TstRunEmbeddings : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup();

    void rowsAreNamedByTheirWords();
    void plotAndTableChooseTheSameRow();
    void anotherTableIsChosen();
    void onlyMatchingWordsAreListed();
    void theTableAndTheSearchComeBack();
    void theProjectorGetsTheTable();
    void whatCannotBeWrittenIsTold();
    void aRunWithoutEmbeddingsSaysSo();
    void aRunWithoutACheckpointSaysSo();
    void aFolderOfEventFilesSaysWhereEmbeddingsAre();
    void pictures_data();
    void pictures();

private:
    /// Trains an example for a few steps, into a folder of this name.
    void train(const QString& example, const QString& name) const;
    RunRow runOf(const QString& name, qint64 step = 20) const;
    void showEmbeddings(const RunRow& run);
    RunEmbeddings& embeddings() const { return m_inspect->embeddings(); }
    ScatterCard& scatter() const { return embeddings().scatter(); }
    QTableView& rows() const { return *m_inspect->findChild<QTableView*>("table.embedding_rows"); }
    QComboBox& tables() const { return *m_inspect->findChild<QComboBox*>("field.embedding_table"); }
    QString state() const
    {
        return m_inspect->findChild<QLabel*>("label.embeddings_state")->text();
    }
    QString word(int row) const { return rows().model()->index(row, 1).data().toString(); }

    QTemporaryDir m_folder;
    std::unique_ptr<JobRunner> m_jobs;
    std::unique_ptr<RunInspect> m_inspect;
};

void TstRunEmbeddings::train(const QString& example, const QString& name) const
{
    const QString source = QStringLiteral(CANNERY_SOURCE_DIR "/resources/examples/") + example;
    QProcess training;
    training.setWorkingDirectory(source);
    training.start(CANNERY_PROGRAM,
                   {"train", example + ".cannery", "--model-dir", m_folder.filePath(name),
                    "--quiet", "--set", "train_spec.max_steps=20"});
    QVERIFY(training.waitForFinished(kPatience));
    QVERIFY2(training.exitCode() == 0, training.readAllStandardError().constData());
}

void TstRunEmbeddings::initTestCase()
{
    train("titanic", "run-1");
    train("auto_mpg", "run-2");
}

void TstRunEmbeddings::init()
{
    applyTheme(*qApp, {});
    m_jobs = std::make_unique<JobRunner>();
    m_jobs->setProgram(CANNERY_PROGRAM);
    m_inspect = std::make_unique<RunInspect>(*m_jobs);
    m_inspect->resize(1180, 720);
}

void TstRunEmbeddings::cleanup()
{
    m_inspect.reset();
    m_jobs.reset();
    applyTheme(*qApp, {});
}

RunRow TstRunEmbeddings::runOf(const QString& name, qint64 step) const
{
    RunRow run;
    run.name = name;
    run.folder = m_folder.filePath(name);
    run.state = RunState::Finished;
    run.checkpoints = {{.step = step}};
    return run;
}

void TstRunEmbeddings::showEmbeddings(const RunRow& run)
{
    m_inspect->setView(RunInspect::Embeddings);
    m_inspect->showRun(run);
    m_inspect->show();
}

void TstRunEmbeddings::rowsAreNamedByTheirWords()
{
    showEmbeddings(runOf("run-1"));
    QTRY_COMPARE_WITH_TIMEOUT(rows().model()->rowCount(), 8, kPatience);
    QCOMPARE(tables().count(), 2);
    QCOMPARE(tables().currentText(), "deck_embedding · 8 rows of 4 numbers");
    QCOMPARE(word(0), "unknown");
    QCOMPARE(word(7), "G");
    QCOMPARE(scatter().scatter().points.size(), 8);
    QCOMPARE(scatter().scatter().points[7].text, "G");
    QVERIFY(scatter().scatter().xTitle.startsWith("Component 1 · "));
    QVERIFY(scatter().isVisible());
    QCOMPARE(state(), QString());
}

void TstRunEmbeddings::plotAndTableChooseTheSameRow()
{
    showEmbeddings(runOf("run-1"));
    QTRY_COMPARE_WITH_TIMEOUT(rows().model()->rowCount(), 8, kPatience);
    rows().selectRow(3);
    QCOMPARE(scatter().chosen(), 3);
    QVERIFY2(scatter().readout().startsWith(word(3) + " · "), qPrintable(scatter().readout()));
    QTest::keyClick(&scatter(), Qt::Key_Down);
    QCOMPARE(rows().currentIndex().row(), 4);
    QTest::keyClick(&scatter(), Qt::Key_Escape);
    QVERIFY(!rows().currentIndex().isValid());
    QVERIFY(rows().selectionModel()->selectedRows().isEmpty());
}

void TstRunEmbeddings::anotherTableIsChosen()
{
    showEmbeddings(runOf("run-1"));
    QTRY_COMPARE_WITH_TIMEOUT(rows().model()->rowCount(), 8, kPatience);
    tables().setCurrentIndex(1);
    Q_EMIT tables().activated(1);
    QTRY_COMPARE_WITH_TIMEOUT(rows().model()->rowCount(), 4, kPatience);
    QCOMPARE(word(0), "Southampton");
    // The next checkpoint of the run shows the same table.
    m_inspect->showRun(runOf("run-1", 40));
    QTest::qWait(100);
    QTRY_COMPARE_WITH_TIMEOUT(tables().currentIndex(), 1, kPatience);
    QCOMPARE(word(0), "Southampton");
}

void TstRunEmbeddings::onlyMatchingWordsAreListed()
{
    showEmbeddings(runOf("run-1"));
    QTRY_COMPARE_WITH_TIMEOUT(rows().model()->rowCount(), 8, kPatience);
    rows().selectRow(7);
    auto* field = qobject_cast<QLineEdit*>(m_inspect->findField());
    field->setText("g");
    QCOMPARE(rows().model()->rowCount(), 1);
    QCOMPARE(word(0), "G");
    QCOMPARE(rows().currentIndex().row(), 0); // still chosen
    QCOMPARE(scatter().chosen(), 7);
    QCOMPARE(scatter().scatter().points.size(), 8);
}

void TstRunEmbeddings::theTableAndTheSearchComeBack()
{
    showEmbeddings(runOf("run-1"));
    QTRY_COMPARE_WITH_TIMEOUT(rows().model()->rowCount(), 8, kPatience);
    embeddings().chooseTable(tables().itemData(1).toString());
    QTRY_COMPARE_WITH_TIMEOUT(rows().model()->rowCount(), 4, kPatience);
    const QJsonObject saved = m_inspect->saveState();
    m_inspect = std::make_unique<RunInspect>(*m_jobs);
    m_inspect->restoreState(saved);
    m_inspect->showRun(runOf("run-1"));
    m_inspect->show();
    QCOMPARE(m_inspect->view(), RunInspect::Embeddings);
    QTRY_COMPARE_WITH_TIMEOUT(rows().model()->rowCount(), 4, kPatience);
}

void TstRunEmbeddings::theProjectorGetsTheTable()
{
    showEmbeddings(runOf("run-1"));
    QTRY_COMPARE_WITH_TIMEOUT(rows().model()->rowCount(), 8, kPatience);
    m_inspect->findChild<QPushButton*>("button.export_projector")->click();
    auto* dialog = m_inspect->findChild<QFileDialog*>("dialog.export_projector");
    QVERIFY(dialog != nullptr);
    QCOMPARE(QFileInfo(dialog->selectedFiles().value(0)).fileName(), "projector-deck_embedding");
    dialog->close();
    const QString folder = m_folder.filePath("projector/deck");
    Q_EMIT dialog->fileSelected(folder);
    QTRY_VERIFY2_WITH_TIMEOUT(state().startsWith("Written to "), qPrintable(state()), kPatience);
    QFile words(folder + "/metadata.tsv");
    QVERIFY(words.open(QIODevice::ReadOnly));
    QCOMPARE(words.readAll(), QByteArray("unknown\nC\nB\nE\nD\nA\nF\nG\n"));
    QVERIFY(QFile::exists(folder + "/tensor.tsv"));
    QVERIFY(QFile::exists(folder + "/projector_config.pbtxt"));
    QCOMPARE(m_jobs->jobs().size(), 1); // what is only shown is not listed
    QVERIFY2(m_jobs->jobs()[0].command.display().contains(" --projector "),
             qPrintable(m_jobs->jobs()[0].command.display()));
}

void TstRunEmbeddings::whatCannotBeWrittenIsTold()
{
    showEmbeddings(runOf("run-1"));
    QTRY_COMPARE_WITH_TIMEOUT(rows().model()->rowCount(), 8, kPatience);
    const QString folder = m_folder.filePath("taken");
    embeddings().exportTo(folder);
    QTRY_VERIFY2_WITH_TIMEOUT(state().startsWith("Written to "), qPrintable(state()), kPatience);
    embeddings().exportTo(folder);
    QTRY_VERIFY2_WITH_TIMEOUT(state().contains("is there already"), qPrintable(state()), kPatience);
    QVERIFY(m_inspect->findChild<QPushButton*>("button.export_projector")->isEnabled());
}

void TstRunEmbeddings::aRunWithoutEmbeddingsSaysSo()
{
    showEmbeddings(runOf("run-1"));
    QTRY_COMPARE_WITH_TIMEOUT(rows().model()->rowCount(), 8, kPatience);
    m_inspect->showRun(runOf("run-2"));
    QTRY_VERIFY2_WITH_TIMEOUT(state().startsWith("This run has no table of embeddings."),
                              qPrintable(state()), kPatience);
    QVERIFY(!scatter().isVisible() && !rows().isVisible() && !tables().isVisible());
    QVERIFY(!m_inspect->findChild<QPushButton*>("button.export_projector")->isVisible());
}

void TstRunEmbeddings::aRunWithoutACheckpointSaysSo()
{
    QVERIFY(QDir(m_folder.path()).mkpath("run-3"));
    showEmbeddings(runOf("run-3"));
    QTRY_VERIFY2_WITH_TIMEOUT(state().contains("checkpoint") && !state().endsWith("…"),
                              qPrintable(state()), kPatience);
    QVERIFY(!rows().isVisible());
}

void TstRunEmbeddings::aFolderOfEventFilesSaysWhereEmbeddingsAre()
{
    QVERIFY(QDir(m_folder.path()).mkpath("logs"));
    RunRow run = runOf("logs", -1);
    run.isForeign = true;
    showEmbeddings(run);
    QTRY_VERIFY2_WITH_TIMEOUT(state().contains("this folder of event files has none") &&
                                  state().contains("open that folder"),
                              qPrintable(state()), kPatience);
    QVERIFY(!rows().isVisible());
    run = runOf("run-1"); // with checkpoints, whoever wrote them
    run.isForeign = true;
    showEmbeddings(run);
    QTRY_VERIFY_WITH_TIMEOUT(rows().isVisible(), kPatience);
}

void TstRunEmbeddings::pictures_data()
{
    QTest::addColumn<bool>("dark");
    QTest::addColumn<double>("scale");
    QTest::newRow("light") << false << 1.0;
    QTest::newRow("dark") << true << 1.0;
    QTest::newRow("text_200") << false << 2.0;
}

/// In screenshots/, with a check of all widgets.
void TstRunEmbeddings::pictures()
{
    QFETCH(bool, dark);
    QFETCH(double, scale);
    applyTheme(*qApp, {.dark = dark, .textScale = scale});
    m_inspect = std::make_unique<RunInspect>(*m_jobs);
    QPalette palette = m_inspect->palette();
    palette.setColor(QPalette::Window, tokens().canvas);
    m_inspect->setPalette(palette);
    m_inspect->setAutoFillBackground(true);
    m_inspect->resize(1180, 720);
    showEmbeddings(runOf("run-1"));
    QTRY_COMPARE_WITH_TIMEOUT(rows().model()->rowCount(), 8, kPatience);
    rows().selectRow(2);
    QTest::qWait(300);
    QDir().mkpath("screenshots");
    const QStringList faults = walkWidgets(*m_inspect);
    QVERIFY(m_inspect->grab().save(
        QString("screenshots/inspect-embeddings-%1.png").arg(QTest::currentDataTag())));
    QVERIFY2(faults.isEmpty(), qPrintable(faults.join('\n')));
}

CANNERY_TEST(TstRunEmbeddings)
#include "tst_run_embeddings.moc"

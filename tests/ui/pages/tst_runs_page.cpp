// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "tests/ui/pages/seeded_runs.h"
#include "ui/charts/chart_grid.h"
#include "ui/charts/curves/chart_canvas.h"
#include "ui/charts/curves/chart_cursor.h"
#include "ui/charts/curves/chart_link.h"
#include "ui/charts/curves/chart_plot.h"
#include "ui/models/runs/run_table_model.h"
#include "ui/pages/runs/notes_editor.h"
#include "ui/pages/runs/run_inspect.h"
#include "ui/pages/runs/run_page.h"
#include "ui/pages/runs/runs_charts.h"
#include "ui/pages/runs/runs_list.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/runs/runs_panel.h"
#include "ui/pages/runs/runs_readout.h"
#include "ui/pages/runs/runs_table.h"
#include "ui/pages/runs/runs_toolbar.h"
#include "ui/pages/runs/summary_grid.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/services/runs/scalars_export.h"
#include "ui/services/runs/series_store.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/search_field.h"
#include "ui/widgets/strip.h"
#include "ui/widgets/style/theme.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>

namespace cannery::ui {

using tests::kPatience;
namespace {

/// Saves a picture if a folder for pictures is set.
void picture(tests::PageBench& bench, const QString& name)
{
    const QString folder = qEnvironmentVariable("CANNERY_PICTURES");
    if (folder.isEmpty()) {
        return;
    }
    const std::pair<const char*, ThemeChoice> looks[]{
        {"light", {}}, {"dark", {.dark = true}}, {"large", {.textScale = 2}}};
    for (const auto& [look, choice] : looks) {
        applyTheme(*qApp, choice);
        QTest::qWait(150);
        bench.window().grab().save(folder + '/' + name + '-' + QLatin1String(look) + ".png");
    }
    applyTheme(*qApp, {});
}

} // namespace

class TstRunsPage : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_bench = std::make_unique<tests::PageBench>();
        m_bench->window().resize(1300, 800);
        m_project = m_bench->copyExample("titanic");
    }
    void cleanup()
    {
        m_page = nullptr;
        m_bench.reset();
    }

    void D03_emptyStateOffersToTrain()
    {
        open();
        auto* empty = m_page->findChild<EmptyState*>("empty.runs");
        QTRY_VERIFY_WITH_TIMEOUT(empty->isVisible(), kPatience);
        QCOMPARE(m_page->mark().kind, RailMark::Kind::Empty);
        picture(*m_bench, "runs-empty");
    }

    void curvesOfShownRunsStandInCards()
    {
        openSeeded();
        QTRY_COMPARE_WITH_TIMEOUT(curves("auc"), 6, kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(curves("loss"), 12, kPatience);
        QCOMPARE(charts().pinned(), (QStringList{"auc", "loss"}));
        QCOMPARE(m_page->mark().count, 6);
        m_page->list().table().selectRun("run-010");
        picture(*m_bench, "runs-charts");
        m_page->list().model().setShown({"run-011", "run-012"}, false);
        QTRY_COMPARE_WITH_TIMEOUT(curves("auc"), 4, kPatience);
        QCOMPARE(label("label.run_count"), QString("4 shown of 6"));
    }

    void D28_readoutFollowsTheCursor()
    {
        openSeeded();
        QTRY_COMPARE_WITH_TIMEOUT(curves("auc"), 6, kPatience);
        ChartCard* card = charts().grid().card("auc");
        card->cursor().setX(501);
        ReadoutModel& readout = charts().readout().model();
        QTRY_COMPARE_WITH_TIMEOUT(readout.rowCount(), 6, kPatience);
        const ReadoutEntry& first = readout.entries().front();
        const Series* series = m_bench->session().series().series({first.run, "eval", "auc"});
        bool isLogged = false;
        for (qsizetype i = 0; i < series->size(); ++i) {
            const auto at = static_cast<std::size_t>(i);
            isLogged = isLogged ||
                       (series->steps()[at] == first.step && series->values()[at] == first.value);
        }
        QVERIFY(isLogged);
        picture(*m_bench, "runs-readout");
        charts().readout().copy();
        QVERIFY(QApplication::clipboard()->text().startsWith("Run\tOf\tStep\tValue"));
        QCOMPARE(QApplication::clipboard()->text().count('\n'), 7);
    }

    void D43_filterFieldHidesAndExplains()
    {
        openSeeded();
        QLineEdit* field = m_page->findChild<QLineEdit*>("field.filter");
        field->setText("tag:v2 and auc > 0.8 and lr < 0.01");
        QCOMPARE(listed(), QStringList{"run-012"});
        field->setText("notes:calibrated or name:run-007");
        QCOMPARE(listed(), (QStringList{"run-010", "run-007"}));
        QVERIFY(label("label.run_count").startsWith("2 shown of 6"));
        field->setText("auc >");
        QVERIFY(m_page->findChild<QLabel*>("label.filter_problem")->isVisible());
        QCOMPARE(listed().size(), 2);
        picture(*m_bench, "runs-filter-error");
        field->setText("auc > 2");
        QVERIFY(label("label.no_match").startsWith("No run matches – 6 hidden"));
        picture(*m_bench, "runs-no-match");
        QTRY_VERIFY_WITH_TIMEOUT(m_page->findChild<QLabel*>("label.no_charts")->isVisible(),
                                 kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(label("label.no_charts").contains("filter hides"), kPatience);
        field->clear();
        QCOMPARE(listed().size(), 6);
    }

    void newsOfTheStoreRepaintNoCard()
    {
        openSeeded();
        QTRY_COMPARE_WITH_TIMEOUT(curves("auc"), 6, kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(curves("loss"), 12, kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(charts().grid().card("auc")->canvas().paintCount() > 0, kPatience);
        m_bench->session().runs().setNotes("run-007", "first words");
        m_page->grab();
        const int before = charts().grid().card("auc")->canvas().paintCount();
        QSignalSpy changed(&m_bench->session().runs(), &RunCatalog::snapshotChanged);
        m_bench->session().runs().setNotes("run-007", "other words");
        QTRY_VERIFY_WITH_TIMEOUT(changed.size() >= 2, kPatience);
        m_page->grab();
        QCOMPARE(charts().grid().card("auc")->canvas().paintCount(), before);
    }

    void D42_trashAndRestore()
    {
        openSeeded();
        m_page->list().table().selectRun("run-010");
        m_bench->actions().find("action.trash")->trigger();
        QCOMPARE(listed().size(), 5);
        QTRY_VERIFY_WITH_TIMEOUT(m_bench->context().toaster->text().contains("run-010"), kPatience);
        QVERIFY(label("label.run_count").contains("1 in Trash"));
        m_page->list().showTrash(true);
        QCOMPARE(listed(), QStringList{"run-010"});
        picture(*m_bench, "runs-trash");
        m_page->findChild<QPushButton*>("button.restore")->click();
        QCOMPARE(listed().size(), 0);
        m_page->list().showTrash(false);
        QCOMPARE(listed().size(), 6);
        const RunRow& run = *m_bench->session().runs().snapshot()->find("run-010");
        QVERIFY(run.starred);
        QCOMPARE(run.tags, (QStringList{"baseline", "v2"}));
        m_page->list().table().selectRun("run-009");
        m_bench->actions().find("action.trash")->trigger();
        QCOMPARE(listed().size(), 5);
        QTRY_VERIFY_WITH_TIMEOUT(m_bench->context().toaster->text().contains("run-009"), kPatience);
        m_bench->context().toaster->undo();
        QCOMPARE(listed().size(), 6);
    }

    void D29_colourOfACurveIsTheRunsOwn()
    {
        openSeeded();
        QTRY_COMPARE_WITH_TIMEOUT(curves("auc"), 6, kPatience);
        const auto slotOf = [&](const QString& run) {
            for (const Curve& curve : charts().grid().card("auc")->curves()) {
                if (curve.run == run) {
                    return curve.colourSlot;
                }
            }
            return -1;
        };
        const int before = slotOf("run-012");
        m_bench->session().runs().moveToTrash({"run-007"});
        QTRY_COMPARE_WITH_TIMEOUT(curves("auc"), 5, kPatience);
        QCOMPARE(slotOf("run-012"), before);
        m_bench->session().runs().setColourSlot("run-012", 11);
        QTRY_COMPARE_WITH_TIMEOUT(slotOf("run-012"), 11, kPatience);
    }

    void keysWorkOnTheTable()
    {
        openSeeded();
        RunsTable& table = m_page->list().table();
        table.selectRun("run-009");
        table.setFocus();
        m_bench->window().activateWindow();
        QTRY_VERIFY_WITH_TIMEOUT(table.hasFocus(), kPatience);
        QTest::keyClick(&table, Qt::Key_Space);
        QVERIFY(!m_page->list().model().isShown("run-009"));
        QTest::keyClick(&table, Qt::Key_S);
        QVERIFY(m_bench->session().runs().snapshot()->find("run-009")->starred);
        QTest::keyClick(&table, Qt::Key_Down);
        QCOMPARE(table.currentRun(), QString("run-008"));
        m_bench->actions().find("action.rename")->trigger();
        auto* field = table.findChild<QLineEdit*>("field.run_name");
        QVERIFY(field);
        field->setText("no stop");
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(m_bench->session().runs().snapshot()->find("run-008")->title,
                                  QString("no stop"), kPatience);
        QTest::keyClick(&table, Qt::Key_Return);
        QCOMPARE(m_page->currentRun(), QString("run-008"));
        QVERIFY(m_page->runPage().isVisible());
    }

    void hoveringARowBringsItsCurvesForward()
    {
        openSeeded();
        QSignalSpy hovered(&m_page->list().table(), &RunsTable::runHovered);
        RunsTable& table = m_page->list().table();
        const QRect row = table.visualRect(m_page->list().proxy().indexOf("run-010", 3));
        QTest::mouseMove(table.viewport(), row.center());
        QTRY_VERIFY_WITH_TIMEOUT(!hovered.isEmpty(), kPatience);
        QCOMPARE(hovered.last().front().toString(), QString("run-010"));
        QTRY_COMPARE_WITH_TIMEOUT(curves("auc"), 6, kPatience);
        charts().setEmphasis("run-010");
        picture(*m_bench, "runs-hover");
    }

    void groupsOfRunsBecomeBands()
    {
        openSeeded();
        QTRY_COMPARE_WITH_TIMEOUT(curves("auc"), 6, kPatience);
        auto* groupBy = m_page->findChild<QComboBox*>("field.group_by");
        const int seed = groupBy->findData("tf_random_seed");
        QVERIFY(seed > 0);
        groupBy->setCurrentIndex(seed);
        QTRY_COMPARE_WITH_TIMEOUT(curves("auc"), 2, kPatience);
        const Curve& first = charts().grid().card("auc")->curves().front();
        QVERIFY(first.band);
        QCOMPARE(first.band->counts.front(), 5);
        QVERIFY(first.label.contains("n = 5"));
        QVERIFY(label("label.groups").contains(" ± "));
        picture(*m_bench, "runs-groups");
    }

    void tagsArePinnedFilteredAndOverlaid()
    {
        openSeeded();
        QTRY_COMPARE_WITH_TIMEOUT(curves("auc"), 6, kPatience);
        charts().setPinned("accuracy", true);
        QCOMPARE(charts().grid().groups().front().tags, (QStringList{"auc", "loss", "accuracy"}));
        charts().overlay("auc", "accuracy");
        QCOMPARE(curves("auc"), 12);
        m_page->findChild<QLineEdit*>("field.tag_filter")->setText("loss");
        QTRY_COMPARE_WITH_TIMEOUT(charts().grid().shownCount(), 2, kPatience);
    }

    void D21_viewSurvivesARestart()
    {
        openSeeded();
        QTRY_COMPARE_WITH_TIMEOUT(curves("auc"), 6, kPatience);
        charts().toolbar().tagField().setText("auc|loss");
        m_page->findChild<QLineEdit*>("field.filter")->setText("auc > 0.5");
        m_page->list().model().setShown({"run-007"}, false);
        m_page->list().model().setBaseline("run-010");
        charts().perform(ChartCommand::LogY);
        const QByteArray state = m_page->saveState();
        m_bench->session().runs().setViewState("runs", state);
        delete m_page;
        m_bench->session().project().close();
        m_page = nullptr;
        open();
        QTRY_COMPARE_WITH_TIMEOUT(m_page->list().model().rowCount(), 6, kPatience);
        QCOMPARE(m_page->findChild<QLineEdit*>("field.filter")->text(), QString("auc > 0.5"));
        QVERIFY(!m_page->list().model().isShown("run-007"));
        QCOMPARE(m_page->list().model().baseline(), QString("run-010"));
        QCOMPARE(charts().toolbar().tagField().text(), QString("auc|loss"));
        QVERIFY(charts().isChecked(ChartCommand::LogY));
        QTRY_COMPARE_WITH_TIMEOUT(curves("auc"), 5, kPatience);
        QVERIFY(charts().grid().card("auc")->options().logY);
    }

    void theOpenRunAndItsViewSurviveARestart()
    {
        openSeeded();
        m_page->reveal("run:run-010");
        const auto inspect = [this]() -> RunInspect& { return m_page->runPage().inspect(); };
        m_page->runPage().setView(RunPage::Inspect);
        inspect().setView(RunInspect::Graph);
        qobject_cast<QLineEdit*>(inspect().findField())->setText("dnn");
        const QByteArray saved = m_page->saveState();
        QTRY_COMPARE_WITH_TIMEOUT(m_bench->session().runs().viewState("runs"), saved, kPatience);
        delete m_page;
        m_bench->session().project().close();
        m_page = nullptr;
        open();
        QTRY_VERIFY_WITH_TIMEOUT(m_page->runPage().isVisible(), kPatience);
        QCOMPARE(m_page->runPage().run(), "run-010");
        QVERIFY(inspect().isVisible());
        QCOMPARE(inspect().view(), RunInspect::Graph);
        QCOMPARE(qobject_cast<QLineEdit*>(inspect().findField())->text(), "dnn");
        // Another project has its own view.
        m_page->restoreState({});
        QCOMPARE(inspect().view(), RunInspect::Distributions);
        QCOMPARE(qobject_cast<QLineEdit*>(inspect().findField())->text(), "");
    }

    void oneRunTellsEverything()
    {
        openSeeded();
        m_page->reveal("run:run-011");
        RunPage& page = m_page->runPage();
        QVERIFY(page.isVisible());
        auto* strip = page.findChild<Strip*>();
        QVERIFY(strip->isVisible());
        QVERIFY(strip->text().contains("NaN at step 1,204"));
        QTRY_VERIFY_WITH_TIMEOUT(
            page.findChild<QWidget*>("facts.files")->findChildren<QLabel*>().size() > 4, kPatience);
        picture(*m_bench, "run-overview");
        page.setView(RunPage::Checkpoints);
        auto* checkpoints = page.findChild<QTableView*>("table.checkpoints");
        QCOMPARE(checkpoints->model()->rowCount(), 6);
        picture(*m_bench, "run-checkpoints");
        page.setView(RunPage::Experiment);
        QVERIFY(label("label.diff_summary").contains(" of "));
        picture(*m_bench, "run-experiment");
        page.setView(RunPage::Log);
        picture(*m_bench, "run-log");
        QCOMPARE(m_page->command().arguments, (QStringList{"runs", "show", "run-011"}));
        m_page->reveal("");
        QVERIFY(!page.isVisible());
    }

    void aFrozenExperimentShowsItsProblems()
    {
        tests::addSeededRuns(m_project);
        const QString sound = m_project + "/runs/run-010/experiment.cannery";
        QFile::remove(sound);
        QVERIFY(QFile::copy(m_project + "/titanic.cannery", sound));
        QFile damaged(m_project + "/runs/run-011/experiment.cannery");
        QVERIFY(damaged.open(QFile::WriteOnly));
        damaged.write("name: \"old\"\nestimator { dnn_classifier { hidden_units: -3 } }\n");
        damaged.close();
        open();
        QTRY_COMPARE_WITH_TIMEOUT(m_page->list().model().rowCount(), 6, kPatience);
        m_page->reveal("run:run-011");
        RunPage& page = m_page->runPage();
        page.setView(RunPage::Experiment);
        auto* problems = page.findChild<QWidget*>("problems");
        auto* text = page.findChild<QPlainTextEdit*>("text.experiment");
        QTRY_VERIFY_WITH_TIMEOUT(problems->isVisible(), kPatience);
        auto* row = problems->findChild<QWidget*>("issue.spec.out_of_range");
        QVERIFY(row != nullptr);
        row->findChild<QPushButton*>()->click();
        QVERIFY(text->textCursor().selectedText().contains("hidden_units: -3"));
        picture(*m_bench, "run-experiment-problems");
        m_page->reveal("run:run-010");
        QTRY_VERIFY_WITH_TIMEOUT(text->toPlainText().contains("wide"), kPatience);
        QVERIFY(!problems->isVisible());
    }

    void allScalarsAreWritten()
    {
        tests::addSeededRuns(m_project);
        ScalarsExport writer;
        QSignalSpy finished(&writer, &ScalarsExport::finished);
        const QString file = m_bench->folder() + "/scalars.csv";
        writer.start(file, {{"run-010", m_project + "/runs/run-010"}});
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, kPatience);
        QCOMPARE(finished.front().at(2).toString(), QString());
        QFile written(file);
        QVERIFY(written.open(QFile::ReadOnly));
        const QList<QByteArray> lines = written.readAll().trimmed().split('\n');
        QCOMPARE(lines.front(), QByteArray("run,folder,tag,step,wall_time,value"));
        QCOMPARE(lines.size() - 1, 300 * 4 + 12 * 3);
        QVERIFY(lines.at(1).startsWith("run-010,,loss,1,"));
    }

    void eventFilesOfOtherProgramsAreReadOnly()
    {
        tests::addSeededRuns(m_project);
        const QString folder = m_bench->folder() + "/logs";
        QDir().mkpath(folder);
        QVERIFY(QDir().rename(m_project + "/runs/run-010", folder + "/first"));
        m_page = new RunsPage(m_bench->context(), &m_bench->window());
        m_bench->session().project().openEventFolder(folder);
        m_bench->show(*m_page);
        QTRY_COMPARE_WITH_TIMEOUT(m_page->list().model().rowCount(), 1, kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(curves("loss"), 2, kPatience);
        m_page->list().table().selectRun(m_page->list().proxy().runAt(0));
        QVERIFY(!m_bench->actions().find("action.trash")->isEnabled());
        picture(*m_bench, "runs-events");
    }

    void aFolderWithoutCurvesSaysWhatIsThere()
    {
        m_page = new RunsPage(m_bench->context(), &m_bench->window());
        m_bench->session().project().openEventFolder(
            QStringLiteral(CANNERY_SOURCE_DIR "/tests/golden/foreign_events/pr_curves"));
        m_bench->show(*m_page);
        QTRY_COMPARE_WITH_TIMEOUT(m_page->list().model().rowCount(), 1, kPatience);
        QTRY_VERIFY2_WITH_TIMEOUT(
            label("label.no_charts")
                .startsWith("pr_curves has logged no scalars, but 2 PR curves."),
            qPrintable(label("label.no_charts")), kPatience);
        picture(*m_bench, "runs-no-curves");
        auto* words = m_page->findChild<QLabel*>("label.no_charts");
        Q_EMIT words->linkActivated("inspect");
        QTRY_VERIFY_WITH_TIMEOUT(m_page->runPage().inspect().isVisible(), kPatience);
        QCOMPARE(m_page->runPage().inspect().view(), RunInspect::PrCurves);
        QTRY_COMPARE_WITH_TIMEOUT(
            m_page->runPage().inspect().grid(RunInspect::PrCurves).cards().size(), 2, kPatience);
    }

private:
    void open()
    {
        m_page = new RunsPage(m_bench->context(), &m_bench->window());
        QSignalSpy changed(&m_bench->session().project(), &OpenProject::changed);
        m_bench->session().project().open(m_project);
        QTRY_VERIFY_WITH_TIMEOUT(!changed.isEmpty(), kPatience);
        m_bench->show(*m_page);
        QTRY_VERIFY_WITH_TIMEOUT(m_bench->session().runs().isLoaded(), kPatience);
    }
    void openSeeded()
    {
        tests::addSeededRuns(m_project);
        open();
        QTRY_COMPARE_WITH_TIMEOUT(m_page->list().model().rowCount(), 6, kPatience);
    }
    RunsCharts& charts() { return m_page->charts(); }
    qsizetype curves(const QString& tag)
    {
        const ChartCard* card = charts().grid().card(tag);
        return card ? card->curves().size() : -1;
    }
    QString label(const QString& name)
    {
        return m_page->findChild<QLabel*>(name)->text().remove(QRegularExpression("<[^>]*>"));
    }
    QStringList listed()
    {
        QStringList names;
        for (int row = 0; row < m_page->list().proxy().rowCount(); ++row) {
            names.append(m_page->list().proxy().runAt(row));
        }
        return names;
    }

    std::unique_ptr<tests::PageBench> m_bench;
    QString m_project;
    RunsPage* m_page = nullptr;
};

} // namespace cannery::ui

using cannery::ui::TstRunsPage;
CANNERY_TEST(TstRunsPage)

#include "tst_runs_page.moc"

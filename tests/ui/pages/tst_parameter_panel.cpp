// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "tests/ui/pages/seeded_runs.h"
#include "ui/charts/chart_grid.h"
#include "ui/charts/parallel_plot.h"
#include "ui/models/runs/run_table_model.h"
#include "ui/pages/runs/parameter_panel.h"
#include "ui/pages/runs/run_page.h"
#include "ui/pages/runs/runs_charts.h"
#include "ui/pages/runs/runs_list.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/runs/runs_table.h"
#include "ui/pages/runs/runs_toolbar.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/widgets/key_value_list.h"
#include "ui/widgets/segmented.h"

#include <QAbstractButton>
#include <QAction>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>

#include <cmath>

namespace cannery::ui {

using tests::kPatience;

/// What the parameters of the shown runs have to do with their metric.
class TstParameterPanel : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup()
    {
        m_page = nullptr;
        m_bench.reset();
    }
    void tabsLeadThereAndBack();
    void theActionLeadsThereFromAnywhere();
    void aDragAlongAnAxisSelectsItsRuns();
    void keysSelectRunsToo();
    void theActionShowsParametersInPlaceOfCurves();
    void onlyShownRunsAreCompared();
    void theLineUnderThePointerIsEmphasised();

private:
    ParameterPanel& panel() { return m_page->charts().parameters(); }
    QAction* compare() { return m_bench->actions().find("action.compare_parameters"); }
    QStringList selected() { return m_page->list().table().selectedRuns(); }
    QString chosenWords() { return panel().findChild<QLabel*>("words.chosen_runs")->text(); }
    /// Where an axis has this share of its height.
    QPoint pointOn(qsizetype axis, double share);

    std::unique_ptr<tests::PageBench> m_bench;
    RunsPage* m_page = nullptr;
};

void TstParameterPanel::init()
{
    m_bench = std::make_unique<tests::PageBench>();
    m_bench->window().resize(1300, 800);
    const QString project = m_bench->copyExample("titanic");
    tests::addSeededRuns(project);
    m_page = new RunsPage(m_bench->context(), &m_bench->window());
    m_bench->open(project);
    m_bench->show(*m_page);
    QTRY_COMPARE_WITH_TIMEOUT(m_page->list().model().rowCount(), 6, kPatience);
    m_bench->actions().find("action.compare_parameters")->setChecked(true);
}

QPoint TstParameterPanel::pointOn(qsizetype axis, double share)
{
    const ParallelPlot& plot = panel().plot();
    const QRectF where = plot.area();
    const auto last = double(plot.study().axes.size() - 1);
    return QPointF(where.left() + double(axis) / last * where.width(),
                   where.bottom() - share * where.height())
        .toPoint();
}

void TstParameterPanel::tabsLeadThereAndBack()
{
    auto* tabs = m_page->findChild<Segmented*>("segmented.runs_views");
    QTRY_VERIFY_WITH_TIMEOUT(panel().isVisible(), kPatience);
    QCOMPARE(tabs->currentIndex(), 1);
    QVERIFY(!m_page->charts().toolbar().isVisible()); // smoothing is of curves
    QTest::mouseClick(tabs->findChild<QAbstractButton*>("segment.0"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(m_page->charts().grid().isVisible(), kPatience);
    QVERIFY(!panel().isVisible());
    QVERIFY(m_page->charts().toolbar().isVisible());
    QVERIFY(!compare()->isChecked());
    const QByteArray charts = m_page->saveState();
    QTest::mouseClick(tabs->findChild<QAbstractButton*>("segment.1"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(panel().isVisible(), kPatience);
    QVERIFY(compare()->isChecked());
    const QByteArray parameters = m_page->saveState();
    m_page->restoreState(charts);
    QCOMPARE(tabs->currentIndex(), 0);
    m_page->restoreState(parameters);
    QCOMPARE(tabs->currentIndex(), 1);
    QVERIFY(panel().isVisible());
}

void TstParameterPanel::theActionLeadsThereFromAnywhere()
{
    compare()->setChecked(false);
    m_page->reveal("run:run-010");
    QTRY_VERIFY_WITH_TIMEOUT(m_page->runPage().isVisible(), kPatience);
    compare()->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(panel().isVisible(), kPatience);
    compare()->setChecked(false);
    QSignalSpy navigated(m_page, &Page::navigate);
    m_page->hide();
    compare()->trigger();
    QCOMPARE(navigated.value(0).value(0).toString(), "runs");
}

void TstParameterPanel::aDragAlongAnAxisSelectsItsRuns()
{
    QTRY_VERIFY_WITH_TIMEOUT(panel().plot().isVisible(), kPatience);
    QWidget* view = panel().plot().viewport();
    const qsizetype score = panel().plot().study().axes.size() - 1;
    QVERIFY2(chosenWords().startsWith("Drag along an axis"), qPrintable(chosenWords()));
    QTest::mousePress(view, Qt::LeftButton, {}, pointOn(score, 0.6));
    QTest::mouseMove(view, pointOn(score, 0.8));
    QTest::mouseMove(view, pointOn(score, 1));
    QTest::mouseRelease(view, Qt::LeftButton, {}, pointOn(score, 1));
    const AxisPart part = *panel().plot().brushes().on("auc");
    QVERIFY(std::abs(part.from - 0.6) < 0.02 && part.to == 1);
    QStringList best;
    for (const StudyLine& line : panel().plot().study().lines) {
        if (line.places.last() >= part.from) {
            best << line.run;
        }
    }
    best.sort();
    QVERIFY(best.size() > 1 && best.size() < 6);
    QStringList runs = selected();
    runs.sort();
    QCOMPARE(runs, best);
    QVERIFY2(chosenWords().startsWith(QString("%1 of 6 runs selected: AUC").arg(best.size())),
             qPrintable(chosenWords()));
    const QString folder = qEnvironmentVariable("CANNERY_PICTURES");
    if (!folder.isEmpty()) {
        m_bench->window().grab().save(folder + "/runs-brushed.png");
    }
    // It stays when a run is hidden and shown again.
    m_page->list().model().setShown({best.first()}, false);
    QTRY_COMPARE_WITH_TIMEOUT(panel().plot().study().lines.size(), 5, kPatience);
    QVERIFY(chosenWords().startsWith(QString("%1 of 5").arg(best.size() - 1)));
    m_page->list().model().setShown({best.first()}, true);
    QTRY_COMPARE_WITH_TIMEOUT(panel().plot().study().lines.size(), 6, kPatience);
    QTest::mouseClick(view, Qt::LeftButton, {}, pointOn(score, 0.3));
    QCOMPARE(selected(), QStringList());
    QVERIFY(panel().plot().brushes().isEmpty());
    QVERIFY2(chosenWords().startsWith("Drag along an axis"), qPrintable(chosenWords()));
}

void TstParameterPanel::keysSelectRunsToo()
{
    QTRY_VERIFY_WITH_TIMEOUT(panel().plot().isVisible(), kPatience);
    ParallelPlot& plot = panel().plot();
    const StudyAxis& first = plot.study().axes.first();
    plot.setFocus(Qt::TabFocusReason);
    QTest::keyClick(&plot, Qt::Key_Up);
    QCOMPARE(plot.brushes().on(first.path), (AxisPart{0.5, 1}));
    QTest::keyClick(&plot, Qt::Key_Down);
    QCOMPARE(plot.brushes().on(first.path), (AxisPart{0.45, 0.95}));
    QTest::keyClick(&plot, Qt::Key_Up, Qt::ShiftModifier);
    QCOMPARE(plot.brushes().on(first.path), (AxisPart{0.45, 1}));
    QTest::keyClick(&plot, Qt::Key_Down, Qt::ControlModifier);
    QCOMPARE(plot.brushes().on(first.path)->from, 0.4);
    QTest::keyClick(&plot, Qt::Key_Right);
    QTest::keyClick(&plot, Qt::Key_Down);
    QCOMPARE(plot.brushes().on(plot.study().axes[1].path), (AxisPart{0, 0.5}));
    QCOMPARE(selected().size(), plot.brushes().chosen(plot.study()).size());
    QVERIFY(plot.accessibleDescription().contains("chosen by " + first.label));
    QTest::keyClick(&plot, Qt::Key_Delete);
    QVERIFY(!plot.brushes().on(plot.study().axes[1].path));
    QVERIFY(plot.brushes().on(first.path).has_value());
    QTest::keyClick(&plot, Qt::Key_Escape);
    QVERIFY(plot.brushes().isEmpty());
    QCOMPARE(selected(), QStringList());
}

void TstParameterPanel::theActionShowsParametersInPlaceOfCurves()
{
    QTRY_VERIFY_WITH_TIMEOUT(panel().isVisible(), kPatience);
    const ParameterStudy& study = panel().plot().study();
    QCOMPARE(study.metric, QString("auc"));
    QCOMPARE(study.lines.size(), 6);
    QStringList labels;
    for (const StudyAxis& axis : study.axes) {
        labels << axis.label;
    }
    QVERIFY2(labels.contains("dnn_classifier.learning_rate"), qPrintable(labels.join(' ')));
    QCOMPARE(panel().findChild<KeyValueList*>("list.importance")->rows().size(),
             study.axes.size() - 1);
    const QString folder = qEnvironmentVariable("CANNERY_PICTURES");
    if (!folder.isEmpty()) {
        m_bench->window().grab().save(folder + "/runs-parameters.png");
    }
    m_bench->actions().find("action.compare_parameters")->setChecked(false);
    QVERIFY(!panel().isVisible());
}

void TstParameterPanel::onlyShownRunsAreCompared()
{
    m_page->list().model().setShown({"run-011", "run-012"}, false);
    QTRY_COMPARE_WITH_TIMEOUT(panel().plot().study().lines.size(), 4, kPatience);
    m_page->list().model().setShown({"run-007", "run-008", "run-009"}, false);
    QTRY_VERIFY_WITH_TIMEOUT(!panel().plot().isVisible(), kPatience);
    QCOMPARE(panel().findChild<QLabel*>("title.parameters")->text(), QString("Nothing to compare"));
}

void TstParameterPanel::theLineUnderThePointerIsEmphasised()
{
    QTRY_VERIFY_WITH_TIMEOUT(panel().plot().isVisible(), kPatience);
    QSignalSpy hovered(&panel(), &ParameterPanel::runHovered);
    ParallelPlot& plot = panel().plot();
    for (int y = 0; y < plot.height() && hovered.isEmpty(); ++y) {
        QTest::mouseMove(plot.viewport(), {plot.width() - 120, y});
    }
    QVERIFY(!hovered.isEmpty());
    const QString run = hovered.front().front().toString();
    QVERIFY2(tests::seededRuns().contains(run), qPrintable(run));
    QTest::mouseMove(plot.viewport(), {1, 1});
    QTRY_COMPARE_WITH_TIMEOUT(hovered.back().front().toString(), QString(), kPatience);
}

} // namespace cannery::ui

using cannery::ui::TstParameterPanel;
CANNERY_TEST(TstParameterPanel)
#include "tst_parameter_panel.moc"

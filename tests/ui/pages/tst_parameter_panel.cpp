// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "tests/ui/pages/seeded_runs.h"
#include "ui/charts/parallel_plot.h"
#include "ui/models/run_table_model.h"
#include "ui/pages/runs/parameter_panel.h"
#include "ui/pages/runs/runs_charts.h"
#include "ui/pages/runs/runs_list.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/services/run_catalog.h"
#include "ui/widgets/key_value_list.h"

#include <QAction>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>

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
    void theActionShowsParametersInPlaceOfCurves();
    void onlyShownRunsAreCompared();
    void theLineUnderThePointerIsEmphasised();

private:
    ParameterPanel& panel() { return m_page->charts().parameters(); }

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

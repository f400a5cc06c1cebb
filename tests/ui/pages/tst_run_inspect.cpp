// SPDX-License-Identifier: GPL-3.0-only
#include "storage/tf/events/event_writer.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/support/widget_walk.h"
#include "ui/charts/graph_view.h"
#include "ui/charts/steps/distribution_card.h"
#include "ui/charts/steps/step_card.h"
#include "ui/pages/runs/run_graph.h"
#include "ui/pages/runs/run_inspect.h"
#include "ui/pages/runs/summary_grid.h"
#include "ui/pages/train/train_distributions.h"
#include "ui/services/job_runner.h"
#include "ui/services/runs/summary_feed.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/style/theme.h"

#include <QAbstractButton>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace cannery::storage;
using namespace cannery::tests;
using namespace cannery::ui;

namespace {

RunRow eventRun(const QString& folder,
                cannery::ui::RunState state = cannery::ui::RunState::Finished)
{
    RunRow run;
    run.name = "run-1";
    run.folder = folder;
    run.state = state;
    return run;
}

RunRow goldenRun(const char* name)
{
    return eventRun(QStringLiteral(CANNERY_SOURCE_DIR "/tests/golden/event/") + name);
}

RunRow foreignRun(const char* name)
{
    RunRow run =
        eventRun(QStringLiteral(CANNERY_SOURCE_DIR "/tests/golden/foreign_events/") + name);
    run.isForeign = true;
    return run;
}

/// Weights that spread out over the steps.
void logWeights(EventWriter& writer, int from, int to, int tags = 1)
{
    for (int step = from; step < to; ++step) {
        SummaryBuilder summary;
        for (int tag = 0; tag < tags; ++tag) {
            Histogram histogram;
            for (int i = 0; i < 400; ++i) {
                const double share = (i + 0.5) / 400;
                histogram.add(std::log(share / (1 - share)) * (0.1 + 0.01 * step) + 0.02 * step);
            }
            summary.histogram("dnn/layer_" + std::to_string(tag) + "/kernel", histogram);
        }
        static_cast<void>(writer.writeSummary(100 * step, summary));
    }
    static_cast<void>(writer.flush());
}

} // namespace

class TstRunInspect : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, {}); }
    void cleanup() { applyTheme(*qApp, {}); }

    void everyKindOfTensorFlowsFolderIsShown();
    void theGraphIsShownAndSearched();
    void aGraphFileIsDrawnWithoutEvents();
    void liveRunsAreFollowed();
    void distributionsOfTheTrainingRunAreReadOnceOpened();
    void onlyMatchingTagsAreShown();
    void manyTagsAreShownInPieces();
    void aRunWithoutSummariesSaysSo();
    void whatIsThereIsNamedWhereItIsNot();
    void theGraphOfAKerasModelIsDrawn();
    void pictures_data();
    void pictures();

private:
    JobRunner m_jobs;
};

void TstRunInspect::everyKindOfTensorFlowsFolderIsShown()
{
    RunInspect inspect(m_jobs);
    inspect.resize(1000, 700);
    inspect.showRun(goldenRun("v1"));
    inspect.show();
    const auto readout = [&](RunInspect::View view) {
        inspect.setView(view);
        const QList<StepCard*>& cards = inspect.grid(view).cards();
        return cards.isEmpty() ? QString() : cards.front()->readout();
    };
    const auto shows = [&](RunInspect::View view, const char* words) {
        return readout(view).startsWith(words);
    };
    QTRY_VERIFY_WITH_TIMEOUT(
        shows(RunInspect::Distributions, "Step 40 · 50 values · −10.62 to 12.11"), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(shows(RunInspect::Texts, "Step 40"), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(shows(RunInspect::Images, "Step 40 · 6 × 8 pixels") ||
                                 readout(RunInspect::Images).contains("pixels"),
                             kPatience);
    const auto* state = inspect.findChild<QLabel*>("label.summaries_state");
    QVERIFY2(state->text().contains("tone/audio/0"), qPrintable(state->text()));
    QTRY_VERIFY_WITH_TIMEOUT(shows(RunInspect::PrCurves, "Step 40"), kPatience);
}

void TstRunInspect::theGraphIsShownAndSearched()
{
    RunInspect inspect(m_jobs);
    inspect.resize(1000, 700);
    inspect.showRun(goldenRun("v1"));
    inspect.setView(RunInspect::Graph);
    inspect.show();
    GraphView& view = inspect.graph().view();
    QTRY_VERIFY_WITH_TIMEOUT(view.outline(), kPatience);
    QVERIFY(view.outline()->item(0).operations > 1);
    int operation = 1;
    while (view.outline()->item(operation).isScope()) {
        ++operation;
    }
    const QString name = view.outline()->item(operation).name;
    qobject_cast<QLineEdit*>(inspect.findField())->setText(name.toUpper());
    auto* found = inspect.graph().findChild<QListWidget*>("list.graph_found");
    QVERIFY(found->count() >= 1);
    QCOMPARE(found->item(0)->text(), name);
    Q_EMIT found->itemActivated(found->item(0));
    QCOMPARE(view.outline()->item(view.selected()).name, name);
    const auto* facts = inspect.graph().findChild<QLabel*>("label.graph_facts");
    QVERIFY2(facts->text().contains(", operation "), qPrintable(facts->text()));
    // What feeds an operation is listed, and leads there.
    const GraphOutline& outline = *view.outline();
    for (int item = 1; item < outline.size(); ++item) {
        const std::vector<int> inputs = outline.inputs(item);
        if (!inputs.empty()) {
            view.select(item);
            auto* list = inspect.graph().findChild<QListWidget*>("list.graph_inputs");
            QCOMPARE(list->count(), int(inputs.size()));
            Q_EMIT list->itemActivated(list->item(0));
            QCOMPARE(view.selected(), inputs.front());
            return;
        }
    }
    QFAIL("no operation has an input");
}

void TstRunInspect::aGraphFileIsDrawnWithoutEvents()
{
    const QTemporaryDir folder;
    QFile file(folder.filePath("graph.pbtxt"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("node { name: \"in\" op: \"Placeholder\" }\n"
               "node { name: \"dnn/logits\" op: \"MatMul\" input: \"in\" }\n");
    file.close();
    RunInspect inspect(m_jobs);
    inspect.resize(1000, 700);
    inspect.showRun(eventRun(folder.path()));
    inspect.setView(RunInspect::Graph);
    inspect.show();
    const GraphView& view = inspect.graph().view();
    QTRY_VERIFY_WITH_TIMEOUT(view.outline(), kPatience);
    QVERIFY(view.isVisible());
    QCOMPARE(view.outline()->item(0).operations, 2);
}

void TstRunInspect::liveRunsAreFollowed()
{
    const QTemporaryDir folder;
    auto writer = EventWriter::create(folder.path().toStdString());
    logWeights(*writer, 0, 3);
    RunInspect inspect(m_jobs);
    inspect.feed().setPollInterval(std::chrono::milliseconds(20));
    inspect.showRun(eventRun(folder.path(), cannery::ui::RunState::Running));
    inspect.show();
    const QList<StepCard*>& cards = inspect.grid(RunInspect::Distributions).cards();
    QTRY_VERIFY_WITH_TIMEOUT(cards.size() == 1 && cards[0]->readout().startsWith("Step 200 "),
                             kPatience);
    StepCard* before = cards[0];
    logWeights(*writer, 3, 5);
    QTRY_VERIFY_WITH_TIMEOUT(cards[0]->readout().startsWith("Step 400 "), kPatience);
    QCOMPARE(cards[0], before);
}

void TstRunInspect::distributionsOfTheTrainingRunAreReadOnceOpened()
{
    const QTemporaryDir folder;
    auto writer = EventWriter::create(folder.path().toStdString());
    logWeights(*writer, 0, 3, 14);
    TrainDistributions below;
    below.resize(1000, 700);
    below.feed().setPollInterval(std::chrono::milliseconds(20));
    below.setRun(eventRun(folder.path(), cannery::ui::RunState::Running));
    below.show();
    QTest::qWait(100);
    QVERIFY(below.feed().summaries()->histograms.isEmpty());
    below.findChild<QAbstractButton*>("button.train_distributions")->click();
    QTRY_COMPARE_WITH_TIMEOUT(below.cards().size(), TrainDistributions::kMostCards, kPatience);
    QVERIFY(below.cards()[0]->look() == DistributionCard::Look::Bands);
    logWeights(*writer, 3, 5, 14);
    QTRY_VERIFY_WITH_TIMEOUT(below.cards()[0]->readout().startsWith("Step 400 "), kPatience);
    const QStringList faults = walkWidgets(below);
    QVERIFY2(faults.isEmpty(), qPrintable(faults.join('\n')));
    below.clear();
    QTRY_VERIFY_WITH_TIMEOUT(below.cards().isEmpty(), kPatience);
}

void TstRunInspect::onlyMatchingTagsAreShown()
{
    const QTemporaryDir folder;
    auto writer = EventWriter::create(folder.path().toStdString());
    logWeights(*writer, 0, 2, 3);
    RunInspect inspect(m_jobs);
    inspect.showRun(eventRun(folder.path()));
    inspect.show();
    SummaryGrid& grid = inspect.grid(RunInspect::Distributions);
    QTRY_COMPARE_WITH_TIMEOUT(grid.cards().size(), 3, kPatience);
    auto* field = qobject_cast<QLineEdit*>(inspect.findField());
    QTest::keyClicks(field, "layer_1");
    QCOMPARE(grid.cards().size(), 1);
    QCOMPARE(grid.cards()[0]->key().tag, QString("dnn/layer_1/kernel"));
    field->setText("nothing");
    QVERIFY(grid.cards().isEmpty());
    QCOMPARE(grid.findChild<QLabel*>("label.no_summaries")->text(),
             QString("No tag matches. 3 hidden."));
}

void TstRunInspect::manyTagsAreShownInPieces()
{
    const QTemporaryDir folder;
    auto writer = EventWriter::create(folder.path().toStdString());
    logWeights(*writer, 0, 1, 45);
    RunInspect inspect(m_jobs);
    inspect.showRun(eventRun(folder.path()));
    inspect.show();
    SummaryGrid& grid = inspect.grid(RunInspect::Distributions);
    QTRY_COMPARE_WITH_TIMEOUT(grid.cards().size(), 40, kPatience);
    auto* more = grid.findChild<QAbstractButton*>("button.more_summaries");
    QCOMPARE(more->text(), QString("Show More (5)"));
    more->click();
    QCOMPARE(grid.cards().size(), 45);
    QVERIFY(more->isHidden());
    QVERIFY(grid.cards().last()->readout().startsWith("Step 0 · 400 values"));
}

void TstRunInspect::aRunWithoutSummariesSaysSo()
{
    const QTemporaryDir folder;
    RunInspect inspect(m_jobs);
    inspect.showRun(eventRun(folder.path()));
    inspect.show();
    for (const auto view :
         {RunInspect::Distributions, RunInspect::Texts, RunInspect::Images, RunInspect::PrCurves}) {
        inspect.setView(view);
        const auto* label = inspect.grid(view).findChild<QLabel*>("label.no_summaries");
        QTRY_VERIFY_WITH_TIMEOUT(label->text().startsWith("This run has logged no "), kPatience);
    }
}

void TstRunInspect::whatIsThereIsNamedWhereItIsNot()
{
    RunInspect inspect(m_jobs);
    inspect.showRun(foreignRun("pr_curves"));
    inspect.show();
    const auto* label =
        inspect.grid(RunInspect::Distributions).findChild<QLabel*>("label.no_summaries");
    QTRY_COMPARE_WITH_TIMEOUT(
        label->text(), "This run has logged no histograms. It has logged 2 PR curves.", kPatience);
    inspect.setView(RunInspect::PrCurves);
    QTRY_COMPARE_WITH_TIMEOUT(inspect.grid(RunInspect::PrCurves).cards().size(), 2, kPatience);
}

void TstRunInspect::theGraphOfAKerasModelIsDrawn()
{
    RunInspect inspect(m_jobs);
    inspect.resize(1000, 700);
    inspect.showRun(foreignRun("functional"));
    inspect.setView(RunInspect::Graph);
    inspect.show();
    GraphView& view = inspect.graph().view();
    QTRY_VERIFY_WITH_TIMEOUT(view.outline(), kPatience);
    const GraphOutline& outline = *view.outline();
    QCOMPARE(outline.item(0).operations, 9);
    const int inner = outline.find("inner");
    QVERIFY(inner > 0 && outline.item(inner).isScope());
    QCOMPARE(outline.inputs(inner), std::vector<int>{outline.find("tower")});
    QCOMPARE(outline.outputs(inner), std::vector<int>{outline.find("join")});
    QDir().mkpath("screenshots");
    QVERIFY(inspect.grab().save("screenshots/inspect-keras.png"));
}

void TstRunInspect::pictures_data()
{
    QTest::addColumn<bool>("dark");
    QTest::addColumn<double>("scale");
    QTest::newRow("light") << false << 1.0;
    QTest::newRow("dark") << true << 1.0;
    QTest::newRow("text_200") << false << 2.0;
}

/// Every view in screenshots/, with a check of all widgets.
void TstRunInspect::pictures()
{
    QFETCH(bool, dark);
    QFETCH(double, scale);
    applyTheme(*qApp, {.dark = dark, .textScale = scale});
    const QTemporaryDir folder;
    auto writer = EventWriter::create(folder.path().toStdString());
    logWeights(*writer, 0, 40, 4);
    QDir().mkpath("screenshots");
    const auto take = [&](const RunRow& run, const std::vector<std::pair<int, QString>>& views) {
        RunInspect inspect(m_jobs);
        QPalette palette = inspect.palette();
        palette.setColor(QPalette::Window, tokens().canvas);
        inspect.setPalette(palette);
        inspect.setAutoFillBackground(true);
        inspect.resize(1180, 720);
        inspect.showRun(run);
        inspect.show();
        QTRY_COMPARE_WITH_TIMEOUT(inspect.feed().summaries()->loadedFraction, 1.0, kPatience);
        for (const auto& [view, name] : views) {
            inspect.setView(RunInspect::View(view % 10));
            inspect.findChild<Segmented*>("segmented.distribution_look")
                ->setCurrentIndex(view / 10);
            QTest::qWait(300);
            if (GraphView& graph = inspect.graph().view(); graph.isVisible() && graph.outline()) {
                graph.setOpen(graph.outline()->find("curve"), true);
                graph.select(graph.outline()->find("note"));
                QVERIFY(graph.selected() > 0);
                QTest::qWait(100);
            }
            const QStringList faults = walkWidgets(inspect);
            QVERIFY(inspect.grab().save(
                QString("screenshots/inspect-%1-%2.png").arg(name, QTest::currentDataTag())));
            QVERIFY2(faults.isEmpty(), qPrintable(name + ":\n" + faults.join('\n')));
        }
    };
    take(eventRun(folder.path()),
         {{RunInspect::Distributions, "ridges"}, {RunInspect::Distributions + 10, "bands"}});
    take(goldenRun("v1"), {{RunInspect::Texts, "texts"},
                           {RunInspect::Images, "images"},
                           {RunInspect::PrCurves, "pr_curves"},
                           {RunInspect::Graph, "graph"}});
}

CANNERY_TEST(TstRunInspect)
#include "tst_run_inspect.moc"

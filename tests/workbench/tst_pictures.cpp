// SPDX-License-Identifier: GPL-3.0-only
#include "core/reports/report_json.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/support/widget_walk.h"
#include "tests/workbench/synthetic_run.h"
#include "tests/workbench/workbench_fixture.h"
#include "ui/document/experiment_document.h"
#include "ui/models/markup.h"
#include "ui/pages/data/table_views.h"
#include "ui/pages/page.h"
#include "ui/pages/runs/run_inspect.h"
#include "ui/pages/runs/run_page.h"
#include "ui/services/projects/sample_library.h"
#include "ui/services/projects/settings.h"
#include "ui/services/runs/run_catalog.h"

#include <QDir>
#include <QFile>
#include <QFrame>
#include <QLabel>
#include <QProcess>
#include <QRegularExpression>
#include <QScrollArea>
#include <QTableView>
#include <QTextStream>

#include <algorithm>
#include <csignal>

using namespace cannery::tests;
using namespace cannery::ui;

namespace {

struct Look
{
    const char* name;
    Settings::ThemeChoice theme;
    double textScale;
    QSize size;
    bool rightToLeft = false;
};

const std::vector<Look>& looks()
{
    static const std::vector<Look> kLooks{
        {"light", Settings::ThemeChoice::Light, 1.0, {1440, 900}},
        {"dark", Settings::ThemeChoice::Dark, 1.0, {1440, 900}},
        {"light_1280", Settings::ThemeChoice::Light, 1.0, {1280, 800}},
        {"small", Settings::ThemeChoice::Light, 1.0, {1024, 640}},
        {"text_200", Settings::ThemeChoice::Light, 2.0, {1280, 800}},
        {"rtl", Settings::ThemeChoice::Light, 1.0, {1280, 800}, true},
    };
    return kLooks;
}

constexpr int kManyColumns = 200;
constexpr int kManyRows = 557;

} // namespace

/// Pictures of every page and state in every look, in build/…/screenshots, and for each a check of
/// all widgets for clipped, covered, unnamed or low-contrast ones.
class TstPictures : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void emptyWindow_data() { addLooks(); }
    void emptyWindow();
    void guidedRun_data() { addLooks(); }
    void guidedRun();
    void project_data() { addLooks(); }
    void project();
    void kindsOfModels_data() { addLooks(); }
    void kindsOfModels();
    void manyColumns_data() { addLooks(); }
    void manyColumns();
    void recordsWithAnomalies_data() { addLooks(); }
    void recordsWithAnomalies();
    void sweep_data() { addLooks(); }
    void sweep();
    void aLongHindrance_data() { addLooks(); }
    void aLongHindrance();
    void liveStates_data() { addLooks(); }
    void liveStates();
    void cluster_data() { addLooks(); }
    void cluster();
    void cleanupTestCase();

private:
    void addLooks() const;
    void wear(const WorkbenchFixture& bench) const;
    void take(const WorkbenchFixture& bench, const QString& name,
              const WalkRules& rules = {}) const;
    bool trainThreeRuns();
    bool openManyColumns(WorkbenchFixture& bench) const;
    bool openSwept(WorkbenchFixture& bench) const;

    std::unique_ptr<WorkbenchFixture> m_bench;
    std::unique_ptr<WorkbenchFixture> m_many;  ///< a wide table
    std::unique_ptr<WorkbenchFixture> m_swept; ///< the runs of a sweep
};

void TstPictures::addLooks() const
{
    QTest::addColumn<int>("look");
    for (std::size_t i = 0; i < looks().size(); ++i) {
        QTest::newRow(looks()[i].name) << static_cast<int>(i);
    }
}

void TstPictures::wear(const WorkbenchFixture& bench) const
{
    QFETCH(int, look);
    const Look& wanted = looks()[static_cast<std::size_t>(look)];
    bench.session().settings().setTheme(wanted.theme);
    bench.session().settings().setTextScale(wanted.textScale);
    QApplication::setLayoutDirection(wanted.rightToLeft ? Qt::RightToLeft : Qt::LeftToRight);
    bench.window().resize(wanted.size);
}

void TstPictures::take(const WorkbenchFixture& bench, const QString& name,
                       const WalkRules& rules) const
{
    QTest::qWait(250); // charts and animations finish
    QStringList faults;
    const auto isTidy = [&] {
        faults = walkWidgets(bench.window(), rules);
        return faults.isEmpty();
    };
    bench.waitFor(isTidy); // on a slow machine jobs still report and layouts change
    bench.picture(QString("%1-%2").arg(name, QTest::currentDataTag()));
    QVERIFY2(faults.isEmpty(), qPrintable(name + ":\n" + faults.join('\n')));
}

bool TstPictures::trainThreeRuns()
{
    for (const char* rate : {"0.05", "0.2", "0.01"}) {
        if (!m_bench->setField(
                "estimator.dnn_linear_combined_classifier.dnn_optimizer.adagrad.learning_rate",
                rate)) {
            return false;
        }
        const RunRow* newest = m_bench->newestRun();
        const QString before = newest ? newest->name : QString();
        if (!m_bench->waitFor([&] { return m_bench->trigger("action.train"); }) ||
            !m_bench->waitFor([&] {
                return m_bench->newestRun() && m_bench->newestRun()->name != before &&
                       m_bench->newestRun()->state == RunState::Finished;
            })) {
            return false;
        }
    }
    return true;
}

void TstPictures::initTestCase()
{
    m_bench = std::make_unique<WorkbenchFixture>();
    m_bench->open();
    QVERIFY(m_bench->openSample("titanic"));
    QVERIFY(trainThreeRuns());
}

void TstPictures::cleanupTestCase()
{
    QApplication::setLayoutDirection(Qt::LeftToRight);
    m_bench.reset();
    m_many.reset();
    m_swept.reset();
}

void TstPictures::emptyWindow()
{
    WorkbenchFixture bench;
    bench.open();
    wear(bench);
    QVERIFY(bench.waitFor([&] { return bench.find("sample.titanic") != nullptr; }));
    for (const char* page : {"home", "data", "features", "model", "train", "runs", "export"}) {
        bench.window().navigate(page);
        take(bench, QString("empty-%1").arg(page));
    }
}

/// Each question, answered.
void TstPictures::guidedRun()
{
    WorkbenchFixture bench;
    bench.open();
    wear(bench);
    QVERIFY(bench.waitFor([&] { return !bench.session().samples().samples().isEmpty(); }));
    bench.window().navigate("guided");
    take(bench, "guided-empty");
    bench.window().openPath(bench.session().samples().samples().first().table);
    const auto* train = bench.window().findChild<QAbstractButton*>("button.guided_train");
    QVERIFY(bench.waitFor([&] { return train->isEnabled(); }));
    for (const char* question : {"table", "question", "columns", "model", "train"}) {
        bench.window()
            .findChild<QAbstractButton*>(QString("fold.guided.%1").arg(question))
            ->setChecked(true);
        take(bench, QString("guided-%1").arg(question));
    }
}

void TstPictures::project()
{
    wear(*m_bench);
    for (const char* page : {"home", "data", "features", "model", "train", "runs", "export"}) {
        m_bench->window().navigate(page);
        take(*m_bench, page);
    }
    m_bench->window().navigate("model");
    QVERIFY(m_bench->click("tile.dnn_linear_combined_classifier"));
    take(*m_bench, "model-tiles");
    QVERIFY(m_bench->click("button.fold_estimators"));
    m_bench->trigger("action.find");
    QTest::keyClicks(m_bench->find("field.find_field"), "rate");
    take(*m_bench, "model-find");
    QTest::keyClick(m_bench->find("field.find_field"), Qt::Key_Escape);
    m_bench->window().navigate("data");
    auto* views = m_bench->window().findChild<TableViews*>();
    views->setView(TableViews::Components);
    QVERIFY(m_bench->waitFor([&] { return m_bench->find("table.loadings") != nullptr; }));
    take(*m_bench, "data-components");
    views->setView(TableViews::Rows);
    m_bench->window().navigate("run:" + m_bench->newestRun()->name);
    take(*m_bench, "run");
    auto* run = m_bench->window().findChild<RunPage*>();
    run->setView(RunPage::Inspect);
    const QRegularExpression cards("^step_card\\.");
    QTRY_VERIFY_WITH_TIMEOUT(!run->findChildren<QFrame*>(cards).isEmpty(), kPatience);
    take(*m_bench, "run-distributions");
    run->inspect().setView(RunInspect::Graph);
    take(*m_bench, "run-graph");
    run->inspect().setView(RunInspect::Embeddings);
    QVERIFY(m_bench->waitFor([&] { return m_bench->find("table.embedding_rows") != nullptr; }));
    take(*m_bench, "run-embeddings");
    run->inspect().setView(RunInspect::Distributions);
    run->setView(RunPage::Overview);
    m_bench->window().page("runs")->reveal({});
    m_bench->window().navigate("train");
    m_bench->trigger("action.palette");
    take(*m_bench, "palette", {.contrast = false}); // widgets behind the scrim are meant to be pale
    QTest::keyClick(m_bench->find("palette.field"), Qt::Key_Escape);
    for (const char* drawer : {"issues", "log", "jobs"}) {
        m_bench->trigger(QString("action.%1").arg(drawer));
        take(*m_bench, QString("drawer-%1").arg(drawer));
        m_bench->trigger(QString("action.%1").arg(drawer));
    }
}

/// What is neither linear nor a network of dense layers.
void TstPictures::kindsOfModels()
{
    for (const char* sample : {"titanic_trees", "penguin_groups", "visits"}) {
        WorkbenchFixture bench;
        bench.open();
        wear(bench);
        QVERIFY(bench.openSample(sample));
        bench.window().navigate("model");
        QVERIFY(bench.waitFor([&] { return bench.find("sketch.network") != nullptr; }));
        take(bench, QString("model-%1").arg(sample));
    }
}

/// A table of kManyColumns numbers and its label, with a run.
bool TstPictures::openManyColumns(WorkbenchFixture& bench) const
{
    QDir().mkpath(bench.path("many"));
    QFile table(bench.path("many/many.csv"));
    QFile experiment(bench.path("many/many.cannery"));
    if (!table.open(QIODevice::WriteOnly) || !experiment.open(QIODevice::WriteOnly)) {
        return false;
    }
    QStringList features;
    QTextStream rows(&table);
    QTextStream text(&experiment);
    text << "name: \"Many columns\"\ndata { train { csv { files: \"many.csv\" } }"
         << " split { fraction { eval_fraction: 0.25 seed: 7 } } label { column: \"bought\" } }\n";
    for (int column = 0; column < kManyColumns; ++column) {
        const QString name = QString("measurement_%1").arg(column, 3, 10, QChar('0'));
        rows << name << ',';
        features << '"' + name + '"';
        text << QString("feature_column { name: \"%1\" numeric_column { key: \"%1\" } }\n")
                    .arg(name);
    }
    rows << "bought\n";
    for (int row = 0; row < kManyRows; ++row) {
        for (int column = 0; column < kManyColumns; ++column) {
            rows << (row * 7 + column * 13) % 97 / 97.0 << ',';
        }
        rows << row % 2 << '\n';
    }
    text << "estimator { linear_classifier { feature_columns: [" << features.join(", ")
         << "] } }\ntrain_spec { max_steps: 100 input { batch_size: 32 } }\n"
         << "run_config { tf_random_seed: 1 }\n";
    rows.flush();
    text.flush();
    table.close();
    experiment.close();
    bench.session().project().open(bench.path("many"));
    return bench.waitFor([&] { return bench.trigger("action.train"); }) &&
           bench.waitForState(RunState::Finished);
}

/// The important parts stay visible: rows, below complete headers.
void TstPictures::manyColumns()
{
    if (!m_many) {
        m_many = std::make_unique<WorkbenchFixture>();
        m_many->open();
        QVERIFY(openManyColumns(*m_many));
    }
    wear(*m_many);
    for (const char* page : {"data", "features", "model", "train", "runs", "export"}) {
        m_many->window().navigate(page);
        take(*m_many, QString("many-%1").arg(page));
        const QString name = QString("table.%1").arg(QByteArray(page) == "data" ? "rows" : page);
        if (const auto* table = m_many->find<QTableView>(name); table && name != "table.runs") {
            const int shown = table->viewport()->height() / table->rowHeight(0);
            QVERIFY2(shown >= 3, qPrintable(QString("%1 shows %2 rows").arg(page).arg(shown)));
        }
    }
    m_many->trigger("action.issues");
    take(*m_many, "many-issues");
    m_many->trigger("action.issues");
}

/// A folder as TFX writes it, whose evaluation rows are not as its schema says.
void TstPictures::recordsWithAnomalies()
{
    WorkbenchFixture bench;
    bench.open();
    wear(bench);
    const auto convert = [&](const QString& split, const QByteArray& rows) {
        QFile table(bench.path(split + ".csv"));
        const QString folder = bench.path("examples/Split-" + split);
        return table.open(QIODevice::WriteOnly) && table.write("age,city,bought\n" + rows) > 0 &&
               table.flush() &&
               QProcess::execute(CANNERY_PROGRAM, {"convert", table.fileName(),
                                                   folder + "/data_tfrecord-00000-of-00001.gz",
                                                   "--schema", bench.path(split + ".pbtxt")}) == 0;
    };
    const QByteArray some("31,Bonn,0\n47,Kiel,1\n52,Bonn,1\n28,Bonn,0\n");
    QVERIFY(convert("train", some.repeated(30)));
    QVERIFY(convert("eval", QByteArray("44,Ulm,1\n130,Kiel,0\n39,Kiel,1\n").repeated(10)));
    QFile schema(bench.path("examples/schema.pbtxt"));
    QVERIFY(schema.open(QIODevice::WriteOnly));
    schema.write("feature { name: 'age' type: INT int_domain { min: 0 max: 120 } }\n"
                 "feature { name: 'city' type: BYTES domain: 'city'\n"
                 "  skew_comparator { infinity_norm { threshold: 0.1 } } }\n"
                 "feature { name: 'bought' type: INT }\n"
                 "string_domain { name: 'city' value: 'Bonn' value: 'Kiel' }\n");
    schema.close();
    bench.session().project().open(bench.path("examples"));
    QVERIFY(bench.waitFor([&] {
        const auto* create = bench.find<QAbstractButton>("button.create");
        return create != nullptr && create->isEnabled();
    }));
    QVERIFY(bench.click("button.create"));
    QVERIFY(bench.waitFor([&] { return bench.session().project().isOpen(); }));
    bench.window().navigate("data");
    QVERIFY(bench.waitFor([&] { return bench.find("strip.remarks") != nullptr; }));
    take(bench, "records-data");
}

/// Trained by Start Sweep.
bool TstPictures::openSwept(WorkbenchFixture& bench) const
{
    bench.open();
    const QString sweep =
        "{ parameter { field: \"train_spec.input.batch_size\" choice { value: [\"8\", \"64\"] } } "
        "parameter { field: \"estimator.linear_classifier.optimizer\" choice { value: [\"{ ftrl { "
        "learning_rate: 0.02 } }\", \"{ ftrl { learning_rate: 0.2 } }\", \"{ adagrad {} }\"] } } "
        "grid {} }";
    if (!bench.openSample("penguins") || !bench.setField("train_spec.max_steps", "100") ||
        !bench.session().document().setValue("sweep", sweep) ||
        !bench.waitFor([&] { return bench.trigger("action.sweep"); })) {
        return false;
    }
    const auto allFinished = [&] {
        const ProjectSnapshotPtr runs = bench.session().runs().snapshot();
        return runs->runs.size() == 6 &&
               std::all_of(runs->runs.begin(), runs->runs.end(),
                           [](const RunRow& run) { return run.state == RunState::Finished; });
    };
    return bench.waitFor(allFinished);
}

void TstPictures::sweep()
{
    if (!m_swept) {
        m_swept = std::make_unique<WorkbenchFixture>();
        QVERIFY(openSwept(*m_swept));
    }
    wear(*m_swept);
    m_swept->window().navigate("model");
    m_swept->window().page("model")->reveal("field:sweep.parameter[0].field");
    take(*m_swept, "model-sweep");
    m_swept->window().navigate("runs");
    m_swept->trigger("action.compare_parameters");
    take(*m_swept, "runs-parameters");
    QTest::keyClick(m_swept->find("plot.parallel"), Qt::Key_Up);
    take(*m_swept, "runs-brushed");
    QTest::keyClick(m_swept->find("plot.parallel"), Qt::Key_Escape);
    m_swept->trigger("action.compare_parameters");
}

/// The status line shows its whole text, or "…" with the full text in the tooltip.
void TstPictures::aLongHindrance()
{
    WorkbenchFixture bench;
    bench.open();
    QVERIFY(bench.openSample("penguins"));
    wear(bench);
    QVERIFY(bench.setField("data.label.column", "a_column_with_a_name_that_nobody_would_write_in_"
                                                "one_breath_and_that_no_table_has"));
    QVERIFY(bench.waitFor([&] { return bench.session().document().problems().hasErrors(); }));
    bench.window().navigate("model");
    take(bench, "hindrance");
    const auto* label = bench.find<QLabel>("status.hindrance");
    QVERIFY(label);
    const QString whole = plainOf(bench.session().starter().hindrance());
    const QString shown = plainOf(label->text());
    QVERIFY2(label->fontMetrics().horizontalAdvance(shown) <= label->width(), qPrintable(shown));
    if (shown != whole) {
        QVERIFY2(shown.endsWith(QChar(0x2026)), qPrintable(shown));
        QCOMPARE(label->toolTip(), whole);
    }
    QVERIFY2(shown.size() > 20, qPrintable(shown));
    QVERIFY(label->text().contains("href=\"page:data\""));
}

void TstPictures::liveStates()
{
    WorkbenchFixture bench;
    bench.open();
    bench.session().settings().setRestarts(0);
    QVERIFY(bench.openSample("penguins"));
    wear(bench);
    QVERIFY(bench.startEndlessTraining());
    bench.window().navigate("train");
    QVERIFY(bench.trigger("action.pause"));
    QVERIFY(bench.waitForState(RunState::Paused));
    take(bench, "train-paused");
    ::kill(static_cast<pid_t>(bench.engineProcess(bench.newestRun()->name)), SIGKILL);
    QVERIFY(bench.waitForState(RunState::Interrupted));
    take(bench, "train-interrupted");
    bench.window().navigate("runs");
    take(bench, "runs-interrupted");
    QVERIFY(bench.setField("estimator.linear_classifier.n_classes", "0"));
    bench.window().navigate("model");
    QVERIFY(bench.waitFor([&] { return bench.session().document().problems().hasErrors(); }));
    take(bench, "model-problem");
    bench.window().navigate("home");
    bench.trigger("action.issues");
    take(bench, "issues");
}

/// The tasks of a cluster, before it trains and while it does, one of them lost.
void TstPictures::cluster()
{
    WorkbenchFixture bench;
    bench.open();
    QVERIFY(bench.openSample("penguins"));
    wear(bench);
    QVERIFY(bench.session().document().setValue("strategy", "multi_worker_mirrored {}"));
    bench.window().navigate("model");
    QVERIFY(bench.waitFor([&] { return bench.find("card.cluster") != nullptr; }));
    QVERIFY(bench.click("button.add_evaluator"));
    auto* area = bench.window().findChild<QScrollArea*>("scroll.model");
    QVERIFY(area);
    QVERIFY(bench.waitFor([&] { return bench.find("words.measured") != nullptr; })); // the plan
    area->ensureWidgetVisible(bench.find("field.tf_config"));
    take(bench, "model-cluster");
    SyntheticRun run(bench.session().project().folder().toStdString(), "run-001", 12'000'000);
    cannery::reports::EngineStatus status;
    QVERIFY(cannery::reports::readReport(R"({"workers": [
        {"task": "chief:0", "state": "waiting", "step": 20500, "step_seconds": 0.0123,
         "wait_seconds": 0.0041, "network_seconds": 0.0007},
        {"task": "worker:0", "state": "lost", "step": 20499, "restarts": 1},
        {"task": "worker:1", "state": "waiting", "step": 20500, "step_seconds": 0.0123,
         "wait_seconds": 0, "network_seconds": 0.0007}]})",
                                         status));
    run.setWorkers({status.workers().begin(), status.workers().end()});
    run.begin(50'000);
    QVERIFY(bench.waitFor([&] { return run.isAtRest(); }));
    bench.window().navigate("train");
    QVERIFY(bench.waitFor([&] { return bench.find("table.workers") != nullptr; }));
    take(bench, "train-cluster");
}

CANNERY_TEST(TstPictures)
#include "tst_pictures.moc"

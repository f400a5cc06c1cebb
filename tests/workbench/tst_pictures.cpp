#include "tests/support/test_main.h"
#include "tests/support/widget_walk.h"
#include "tests/workbench/workbench_fixture.h"
#include "ui/document/experiment_document.h"
#include "ui/pages/page.h"
#include "ui/services/run_catalog.h"
#include "ui/services/settings.h"

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

} // namespace

/// Pictures of every page and state in every look, into build/…/screenshots, and on each a walk
/// over all widgets for what is clipped, covered, nameless or too pale.
class TstPictures : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void emptyWindow_data() { addLooks(); }
    void emptyWindow();
    void project_data() { addLooks(); }
    void project();
    void liveStates_data() { addLooks(); }
    void liveStates();
    void cleanupTestCase();

private:
    void addLooks() const;
    void wear(const WorkbenchFixture& bench) const;
    void take(const WorkbenchFixture& bench, const QString& name,
              const WalkRules& rules = {}) const;
    bool trainThreeRuns();

    std::unique_ptr<WorkbenchFixture> m_bench;
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
    QTest::qWait(250); // charts and motions come to rest
    QStringList faults;
    const auto isTidy = [&] {
        faults = walkWidgets(bench.window(), rules);
        return faults.isEmpty();
    };
    bench.waitFor(isTidy); // on a slow machine jobs still report and layouts follow
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

void TstPictures::project()
{
    wear(*m_bench);
    for (const char* page : {"home", "data", "features", "model", "train", "runs", "export"}) {
        m_bench->window().navigate(page);
        take(*m_bench, page);
    }
    m_bench->window().navigate("run:" + m_bench->newestRun()->name);
    take(*m_bench, "run");
    m_bench->window().page("runs")->reveal({});
    m_bench->window().navigate("train");
    m_bench->trigger("action.palette");
    take(*m_bench, "palette", {.contrast = false}); // what is behind the scrim is meant to be pale
    QTest::keyClick(m_bench->find("palette.field"), Qt::Key_Escape);
    for (const char* drawer : {"issues", "log", "jobs"}) {
        m_bench->trigger(QString("action.%1").arg(drawer));
        take(*m_bench, QString("drawer-%1").arg(drawer));
        m_bench->trigger(QString("action.%1").arg(drawer));
    }
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
    QVERIFY(bench.waitFor([&] { return bench.session().document().hasErrors(); }));
    take(bench, "model-problem");
    bench.window().navigate("home");
    bench.trigger("action.issues");
    take(bench, "issues");
}

CANNERY_TEST(TstPictures)
#include "tst_pictures.moc"

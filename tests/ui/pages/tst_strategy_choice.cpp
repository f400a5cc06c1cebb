// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/pages/train/worker_table.h"

#include <QAbstractButton>
#include <QClipboard>
#include <QGuiApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTableView>
#include <QTest>
#include <QUndoStack>

#include <memory>

using namespace cannery::ui;
using cannery::tests::kPatience;

namespace {

constexpr char kPlan[] = R"({"parameters": 42, "strategies": [
    {"name": "one_device", "available": true, "reason": "", "needs": "", "replicas": 1,
     "batch_per_replica": 32, "batch_per_step": 32, "memory_bytes": 1000000,
     "steps_per_second": 1234.5, "rows_per_second": 39504},
    {"name": "mirrored", "available": true, "reason": "", "needs": "Needs several devices.",
     "replicas": 2, "batch_per_replica": 32, "batch_per_step": 64, "memory_bytes": 2000000,
     "steps_per_second": 900, "rows_per_second": 57600},
    {"name": "central_storage", "available": false, "reason": "This machine has one core.",
     "needs": "", "replicas": 1, "batch_per_replica": 32, "batch_per_step": 32,
     "memory_bytes": 1000000, "steps_per_second": null, "rows_per_second": null},
    {"name": "multi_worker_mirrored", "available": true, "reason": "", "needs": "",
     "replicas": 1, "batch_per_replica": 32, "batch_per_step": 32, "memory_bytes": 1000000,
     "steps_per_second": null, "rows_per_second": null}],
  "workers": {"network": "loopback", "recommended": 4,
     "sentence": "No gain beyond 4 workers, because the network is busy.",
     "curve": [{"workers": 1, "steps_per_second": 9, "rows_per_second": 288, "efficiency": 1}]}})";

constexpr char kDoctor[] = R"({"processor": "A processor", "threads": 8, "no_gpu": null, "gpus": [
    {"device": "GPU:0", "name": "Test card", "driver": "13.0", "memory_bytes": 80000000000,
     "free_bytes": 79000000000, "problem": null},
    {"device": "GPU:1", "name": "Other card", "driver": "13.0", "memory_bytes": 80000000000,
     "free_bytes": 0, "problem": "GPU:1 (Other card) is in use by another program."}]})";

} // namespace

/// The strategies as tiles with what each does here, and the tasks of a cluster.
class TstStrategyChoice : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { m_bench.reset(); }

    void aTileSaysWhatItsStrategyDoesHere();
    void aStrategyThatIsNotAvailableSaysWhy();
    void withoutAPlanTilesStandAlone();
    void whatStandsBesideTheKindIsNoKind();
    void speedsAreMeasuredOnRequest();
    void aFailedMeasurementSaysWhy();
    void devicesOfTheMachineAreOffered();
    void aMachineWithoutAGpuSaysWhy();
    void aClusterHasATableOfTasks();
    void parameterServersAreOfferedWhereTheyServe();
    void theTfConfigOfATaskIsCopied();
    void aWrongAddressIsNamed();
    void theRecommendedWorkersAreAdopted();
    void rowsOfWorkersComeAndGo();

private:
    void open();
    void choose(const char* strategy);
    ExperimentDocument& document() { return m_bench->session().document(); }
    QString described(const char* strategy) const
    {
        return m_page->inspector()
            ->findChild<QAbstractButton*>(QStringLiteral("tile.") + QLatin1String(strategy))
            ->accessibleDescription();
    }
    template <typename T>
    T* part(const char* name) const
    {
        return m_page->findChild<T*>(QLatin1String(name));
    }
    QAbstractButton* button(const char* name) const { return part<QAbstractButton>(name); }
    int taskRows() const { return part<QTableView>("table.cluster")->model()->rowCount(); }

    std::unique_ptr<cannery::tests::PageBench> m_bench;
    Page* m_page = nullptr;
};

void TstStrategyChoice::init()
{
    m_bench = std::make_unique<cannery::tests::PageBench>();
    m_bench->script("preview", "{}");
    m_bench->script("plan", kPlan);
    m_bench->script("check", R"({"problems": []})");
}

void TstStrategyChoice::open()
{
    m_page = m_bench->page("model");
    m_bench->openTitanic(false);
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
}

void TstStrategyChoice::choose(const char* strategy)
{
    QVERIFY(document().setValue("strategy", QLatin1String(strategy) + QLatin1String(" {}")));
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
}

void TstStrategyChoice::aTileSaysWhatItsStrategyDoesHere()
{
    open();
    QTRY_VERIFY_WITH_TIMEOUT(described("mirrored").contains("2 replicas"), kPatience);
    for (const char* said :
         {"2 replicas, 32 rows each: 64 rows a step.", "MB of memory.", "About 900 steps/s."}) {
        QVERIFY2(described("mirrored").contains(said), qPrintable(described("mirrored")));
    }
    QVERIFY2(described("one_device").contains("One replica, 32 rows a step."),
             qPrintable(described("one_device")));
    QVERIFY(m_page->inspector()
                ->findChild<QWidget*>("tile.mirrored")
                ->toolTip()
                .contains("Needs several devices."));
    QVERIFY2(!described("multi_worker_mirrored").contains("steps/s"),
             qPrintable(described("multi_worker_mirrored")));
}

void TstStrategyChoice::aStrategyThatIsNotAvailableSaysWhy()
{
    open();
    QTRY_COMPARE_WITH_TIMEOUT(described("central_storage"), QString("This machine has one core."),
                              kPatience);
    m_page->inspector()->findChild<QAbstractButton*>("tile.central_storage")->click();
    QCOMPARE(memberOf(document(), "strategy"), QString("one_device"));
    // One that is chosen already can still be looked at and left.
    choose("central_storage");
    QTRY_VERIFY_WITH_TIMEOUT(described("central_storage").contains("One replica"), kPatience);
    QCOMPARE(m_page->inspector()->findChild<QLabel*>("words.strategy")->text(),
             QString("This machine has one core."));
}

void TstStrategyChoice::withoutAPlanTilesStandAlone()
{
    m_bench->script("plan", "{}");
    open();
    QVERIFY(!described("mirrored").isEmpty());
    QVERIFY(!described("mirrored").contains("replicas, "));
    QVERIFY(!m_page->inspector()->findChild<QWidget*>("button.measure_strategies")->isVisible());
    choose("multi_worker_mirrored");
    QTRY_VERIFY_WITH_TIMEOUT(part<QWidget>("card.cluster")->isVisible(), kPatience);
    QVERIFY(!part<QWidget>("words.workers")->isVisible());
}

void TstStrategyChoice::whatStandsBesideTheKindIsNoKind()
{
    open();
    QVERIFY(document().setValue("strategy", "reduce: fast mirrored { devices: [\"CPU:0\"] }"));
    const auto* tile = m_page->inspector()->findChild<QAbstractButton*>("tile.mirrored");
    QTRY_VERIFY_WITH_TIMEOUT(tile->isChecked(), kPatience);
}

void TstStrategyChoice::speedsAreMeasuredOnRequest()
{
    open();
    auto* measure = m_page->inspector()->findChild<QAbstractButton*>("button.measure_strategies");
    QTRY_VERIFY_WITH_TIMEOUT(!described("mirrored").isEmpty() && measure->isEnabled(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(described("mirrored").contains("About 900"), kPatience);
    m_bench->script("plan", QByteArray(kPlan).replace("900", "777"));
    measure->click();
    QVERIFY(!measure->isEnabled());
    QTRY_VERIFY2_WITH_TIMEOUT(described("mirrored").contains("777 steps/s, measured."),
                              qPrintable(described("mirrored")), kPatience);
    QVERIFY(m_bench->lastCall("plan").contains("--probe"));
    QVERIFY(measure->isEnabled());
    // It was of the text as it was.
    m_bench->script("plan", kPlan);
    QVERIFY(document().setValue("train_spec.max_steps", "77"));
    QTRY_VERIFY_WITH_TIMEOUT(described("mirrored").contains("About"), kPatience);
}

void TstStrategyChoice::aFailedMeasurementSaysWhy()
{
    open();
    QTRY_VERIFY_WITH_TIMEOUT(described("mirrored").contains("About 900"), kPatience);
    m_bench->script("plan", R"({"error": {"id": "x.y", "sentence": "The table is gone."}})", 3);
    m_page->inspector()->findChild<QAbstractButton*>("button.measure_strategies")->click();
    const auto* words = m_page->inspector()->findChild<QLabel*>("words.speeds");
    QTRY_COMPARE_WITH_TIMEOUT(words->text(), QString("The table is gone."), kPatience);
    QVERIFY(described("mirrored").contains("About 900"));
}

void TstStrategyChoice::devicesOfTheMachineAreOffered()
{
    m_bench->script("doctor", kDoctor);
    open();
    m_page->inspector()->show();
    const auto tile = [this](const char* device) {
        return m_page->inspector()->findChild<QAbstractButton*>(QStringLiteral("tile.") +
                                                                QLatin1String(device));
    };
    QTRY_VERIFY_WITH_TIMEOUT(tile("GPU:0") != nullptr, kPatience);
    QVERIFY2(tile("GPU:0")->accessibleName().contains("Test card"),
             qPrintable(tile("GPU:0")->accessibleName()));
    QVERIFY2(described("GPU:0").contains("driver 13.0"), qPrintable(described("GPU:0")));
    QVERIFY2(described("GPU:1").contains("in use by another program"),
             qPrintable(described("GPU:1")));
    QVERIFY(tile("auto") != nullptr && tile("CPU:0") != nullptr);
    QTest::mouseClick(tile("GPU:0"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(document().value("strategy.one_device.device"), "GPU:0", kPatience);
    QTest::mouseClick(tile("GPU:1"), Qt::LeftButton);
    QCOMPARE(document().value("strategy.one_device.device"), "GPU:0");
    document().undoStack()->undo();
    QTRY_COMPARE_WITH_TIMEOUT(document().value("strategy.one_device.device"), "CPU:0", kPatience);
}

void TstStrategyChoice::aMachineWithoutAGpuSaysWhy()
{
    m_bench->script("doctor", R"({"processor": "A processor", "threads": 2, "gpus": [],
        "no_gpu": "This machine has no GPU."})");
    open();
    m_page->inspector()->show();
    QTRY_VERIFY_WITH_TIMEOUT(
        m_page->inspector()->findChild<QAbstractButton*>("tile.none") != nullptr, kPatience);
    QVERIFY2(described("none").contains("This machine has no GPU."), qPrintable(described("none")));
}

void TstStrategyChoice::aClusterHasATableOfTasks()
{
    open();
    auto* card = part<QWidget>("card.cluster");
    QVERIFY(!card->isVisible());
    choose("multi_worker_mirrored");
    QTRY_VERIFY_WITH_TIMEOUT(card->isVisible(), kPatience);
    QCOMPARE(taskRows(), 2);
    QVERIFY(!button("button.add_parameter_server")->isVisible());
    button("button.add_worker")->click();
    QCOMPARE(taskRows(), 3);
    QCOMPARE(m_bench->session().cluster().tasks().workers(), 3);
    QTRY_VERIFY2_WITH_TIMEOUT(
        described("multi_worker_mirrored").contains("3 replicas, 32 rows each: 96 rows a step."),
        qPrintable(described("multi_worker_mirrored")), kPatience);
    QVERIFY(m_bench->session().starter().commands().train().display().startsWith(
        "cannery launch -n 3 "));
    button("button.add_evaluator")->click();
    QVERIFY(!button("button.add_evaluator")->isEnabled());
    QVERIFY(button("button.add_evaluator")->toolTip().contains("one evaluator"));
    QVERIFY(m_bench->session().starter().commands().train().display().contains(" --evaluator "));
    auto* table = part<QTableView>("table.cluster");
    table->selectRow(0);
    QVERIFY(!button("button.remove_task")->isEnabled()); // the chief
    table->selectRow(1);
    button("button.remove_task")->click();
    QCOMPARE(m_bench->session().cluster().tasks().workers(), 2);
    button("button.reset_cluster")->click();
    QCOMPARE(taskRows(), 2);
    QCOMPARE(document().undoStack()->count(), 1); // nothing of it is in the experiment
}

void TstStrategyChoice::parameterServersAreOfferedWhereTheyServe()
{
    open();
    choose("parameter_server");
    QTRY_VERIFY_WITH_TIMEOUT(part<QWidget>("card.cluster")->isVisible(), kPatience);
    QCOMPARE(taskRows(), 3);
    QVERIFY(button("button.add_parameter_server")->isVisible());
    button("button.add_parameter_server")->click();
    QVERIFY(m_bench->session().starter().commands().train().display().startsWith(
        "cannery launch -n 2 --ps 2 "));
}

void TstStrategyChoice::theTfConfigOfATaskIsCopied()
{
    open();
    choose("multi_worker_mirrored");
    QTRY_VERIFY_WITH_TIMEOUT(part<QWidget>("card.cluster")->isVisible(), kPatience);
    auto* table = part<QTableView>("table.cluster");
    table->selectRow(1);
    const QString config = part<QPlainTextEdit>("field.tf_config")->toPlainText();
    const QJsonObject task = QJsonDocument::fromJson(config.toUtf8()).object()["task"].toObject();
    QCOMPARE(task["type"].toString(), QString("worker"));
    button("button.copy_tf_config")->click();
    QCOMPARE(QGuiApplication::clipboard()->text(), config);
}

void TstStrategyChoice::aWrongAddressIsNamed()
{
    open();
    choose("multi_worker_mirrored");
    QTRY_VERIFY_WITH_TIMEOUT(part<QWidget>("card.cluster")->isVisible(), kPatience);
    auto* table = part<QTableView>("table.cluster");
    auto* problem = part<QLabel>("problem.cluster");
    QVERIFY(!problem->isVisible());
    QVERIFY(table->model()->setData(table->model()->index(1, 2), "here"));
    QVERIFY(problem->isVisible() && problem->text().contains("worker:0"));
    QVERIFY(!button("button.copy_tf_config")->isEnabled());
    QVERIFY(part<QPlainTextEdit>("field.tf_config")->toPlainText().isEmpty());
    QVERIFY(table->model()->setData(table->model()->index(1, 2), "far.example:1"));
    QVERIFY(!problem->isVisible() && button("button.copy_tf_config")->isEnabled());
    QVERIFY2(part<QLabel>("words.cluster")->text().contains("on its machine"),
             qPrintable(part<QLabel>("words.cluster")->text()));
}

void TstStrategyChoice::theRecommendedWorkersAreAdopted()
{
    open();
    choose("multi_worker_mirrored");
    auto* adopt = button("button.use_workers");
    QTRY_VERIFY_WITH_TIMEOUT(adopt->isVisible(), kPatience);
    QVERIFY(part<QLabel>("words.workers")->text().startsWith("No gain beyond 4 workers"));
    adopt->click();
    QCOMPARE(m_bench->session().cluster().tasks().workers(), 4);
    QVERIFY(!adopt->isVisible());
}

void TstStrategyChoice::rowsOfWorkersComeAndGo()
{
    WorkerTable table;
    QVERIFY(table.isHidden());
    table.setWorkers({{.task = "chief:0", .state = "running"},
                      {.task = "worker:0", .state = "lost", .restarts = 1}});
    QVERIFY(!table.isHidden());
    QCOMPARE(table.findChild<QTableView*>("table.workers")->model()->rowCount(), 2);
    QVERIFY(table.findChild<QLabel*>("words.workers")->text().contains("worker:0"));
    table.setWorkers({});
    QVERIFY(table.isHidden());
}

CANNERY_TEST(TstStrategyChoice)
#include "tst_strategy_choice.moc"

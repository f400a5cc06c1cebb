// SPDX-License-Identifier: GPL-3.0-only
#include "storage/runs/run_store.h"
#include "tests/support/patience.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/pages/checkpoint_choice.h"
#include "ui/pages/predict_dialog.h"
#include "ui/widgets/button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/pill.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/strip.h"

#include <QAction>
#include <QComboBox>
#include <QFileDialog>
#include <QLineEdit>
#include <QTableView>
#include <QTest>

#include <memory>

using namespace cannery;
using namespace cannery::ui;
using cannery::tests::kPatience;

namespace {

constexpr const char* kExported = R"({"path": "exports/titanic/17", "bytes": 24000,
 "signatures": [
  {"name": "classification", "method": "tensorflow/serving/classify", "inputs": [], "outputs": []},
  {"name": "predict", "method": "tensorflow/serving/predict",
   "inputs": [{"name": "examples", "dtype": "string", "shape": [-1]}],
   "outputs": [{"name": "logits", "dtype": "float32", "shape": [-1, 1]}]}],
 "verification": {"rows": 20, "equal": 20, "max_difference": 3e-7}})";

/// Runs as the catalog reports them during training, newest first.
ProjectSnapshotPtr runsWith(const QList<RunRow>& runs)
{
    auto snapshot = std::make_shared<ProjectSnapshot>();
    snapshot->runs = runs;
    return snapshot;
}

RunRow runWith(const QString& name, const QList<CheckpointRow>& checkpoints)
{
    RunRow run{.name = name};
    run.decisionMetric = "auc";
    run.checkpoints = checkpoints;
    return run;
}

} // namespace

class TstExportPage : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { m_bench = std::make_unique<tests::PageBench>(); }
    void cleanup() { m_bench.reset(); }

    void D47_exportSaysDoneOnlyWithItsCheck();
    void D47_failureSaysWhyAndThatNothingIsLeft();
    void anExportIsCancelled();
    void readyIsOfWhatWasExported_data();
    void readyIsOfWhatWasExported();
    void theBestOfTheNewestRunIsOffered();
    void everyExportIsListed();
    void D48_showCommandIsWhatRuns();
    void predictionsAreWrittenToAFile();
    void aChosenFileForPredictionsIsKept();

private:
    std::unique_ptr<tests::PageBench> m_bench;
};

void TstExportPage::D47_exportSaysDoneOnlyWithItsCheck()
{
    m_bench->script("export", kExported);
    Page* page = m_bench->page("export");
    m_bench->openTitanic(true);
    QTRY_VERIFY_WITH_TIMEOUT(page->findChild<QAction*>("action.export")->isEnabled(), kPatience);
    auto* signatures = page->findChild<QWidget*>("card.signatures");
    QVERIFY(!signatures->isVisible());
    page->findChild<QAction*>("action.export")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(signatures->isVisible(), kPatience);
    bool agrees = false;
    for (const QLabel* label : page->findChild<QWidget*>("card.check")->findChildren<QLabel*>()) {
        agrees = agrees || label->text() == "20 of 20 predictions agree";
    }
    QVERIFY(agrees);
    auto* tensors = page->findChild<QTableView*>("table.signature");
    QCOMPARE(tensors->model()->rowCount(), 2);
    QVERIFY(page->findChild<QAction*>("action.open_export_folder")->isEnabled());
}

void TstExportPage::D47_failureSaysWhyAndThatNothingIsLeft()
{
    m_bench->script("export",
                    R"({"error": {"id": "export.no_space", "sentence": "The disk is full."}})", 1);
    Page* page = m_bench->page("export");
    m_bench->openTitanic(true);
    page->findChild<QAction*>("action.export")->trigger();
    auto* strip = page->findChild<Strip*>("strip.export");
    QTRY_VERIFY_WITH_TIMEOUT(strip->isVisible(), kPatience);
    QVERIFY(strip->text().contains("The disk is full."));
    QVERIFY(!page->findChild<QAction*>("action.open_export_folder")->isEnabled());
    QVERIFY(page->findChild<QAction*>("action.export")->isEnabled());
}

void TstExportPage::anExportIsCancelled()
{
    m_bench->scriptWait("export");
    Page* page = m_bench->page("export");
    m_bench->openTitanic(true);
    auto* start = page->findChild<QAction*>("action.export");
    start->trigger();
    auto* cancel = page->findChild<QAbstractButton*>("button.cancel_export");
    QTRY_VERIFY_WITH_TIMEOUT(cancel->isVisible(), kPatience);
    QVERIFY(!start->isEnabled());
    cancel->click();
    QTRY_VERIFY_WITH_TIMEOUT(start->isEnabled(), kPatience);
    QVERIFY(!cancel->isVisible());
}

void TstExportPage::readyIsOfWhatWasExported_data()
{
    QTest::addColumn<QString>("change");
    for (const char* change : {"receiver", "modes", "checkpoint", "name", "folder"}) {
        QTest::newRow(change) << QString::fromLatin1(change);
    }
}

void TstExportPage::readyIsOfWhatWasExported()
{
    QFETCH(QString, change);
    m_bench->script("export", kExported);
    Page* page = m_bench->page("export");
    m_bench->openTitanic(true);
    page->findChild<QAction*>("action.export")->trigger();
    auto* signatures = page->findChild<QWidget*>("card.signatures");
    QTRY_VERIFY_WITH_TIMEOUT(signatures->isVisible(), kPatience);
    auto* pill = page->findChild<QWidget*>("card.check")->findChild<Pill*>();
    QCOMPARE(pill->text(), "Ready");
    if (change == "receiver" || change == "modes") {
        page->findChild<Segmented*>("field." + change)->setCurrentIndex(1);
    } else if (change == "checkpoint") {
        page->findChild<QComboBox*>("field.checkpoint")->setCurrentIndex(1);
    } else {
        page->findChild<QLineEdit*>("field.export_" + change)->setText("other");
    }
    QVERIFY(!signatures->isVisible());
    QCOMPARE(pill->text(), "Not yet");
    QVERIFY(!page->findChild<QAction*>("action.open_export_folder")->isEnabled());
}

/// It exists before the first evaluation, as in a window that trains.
void TstExportPage::theBestOfTheNewestRunIsOffered()
{
    CheckpointChoice choice;
    const CheckpointRow first{.step = 100};
    const CheckpointRow best{.step = 100, .isBest = true};
    const CheckpointRow last{.step = 200};
    choice.setRuns(runsWith({runWith("run-1", {first})}));
    QCOMPARE(choice.checkpoint(), "latest");
    choice.setRuns(runsWith({runWith("run-1", {best, last})}));
    QCOMPARE(choice.checkpoint(), "best");
    QCOMPARE(choice.step(), 100);
    choice.setRuns(runsWith({runWith("run-2", {best, last}), runWith("run-1", {best, last})}));
    QCOMPARE(choice.run(), "run-2");
    QCOMPARE(choice.checkpoint(), "best");

    // The user's choice is kept as long as it exists.
    choice.chooseRun("run-1");
    QCOMPARE(choice.checkpoint(), "best");
    choice.chooseStep(200);
    QCOMPARE(choice.checkpoint(), "latest");
    choice.setRuns(runsWith({runWith("run-3", {best}), runWith("run-1", {best, last})}));
    QCOMPARE(choice.run(), "run-1");
    QCOMPARE(choice.step(), 200);
    choice.setRuns(runsWith({runWith("run-3", {best, last})}));
    QCOMPARE(choice.run(), "run-3");
    QCOMPARE(choice.checkpoint(), "best");
    // A run of another project may have the same name.
    choice.forgetChoice();
    choice.setRuns(runsWith({runWith("run-4", {best}), runWith("run-1", {best, last})}));
    QCOMPARE(choice.run(), "run-4");
}

void TstExportPage::everyExportIsListed()
{
    const QString folder = m_bench->copyExample("titanic");
    m_bench->addFinishedRun(folder, "run-1");
    {
        auto store = storage::RunStore::open(folder.toStdString());
        VERIFY_OK(store);
        for (int i = 0; i < 5; ++i) {
            VERIFY_OK(store->addExport("run-1", {.exporter = i == 4 ? "final" : "best",
                                                 .path = "export/x/" + std::to_string(i),
                                                 .globalStep = 100 + i,
                                                 .exportedAt = 1'700'000'100.0 + i}));
        }
    }
    Page* page = m_bench->page("export");
    m_bench->open(folder);
    const auto rows = [&] {
        QStringList names;
        for (const QWidget* row :
             page->findChild<QWidget*>("list.exports")
                 ->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
            if (row->isVisibleTo(page) && row->accessibleName().startsWith("Export of ")) {
                names << row->accessibleName();
            }
        }
        return names;
    };
    QTRY_COMPARE_WITH_TIMEOUT(rows().size(), 5, kPatience);
    QCOMPARE(rows().first(), QString("Export of run-1 by “final” in runs/run-1/export/x/4"));
}

void TstExportPage::D48_showCommandIsWhatRuns()
{
    m_bench->script("export", kExported);
    Page* page = m_bench->page("export");
    m_bench->openTitanic(true);
    QTRY_VERIFY_WITH_TIMEOUT(!page->command().isEmpty(), kPatience);
    const QString shown = page->command().display();
    QCOMPARE(shown, "cannery export run-1 --checkpoint best --receiver parsing --output "
                    "exports/titanic");
    auto* modes = page->findChild<Segmented*>("field.modes");
    modes->setCurrentIndex(2);
    QCOMPARE(page->command().display(), shown + " --modes all");
    modes->setCurrentIndex(0);
    page->findChild<QAction*>("action.export")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->wasCalled("export"), kPatience);
    const QStringList ran = m_bench->calls().filter("export run-1"); // checks may follow it
    QCOMPARE(ran.size(), 1);
    QVERIFY2(("cannery " + ran.first()).startsWith(shown), qPrintable(ran.first()));
}

void TstExportPage::predictionsAreWrittenToAFile()
{
    m_bench->script("predict", R"({"rows": 264, "output": "out.csv"})");
    m_bench->openTitanic(true);
    PredictDialog dialog(m_bench->session());
    dialog.setInput("new.csv");
    dialog.show();
    QCOMPARE(dialog.findChild<QLineEdit*>("field.predict_output")->text(), "./new_predictions.csv");
    dialog.findChild<QAbstractButton*>("button.predict")->click();
    auto* words = dialog.findChild<QLabel*>("label.predict");
    QTRY_COMPARE_WITH_TIMEOUT(words->text(), "Rows predicted: 264.", kPatience);
    QVERIFY(m_bench->lastCall("predict").contains("--input new.csv"));
}

void TstExportPage::aChosenFileForPredictionsIsKept()
{
    m_bench->openTitanic(true);
    PredictDialog dialog(m_bench->session());
    dialog.show();
    dialog.findChild<QAbstractButton*>("button.choose_predict_output")->click();
    auto* chooser = dialog.findChild<QFileDialog*>("dialog.predict_file");
    QVERIFY(chooser);
    Q_EMIT chooser->fileSelected("/results/mine.csv");
    dialog.setInput("new.csv");
    QCOMPARE(dialog.findChild<QLineEdit*>("field.predict_output")->text(), "/results/mine.csv");
}

CANNERY_TEST(TstExportPage)

#include "tst_export_page.moc"

#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/models/rows_preview_model.h"
#include "ui/pages/home_page.h"
#include "ui/pages/new_project_dialog.h"
#include "ui/pages/page_catalog.h"
#include "ui/pages/page_dialogs.h"
#include "ui/pages/predict_dialog.h"
#include "ui/pages/train_charts.h"
#include "ui/services/job_runner.h"
#include "ui/services/run_catalog.h"
#include "ui/services/sample_library.h"
#include "ui/widgets/button.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/label.h"
#include "ui/widgets/link_label.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/pill.h"
#include "ui/widgets/strip.h"

#include <QAction>
#include <QComboBox>
#include <QDialog>
#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

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

constexpr const char* kPreview = R"({"sources": {"train": {"rows": 627}, "eval": {"rows": 264}},
 "columns": [
  {"name": "survived", "type": "number", "use": "label", "missing": 0, "distinct": 2,
   "histogram": {"labels": [], "counts": [384, 243]}},
  {"name": "deck", "type": "category", "use": "feature", "missing": 484, "distinct": 8,
   "histogram": {"labels": ["unknown", "C"], "counts": [484, 40]}}],
 "texts": [["0", null], ["1", "C"]],
 "inputs": [{"name": "deck", "kind": "ids", "width": 8}],
 "rows": [{"deck": [0]}, {"deck": [1]}]})";

Page* makePage(tests::PageBench& bench, const QString& id)
{
    for (const PageRow& row : pageCatalog()) {
        if (id == QLatin1String(row.id)) {
            Page* page = row.make(bench.context(), &bench.window());
            bench.show(*page);
            return page;
        }
    }
    return nullptr;
}

QList<Button*> primaryButtons(const QWidget& page)
{
    QList<Button*> found;
    for (Button* button : page.findChildren<Button*>()) {
        if (button->isVisible() && button->kind() == Button::Kind::Primary) {
            found.append(button);
        }
    }
    return found;
}

} // namespace

class TstPages : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { m_bench = std::make_unique<tests::PageBench>(); }
    void cleanup() { m_bench.reset(); }

    void D03_everyPageHasItsEmptyState_data();
    void D03_everyPageHasItsEmptyState();
    void D04_marksFollowReadiness();
    void D05_trainSaysWhatIsMissingAndLinksThere();
    void D02_aSampleTrainsInOnePress();
    void aFinishedRunShowsItsCurvesAndWhatIsNext();
    void dataShowsColumnsAndRows();
    void whatCannotBeReadIsAStrip();
    void D47_exportSaysDoneOnlyWithItsCheck();
    void D47_failureSaysWhyAndThatNothingIsLeft();
    void anExportIsCancelled();
    void D48_showCommandIsWhatRuns();
    void predictionsAreWrittenToAFile();
    void aDroppedTableAsksOnlyForItsLabel();

private:
    void open(const QString& folder)
    {
        QSignalSpy opened(&m_bench->session(), &ProjectSession::projectChanged);
        m_bench->session().openProject(folder);
        QTRY_VERIFY_WITH_TIMEOUT(!opened.isEmpty(), kPatience);
    }
    QString openTitanic(bool withRun)
    {
        const QString folder = m_bench->copyExample("titanic");
        if (withRun) {
            m_bench->addFinishedRun(folder, "run-1");
        }
        open(folder);
        [&] {
            QTRY_COMPARE_WITH_TIMEOUT(m_bench->session().runs().snapshot()->runs.size(),
                                      withRun ? 1 : 0, kPatience);
        }();
        return folder;
    }
    bool wasCalled(const QString& verb) const
    {
        for (const QString& call : m_bench->calls()) {
            if (call.startsWith(verb + ' ')) {
                return true;
            }
        }
        return false;
    }

    std::unique_ptr<tests::PageBench> m_bench;
};

void TstPages::D03_everyPageHasItsEmptyState_data()
{
    QTest::addColumn<QString>("id");
    for (const char* id : {"data", "features", "model", "train", "export"}) {
        QTest::newRow(id) << QString::fromLatin1(id);
    }
}

void TstPages::D03_everyPageHasItsEmptyState()
{
    QFETCH(QString, id);
    Page* page = makePage(*m_bench, id);
    auto* empty = page->findChild<EmptyState*>("empty." + id);
    QVERIFY(empty && empty->isVisible());
    QTRY_COMPARE_WITH_TIMEOUT(primaryButtons(*page).size(), 1, kPatience);
    QCOMPARE(page->mark().kind, RailMark::Kind::Empty);
    QVERIFY(!page->mark().tip.isEmpty());
}

void TstPages::D04_marksFollowReadiness()
{
    Page* data = makePage(*m_bench, "data");
    QCOMPARE(data->mark().kind, RailMark::Kind::Empty);
    const QString folder = openTitanic(false);
    QTRY_COMPARE_WITH_TIMEOUT(data->mark().kind, RailMark::Kind::Ready, kPatience);
    QVERIFY(!data->mark().tip.isEmpty());
    QVERIFY(QFile::remove(folder + "/titanic_train.csv"));
    Q_EMIT m_bench->session().document().saved(); // looks for the files again
    QTRY_COMPARE_WITH_TIMEOUT(data->mark().kind, RailMark::Kind::Error, kPatience);
    QVERIFY(data->mark().tip.contains("titanic_train.csv"));
}

void TstPages::D05_trainSaysWhatIsMissingAndLinksThere()
{
    const QString folder = m_bench->folder() + "/projects/unlabelled";
    QVERIFY(QDir().mkpath(folder));
    QFile file(folder + "/a.cannery");
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("data { train { csv { files: \"a.csv\" } } }\n"
               "estimator { linear_regressor { } }\n");
    file.close();
    Page* page = makePage(*m_bench, "train");
    open(folder);
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->session().trainHindrance().contains("page:data"), kPatience);
    auto* empty = page->findChild<EmptyState*>("empty.train");
    QTRY_VERIFY_WITH_TIMEOUT(empty->isVisible(), kPatience);
    QSignalSpy navigated(page, &Page::navigate);
    LinkLabel* sentence = nullptr;
    for (LinkLabel* label : empty->findChildren<LinkLabel*>()) {
        sentence = label->text().contains("page:data") ? label : sentence;
    }
    QVERIFY(sentence);
    Q_EMIT sentence->linkActivated("page:data");
    QCOMPARE(navigated.value(0).value(0).toString(), "data");
}

void TstPages::D02_aSampleTrainsInOnePress()
{
    Page* home = makePage(*m_bench, "home");
    QSignalSpy navigated(home, &Page::navigate);
    QTRY_VERIFY_WITH_TIMEOUT(home->findChild<QAbstractButton*>("sample.titanic"), kPatience);
    home->findChild<QAbstractButton*>("sample.titanic")->click();
    QTRY_VERIFY_WITH_TIMEOUT(wasCalled("train"), kPatience);
    QCOMPARE(navigated.value(0).value(0).toString(), "train");
    QVERIFY(m_bench->session().projectFolder().startsWith(m_bench->folder()));
    QVERIFY(!m_bench->window().findChild<QDialog*>());
}

void TstPages::aFinishedRunShowsItsCurvesAndWhatIsNext()
{
    Page* page = makePage(*m_bench, "train");
    openTitanic(true);
    page->reveal("run:run-1");
    QCOMPARE(page->currentRun(), "run-1");
    auto* header = page->findChild<PageHeader*>("header.train");
    QTRY_VERIFY_WITH_TIMEOUT(header->isVisible(), kPatience);
    QCOMPARE(header->pill().text(), "Finished");
    auto* charts = page->findChild<TrainCharts*>();
    QTRY_COMPARE_WITH_TIMEOUT(charts->loss().curves().size(), 2, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(charts->decision().curves().size(), 2, kPatience);
    QCOMPARE(charts->decision().title(), "AUC");
    QVERIFY(!charts->loss().curves()[0].dashed);
    QVERIFY(charts->loss().curves()[1].dashed);
    QTRY_COMPARE_WITH_TIMEOUT(primaryButtons(*page).size(), 1, kPatience);
    QVERIFY(page->inspector()->findChild<QWidget*>("checkpoint.100"));
}

void TstPages::dataShowsColumnsAndRows()
{
    m_bench->script("preview", kPreview);
    Page* page = makePage(*m_bench, "data");
    openTitanic(false);
    auto* table = page->findChild<QTableView*>("table.rows");
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->columnCount(), 2, kPatience);
    QCOMPARE(table->model()->index(0, 1).data().toString(), "?");
    QVERIFY(page->findChild<QWidget*>("bar.split")->accessibleName().contains("627"));
    QVERIFY(page->command().display().startsWith("cannery preview titanic.cannery"));
    page->reveal("column:deck");
    bool tellsMissing = false;
    for (const QLabel* label : page->inspector()->findChildren<QLabel*>()) {
        tellsMissing = tellsMissing || label->text().contains("484 rows");
    }
    QVERIFY(tellsMissing);
}

void TstPages::whatCannotBeReadIsAStrip()
{
    m_bench->script("preview",
                    R"({"error": {"id": "csv.row_too_long",
 "sentence": "Line 418 of titanic_train.csv has 11 values, 10 expected."}})",
                    3);
    Page* page = makePage(*m_bench, "data");
    openTitanic(false);
    auto* strip = page->findChild<Strip*>("strip.data");
    QTRY_VERIFY_WITH_TIMEOUT(strip->isVisible(), kPatience);
    QVERIFY(strip->text().contains("Line 418"));
    QCOMPARE(strip->level(), Strip::Level::Error);
    QCOMPARE(page->mark().kind, RailMark::Kind::Error);
}

void TstPages::D47_exportSaysDoneOnlyWithItsCheck()
{
    m_bench->script("export", kExported);
    Page* page = makePage(*m_bench, "export");
    openTitanic(true);
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

void TstPages::D47_failureSaysWhyAndThatNothingIsLeft()
{
    m_bench->script("export",
                    R"({"error": {"id": "export.no_space", "sentence": "The disk is full."}})", 1);
    Page* page = makePage(*m_bench, "export");
    openTitanic(true);
    page->findChild<QAction*>("action.export")->trigger();
    auto* strip = page->findChild<Strip*>("strip.export");
    QTRY_VERIFY_WITH_TIMEOUT(strip->isVisible(), kPatience);
    QVERIFY(strip->text().contains("The disk is full."));
    QVERIFY(!page->findChild<QAction*>("action.open_export_folder")->isEnabled());
    QVERIFY(page->findChild<QAction*>("action.export")->isEnabled());
}

void TstPages::anExportIsCancelled()
{
    m_bench->scriptWait("export");
    Page* page = makePage(*m_bench, "export");
    openTitanic(true);
    auto* start = page->findChild<QAction*>("action.export");
    start->trigger();
    auto* cancel = page->findChild<QAbstractButton*>("button.cancel_export");
    QTRY_VERIFY_WITH_TIMEOUT(cancel->isVisible(), kPatience);
    QVERIFY(!start->isEnabled());
    cancel->click();
    QTRY_VERIFY_WITH_TIMEOUT(start->isEnabled(), kPatience);
    QVERIFY(!cancel->isVisible());
}

void TstPages::D48_showCommandIsWhatRuns()
{
    m_bench->script("export", kExported);
    Page* page = makePage(*m_bench, "export");
    openTitanic(true);
    QTRY_VERIFY_WITH_TIMEOUT(!page->command().isEmpty(), kPatience);
    const QString shown = page->command().display();
    QCOMPARE(shown, "cannery export run-1 --checkpoint best --receiver parsing --output "
                    "exports/titanic");
    page->findChild<QAction*>("action.export")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(wasCalled("export"), kPatience);
    const QString ran = "cannery " + m_bench->calls().last();
    QVERIFY2(ran.startsWith(shown), qPrintable(ran));
}

void TstPages::predictionsAreWrittenToAFile()
{
    m_bench->script("predict", R"({"rows": 264, "output": "out.csv"})");
    openTitanic(true);
    PredictDialog dialog(m_bench->session());
    dialog.setInput("new.csv");
    dialog.show();
    QCOMPARE(dialog.findChild<QLineEdit*>("field.predict_output")->text(), "./new_predictions.csv");
    dialog.findChild<QAbstractButton*>("button.predict")->click();
    auto* words = dialog.findChild<QLabel*>("label.predict");
    QTRY_COMPARE_WITH_TIMEOUT(words->text(), "264 rows were predicted.", kPatience);
    QVERIFY(m_bench->calls().last().contains("--input new.csv"));
}

void TstPages::aDroppedTableAsksOnlyForItsLabel()
{
    m_bench->script("new", R"({"label": {"guess": "income", "confidence": 0.8,
  "reason": "It is the last column and has two values."},
 "columns": [{"name": "age", "type": "number", "reason": "numbers"},
             {"name": "income", "type": "category", "reason": "2 texts"}],
 "rows": 1000, "problems": []})");
    connectPageDialogs(m_bench->context(), &m_bench->window());
    m_bench->window().show();
    m_bench->session().newFromTable(m_bench->folder() + "/census.csv");
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->window().findChild<NewProjectDialog*>(), kPatience);
    auto* dialog = m_bench->window().findChild<NewProjectDialog*>();
    auto* label = dialog->findChild<QComboBox*>("field.label");
    QTRY_COMPARE_WITH_TIMEOUT(label->count(), 2, kPatience);
    QCOMPARE(label->currentData().toString(), "income");
    QVERIFY(dialog->findChild<QLabel*>("label.reason")->text().contains("1,000 rows"));
    dialog->findChild<QAbstractButton*>("button.create")->click();
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->calls().last().contains("--label income"), kPatience);
}

CANNERY_TEST(TstPages)

#include "tst_pages.moc"

// SPDX-License-Identifier: GPL-3.0-only
#include "storage/runs/run_files.h"
#include "storage/runs/run_lock.h"
#include "storage/runs/run_store.h"
#include "tests/support/patience.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/models/formats.h"
#include "ui/models/rows_preview_model.h"
#include "ui/pages/checkpoint_choice.h"
#include "ui/pages/home_page.h"
#include "ui/pages/new_project_dialog.h"
#include "ui/pages/page_catalog.h"
#include "ui/pages/page_dialogs.h"
#include "ui/pages/predict_dialog.h"
#include "ui/pages/table_trouble_view.h"
#include "ui/pages/train_charts.h"
#include "ui/services/job_runner.h"
#include "ui/services/recent_projects.h"
#include "ui/services/run_catalog.h"
#include "ui/services/sample_library.h"
#include "ui/widgets/button.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/label.h"
#include "ui/widgets/link_label.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/pill.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/strip.h"

#include <QAction>
#include <QComboBox>
#include <QDialog>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QUndoStack>

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

/// As the engine says it of a row with a field too many.
QByteArray badLine(const QString& file)
{
    return QString(R"({"error": {"id": "csv.field_count",
 "sentence": "%1:5: 11 fields instead of 10: 1,2. Correct the line, or set bad_rows to SKIP to leave it out.",
 "arguments": ["%1", "5", "11 fields", "10", "1,2"]}})")
        .arg(file)
        .toUtf8();
}

constexpr const char* kAsked = R"({"label": {"guess": "income", "confidence": 0.8,
  "reason": "It is the last column and has two values."},
 "columns": [{"name": "age", "type": "number", "reason": "numbers"},
             {"name": "income", "type": "category", "reason": "2 texts"}],
 "rows": 1000, "problems": []})";

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
    void D06_firstRowsComeBeforeTheWholeTable();
    void D06_aTableThatIsReadCanBeCancelled();
    void aLineThatCannotBeReadIsShownWithWaysToGoOn();
    void aChosenWayIsKeptInTheExperiment_data();
    void aChosenWayIsKeptInTheExperiment();
    void aTableThatIsGoneIsLocated();
    void aNewTableThatCannotBeReadIsShownWithoutAProject();
    void aDeletedTableLosesItsMark();
    void D47_exportSaysDoneOnlyWithItsCheck();
    void D47_failureSaysWhyAndThatNothingIsLeft();
    void anExportIsCancelled();
    void readyIsOfWhatWasExported_data();
    void readyIsOfWhatWasExported();
    void theBestOfTheNewestRunIsOffered();
    void aProjectThatIsNotOpenTellsWhenItsRunEnds();
    void resumeOnAFinishedRunAsksForMoreSteps();
    void everyExportIsListed();
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
    QString openWithBadLine();
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

/// The engine never answers here, as if the table had no end.
void TstPages::D06_firstRowsComeBeforeTheWholeTable()
{
    m_bench->scriptWait("preview");
    Page* page = makePage(*m_bench, "data");
    openTitanic(false);
    auto* table = page->findChild<QTableView*>("table.rows");
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 200, kPatience);
    QCOMPARE(table->model()->headerData(0, Qt::Horizontal).toString(), "survived");
    QCOMPARE(table->model()->index(0, 1).data().toString(), "male");
    auto* words = page->findChild<LinkLabel*>("label.waiting");
    QVERIFY(words->isVisible());
    QVERIFY2(words->text().startsWith("The first rows, as they are written, so far."),
             qPrintable(words->text()));
    Q_EMIT words->linkActivated("cancel");
    QTRY_VERIFY_WITH_TIMEOUT(words->text().startsWith("The first rows, as they are written. The "
                                                      "rest was not read."),
                             kPatience);
    QCOMPARE(table->model()->rowCount(), 200);
    m_bench->script("preview", kPreview);
    Q_EMIT words->linkActivated("again");
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->columnCount(), 2, kPatience);
    QVERIFY(!words->isVisible());
}

void TstPages::D06_aTableThatIsReadCanBeCancelled()
{
    m_bench->scriptWait("new");
    connectPageDialogs(m_bench->context(), &m_bench->window());
    m_bench->window().show();
    m_bench->session().newFromTable(m_bench->folder() + "/census.csv");
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->window().findChild<NewProjectDialog*>(), kPatience);
    auto* dialog = m_bench->window().findChild<NewProjectDialog*>();
    QCOMPARE(dialog->findChild<QLabel*>("label.reason")->text(), "Reading the table…");
    QVERIFY(!dialog->findChild<QAbstractButton*>("button.create")->isEnabled());
    QVERIFY(m_bench->session().tables().isAsking());
    dialog->findChild<QAbstractButton*>("button.cancel")->click();
    QVERIFY(!m_bench->session().tables().isAsking());
    QTRY_COMPARE_WITH_TIMEOUT(m_bench->session().jobs().runningCount(), 0, kPatience);
}

/// Line 5 of the copy's table has a value too many; the engine says so.
QString TstPages::openWithBadLine()
{
    const QString folder = m_bench->copyExample("titanic");
    QFile table(folder + "/titanic_train.csv");
    [&] { QVERIFY(table.open(QIODevice::ReadWrite)); }();
    QList<QByteArray> lines = table.readAll().split('\n');
    lines[4] += ",extra";
    table.seek(0);
    table.write(lines.join('\n'));
    table.close();
    m_bench->script("preview", badLine("titanic_train.csv"), 3);
    open(folder);
    return folder;
}

void TstPages::aLineThatCannotBeReadIsShownWithWaysToGoOn()
{
    Page* page = makePage(*m_bench, "data");
    openWithBadLine();
    auto* view = page->findChild<TableTroubleView*>();
    QTRY_VERIFY_WITH_TIMEOUT(view->isVisible(), kPatience);
    auto* strip = page->findChild<Strip*>("strip.trouble");
    QCOMPARE(strip->text(), "Line 5 has 11 fields, 10 expected.");
    QCOMPARE(strip->level(), Strip::Level::Error);
    QCOMPARE(page->mark().kind, RailMark::Kind::Error);
    QCOMPARE(page->mark().tip, "Line 5 has 11 fields, 10 expected.");
    QTRY_VERIFY_WITH_TIMEOUT(view->findChild<QWidget*>("line.bad"), kPatience);
    QVERIFY(view->findChild<QWidget*>("line.bad")->accessibleName().startsWith("Line 5: "));
    QVERIFY(view->findChild<QWidget*>("line.bad")->accessibleName().endsWith(",extra"));
    QCOMPARE(view->findChildren<QWidget*>("line").size(), 6);
    QVERIFY(view->findChild<QWidget*>("way.skip")->isVisible());
    QCOMPARE(view->findChild<QLabel*>("becomes.skip")->text(), "left out");
    QVERIFY(view->findChild<QWidget*>("way.delimiter")->isVisible());
    QVERIFY(!view->findChild<QWidget*>("way.latin1")->isVisible());
    QVERIFY(!view->findChild<QWidget*>("way.locate")->isVisible());
    auto* delimiters = view->findChild<QComboBox*>("field.delimiter");
    delimiters->setCurrentIndex(delimiters->findText("semicolon"));
    QCOMPARE(view->findChild<QLabel*>("becomes.delimiter")->text(), "1 value: it would not help");
}

void TstPages::aChosenWayIsKeptInTheExperiment_data()
{
    QTest::addColumn<QString>("button");
    QTest::addColumn<QString>("delimiter");
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("value");
    QTest::newRow("skip") << "button.skip" << QString() << "data.bad_rows"
                          << "SKIP";
    QTest::newRow("semicolon") << "button.delimiter"
                               << "semicolon"
                               << "data.train.csv.field_delim"
                               << ";";
    QTest::newRow("tab") << "button.delimiter"
                         << "tab"
                         << "data.train.csv.field_delim"
                         << "\\t";
}

void TstPages::aChosenWayIsKeptInTheExperiment()
{
    QFETCH(QString, button);
    QFETCH(QString, delimiter);
    QFETCH(QString, path);
    QFETCH(QString, value);
    Page* page = makePage(*m_bench, "data");
    openWithBadLine();
    auto* view = page->findChild<TableTroubleView*>();
    QTRY_VERIFY_WITH_TIMEOUT(view->findChild<QWidget*>("line.bad"), kPatience);
    ExperimentDocument& document = m_bench->session().document();
    const QString before = document.text();
    if (!delimiter.isEmpty()) {
        auto* delimiters = view->findChild<QComboBox*>("field.delimiter");
        delimiters->setCurrentIndex(delimiters->findText(delimiter));
    }
    m_bench->script("preview", kPreview);
    view->findChild<QAbstractButton*>(button)->click();
    QTRY_COMPARE_WITH_TIMEOUT(document.value(path), value, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!view->isVisible(), kPatience);
    QCOMPARE(page->findChild<QTableView*>("table.rows")->model()->columnCount(), 2);
    document.undoStack()->undo();
    QTRY_COMPARE_WITH_TIMEOUT(document.text(), before, kPatience);
}

void TstPages::aTableThatIsGoneIsLocated()
{
    m_bench->script("preview", kPreview);
    Page* page = makePage(*m_bench, "data");
    const QString folder = m_bench->copyExample("titanic");
    QVERIFY(QDir().mkpath(folder + "/elsewhere"));
    QVERIFY(QFile::rename(folder + "/titanic_train.csv", folder + "/elsewhere/train.csv"));
    open(folder);
    auto* view = page->findChild<TableTroubleView*>();
    QTRY_VERIFY_WITH_TIMEOUT(view->isVisible(), kPatience);
    QVERIFY(page->findChild<Strip*>("strip.trouble")
                ->text()
                .endsWith("/titanic_train.csv is not there or may not be read."));
    const QString place = view->findChild<QLabel*>("becomes.locate")->text();
    QVERIFY2(place.endsWith("/titanic/titanic_train.csv") && !place.contains(".."),
             qPrintable(place));
    QVERIFY(!view->findChild<QWidget*>("way.skip")->isVisible());
    view->findChild<QAbstractButton*>("button.locate")->click();
    auto* chooser = page->findChild<QFileDialog*>("dialog.locate");
    QVERIFY(chooser);
    Q_EMIT chooser->fileSelected(folder + "/elsewhere/train.csv");
    ExperimentDocument& document = m_bench->session().document();
    QTRY_COMPARE_WITH_TIMEOUT(document.value("data.train.csv.files[0]"), "elsewhere/train.csv",
                              kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!view->isVisible(), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(page->mark().kind, RailMark::Kind::Ready, kPatience);
}

void TstPages::aNewTableThatCannotBeReadIsShownWithoutAProject()
{
    const QString table = m_bench->folder() + "/census.csv";
    QFile file(table);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("age,income\n1,2\n3,4\n5,6\n7,8,9\n");
    file.close();
    m_bench->script("new", badLine(table), 3);
    connectPageDialogs(m_bench->context(), &m_bench->window());
    Page* page = makePage(*m_bench, "data");
    m_bench->session().newFromTable(table);
    auto* view = page->findChild<TableTroubleView*>();
    QTRY_VERIFY_WITH_TIMEOUT(view->findChild<QWidget*>("line.bad"), kPatience);
    QCOMPARE(view->findChild<QWidget*>("line.bad")->accessibleName(), "Line 5: 7,8,9");
    // Nothing of an experiment that does not exist yet.
    const QString told = page->findChild<Strip*>("strip.trouble")->text();
    QCOMPARE(told, "Line 5 has 11 fields, 10 expected.");
    m_bench->script("new", kAsked);
    view->findChild<QAbstractButton*>("button.skip")->click();
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->window().findChild<NewProjectDialog*>(), kPatience);
    auto* dialog = m_bench->window().findChild<NewProjectDialog*>();
    QTRY_COMPARE_WITH_TIMEOUT(dialog->findChild<QComboBox*>("field.label")->count(), 2, kPatience);
    QVERIFY(!view->isVisible());
    dialog->findChild<QAbstractButton*>("button.create")->click();
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->calls().last().contains("--label income"), kPatience);
    QVERIFY2(m_bench->calls().last().contains("--skip-bad-rows"),
             qPrintable(m_bench->calls().last()));
}

void TstPages::aDeletedTableLosesItsMark()
{
    Page* data = makePage(*m_bench, "data");
    const QString folder = openTitanic(false);
    QVERIFY(QTest::qWaitForWindowActive(&m_bench->window(), kPatience));
    QTRY_COMPARE_WITH_TIMEOUT(data->mark().kind, RailMark::Kind::Ready, kPatience);
    QSignalSpy looked(&m_bench->session(), &ProjectSession::dataFilesLooked);
    QTRY_VERIFY_WITH_TIMEOUT(!looked.isEmpty(), kPatience);
    QVERIFY(QFile::remove(folder + "/titanic_train.csv"));
    QTRY_COMPARE_WITH_TIMEOUT(data->mark().kind, RailMark::Kind::Error, kPatience);
    QVERIFY(data->mark().tip.contains("titanic_train.csv"));
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

void TstPages::readyIsOfWhatWasExported_data()
{
    QTest::addColumn<QString>("change");
    for (const char* change : {"receiver", "checkpoint", "name", "folder"}) {
        QTest::newRow(change) << QString::fromLatin1(change);
    }
}

void TstPages::readyIsOfWhatWasExported()
{
    QFETCH(QString, change);
    m_bench->script("export", kExported);
    Page* page = makePage(*m_bench, "export");
    openTitanic(true);
    page->findChild<QAction*>("action.export")->trigger();
    auto* signatures = page->findChild<QWidget*>("card.signatures");
    QTRY_VERIFY_WITH_TIMEOUT(signatures->isVisible(), kPatience);
    auto* pill = page->findChild<QWidget*>("card.check")->findChild<Pill*>();
    QCOMPARE(pill->text(), "Ready");
    if (change == "receiver") {
        page->findChild<Segmented*>("field.receiver")->setCurrentIndex(1);
    } else if (change == "checkpoint") {
        page->findChild<QComboBox*>("field.checkpoint")->setCurrentIndex(1);
    } else {
        page->findChild<QLineEdit*>("field.export_" + change)->setText("other");
    }
    QVERIFY(!signatures->isVisible());
    QCOMPARE(pill->text(), "Not yet");
    QVERIFY(!page->findChild<QAction*>("action.open_export_folder")->isEnabled());
}

namespace {

/// Runs as the catalog tells them while they train, newest first.
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

/// It stands there from before the first evaluation, as in a window that trains.
void TstPages::theBestOfTheNewestRunIsOffered()
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

    // What a person chose stays, as long as it is there.
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

void TstPages::aProjectThatIsNotOpenTellsWhenItsRunEnds()
{
    const QString folder = m_bench->copyExample("titanic");
    m_bench->addFinishedRun(folder, "run-1");
    auto store = storage::RunStore::open(folder.toStdString());
    VERIFY_OK(store);
    const auto run = store->show("run-1");
    VERIFY_OK(run);
    const auto be = [&](storage::RunState state, std::int64_t step) {
        storage::RunStatus status = run->status;
        status.state = state;
        status.globalStep = step;
        VERIFY_OK(storage::RunFiles(store->folderOf("run-1")).writeStatus(status));
        VERIFY_OK(store->putRun(run->info, status));
    };
    auto lock = storage::RunLock::acquire(store->folderOf("run-1"));
    VERIFY_OK(lock);
    be(storage::RunState::Running, 144); // of 200
    Page* home = makePage(*m_bench, "home");
    m_bench->session().recents().noteOpened(folder, folder + "/titanic.cannery", "Other");
    const auto told = [&] {
        const auto* row = home->findChild<QWidget*>("recent.Other");
        return row ? row->accessibleName() : QString();
    };
    const QString running = "Running " + formatPercent(0.72, 0);
    QTRY_VERIFY2_WITH_TIMEOUT(told().contains(running), qPrintable(told()), kPatience);
    be(storage::RunState::Finished, 200);
    lock = tl::unexpected(Error());
    QTRY_VERIFY2_WITH_TIMEOUT(!told().contains("Running"), qPrintable(told()), kPatience);
    QVERIFY(told().startsWith("Other"));
    QVERIFY(!m_bench->session().hasProject());
}

void TstPages::resumeOnAFinishedRunAsksForMoreSteps()
{
    Page* page = makePage(*m_bench, "train");
    openTitanic(true);
    page->reveal("run:run-1");
    QAction* resume = m_bench->actions().find("action.resume_run");
    QTRY_VERIFY_WITH_TIMEOUT(resume->isEnabled(), kPatience);
    resume->trigger();
    auto* dialog = m_bench->window().findChild<QDialog*>("dialog.continue");
    QVERIFY(dialog);
    QVERIFY(!wasCalled("resume"));
    dialog->findChild<QSpinBox*>("field.more_steps")->setValue(300);
    dialog->accept();
    QTRY_VERIFY_WITH_TIMEOUT(wasCalled("resume"), kPatience);
    QVERIFY2(m_bench->calls().last().contains("--max-steps 500"),
             qPrintable(m_bench->calls().last()));
}

void TstPages::everyExportIsListed()
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
    Page* page = makePage(*m_bench, "export");
    open(folder);
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
    QFile table(m_bench->folder() + "/census.csv");
    QVERIFY(table.open(QIODevice::WriteOnly));
    table.write("age,income\n31,low\n47,high\n52,high\n");
    table.close();
    connectPageDialogs(m_bench->context(), &m_bench->window());
    m_bench->window().show();
    m_bench->session().newFromTable(m_bench->folder() + "/census.csv");
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->window().findChild<NewProjectDialog*>(), kPatience);
    auto* dialog = m_bench->window().findChild<NewProjectDialog*>();
    auto* rows = dialog->findChild<QTableView*>("table.first_rows");
    QTRY_VERIFY_WITH_TIMEOUT(rows->isVisible(), kPatience);
    QCOMPARE(rows->model()->rowCount(), 3);
    QCOMPARE(rows->model()->headerData(1, Qt::Horizontal).toString(), "income");
    QCOMPARE(rows->model()->index(1, 0).data().toString(), "47");
    auto* label = dialog->findChild<QComboBox*>("field.label");
    QTRY_COMPARE_WITH_TIMEOUT(label->count(), 2, kPatience);
    QCOMPARE(label->currentData().toString(), "income");
    QVERIFY(dialog->findChild<QLabel*>("label.reason")->text().contains("1,000 rows"));
    dialog->findChild<QAbstractButton*>("button.create")->click();
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->calls().last().contains("--label income"), kPatience);
}

CANNERY_TEST(TstPages)

#include "tst_pages.moc"

// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/pages/data/table_trouble_view.h"
#include "ui/pages/home/new_project_dialog.h"
#include "ui/pages/page_dialogs.h"
#include "ui/services/job_runner.h"
#include "ui/widgets/button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/link_label.h"
#include "ui/widgets/strip.h"
#include "ui/widgets/style/theme.h"

#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QTableView>
#include <QTest>
#include <QUndoStack>

#include <memory>

using namespace cannery;
using namespace cannery::ui;
using cannery::tests::kPatience;

namespace {

constexpr const char* kPreview = R"({"sources": {"train": {"rows": 627}, "eval": {"rows": 264}},
 "columns": [
  {"name": "survived", "type": "number", "use": "label", "missing": 0, "distinct": 2,
   "histogram": {"labels": [], "counts": [384, 243]}},
  {"name": "deck", "type": "category", "use": "feature", "missing": 484, "distinct": 8,
   "histogram": {"labels": ["unknown", "C"], "counts": [484, 40]}}],
 "texts": [["0", null], ["1", "C"]],
 "inputs": [{"name": "deck", "kind": "ids", "width": 8}],
 "rows": [{"deck": [0]}, {"deck": [1]}]})";

/// The engine's message about a row with a field too many.
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

} // namespace

class TstDataPage : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { m_bench = std::make_unique<tests::PageBench>(); }
    void cleanup() { m_bench.reset(); }

    void dataShowsColumnsAndRows();
    void D06_firstRowsComeBeforeTheWholeTable();
    void D06_aTableThatIsReadCanBeCancelled();
    void aLineThatCannotBeReadIsShownWithWaysToGoOn();
    void aChosenWayIsKeptInTheExperiment_data();
    void aChosenWayIsKeptInTheExperiment();
    void aTableInAnotherEncodingIsReadInIt();
    void aNewTableThatCannotBeReadIsShownWithoutAProject();
    void aDeletedTableLosesItsMark();
    void aDroppedTableAsksOnlyForItsLabel();
    void D08_typesOfManyColumnsChangeInOneStep();
    void aColumnBecomesTheLabel();
    void aColumnIsReadOtherwise();
    void theSplitIsDraggedAndMovedByKeys();
    void someRowsStayVisibleBesideAProblem();

private:
    QString openWithBadLine();
    std::unique_ptr<tests::PageBench> m_bench;
};

void TstDataPage::dataShowsColumnsAndRows()
{
    m_bench->script("preview", kPreview);
    Page* page = m_bench->page("data");
    m_bench->openTitanic(false);
    auto* table = page->findChild<QTableView*>("table.rows");
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->columnCount(), 2, kPatience);
    QCOMPARE(table->model()->index(0, 1).data().toString(), "?");
    QVERIFY(page->findChild<QWidget*>("bar.split")->accessibleName().contains("627"));
    QVERIFY(page->command().display().startsWith("cannery preview titanic.cannery"));
    page->reveal("column:deck");
    bool showsMissing = false;
    for (const QLabel* label : page->inspector()->findChildren<QLabel*>()) {
        showsMissing = showsMissing || label->text().contains("484 rows");
    }
    QVERIFY(showsMissing);
}

/// The preview never answers here, as if the table were endless.
void TstDataPage::D06_firstRowsComeBeforeTheWholeTable()
{
    m_bench->scriptWait("preview");
    m_bench->scriptReal("browse");
    Page* page = m_bench->page("data");
    m_bench->openTitanic(false);
    auto* table = page->findChild<QTableView*>("table.rows");
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->index(0, 1).data().toString(), "male", kPatience);
    QCOMPARE(table->model()->headerData(0, Qt::Horizontal).toString(), "survived");
    auto* words = page->findChild<LinkLabel*>("label.waiting");
    QVERIFY(words->isVisible());
    QVERIFY2(words->text().startsWith("Reading the whole table…"), qPrintable(words->text()));
    Q_EMIT words->linkActivated("cancel");
    QTRY_VERIFY_WITH_TIMEOUT(words->text().startsWith("Not all of the table was read."), kPatience);
    QCOMPARE(table->model()->index(0, 1).data().toString(), "male");
    m_bench->script("preview", kPreview);
    Q_EMIT words->linkActivated("again");
    QTRY_VERIFY_WITH_TIMEOUT(!words->isVisible(), kPatience);
}

void TstDataPage::D06_aTableThatIsReadCanBeCancelled()
{
    m_bench->scriptWait("new");
    connectPageDialogs(m_bench->context(), &m_bench->window());
    m_bench->window().show();
    m_bench->session().tables().ask(m_bench->folder() + "/census.csv");
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->window().findChild<NewProjectDialog*>(), kPatience);
    auto* dialog = m_bench->window().findChild<NewProjectDialog*>();
    QCOMPARE(dialog->findChild<QLabel*>("label.reason")->text(), "Reading the table…");
    QVERIFY(!dialog->findChild<QAbstractButton*>("button.create")->isEnabled());
    QVERIFY(m_bench->session().tables().isAsking());
    dialog->findChild<QAbstractButton*>("button.cancel")->click();
    QVERIFY(!m_bench->session().tables().isAsking());
    QTRY_COMPARE_WITH_TIMEOUT(m_bench->session().jobs().runningCount(), 0, kPatience);
}

/// Line 5 of the copied table has a value too many, as the engine reports.
QString TstDataPage::openWithBadLine()
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
    m_bench->open(folder);
    return folder;
}

void TstDataPage::aLineThatCannotBeReadIsShownWithWaysToGoOn()
{
    Page* page = m_bench->page("data");
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
    QCOMPARE(view->findChild<QLabel*>("becomes.skip")->text(), "skipped");
    QVERIFY(view->findChild<QWidget*>("way.delimiter")->isVisible());
    QVERIFY(!view->findChild<QWidget*>("way.encoding")->isVisible());
    QVERIFY(!view->findChild<QWidget*>("way.locate")->isVisible());
    auto* delimiters = view->findChild<QComboBox*>("field.delimiter");
    delimiters->setCurrentIndex(delimiters->findText("semicolon"));
    QCOMPARE(view->findChild<QLabel*>("becomes.delimiter")->text(), "1 value: it would not help");
}

void TstDataPage::aChosenWayIsKeptInTheExperiment_data()
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

void TstDataPage::aChosenWayIsKeptInTheExperiment()
{
    QFETCH(QString, button);
    QFETCH(QString, delimiter);
    QFETCH(QString, path);
    QFETCH(QString, value);
    Page* page = m_bench->page("data");
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

void TstDataPage::aTableInAnotherEncodingIsReadInIt()
{
    Page* page = m_bench->page("data");
    const QString project = m_bench->openTitanic(false);
    const QString table = project + "/titanic_train.csv";
    m_bench->script("preview",
                    QString(R"({"error": {"id": "csv.invalid_utf8", "sentence": "%1:3: not valid",
                              "arguments": ["%1", "3", "B0", "name"]}})")
                        .arg(table)
                        .toUtf8(),
                    3);
    ExperimentDocument& document = m_bench->session().document();
    QVERIFY(document.setValue("data.column[age].default_value", "30")); // asks again
    auto* view = page->findChild<TableTroubleView*>();
    QTRY_VERIFY_WITH_TIMEOUT(view->isVisible(), kPatience);
    QVERIFY(!view->findChild<QWidget*>("way.skip")->isVisible());
    auto* encodings = view->findChild<QComboBox*>("field.encoding");
    QTRY_VERIFY_WITH_TIMEOUT(encodings->isVisible(), kPatience);
    encodings->setCurrentIndex(encodings->findData("cp949"));
    m_bench->script("preview", kPreview);
    view->findChild<QAbstractButton*>("button.encoding")->click();
    QTRY_COMPARE_WITH_TIMEOUT(document.value("data.train.csv.encoding"), "cp949", kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!view->isVisible(), kPatience);
}

void TstDataPage::aNewTableThatCannotBeReadIsShownWithoutAProject()
{
    const QString table = m_bench->folder() + "/census.csv";
    QFile file(table);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("age,income\n1,2\n3,4\n5,6\n7,8,9\n");
    file.close();
    m_bench->script("new", badLine(table), 3);
    connectPageDialogs(m_bench->context(), &m_bench->window());
    Page* page = m_bench->page("data");
    m_bench->session().tables().ask(table);
    auto* view = page->findChild<TableTroubleView*>();
    QTRY_VERIFY_WITH_TIMEOUT(view->findChild<QWidget*>("line.bad"), kPatience);
    QCOMPARE(view->findChild<QWidget*>("line.bad")->accessibleName(), "Line 5: 7,8,9");
    // Without anything from an experiment, which does not exist yet.
    const QString problem = page->findChild<Strip*>("strip.trouble")->text();
    QCOMPARE(problem, "Line 5 has 11 fields, 10 expected.");
    m_bench->script("new", kAsked);
    view->findChild<QAbstractButton*>("button.skip")->click();
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->window().findChild<NewProjectDialog*>(), kPatience);
    auto* dialog = m_bench->window().findChild<NewProjectDialog*>();
    QTRY_COMPARE_WITH_TIMEOUT(dialog->findChild<QComboBox*>("field.label")->count(), 3, kPatience);
    QVERIFY(!view->isVisible());
    dialog->findChild<QAbstractButton*>("button.create")->click();
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->lastCall("new").contains("--label income"), kPatience);
    QVERIFY2(m_bench->lastCall("new").contains("--skip-bad-rows"),
             qPrintable(m_bench->lastCall("new")));
}

void TstDataPage::aDeletedTableLosesItsMark()
{
    Page* data = m_bench->page("data");
    const QString folder = m_bench->openTitanic(false);
    QVERIFY(QTest::qWaitForWindowActive(&m_bench->window(), kPatience));
    QTRY_COMPARE_WITH_TIMEOUT(data->mark().kind, RailMark::Kind::Ready, kPatience);
    QSignalSpy looked(&m_bench->session().check(), &ExperimentCheck::dataFilesLooked);
    QTRY_VERIFY_WITH_TIMEOUT(!looked.isEmpty(), kPatience);
    QVERIFY(QFile::remove(folder + "/titanic_train.csv"));
    QTRY_COMPARE_WITH_TIMEOUT(data->mark().kind, RailMark::Kind::Error, kPatience);
    QVERIFY(data->mark().tip.contains("titanic_train.csv"));
}

void TstDataPage::aDroppedTableAsksOnlyForItsLabel()
{
    m_bench->script("new", kAsked);
    m_bench->scriptReal("preview");
    QFile table(m_bench->folder() + "/census.csv");
    QVERIFY(table.open(QIODevice::WriteOnly));
    table.write("age,income\n31,low\n47,high\n52,high\n");
    table.close();
    connectPageDialogs(m_bench->context(), &m_bench->window());
    m_bench->window().show();
    m_bench->session().tables().ask(m_bench->folder() + "/census.csv");
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->window().findChild<NewProjectDialog*>(), kPatience);
    auto* dialog = m_bench->window().findChild<NewProjectDialog*>();
    auto* rows = dialog->findChild<QTableView*>("table.first_rows");
    QTRY_VERIFY_WITH_TIMEOUT(rows->isVisible(), kPatience);
    QCOMPARE(rows->model()->rowCount(), 3);
    QCOMPARE(rows->model()->headerData(1, Qt::Horizontal).toString(), "income");
    QCOMPARE(rows->model()->index(1, 0).data().toString(), "47");
    auto* label = dialog->findChild<QComboBox*>("field.label");
    QTRY_COMPARE_WITH_TIMEOUT(label->count(), 3, kPatience);
    QCOMPARE(label->currentData().toString(), "income");
    QVERIFY(dialog->findChild<QLabel*>("label.reason")->text().contains("1,000 rows"));
    dialog->findChild<QAbstractButton*>("button.create")->click();
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->lastCall("new").contains("--label income"), kPatience);
}

void TstDataPage::D08_typesOfManyColumnsChangeInOneStep()
{
    m_bench->script("preview", kPreview);
    Page* page = m_bench->page("data");
    m_bench->openTitanic(false);
    ExperimentDocument& document = m_bench->session().document();
    auto* table = page->findChild<QTableView*>("table.rows");
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->columnCount(), 2, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(document.isSettled(), kPatience);
    const QString before = document.text();
    table->selectAll();
    auto* type = page->inspector()->findChild<QComboBox*>("field.type");
    QVERIFY(type != nullptr);
    type->setCurrentIndex(type->findData("string"));
    Q_EMIT type->activated(type->currentIndex());
    QCOMPARE(document.undoStack()->count(), 1);
    QVERIFY(document.text().contains("column { name: \"survived\" dtype: string }"));
    QVERIFY(document.text().contains("column { name: \"deck\" dtype: string }"));
    QTRY_VERIFY_WITH_TIMEOUT(document.isSettled(), kPatience);
    QCOMPARE(type->currentData().toString(), "string");
    QCOMPARE(table->selectionModel()->selectedColumns().size(), 2);
    type->setCurrentIndex(0);
    Q_EMIT type->activated(0);
    QCOMPARE(document.text(), before);
    document.undoStack()->undo();
    document.undoStack()->undo();
    QCOMPARE(document.text(), before);
}

void TstDataPage::aColumnBecomesTheLabel()
{
    m_bench->script("preview", kPreview);
    Page* page = m_bench->page("data");
    m_bench->openTitanic(false);
    ExperimentDocument& document = m_bench->session().document();
    auto* table = page->findChild<QTableView*>("table.rows");
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->columnCount(), 2, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(document.isSettled(), kPatience);
    const QString before = document.text();
    page->reveal("column:deck");
    auto* use = page->inspector()->findChild<QComboBox*>("field.use");
    const auto choose = [use](const QString& words) {
        use->setCurrentIndex(use->findText(words));
        Q_EMIT use->activated(use->currentIndex());
    };
    choose("Label");
    QTRY_COMPARE_WITH_TIMEOUT(document.value("data.label.column"), "deck", kPatience);
    choose("Key");
    QTRY_COMPARE_WITH_TIMEOUT(document.value("data.key_column"), "deck", kPatience);
    QVERIFY(document.field("data.label") == nullptr); // a key cannot be the label
    QTRY_VERIFY_WITH_TIMEOUT(document.problems().hasErrors(), kPatience);
    choose("Weight");
    QTRY_COMPARE_WITH_TIMEOUT(
        document.value("estimator.dnn_linear_combined_classifier.weight_column.feature"), "deck",
        kPatience);
    QVERIFY(document.field("data.key_column") == nullptr);
    while (document.undoStack()->canUndo()) {
        document.undoStack()->undo();
    }
    QCOMPARE(document.text(), before);
}

void TstDataPage::aColumnIsReadOtherwise()
{
    m_bench->script("preview", kPreview);
    Page* page = m_bench->page("data");
    m_bench->openTitanic(false);
    ExperimentDocument& document = m_bench->session().document();
    auto* table = page->findChild<QTableView*>("table.rows");
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->columnCount(), 2, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(document.isSettled(), kPatience);
    page->reveal("column:deck");
    auto* tokens =
        page->inspector()->findChild<QLineEdit*>("field.data.column[deck].missing_token");
    QVERIFY(tokens != nullptr);
    QTest::keyClicks(tokens, "NA, ?");
    QTRY_VERIFY_WITH_TIMEOUT(document.isSettled(), kPatience);
    QVERIFY2(document.text().contains("column { name: \"deck\" missing_token: [\"NA\", \"?\"] }"),
             qPrintable(document.text()));
    QCOMPARE(document.undoStack()->count(), 1);
}

void TstDataPage::theSplitIsDraggedAndMovedByKeys()
{
    m_bench->script("preview", kPreview);
    Page* page = m_bench->page("data");
    m_bench->openTitanic(false);
    ExperimentDocument& document = m_bench->session().document();
    QTRY_VERIFY_WITH_TIMEOUT(document.isSettled() && document.isOpen(), kPatience);
    auto* bar = page->findChild<QWidget*>("bar.split");
    QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible(), kPatience);
    QCOMPARE(bar->focusPolicy(), Qt::NoFocus); // the evaluation rows are in a file
    QVERIFY(document.setValue("data.eval", {}));
    QTRY_COMPARE_WITH_TIMEOUT(bar->focusPolicy(), Qt::StrongFocus, kPatience);
    const int steps = document.undoStack()->count();
    const int y = 4;
    QTest::mousePress(bar, Qt::LeftButton, {}, QPoint(bar->width() * 8 / 10, y));
    QTest::mouseMove(bar, QPoint(bar->width() * 7 / 10, y));
    QTest::mouseMove(bar, QPoint(bar->width() * 6 / 10, y));
    QTest::mouseRelease(bar, Qt::LeftButton, {}, QPoint(bar->width() * 6 / 10, y));
    QCOMPARE(document.undoStack()->count(), steps + 1);
    QTRY_COMPARE_WITH_TIMEOUT(document.value("data.split.fraction.eval_fraction"), "0.4",
                              kPatience);
    bar->setFocus();
    QTest::keyClick(bar, Qt::Key_Right);
    QTRY_COMPARE_WITH_TIMEOUT(document.value("data.split.fraction.eval_fraction"), "0.39",
                              kPatience);
    QCOMPARE(document.undoStack()->count(), steps + 2);
}

/// However large the text is: the page scrolls instead.
void TstDataPage::someRowsStayVisibleBesideAProblem()
{
    m_bench->script("preview", kPreview);
    Page* page = m_bench->page("data");
    m_bench->openTitanic(false);
    const auto* table = page->findChild<QTableView*>("table.rows");
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->columnCount(), 2, kPatience);
    m_bench->window().resize(1280, 480);
    applyTheme(*qApp, {.textScale = 2});
    ExperimentDocument& document = m_bench->session().document();
    document.problems().setChecked(
        document.revision(),
        {{.id = "data.no_column", .sentence = "There is no column 'x'.", .page = "data"},
         {.id = "data.no_label", .sentence = "There is no column 'y'.", .page = "data"}});
    const auto* strip = page->findChild<Strip*>("strip.data");
    QTRY_VERIFY_WITH_TIMEOUT(strip->isVisible(), kPatience);
    const auto* pages = page->findChild<QStackedWidget*>();
    const auto* area = qobject_cast<const QScrollArea*>(pages->currentWidget());
    QVERIFY(area != nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(area->verticalScrollBar()->maximum() > 0, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(table->viewport()->height() >= 2 * table->rowHeight(0), kPatience);
    if (const QString folder = qEnvironmentVariable("CANNERY_PICTURES"); !folder.isEmpty()) {
        m_bench->window().grab().save(folder + "/data-problem-200.png");
    }
    applyTheme(*qApp, {});
}

CANNERY_TEST(TstDataPage)

#include "tst_data_page.moc"

// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/editing/guided_columns_model.h"
#include "ui/pages/guided/guided_section.h"
#include "ui/services/projects/settings.h"
#include "ui/widgets/table_view.h"

#include <QAbstractButton>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QScopeGuard>
#include <QSignalSpy>
#include <QTest>

#include <memory>

using namespace cannery::ui;
using cannery::tests::kPatience;

namespace {

/// What `cannery new` says about a table of four columns.
constexpr const char* kReport = R"json({
 "label": {"guess": "bought", "confidence": 0.9, "reason": "two values, the last column"},
 "task": "binary classification", "rows": 500,
 "columns": [
  {"name": "id", "type": "identifier", "reason": "a different one in every row", "distinct": 500},
  {"name": "age", "type": "number", "distinct": 60, "min": 18, "max": 80, "missing": 3,
   "histogram": {"begin": 18, "end": 80, "labels": [], "counts": [5, 9, 2]}},
  {"name": "refund", "type": "category", "distinct": 2,
   "histogram": {"labels": ["no", "yes"], "counts": [300, 200]}},
  {"name": "bought", "type": "category", "distinct": 2,
   "histogram": {"labels": ["no", "yes"], "counts": [310, 190]}}],
 "left_out": [{"column": "id", "remark": "a different value in every row"}],
 "taken": [{"column": "age", "remark": "skewed (1.00): taken as a logarithm"}],
 "warnings": [{"column": "refund", "remark": "predicts the label almost by itself (99.8 %)"}],
 "model": {"chosen": "dnn_linear_combined", "steps": 300, "guess_loss": 0.66,
  "estimated_seconds": 2.5, "kinds": [
   {"family": "linear", "estimator": "linear_classifier", "loss": 0.45},
   {"family": "dnn", "estimator": "dnn_classifier"},
   {"family": "dnn_linear_combined", "estimator": "dnn_linear_combined_classifier", "loss": 0.41}]},
 "problems": []})json";

/// What it says if clusters are to be found.
constexpr const char* kGroups = R"json({
 "label": {"guess": "", "confidence": 0, "reason": ""}, "task": "clustering", "rows": 500,
 "columns": [], "left_out": [], "taken": [], "warnings": [],
 "model": {"chosen": "kmeans", "steps": 200, "kinds": [
   {"family": "kmeans", "estimator": "kmeans"}]},
 "problems": []})json";

} // namespace

/// The Guided Run page: questions with proposed answers, back and forth, and what is run for them.
class TstGuidedPage : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { m_bench.reset(); }

    void nothingCanBeDoneWithoutATable();
    void everyQuestionHasAProposedAnswer();
    void oneQuestionIsUnfoldedAtATime();
    void leavingTheFieldKeepsTheTable();
    void aTextSetWithoutTheFocusIsRead();
    void anotherColumnIsPredicted();
    void groupsAreFoundWithoutALabel();
    void aColumnThatCannotBePredictedSaysWhy();
    void aColumnIsLeftOut();
    void anotherModelIsTriedAlone();
    void aTableThatCannotBeReadSaysSo();
    void trainMakesTheProjectThatWasShown();
    void trainSearchesOnce();

private:
    GuidedSection* section(const char* id) const;
    QAbstractButton* button(const QString& name) const;
    QString words(const char* name) const;
    void begin();

    std::unique_ptr<cannery::tests::PageBench> m_bench;
    Page* m_page = nullptr;
    QString m_table;
};

void TstGuidedPage::init()
{
    m_bench = std::make_unique<cannery::tests::PageBench>();
    m_bench->script("new", kReport);
    m_table = m_bench->folder() + "/sales.csv";
    QFile file(m_table);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("id,age,refund,bought\n") > 0);
    m_page = m_bench->page("guided");
    QVERIFY(m_page != nullptr);
}

GuidedSection* TstGuidedPage::section(const char* id) const
{
    return m_page->findChild<GuidedSection*>(QString("guided.%1").arg(QLatin1String(id)));
}

QAbstractButton* TstGuidedPage::button(const QString& name) const
{
    return m_page->findChild<QAbstractButton*>(name);
}

QString TstGuidedPage::words(const char* name) const
{
    return m_page->findChild<QLabel*>(QString("words.guided_%1").arg(QLatin1String(name)))->text();
}

void TstGuidedPage::begin()
{
    auto* field = m_page->findChild<QLineEdit*>("field.guided_table");
    field->setFocus();
    field->setText(m_table);
    QTest::keyClick(field, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(button("button.guided_train")->isEnabled(), kPatience);
}

void TstGuidedPage::nothingCanBeDoneWithoutATable()
{
    for (const char* id : {"question", "columns", "model", "train"}) {
        QAbstractButton* head = button(QString("fold.guided.%1").arg(QLatin1String(id)));
        QVERIFY2(!head->isEnabled() && !head->toolTip().isEmpty(), id);
    }
    QVERIFY(!button("continue.guided.table")->isEnabled());
    QVERIFY(!button("button.guided_train")->isEnabled());
    QVERIFY(!button("button.guided_train")->toolTip().isEmpty());
    QVERIFY(!m_bench->wasCalled("new"));
}

void TstGuidedPage::everyQuestionHasAProposedAnswer()
{
    begin();
    QCOMPARE(section("table")->summary(), "sales.csv: 500 rows, 4 columns");
    QCOMPARE(section("question")->summary(), "bought: binary classification");
    QCOMPARE(section("columns")->summary(), "2 columns, 1 left out");
    QCOMPARE(section("model")->summary(), "Wide and deep classifier");
    QVERIFY(section("train")->summary().contains("2.5"));
    QVERIFY2(words("label").contains("two values, the last column"), qPrintable(words("label")));
    QVERIFY2(words("label").contains("classification"), qPrintable(words("label")));
    // The model's reason has the numbers of the others.
    for (const char* part : {"0.4100", "0.4500", "0.6600", "Linear classifier"}) {
        QVERIFY2(words("model").contains(part), qPrintable(words("model")));
    }
    QVERIFY2(words("columns").contains("afterwards"), qPrintable(words("columns")));
    // First the columns, at once; then models are tried, and the best score is kept.
    const QStringList calls = m_bench->calls().filter(QRegularExpression("^new "));
    QCOMPARE(calls.size(), 3);
    QVERIFY(!calls[0].contains("--label"));
    QVERIFY2(calls[1].contains("--label bought --best-score --no-tries --dry-run"),
             qPrintable(calls[1]));
    QVERIFY2(calls[2].contains("--label bought --best-score --dry-run"), qPrintable(calls[2]));
}

void TstGuidedPage::oneQuestionIsUnfoldedAtATime()
{
    begin();
    QVERIFY(section("table")->isOpen());
    button("continue.guided.table")->click();
    QVERIFY(!section("table")->isOpen() && section("question")->isOpen());
    QVERIFY(button("fold.guided.question")->hasFocus());
    QTest::keyClick(button("fold.guided.model"), Qt::Key_Space);
    QVERIFY(section("model")->isOpen() && !section("question")->isOpen());
    button("fold.guided.table")->click(); // and back, with every answer
    QVERIFY(section("table")->isOpen());
    QCOMPARE(section("model")->summary(), "Wide and deep classifier");
    QCOMPARE(m_page->findChild<QLineEdit*>("field.guided_table")->text().section('/', -1),
             "sales.csv");
}

void TstGuidedPage::leavingTheFieldKeepsTheTable()
{
    const QByteArray home = qgetenv("HOME");
    const auto restored = qScopeGuard([&home] { qputenv("HOME", home); });
    qputenv("HOME", QFileInfo(m_table).absolutePath().toUtf8());
    begin();
    button("fold.guided.table")->click();
    auto* field = m_page->findChild<QLineEdit*>("field.guided_table");
    field->setFocus();
    QTest::keyClick(field, Qt::Key_Tab);
    QVERIFY(button("button.guided_train")->isEnabled());
    QCOMPARE(field->text(), m_table);
}

void TstGuidedPage::aTextSetWithoutTheFocusIsRead()
{
    m_page->findChild<QLineEdit*>("field.guided_table")->setText(m_table);
    QTRY_VERIFY_WITH_TIMEOUT(button("button.guided_train")->isEnabled(), kPatience);
}

void TstGuidedPage::anotherColumnIsPredicted()
{
    begin();
    button("fold.guided.question")->click();
    auto* list = m_page->findChild<TableView*>("table.guided_labels");
    QCOMPARE(list->currentIndex().row(), 3);
    list->setFocus();
    QTest::keyClick(list, Qt::Key_Up);
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->lastCall("new").contains("--label refund --best-score --dry"),
                             kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(section("question")->summary().startsWith("refund"), kPatience);
    // The label is not learned from, the former one is.
    auto* columns = m_page->findChild<TableView*>("table.guided_columns")->model();
    QStringList names;
    for (int row = 0; row < columns->rowCount(); ++row) {
        names << columns->index(row, GuidedColumnsModel::Name).data().toString();
    }
    QCOMPARE(names, QStringList({"id", "age", "bought"}));
}

void TstGuidedPage::groupsAreFoundWithoutALabel()
{
    begin();
    m_bench->script("new", kGroups);
    button("button.guided_clusters")->click();
    QTRY_COMPARE_WITH_TIMEOUT(section("model")->summary(), QString("K-means"), kPatience);
    QVERIFY(button("button.guided_train")->isEnabled());
    QCOMPARE(section("question")->summary(), QString("groups of similar rows"));
    QVERIFY(button("button.guided_clusters")->isHidden());
    const QString call = m_bench->lastCall("new");
    QVERIFY2(call.contains("--estimator kmeans") && !call.contains("--label"), qPrintable(call));
    // And back to a label.
    m_bench->script("new", kReport);
    m_page->findChild<TableView*>("table.guided_labels")->selectRow(2);
    QTRY_COMPARE_WITH_TIMEOUT(section("question")->summary(),
                              QString("refund: binary classification"), kPatience);
    QVERIFY(!m_bench->lastCall("new").contains("kmeans"));
}

void TstGuidedPage::aColumnThatCannotBePredictedSaysWhy()
{
    begin();
    m_bench->script("new", R"({"rows": 500, "columns": [], "task": "", "problems": [
        {"sentence": "The column 'id' cannot be a label: it has 500 different texts."}]})");
    button("fold.guided.question")->click();
    auto* list = m_page->findChild<TableView*>("table.guided_labels");
    list->selectRow(0);
    QTRY_VERIFY_WITH_TIMEOUT(words("label").contains("500 different texts"), kPatience);
    QVERIFY(!button("button.guided_train")->isEnabled());
    QVERIFY(!button("fold.guided.model")->isEnabled());
    QVERIFY(button("fold.guided.model")->toolTip().contains("500 different texts"));
    m_bench->script("new", kReport);
    list->selectRow(3);
    QTRY_VERIFY_WITH_TIMEOUT(button("button.guided_train")->isEnabled(), kPatience);
}

void TstGuidedPage::aColumnIsLeftOut()
{
    begin();
    button("fold.guided.columns")->click();
    auto* view = m_page->findChild<TableView*>("table.guided_columns");
    QAbstractItemModel* model = view->model();
    const QModelIndex refund = model->index(2, GuidedColumnsModel::Name);
    QCOMPARE(refund.data(Qt::CheckStateRole).toInt(), int(Qt::Checked));
    QVERIFY(model->index(2, GuidedColumnsModel::Remark)
                .data(GuidedColumnsModel::IsWarningRole)
                .toBool());
    view->setFocus();
    view->setCurrentIndex(refund);
    QTest::keyClick(view, Qt::Key_Space);
    QTRY_VERIFY_WITH_TIMEOUT(
        m_bench->lastCall("new").contains("--leave-out refund --best-score --dry-run"), kPatience);
    QCOMPARE(model->index(2, GuidedColumnsModel::Name).data(Qt::CheckStateRole).toInt(),
             int(Qt::Unchecked));
    QCOMPARE(section("columns")->summary(), "one column, 2 left out");
}

void TstGuidedPage::anotherModelIsTriedAlone()
{
    begin();
    button("fold.guided.model")->click();
    button("tile.linear")->click();
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->lastCall("new").contains("--estimator linear --best-score"),
                             kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(button("button.guided_train")->isEnabled(), kPatience);
}

void TstGuidedPage::aTableThatCannotBeReadSaysSo()
{
    m_bench->script(
        "new", R"({"error": {"id": "file.missing", "sentence": "The table does not exist."}})", 3);
    auto* field = m_page->findChild<QLineEdit*>("field.guided_table");
    field->setText(m_table);
    QTest::keyClick(field, Qt::Key_Return);
    auto* strip = m_page->findChild<QWidget*>("strip.guided");
    QTRY_VERIFY_WITH_TIMEOUT(strip->isVisible(), kPatience);
    m_bench->script("new", kReport);
    begin(); // again, with the same file
    QVERIFY(!strip->isVisible());
}

void TstGuidedPage::trainMakesTheProjectThatWasShown()
{
    begin();
    button("fold.guided.train")->click();
    button("button.guided_train")->click();
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->lastCall("new").contains("--output"), kPatience);
    const QString call = m_bench->lastCall("new");
    QVERIFY2(call.contains("--label bought --best-score --output") && !call.contains("--dry-run"),
             qPrintable(call));
    QVERIFY(!m_page->command().isEmpty() || !button("button.guided_train")->isEnabled());
}

void TstGuidedPage::trainSearchesOnce()
{
    m_bench->session().settings().setProjectsFolder(m_bench->folder() + "/projects");
    QByteArray report = kReport;
    report.replace(
        "\"problems\": []",
        R"("problems": [], "experiment_text": "# Found.\ndata { train { csv { files: \"sales.csv\" } } label { column: \"bought\" } }\nestimator { baseline_classifier { } }\n")");
    m_bench->script("new", report);
    m_bench->script("check", R"({"problems": []})");
    m_bench->script("train", "{}");
    begin();
    const qsizetype asked = m_bench->calls().filter(QRegularExpression("^new ")).size();
    QSignalSpy navigated(m_page, &Page::navigate);
    button("button.guided_train")->click();
    QTRY_COMPARE_WITH_TIMEOUT(navigated.size(), 1, kPatience);
    QCOMPARE(navigated.first().first().toString(), "train");
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->wasCalled("train"), kPatience);
    QCOMPARE(m_bench->calls().filter(QRegularExpression("^new ")).size(), asked);
    const QString made = m_bench->session().document().file();
    QCOMPARE(made, m_bench->folder() + "/projects/sales/sales.cannery");
    QFile file(made);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(file.readAll());
    QVERIFY2(text.startsWith("# Found.\n") && text.contains("\"../../sales.csv\""),
             qPrintable(text));
    // The page is ready for the next table.
    QVERIFY(!button("button.guided_train")->isEnabled());
    QCOMPARE(m_page->findChild<QLineEdit*>("field.guided_table")->text(), "");
}

CANNERY_TEST(TstGuidedPage)
#include "tst_guided_page.moc"

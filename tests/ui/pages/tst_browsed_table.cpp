// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/models/tables/rows_preview_model.h"
#include "ui/pages/data/browsed_table.h"
#include "ui/pages/data/histogram_header.h"
#include "ui/widgets/link_label.h"
#include "ui/widgets/style/theme.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QFile>
#include <QImage>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include <memory>

using namespace cannery;
using namespace cannery::ui;
using cannery::tests::kPatience;

namespace {

constexpr int kTerms = 1200;

} // namespace

/// The rows of the Data page, with the real helper.
class TstBrowsedTable : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { m_bench.reset(); }

    void D06_rowsAndStatisticsComeWithoutThePreview();
    void anyRowIsScrolledTo();
    void aFilterIsAppliedAsItIsTyped();
    void aMistakeInAFilterIsToldAsItIsTyped();
    void theArrowOfTheHeaderSorts();
    void theMenuOfAColumnSortsFiltersAndEdits();
    void D06_whatTakesLongIsCancelled();
    void rowsThatWereLeftOutAreListed();
    void anotherReadingStartsAnew();
    void aHelperThatFailsIsToldAndStartedAgain();
    void selectedColumnsStaySelected();
    void filterAndOrderComeBackWithTheProject();
    void namesBeginAtTheRightInRightToLeft();
    void theModelKeepsToTheRulesOfModels();

private:
    /// Opens a project whose table has this many rows: n from 0 on, s of 7 texts, and r = n % 1000.
    Page* openRows(int rows, const QByteArray& more = {});
    QString words() const { return m_page->findChild<LinkLabel*>("label.rows")->text(); }
    QTableView* table() const { return m_page->findChild<QTableView*>("table.rows"); }
    QLineEdit* filter() const { return m_page->findChild<QLineEdit*>("field.row_filter"); }
    QString cell(int row, int column) const
    {
        return table()->model()->index(row, column).data().toString();
    }
    QString rowNumber(int row) const
    {
        return table()->model()->headerData(row, Qt::Vertical).toString();
    }
    void clickArrow(int column, Qt::KeyboardModifiers keys = {});

    std::unique_ptr<tests::PageBench> m_bench;
    Page* m_page = nullptr;
};

void TstBrowsedTable::init()
{
    m_bench = std::make_unique<tests::PageBench>();
    m_bench->scriptWait("preview");
    m_bench->scriptReal("browse");
}

Page* TstBrowsedTable::openRows(int rows, const QByteArray& more)
{
    const QString folder = m_bench->folder() + "/projects/rows";
    QDir().mkpath(folder);
    QFile table(folder + "/table.csv");
    [&] { QVERIFY(table.open(QIODevice::WriteOnly)); }();
    QByteArray text("n,s,r\n");
    for (int row = 0; row < rows; ++row) {
        text += QByteArray::number(row) + ",text " + QByteArray::number(row % 7) + ',' +
                QByteArray::number(row % 1000) + '\n';
    }
    table.write(text + more);
    table.close();
    QFile experiment(folder + "/rows.cannery");
    [&] { QVERIFY(experiment.open(QIODevice::WriteOnly)); }();
    experiment.write("data { train { csv { files: \"table.csv\" } } label { column: \"r\" } "
                     "bad_rows: SKIP }\n");
    experiment.close();
    m_page = m_bench->page("data");
    m_bench->open(folder);
    return m_page;
}

void TstBrowsedTable::clickArrow(int column, Qt::KeyboardModifiers keys)
{
    auto* header = qobject_cast<HistogramHeader*>(table()->horizontalHeader());
    const int right = header->sectionViewportPosition(column) + header->sectionSize(column);
    QTest::mouseClick(header->viewport(), Qt::LeftButton, keys,
                      {right - scaled(9 + 7), scaled(10 + 7)});
}

/// The preview never answers here, as if the table were endless.
void TstBrowsedTable::D06_rowsAndStatisticsComeWithoutThePreview()
{
    openRows(1000);
    QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 1000, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(cell(3, 1), QString("text 3"), kPatience);
    auto* model = qobject_cast<RowsPreviewModel*>(table()->model());
    QTRY_COMPARE_WITH_TIMEOUT(model->facts().trainRows, qint64(1000), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!model->facts().isSoFar, kPatience);
    QCOMPARE(model->facts().find("n")->maximum.value_or(0), 999.0);
    QVERIFY(model->facts().find("r")->use == "label");
    auto* waiting = m_page->findChild<LinkLabel*>("label.waiting");
    QVERIFY(waiting->isVisible() && waiting->text().contains("Cancel"));
    QTRY_VERIFY2_WITH_TIMEOUT(words().startsWith("1–") && words().endsWith(" of 1,000"),
                              qPrintable(words()), kPatience);
}

void TstBrowsedTable::anyRowIsScrolledTo()
{
    openRows(300'000);
    QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 300'000, kPatience);
    const auto* bar = table()->verticalScrollBar(); // rows are laid out after they have come
    QTRY_VERIFY_WITH_TIMEOUT(bar->maximum() > 250'000 * table()->rowHeight(0), kPatience);
    table()->scrollTo(table()->model()->index(234'567, 0));
    QTRY_COMPARE_WITH_TIMEOUT(cell(234'567, 0), QString("234567"), kPatience);
    QCOMPARE(rowNumber(234'567), QLocale().toString(234'568));
    QTRY_VERIFY2_WITH_TIMEOUT(words().contains("–234,5"), qPrintable(words()), kPatience);
    // A cell that is still loading is empty, and says so.
    const QModelIndex far = table()->model()->index(100'000, 0);
    QCOMPARE(far.data().toString(), QString());
    QCOMPARE(far.data(Qt::AccessibleTextRole).toString(), "loading");
    QTRY_COMPARE_WITH_TIMEOUT(cell(100'000, 0), QString("100000"), kPatience);
}

void TstBrowsedTable::aFilterIsAppliedAsItIsTyped()
{
    openRows(20'000);
    QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 20'000, kPatience);
    QCOMPARE(m_page->findField(), filter());
    QTest::keyClicks(filter(), "r > 990 and s = \"text 2\"");
    QTRY_VERIFY_WITH_TIMEOUT(table()->model()->rowCount() < 100, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!cell(0, 0).isEmpty(), kPatience);
    const int first = cell(0, 0).toInt();
    QVERIFY(first % 1000 > 990 && first % 7 == 2);
    QCOMPARE(rowNumber(0), QLocale().toString(first + 1)); // of the file
    QTest::keyClick(filter(), Qt::Key_Escape);
    QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 20'000, kPatience);
    filter()->setText("n < 0");
    QTest::keyClick(filter(), Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 0, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(words(), QString("no rows"), kPatience);
}

void TstBrowsedTable::aMistakeInAFilterIsToldAsItIsTyped()
{
    openRows(100);
    QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 100, kPatience);
    QTest::keyClicks(filter(), "m > 3");
    auto* problem = m_page->findChild<QLabel*>("label.row_filter_problem");
    QTRY_VERIFY_WITH_TIMEOUT(problem->isVisible(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(problem->text().contains("no column \"m\""), kPatience);
    QCOMPARE(filter()->accessibleDescription(), problem->text());
    QCOMPARE(table()->model()->rowCount(), 100);
    filter()->setText("n > 97");
    QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 2, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!problem->isVisible(), kPatience);
}

void TstBrowsedTable::theArrowOfTheHeaderSorts()
{
    openRows(5000);
    QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 5000, kPatience);
    const auto order = [&] {
        return table()->model()->headerData(2, Qt::Horizontal, RowsPreviewModel::SortRole);
    };
    QVERIFY(!order().isValid());
    clickArrow(2);
    QTRY_COMPARE_WITH_TIMEOUT(cell(1, 0), QString("1000"), kPatience); // 0, 1000, … have r = 0
    QCOMPARE(order().value<Qt::SortOrder>(), Qt::AscendingOrder);
    QCOMPARE(rowNumber(1), QString("1,001"));
    QVERIFY(table()
                ->model()
                ->headerData(2, Qt::Horizontal, Qt::AccessibleTextRole)
                .toString()
                .contains("sorted, smallest first"));
    clickArrow(2);
    QTRY_COMPARE_WITH_TIMEOUT(cell(0, 0), QString("999"), kPatience);
    QCOMPARE(order().value<Qt::SortOrder>(), Qt::DescendingOrder);
    clickArrow(2);
    QTRY_COMPARE_WITH_TIMEOUT(cell(1, 0), QString("1"), kPatience);
    QVERIFY(!order().isValid());
    clickArrow(0, Qt::ShiftModifier);
    QTRY_COMPARE_WITH_TIMEOUT(cell(0, 0), QString("4999"), kPatience);
}

void TstBrowsedTable::theMenuOfAColumnSortsFiltersAndEdits()
{
    openRows(100);
    QTRY_COMPARE_WITH_TIMEOUT(cell(3, 0), QString("3"), kPatience);
    table()->setCurrentIndex(table()->model()->index(2, 1));
    const auto choose = [&](const char* name) {
        QContextMenuEvent asked(QContextMenuEvent::Keyboard, {}, {});
        QCoreApplication::sendEvent(table(), &asked);
        auto* menu = m_page->findChild<QMenu*>("menu.column");
        QVERIFY(menu != nullptr);
        auto* action = menu->findChild<QAction*>(name);
        QVERIFY2(action != nullptr, name);
        action->trigger();
        delete menu;
    };
    choose("menu.sort_descending");
    QTRY_COMPARE_WITH_TIMEOUT(cell(0, 1), QString("text 6"), kPatience);
    choose("menu.filter_column");
    QCOMPARE(filter()->text(), QString("s = "));
    filter()->clear();
    choose("menu.use_key");
    QTRY_COMPARE_WITH_TIMEOUT(m_bench->session().document().value("data.key_column"), QString("s"),
                              kPatience);
    choose("menu.file_order");
    QTRY_COMPARE_WITH_TIMEOUT(cell(3, 0), QString("3"), kPatience);
}

void TstBrowsedTable::D06_whatTakesLongIsCancelled()
{
    openRows(500'000);
    auto* label = m_page->findChild<LinkLabel*>("label.rows");
    QTRY_VERIFY_WITH_TIMEOUT(table()->model()->rowCount() > 0, kPatience);
    // So many terms that it takes seconds on any machine. (A helper that is stopped now and then
    // runs on where the machine is too busy to stop it.)
    filter()->setText("s contains \"6\" and r > 3" +
                      QString(" and s contains \"t\"").repeated(kTerms));
    QTest::keyClick(filter(), Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(words().contains("Cancel") && words().contains("…"), kPatience);
    QVERIFY(m_page->findChild<QWidget*>("progress.rows")->isVisible());
    Q_EMIT label->linkActivated("cancel");
    QTRY_VERIFY_WITH_TIMEOUT(!words().contains("…"), kPatience);
    QVERIFY(table()->model()->rowCount() > 50'000 || words().contains("so far"));
    QTest::keyClick(filter(), Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 71'142, kPatience);
}

void TstBrowsedTable::rowsThatWereLeftOutAreListed()
{
    openRows(100, "1,2\n3,text 3,4\n5,6,7,8\n");
    auto* button = m_page->findChild<QPushButton*>("button.left_out");
    QTRY_VERIFY_WITH_TIMEOUT(button->isVisible(), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(button->text(), QString("2 rows left out"), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 101, kPatience);
    button->click();
    auto* rows = m_page->findChild<QTableView*>("table.left_out");
    QTRY_COMPARE_WITH_TIMEOUT(rows->model()->rowCount(), 2, kPatience);
    QVERIFY(rows->isVisible());
    QCOMPARE(rows->model()->index(0, 0).data().toString(), QString("table.csv"));
    QCOMPARE(rows->model()->index(0, 1).data().toString(), QString("102"));
    QCOMPARE(rows->model()->index(1, 2).data().toString(), QString("5,6,7,8"));
    QVERIFY(rows->model()->index(1, 3).data().toString().contains("4 fields instead of 3"));
    button->click();
    QVERIFY(!rows->isVisible() && table()->isVisible());
}

void TstBrowsedTable::anotherReadingStartsAnew()
{
    openRows(100);
    QTRY_COMPARE_WITH_TIMEOUT(cell(3, 0), QString("3"), kPatience);
    filter()->setText("n > 50");
    QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 49, kPatience);
    const QString before = m_bench->lastCall("browse");
    const auto starts = [&] { return m_bench->calls().filter("browse ").size(); };
    QCOMPARE(starts(), 1);
    m_bench->session().document().setValue("estimator.linear_classifier.n_classes", "3");
    m_bench->session().document().setValue("data.train.csv.header", "false");
    QTRY_COMPARE_WITH_TIMEOUT(starts(), 2, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(table()->model()->headerData(0, Qt::Horizontal).toString(),
                              QString("c0"), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(m_page->findChild<QLabel*>("label.row_filter_problem")->isVisible(),
                             kPatience);
    m_bench->session().document().setValue("data.train.csv.header", "true");
    QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 49, kPatience);
    QCOMPARE(m_bench->lastCall("browse"), before);
}

void TstBrowsedTable::aHelperThatFailsIsToldAndStartedAgain()
{
    m_bench->script("browse", {}, 1);
    QFile::remove(m_bench->folder() + "/program/browse.real");
    openRows(100);
    QTRY_VERIFY_WITH_TIMEOUT(words().contains("ended unexpectedly"), kPatience);
    QVERIFY(words().contains("Try Again"));
    QVERIFY(!filter()->isEnabled());
    m_bench->scriptReal("browse");
    Q_EMIT m_page->findChild<LinkLabel*>("label.rows")->linkActivated("again");
    QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 100, kPatience);
    QVERIFY(filter()->isEnabled());
}

void TstBrowsedTable::selectedColumnsStaySelected()
{
    openRows(200'000);
    QTRY_VERIFY_WITH_TIMEOUT(table()->model()->rowCount() > 0, kPatience);
    m_page->reveal("column:s");
    const auto selected = [&] {
        QStringList names;
        for (const QModelIndex& column : table()->selectionModel()->selectedColumns()) {
            names << table()->model()->headerData(column.column(), Qt::Horizontal).toString();
        }
        return names;
    };
    QCOMPARE(selected(), QStringList{"s"});
    QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 200'000, kPatience);
    QCOMPARE(selected(), QStringList{"s"});
    clickArrow(2);
    QTRY_COMPARE_WITH_TIMEOUT(cell(1, 0), QString("1000"), kPatience);
    QCOMPARE(selected(), QStringList{"s"});
}

/// The project's store hands the state to the page after OpenProject::changed().
void TstBrowsedTable::filterAndOrderComeBackWithTheProject()
{
    openRows(1000);
    QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 1000, kPatience);
    QTest::keyClicks(filter(), "n >= 990");
    QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 10, kPatience);
    clickArrow(0, Qt::ShiftModifier);
    QTRY_COMPARE_WITH_TIMEOUT(cell(0, 0), QString("999"), kPatience);
    const QByteArray state = m_page->saveState();
    const QString folder = m_bench->session().project().folder();
    m_bench->session().project().close();
    QCOMPARE(filter()->text(), QString());
    m_bench->open(folder);
    QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 1000, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(cell(0, 0), QString("0"), kPatience);
    m_page->restoreState(state);
    QCOMPARE(filter()->text(), QString("n >= 990"));
    QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 10, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(cell(0, 0), QString("999"), kPatience);
    QCOMPARE(m_page->saveState(), state);
    // Also before the helper has answered.
    m_bench->session().project().close();
    m_bench->open(folder);
    m_page->restoreState(state);
    QTRY_COMPARE_WITH_TIMEOUT(cell(0, 0), QString("999"), kPatience);
    QCOMPARE(table()->model()->rowCount(), 10);
    m_page->restoreState(R"({"filter": "nothing > 3", "sort": "gone"})");
    QTRY_VERIFY_WITH_TIMEOUT(m_page->findChild<QLabel*>("label.row_filter_problem")->isVisible(),
                             kPatience);
}

/// The name of a column is one short letter, at the edge where a line begins.
void TstBrowsedTable::namesBeginAtTheRightInRightToLeft()
{
    openRows(100);
    QTRY_COMPARE_WITH_TIMEOUT(cell(3, 0), QString("3"), kPatience);
    auto* header = qobject_cast<HistogramHeader*>(table()->horizontalHeader());
    // How much ink the lines of the name and of the type have in one half of the first column.
    const auto ink = [&](bool rightHalf, int top, int bottom) {
        const QImage picture = header->viewport()->grab().toImage();
        const int half = header->sectionSize(0) / 2;
        const int left = header->sectionViewportPosition(0) + (rightHalf ? half : 0);
        const QRgb ground = picture.pixel(header->sectionViewportPosition(0) + 1, 1);
        int pixels = 0;
        for (int y = scaled(top); y < scaled(bottom); ++y) {
            for (int x = left + 1; x < left + half - 1; ++x) {
                pixels += picture.pixel(x, y) != ground ? 1 : 0;
            }
        }
        return pixels;
    };
    QVERIFY(ink(false, 9, 25) > 0 && ink(true, 9, 25) == 0);
    QVERIFY(ink(false, 27, 42) > ink(true, 27, 42));
    QApplication::setLayoutDirection(Qt::RightToLeft);
    const auto isMirrored = [&] {
        return ink(true, 9, 25) > 0 && ink(false, 9, 25) == 0 &&
               ink(true, 27, 42) > ink(false, 27, 42);
    };
    const bool mirrors = QTest::qWaitFor(isMirrored, kPatience);
    QApplication::setLayoutDirection(Qt::LeftToRight);
    QVERIFY(mirrors);
}

void TstBrowsedTable::theModelKeepsToTheRulesOfModels()
{
    RowsPreviewModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    QSignalSpy wanted(&model, &RowsPreviewModel::pageWanted);
    DataFacts facts;
    facts.columns = {{.name = "a"}, {.name = "b"}};
    model.setFacts(facts);
    model.beginPages({});
    model.setTotal(1000);
    const int rows = model.pageRows();
    QVERIFY(model.index(rows, 0).data().isNull());
    QVERIFY(model.index(rows + 1, 1).data().isNull());
    QTRY_VERIFY_WITH_TIMEOUT(wanted.contains(QVariantList{qint64(rows)}), kPatience);
    const auto asked = wanted.size();
    TablePage page{
        .first = rows, .total = 1000, .numbers = {7, 9}, .texts = {{"x", "y"}, {"z", {}}}};
    model.setPage(page);
    QCOMPARE(model.index(rows, 1).data().toString(), "y");
    QCOMPARE(model.index(rows + 1, 1).data().toString(), "?");
    page.texts[0][0] = QString(1'000'000, 'x');
    model.setPage(page);
    QCOMPARE(model.index(rows, 0).data().toString(), QString(1000, 'x') + QStringLiteral("…"));
    // Old pages are forgotten, and asked for again.
    for (int i = 0; i < RowsPreviewModel::kMostPages; ++i) {
        page.first = (i + 2) * rows;
        model.setPage(page);
    }
    QVERIFY(model.index(rows, 1).data().isNull());
    QTRY_VERIFY_WITH_TIMEOUT(wanted.size() > asked, kPatience);
    model.setTotal(10);
    QCOMPARE(model.rowCount(), 10);
    model.endPages();
    QCOMPARE(model.rowCount(), 0);
}

CANNERY_TEST(TstBrowsedTable)
#include "tst_browsed_table.moc"

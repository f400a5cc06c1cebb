// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/support/widget_walk.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/charts/steps/scatter_card.h"
#include "ui/document/experiment_document.h"
#include "ui/pages/data/components_view.h"
#include "ui/pages/data/table_views.h"
#include "ui/widgets/key_value_list.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/style/theme.h"

#include <QAbstractButton>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QHash>
#include <QLabel>
#include <QSet>
#include <QTableView>
#include <QTest>

#include <cmath>
#include <memory>

using namespace cannery::ui;
using namespace cannery::tests;

/// Components on the Data page, by the real program.
class TstComponentsView : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();

    void theEngineIsAskedOnceTheyAreShown();
    void rowsLieAlongComponentsInTheColoursOfTheirLabel();
    void columnsSayWhatTheyFollowOrWhyNot();
    void aChosenColumnIsInspected();
    void aTableWithFewNumbersSaysSo_data();
    void aTableWithFewNumbersSaysSo();
    void anEditOfTheDataComparesAgain();
    void whatTakesLongIsCancelled();
    void theViewComesBackWithTheProject();
    void keysReachEverything();
    void pictures_data();
    void pictures();

private:
    /// Opens a project with this table, whose label is the column "bought".
    void openTable(const QByteArray& table);
    void showComponents() const { views().setView(TableViews::Components); }
    TableViews& views() const { return *m_page->findChild<TableViews*>(); }
    const TableComponentFacts& facts() const { return views().components().facts(); }
    ScatterCard& scatter() const { return *m_page->findChild<ScatterCard*>(); }
    QTableView& columns() const { return *m_page->findChild<QTableView*>("table.loadings"); }
    QString words() const { return m_page->findChild<QLabel*>("label.components")->text(); }

    std::unique_ptr<PageBench> m_bench;
    Page* m_page = nullptr;
};

namespace {

/// `width` and `weight` grow together; `always` never changes, `city` is a text.
QByteArray goods(int rows = 300)
{
    QByteArray table("width,weight,age,always,city,bought\n");
    for (int row = 0; row < rows; ++row) {
        const double width = (row * 37 % 101) / 10.0 + 0.05;
        table += QByteArray::number(width) + ',' +
                 QByteArray::number(3 * width + (row % 7) / 10.0 + 0.01) + ',' +
                 (row % 10 == 0 ? QByteArray() : QByteArray::number((row * 53 % 97) + 0.5)) +
                 ",7.5," + (row % 2 == 0 ? "Bonn" : "Kiel") + ',' + (width > 5 ? "yes" : "no") +
                 '\n';
    }
    return table;
}

} // namespace

void TstComponentsView::init()
{
    m_bench = std::make_unique<PageBench>();
    m_bench->scriptReal("preview");
    m_bench->scriptReal("browse");
    m_page = m_bench->page("data");
}

void TstComponentsView::cleanup()
{
    m_bench.reset();
    applyTheme(*qApp, {});
}

void TstComponentsView::openTable(const QByteArray& table)
{
    const QString folder = m_bench->folder() + "/projects/goods";
    QVERIFY(QDir().mkpath(folder));
    QFile file(folder + "/goods.csv");
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(table) > 0);
    file.close();
    QFile experiment(folder + "/goods.cannery");
    QVERIFY(experiment.open(QIODevice::WriteOnly));
    experiment.write(
        "data { train { csv { files: \"goods.csv\" } } label { column: \"bought\" } }\n"
        "feature_column { name: \"width\" numeric_column { key: \"width\" } }\n"
        "estimator { linear_classifier { feature_columns: [\"width\"] "
        "label_vocabulary: [\"no\", \"yes\"] } }\n"
        "train_spec { max_steps: 1 }\n");
    experiment.close();
    m_bench->open(folder);
    QTRY_VERIFY_WITH_TIMEOUT(views().isVisible(), kPatience);
}

void TstComponentsView::theEngineIsAskedOnceTheyAreShown()
{
    openTable(goods());
    QVERIFY(m_bench->calls().filter("--components").isEmpty());
    QVERIFY(!m_page->command().arguments.contains("--components"));
    showComponents();
    QTRY_COMPARE_WITH_TIMEOUT(facts().rows, 300, kPatience);
    QCOMPARE(m_bench->calls().filter("--components").size(), 1);
    QCOMPARE(m_page->command().display(), "cannery preview goods.cannery --components");
    QVERIFY(m_page->findField() == nullptr); // rows are not filtered here
    views().setView(TableViews::Rows);
    showComponents();
    QCOMPARE(m_bench->calls().filter("--components").size(), 1);
}

void TstComponentsView::rowsLieAlongComponentsInTheColoursOfTheirLabel()
{
    openTable(goods());
    showComponents();
    QTRY_COMPARE_WITH_TIMEOUT(scatter().scatter().points.size(), 300, kPatience);
    const Scatter& shown = scatter().scatter();
    QCOMPARE(QSet<QString>(shown.groups.begin(), shown.groups.end()), (QSet<QString>{"yes", "no"}));
    QVERIFY2(shown.xTitle.startsWith("Component 1 · 6"), qPrintable(shown.xTitle));
    QVERIFY(shown.yTitle.startsWith("Component 2 · "));
    // Wide goods were bought: the classes are the ends of the first component.
    const auto left = shown.points.first().group;
    QVERIFY(shown.points.last().group != left);
    const auto* shares = m_page->findChild<KeyValueList*>("list.component_shares");
    QCOMPARE(shares->rows().size(), 3);
    QVERIFY2(shares->rows().last().value.endsWith(QString("100.0\u2009% so far")),
             qPrintable(shares->rows().last().value));
    QCOMPARE(words(), "3 numeric columns, in standard deviations, of 300 rows.");
    QVERIFY(scatter().isVisible());
}

void TstComponentsView::columnsSayWhatTheyFollowOrWhyNot()
{
    openTable(goods());
    showComponents();
    QTRY_VERIFY_WITH_TIMEOUT(columns().model()->rowCount() == 5, kPatience);
    QHash<QString, QStringList> rows;
    for (int row = 0; row < 5; ++row) {
        QStringList cells;
        for (int column = 1; column < columns().model()->columnCount(); ++column) {
            cells += columns().model()->index(row, column).data().toString();
        }
        rows.insert(columns().model()->index(row, 0).data().toString(), cells);
    }
    QVERIFY(std::abs(rows["width"][0].remove(QChar(0x2212)).toDouble() - 1) < 0.05);
    QCOMPARE(rows["age"].last(), "30 missing");
    QCOMPARE(rows["always"][0], "always the same value");
    QVERIFY2(rows["city"][0].startsWith("category: "), qPrintable(rows["city"][0]));
    QCOMPARE(rows["city"][1], QString());
}

void TstComponentsView::aChosenColumnIsInspected()
{
    openTable(goods());
    showComponents();
    QTRY_VERIFY_WITH_TIMEOUT(columns().model()->rowCount() == 5, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(
        m_page->findChild<QTableView*>("table.rows")->model()->columnCount() == 6, kPatience);
    columns().selectRow(2);
    const QString chosen = columns().model()->index(2, 0).data().toString();
    const auto* rows = m_page->findChild<QTableView*>("table.rows");
    const QModelIndexList selected = rows->selectionModel()->selectedColumns();
    QCOMPARE(selected.size(), 1);
    QCOMPARE(rows->model()->headerData(selected[0].column(), Qt::Horizontal).toString(), chosen);
}

void TstComponentsView::aTableWithFewNumbersSaysSo_data()
{
    QTest::addColumn<QByteArray>("table");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("none") << QByteArray("city,bought\nBonn,no\nKiel,yes\nUlm,no\n")
                          << "The table has no numeric column with different values";
    QTest::newRow("one") << QByteArray(
                                "width,city,bought\n0.5,Bonn,no\n1.5,Kiel,yes\n2.25,Ulm,no\n")
                         << "Components compare at least two numeric columns; only width";
}

void TstComponentsView::aTableWithFewNumbersSaysSo()
{
    QFETCH(QByteArray, table);
    QFETCH(QString, sentence);
    openTable(table);
    showComponents();
    QTRY_VERIFY2_WITH_TIMEOUT(words().startsWith(sentence), qPrintable(words()), kPatience);
    QVERIFY(!scatter().isVisible());
}

void TstComponentsView::anEditOfTheDataComparesAgain()
{
    openTable(goods());
    showComponents();
    QTRY_COMPARE_WITH_TIMEOUT(facts().usedColumns, 3, kPatience);
    ExperimentDocument& document = m_bench->session().document();
    QVERIFY(document.setValue("data.column[age].dtype", "string"));
    QTRY_COMPARE_WITH_TIMEOUT(facts().usedColumns, 2, kPatience);
    const auto asked = m_bench->calls().filter("--components").size();
    QVERIFY(document.setValue("train_spec.max_steps", "7"));
    QTRY_VERIFY_WITH_TIMEOUT(document.isSettled(), kPatience);
    QTest::qWait(500); // longer than an edit waits for the next
    QCOMPARE(m_bench->calls().filter("--components").size(), asked);
}

void TstComponentsView::whatTakesLongIsCancelled()
{
    openTable(goods());
    m_bench->scriptWait("preview");
    showComponents();
    QTRY_VERIFY_WITH_TIMEOUT(words().startsWith("Comparing the numeric columns…"), kPatience);
    auto* label = m_page->findChild<QLabel*>("label.components");
    Q_EMIT label->linkActivated("cancel");
    QVERIFY2(words().startsWith("The numeric columns were not compared."), qPrintable(words()));
    QVERIFY(QFile::remove(m_bench->folder() + "/program/preview.wait"));
    Q_EMIT label->linkActivated("again");
    QTRY_COMPARE_WITH_TIMEOUT(facts().rows, 300, kPatience);
}

void TstComponentsView::theViewComesBackWithTheProject()
{
    openTable(goods());
    showComponents();
    const QByteArray state = m_page->saveState();
    views().setView(TableViews::Rows);
    m_page->restoreState(state);
    QCOMPARE(views().view(), TableViews::Components);
    m_page->restoreState({});
    QCOMPARE(views().view(), TableViews::Rows);
}

void TstComponentsView::keysReachEverything()
{
    openTable(goods());
    QVERIFY(QTest::qWaitForWindowActive(&m_bench->window(), kPatience));
    auto* choice = m_page->findChild<Segmented*>("segmented.table_views");
    QWidget* segment = choice->findChildren<QAbstractButton*>().first();
    segment->setFocus();
    QTest::keyClick(segment, Qt::Key_Right);
    QCOMPARE(views().view(), TableViews::Components);
    QTRY_COMPARE_WITH_TIMEOUT(facts().rows, 300, kPatience);
    QStringList reached;
    for (int tab = 0; tab < 6; ++tab) {
        QTest::keyClick(qApp->focusWidget(), Qt::Key_Tab);
        reached += qApp->focusWidget()->objectName();
    }
    QVERIFY2(reached.contains("card.table_rows"), qPrintable(reached.join(' ')));
    QVERIFY2(reached.contains("table.loadings"), qPrintable(reached.join(' ')));
    scatter().setFocus();
    QTest::keyClick(&scatter(), Qt::Key_End);
    QCOMPARE(scatter().chosen(), 299);
}

void TstComponentsView::pictures_data()
{
    QTest::addColumn<bool>("dark");
    QTest::addColumn<double>("scale");
    QTest::newRow("light") << false << 1.0;
    QTest::newRow("dark") << true << 1.0;
    QTest::newRow("text_200") << false << 2.0;
}

/// In screenshots/, with a check of all widgets.
void TstComponentsView::pictures()
{
    QFETCH(bool, dark);
    QFETCH(double, scale);
    openTable(goods());
    applyTheme(*qApp, {.dark = dark, .textScale = scale});
    QPalette palette = m_bench->window().palette();
    palette.setColor(QPalette::Window, tokens().canvas);
    m_bench->window().setPalette(palette);
    showComponents();
    QTRY_COMPARE_WITH_TIMEOUT(facts().rows, 300, kPatience);
    scatter().setChosen(200);
    QTest::qWait(300);
    QDir().mkpath("screenshots");
    const QStringList faults = walkWidgets(m_bench->window());
    QVERIFY(m_bench->window().grab().save(
        QString("screenshots/data-components-%1.png").arg(QTest::currentDataTag())));
    QVERIFY2(faults.isEmpty(), qPrintable(faults.join('\n')));
}

CANNERY_TEST(TstComponentsView)
#include "tst_components_view.moc"

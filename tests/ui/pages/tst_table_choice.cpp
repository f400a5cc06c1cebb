// SPDX-License-Identifier: GPL-3.0-only
#include "storage/sqlite/database.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/support/widget_walk.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/pages/home/new_project_dialog.h"
#include "ui/pages/page_dialogs.h"
#include "ui/pages/table_choice_dialog.h"
#include "ui/widgets/strip.h"
#include "ui/widgets/style/theme.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QTest>
#include <QUndoStack>

#include <memory>

using namespace cannery;
using namespace cannery::ui;
using cannery::tests::kPatience;
using cannery::tests::walkWidgets;

namespace {

/// Two tables to learn from, a small one, and a view.
const std::string kShop =
    "PRAGMA journal_mode = DELETE; CREATE TABLE customers (age INTEGER, city TEXT, bought TEXT); "
    "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 90) INSERT INTO "
    "customers SELECT 20 + i * 7 % 31, CASE i % 3 WHEN 0 THEN 'Ulm' ELSE 'Bonn' END, CASE WHEN i % "
    "5 < 2 THEN 'yes' ELSE 'no' END FROM n; CREATE TABLE orders (items INTEGER, total REAL); WITH "
    "RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 60) INSERT INTO orders "
    "SELECT i % 9, i % 9 * 2.5 FROM n; CREATE TABLE towns (name TEXT); INSERT INTO towns VALUES "
    "('Ulm'), ('Bonn'); CREATE VIEW grown AS SELECT * FROM customers WHERE age > 30; ";

} // namespace

/// The table of a database, chosen in each place that takes one; with the real engine.
class TstTableChoice : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();

    void openingAsksWhichTable();
    void newProjectAsksWhichTable();
    void aQueryIsTaken();
    void aWrongQueryIsChosenAgain();
    void whatIsCancelledIsAskedAgainByALink();
    void theTableIsChangedBeforeTheProjectIsMade();
    void guidedRunAsksWhichTable();
    void theProjectsTableIsChanged();
    void aProjectWithoutItsTableOffersToChoose();
    void onlyDatabasesHaveATableToChange();
    void pictures_data();
    void pictures();

private:
    template <typename T>
    T* find(const char* name) const
    {
        return m_bench->window().findChild<T*>(name);
    }
    TableChoiceDialog* choice() const { return m_bench->window().findChild<TableChoiceDialog*>(); }
    NewProjectDialog* project() const { return m_bench->window().findChild<NewProjectDialog*>(); }
    /// Waits for the list of the choice.
    void awaitTables() const;
    void choose(const QString& table) const;
    void use() const
    {
        QTest::mouseClick(find<QAbstractButton>("button.use_table"), Qt::LeftButton);
    }
    QStringList labels() const;
    void write(const QString& name, const QByteArray& text) const;
    /// A project of the database with these fields of its source.
    Page* openProject(const QByteArray& fields, const QByteArray& label);

    std::unique_ptr<tests::PageBench> m_bench;
    QString m_shop;
};

void TstTableChoice::init()
{
    m_bench = std::make_unique<tests::PageBench>();
    for (const char* verb : {"new", "preview", "inspect", "browse"}) {
        m_bench->scriptReal(verb);
    }
    m_shop = m_bench->folder() + "/shop.db";
    auto database =
        storage::Database::open(m_shop.toStdString(), storage::DatabaseMode::ReadWriteCreate);
    QVERIFY(database && database->execute(kShop));
    connectPageDialogs(m_bench->context(), &m_bench->window());
    m_bench->window().resize(900, 700);
    m_bench->window().show();
}

void TstTableChoice::cleanup()
{
    m_bench.reset();
    applyTheme(*qApp, {});
}

void TstTableChoice::awaitTables() const
{
    QTRY_VERIFY_WITH_TIMEOUT(choice() != nullptr && choice()->isVisible(), kPatience);
    const auto* tables = find<QTableView>("table.tables");
    QTRY_COMPARE_WITH_TIMEOUT(tables->model()->rowCount(), 4, kPatience);
}

void TstTableChoice::choose(const QString& table) const
{
    awaitTables();
    auto* tables = find<QTableView>("table.tables");
    for (int row = 0; row < tables->model()->rowCount(); ++row) {
        const QModelIndex name = tables->model()->index(row, DatabaseTablesModel::NameColumn);
        if (name.data().toString() == table) {
            QTest::mouseClick(tables->viewport(), Qt::LeftButton, {},
                              tables->visualRect(name).center());
        }
    }
    QCOMPARE(choice()->choice().table, table);
    use();
}

QStringList TstTableChoice::labels() const
{
    QStringList names;
    const auto* field = project() ? project()->findChild<QComboBox*>("field.label") : nullptr;
    for (int i = 0; field && field->isEnabled() && i < field->count() - 1; ++i) {
        names << field->itemData(i).toString();
    }
    return names;
}

void TstTableChoice::write(const QString& name, const QByteArray& text) const
{
    QFile file(m_bench->folder() + '/' + name);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
}

/// The one with most rows among those with several columns is proposed.
void TstTableChoice::openingAsksWhichTable()
{
    m_bench->session().tables().ask(m_shop);
    awaitTables();
    const auto* tables = find<QTableView>("table.tables");
    QStringList rows;
    for (int row = 0; row < tables->model()->rowCount(); ++row) {
        QStringList cells;
        for (int column = 0; column < tables->model()->columnCount(); ++column) {
            cells << tables->model()->index(row, column).data().toString();
        }
        rows << cells.join('|');
    }
    QCOMPARE(rows.join('\n'), QString("customers|90|age, city, bought\ngrown|58|age, city, bought\n"
                                      "orders|60|items, total\ntowns|2|name"));
    QCOMPARE(choice()->choice(), RowsChoice{.table = "customers"});
    use();
    QTRY_COMPARE_WITH_TIMEOUT(labels(), (QStringList{"age", "city", "bought"}), kPatience);
    QVERIFY(find<QLabel>("label.chosen_rows")->text().contains("table customers of shop.db"));
}

void TstTableChoice::newProjectAsksWhichTable()
{
    m_bench->actions().find("action.new_project")->trigger();
    auto* field = find<QLineEdit>("field.table");
    field->setText(m_shop);
    QTest::keyClick(field, Qt::Key_Return);
    choose("orders");
    QTRY_COMPARE_WITH_TIMEOUT(labels(), (QStringList{"items", "total"}), kPatience);
    auto* rows = find<QTableView>("table.first_rows");
    QTRY_VERIFY_WITH_TIMEOUT(rows->isVisible(), kPatience);
    QCOMPARE(rows->model()->headerData(1, Qt::Horizontal).toString(), QString("total"));
    auto* label = find<QComboBox>("field.label");
    label->setCurrentIndex(label->findData("total"));
    QTest::mouseClick(find<QAbstractButton>("button.create"), Qt::LeftButton);
    const ExperimentDocument& document = m_bench->session().document();
    QTRY_COMPARE_WITH_TIMEOUT(document.value("data.train.sqlite.table"), "orders", kPatience);
    QCOMPARE(document.value("data.label.column"), QString("total"));
}

void TstTableChoice::aQueryIsTaken()
{
    m_bench->session().tables().ask(m_shop);
    awaitTables();
    const QString query = "SELECT age, bought FROM customers";
    auto* field = find<QLineEdit>("field.query");
    QTest::keyClicks(field, query);
    QVERIFY(!find<QTableView>("table.tables")->selectionModel()->hasSelection());
    QCOMPARE(find<QAbstractButton>("button.use_table")->text(), QString("Use This Query"));
    use();
    QTRY_COMPARE_WITH_TIMEOUT(labels(), (QStringList{"age", "bought"}), kPatience);
    QTest::mouseClick(find<QAbstractButton>("button.create"), Qt::LeftButton);
    const ExperimentDocument& document = m_bench->session().document();
    QTRY_COMPARE_WITH_TIMEOUT(document.value("data.train.sqlite.query"), query, kPatience);
}

void TstTableChoice::aWrongQueryIsChosenAgain()
{
    m_bench->session().tables().ask(m_shop);
    awaitTables();
    QTest::keyClicks(find<QLineEdit>("field.query"), "SELECT age FROM nowhere");
    use();
    auto* reason = find<QLabel>("label.reason");
    QTRY_VERIFY_WITH_TIMEOUT(reason->text().contains("nowhere"), kPatience);
    Q_EMIT find<QLabel>("label.chosen_rows")->linkActivated("table");
    awaitTables();
    QCOMPARE(find<QLineEdit>("field.query")->text(), QString("SELECT age FROM nowhere"));
    choose("customers");
    QTRY_COMPARE_WITH_TIMEOUT(labels().size(), 3, kPatience);
}

void TstTableChoice::whatIsCancelledIsAskedAgainByALink()
{
    m_bench->session().tables().ask(m_shop);
    awaitTables();
    QTest::keyClick(choice(), Qt::Key_Escape);
    QTRY_VERIFY_WITH_TIMEOUT(choice() == nullptr, kPatience);
    auto* words = find<QLabel>("label.chosen_rows");
    QVERIFY(project()->isVisible() && words->isVisible());
    QVERIFY2(words->text().contains("holds several tables"), qPrintable(words->text()));
    QVERIFY(!find<QAbstractButton>("button.create")->isEnabled());
    Q_EMIT words->linkActivated("table");
    choose("towns");
    QTRY_COMPARE_WITH_TIMEOUT(labels(), QStringList{"name"}, kPatience);
}

void TstTableChoice::theTableIsChangedBeforeTheProjectIsMade()
{
    m_bench->session().tables().ask(m_shop);
    choose("customers");
    QTRY_COMPARE_WITH_TIMEOUT(labels().size(), 3, kPatience);
    Q_EMIT find<QLabel>("label.chosen_rows")->linkActivated("table");
    awaitTables();
    QCOMPARE(choice()->choice().table, QString("customers"));
    choose("orders");
    QTRY_COMPARE_WITH_TIMEOUT(labels(), (QStringList{"items", "total"}), kPatience);
}

void TstTableChoice::guidedRunAsksWhichTable()
{
    Page* page = m_bench->page("guided");
    m_bench->show(*page);
    page->reveal("table:" + m_shop);
    awaitTables();
    QTest::keyClick(choice(), Qt::Key_Escape);
    const auto* strip = page->findChild<Strip*>("strip.guided");
    QTRY_VERIFY_WITH_TIMEOUT(strip->isVisible() && strip->text().contains("several tables"),
                             kPatience);
    Q_EMIT page->findChild<Strip*>("strip.guided")->linkActivated("table");
    choose("customers");
    auto* train = page->findChild<QAbstractButton*>("button.guided_train");
    QTRY_VERIFY_WITH_TIMEOUT(train->isEnabled(), kPatience);
    QVERIFY(!strip->isVisible());
    const QStringList words = page->command().arguments;
    QCOMPARE(words.value(words.indexOf("--table") + 1), QString("customers"));
    QVERIFY(page->findChild<QLabel*>("words.guided_table")
                ->text()
                .startsWith("table customers of shop.db: 90 rows"));
    train->click();
    const ExperimentDocument& document = m_bench->session().document();
    QTRY_COMPARE_WITH_TIMEOUT(document.value("data.train.sqlite.table"), "customers", kPatience);
}

Page* TstTableChoice::openProject(const QByteArray& fields, const QByteArray& label)
{
    Page* page = m_bench->page("data");
    write("shop.cannery", "data {\n  train { sqlite { file: \"shop.db\" " + fields +
                              " } }\n  label { column: \"" + label +
                              "\" }\n  split { fraction { eval_fraction: 0.2 } }\n}\nestimator { "
                              "baseline_classifier { label_vocabulary: [\"no\", \"yes\"] } }\n"
                              "train_spec { max_steps: 1 }\n");
    m_bench->open(m_bench->folder() + "/shop.cannery");
    m_bench->show(*page);
    return page;
}

void TstTableChoice::theProjectsTableIsChanged()
{
    const Page* page = openProject("table: \"customers\"", "bought");
    const auto* rows = page->findChild<QTableView*>("table.rows");
    QTRY_COMPARE_WITH_TIMEOUT(rows->model()->columnCount(), 3, kPatience);
    auto* change = page->findChild<QAction*>("action.change_table");
    QVERIFY(change->isVisible());
    change->trigger();
    awaitTables();
    QCOMPARE(choice()->choice().table, QString("customers"));
    choose("orders");
    ExperimentDocument& document = m_bench->session().document();
    QTRY_COMPARE_WITH_TIMEOUT(document.value("data.train.sqlite.table"), "orders", kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(rows->model()->columnCount(), 2, kPatience);
    QCOMPARE(document.undoStack()->count(), 1);
    change->trigger();
    awaitTables();
    QTest::keyClicks(find<QLineEdit>("field.query"), "SELECT age FROM grown");
    use();
    QTRY_COMPARE_WITH_TIMEOUT(document.value("data.train.sqlite.query"), "SELECT age FROM grown",
                              kPatience);
    QCOMPARE(document.value("data.train.sqlite.table"), QString());
    QTRY_COMPARE_WITH_TIMEOUT(rows->model()->columnCount(), 1, kPatience);
    document.undoStack()->undo();
    QTRY_COMPARE_WITH_TIMEOUT(document.value("data.train.sqlite.table"), "orders", kPatience);
}

void TstTableChoice::aProjectWithoutItsTableOffersToChoose()
{
    const Page* page = openProject("", "bought");
    const auto* strip = page->findChild<Strip*>("strip.data");
    QTRY_VERIFY_WITH_TIMEOUT(strip->isVisible() && strip->text().contains("a database"), kPatience);
    const auto change = [strip]() -> QAbstractButton* {
        for (QAbstractButton* button : strip->findChildren<QAbstractButton*>()) {
            if (button->isVisible() && button->text() == "Change Table…") {
                return button;
            }
        }
        return nullptr;
    };
    QTRY_VERIFY_WITH_TIMEOUT(change() != nullptr, kPatience);
    change()->click();
    choose("customers");
    QTRY_VERIFY_WITH_TIMEOUT(!strip->isVisible(), kPatience);
    const auto* rows = page->findChild<QTableView*>("table.rows");
    QTRY_COMPARE_WITH_TIMEOUT(rows->model()->columnCount(), 3, kPatience);
}

void TstTableChoice::onlyDatabasesHaveATableToChange()
{
    const Page* page = m_bench->page("data");
    m_bench->openTitanic(false);
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->session().document().isOpen(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!page->findChild<QAction*>("action.change_table")->isVisible(),
                             kPatience);
}

void TstTableChoice::pictures_data()
{
    QTest::addColumn<bool>("dark");
    QTest::addColumn<double>("scale");
    QTest::newRow("light") << false << 1.0;
    QTest::newRow("dark") << true << 1.0;
    QTest::newRow("text_200") << false << 2.0;
}

/// In screenshots/, with a check of all widgets.
void TstTableChoice::pictures()
{
    QFETCH(bool, dark);
    QFETCH(double, scale);
    applyTheme(*qApp, {.dark = dark, .textScale = scale});
    m_bench->window().resize(1280, 1000);
    m_bench->session().tables().ask(m_shop);
    awaitTables();
    QDir().mkpath("screenshots");
    const auto save = [](QWidget& widget, const char* name) {
        // What has just been filled is laid out when the events have been handled.
        const bool isSound =
            QTest::qWaitFor([&] { return walkWidgets(widget).isEmpty(); }, kPatience);
        QVERIFY(widget.grab().save(
            QString("screenshots/%1-%2.png").arg(name, QTest::currentDataTag())));
        QVERIFY2(isSound, qPrintable(walkWidgets(widget).join('\n')));
    };
    save(*choice(), "table-choice");
    use();
    QTRY_COMPARE_WITH_TIMEOUT(labels().size(), 3, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(find<QTableView>("table.first_rows")->isVisible(), kPatience);
    save(*project(), "new-project-of-database");
}

CANNERY_TEST(TstTableChoice)
#include "tst_table_choice.moc"

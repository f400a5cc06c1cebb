// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/models/tables/dragged_columns.h"
#include "ui/pages/data/browsed_table.h"
#include "ui/pages/data/histogram_header.h"

#include <QApplication>
#include <QComboBox>
#include <QDropEvent>
#include <QMimeData>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QUndoStack>

#include <memory>

using namespace cannery;
using namespace cannery::ui;
using cannery::tests::kPatience;

namespace {

constexpr const char* kRolesTable = R"({"sources": {"train": {"rows": 627}},
 "columns": [
  {"name": "survived", "type": "number", "use": "label", "missing": 0},
  {"name": "fare", "type": "number", "use": "feature", "missing": 0},
  {"name": "age", "type": "number", "use": "feature", "missing": 0},
  {"name": "deck", "type": "category", "use": "feature", "missing": 0}],
 "texts": [["0", "7.25", "22", "C"]], "inputs": [], "rows": []})";

} // namespace

/// Dragging columns of the table onto label, weight and key.
class TstColumnRoles : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { m_bench.reset(); }

    void rolesShowTheirColumns();
    void aDroppedColumnIsTheLabel();
    void severalColumnsAreTheKey();
    void pullingAColumnDragsAllThatAreSelected();
    void aPressOnASelectedColumnWithoutADragSelectsIt();
    void somethingElseIsNotTaken();

private:
    ExperimentDocument& document() const { return m_bench->session().document(); }
    QTableView* table() const { return m_page->findChild<QTableView*>("table.rows"); }
    HistogramHeader* header() const
    {
        return qobject_cast<HistogramHeader*>(table()->horizontalHeader());
    }
    QWidget* role(const char* name) const { return m_page->inspector()->findChild<QWidget*>(name); }
    QPoint middleOf(int column) const
    {
        return {header()->sectionViewportPosition(column) + header()->sectionSize(column) / 2,
                header()->height() / 2};
    }
    /// Presses the header there and moves the mouse on.
    void pull(int column) const;
    void drop(const char* target, const QMimeData& data) const;

    std::unique_ptr<tests::PageBench> m_bench;
    Page* m_page = nullptr;
};

void TstColumnRoles::init()
{
    m_bench = std::make_unique<tests::PageBench>();
    m_bench->script("preview", kRolesTable);
    m_page = m_bench->page("data");
    m_bench->openTitanic(false);
    QTRY_COMPARE_WITH_TIMEOUT(table()->model()->columnCount(), 4, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
}

void TstColumnRoles::pull(int column) const
{
    QWidget* where = header()->viewport();
    QTest::mousePress(where, Qt::LeftButton, Qt::NoModifier, middleOf(column));
    QMouseEvent move(QEvent::MouseMove, middleOf(column) + QPoint(0, 200),
                     where->mapToGlobal(middleOf(column) + QPoint(0, 200)), Qt::NoButton,
                     Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(where, &move);
}

void TstColumnRoles::drop(const char* target, const QMimeData& data) const
{
    const QPoint place = role(target)->rect().center();
    QDragEnterEvent enter(place, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(role(target), &enter);
    QDropEvent dropped(place, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(role(target), &dropped);
}

void TstColumnRoles::rolesShowTheirColumns()
{
    QCOMPARE(role("role.label")->accessibleName(), QString("Label: survived"));
    QCOMPARE(role("role.key")->accessibleName(), QString("Key: none"));
    drop("role.weight", *std::unique_ptr<QMimeData>(dragOfColumns({"fare"})));
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
    QCOMPARE(document().value("estimator.dnn_linear_combined_classifier.weight_column.feature"),
             QString("fare"));
}

void TstColumnRoles::aDroppedColumnIsTheLabel()
{
    const QString before = document().text();
    drop("role.label", *std::unique_ptr<QMimeData>(dragOfColumns({"deck"})));
    QVERIFY(document().text().contains("label { column: \"deck\" }"));
    QCOMPARE(document().undoStack()->count(), 1);
    m_page->reveal("column:deck");
    auto* use = m_page->inspector()->findChild<QComboBox*>("field.use");
    QTRY_COMPARE_WITH_TIMEOUT(use->currentText(), QString("Label"),
                              kPatience); // no preview told it
    document().undoStack()->undo();
    QCOMPARE(document().text(), before);
}

/// The platform's own drag would wait for the mouse.
void TstColumnRoles::pullingAColumnDragsAllThatAreSelected()
{
    auto* rows = m_page->findChild<BrowsedTable*>();
    QVERIFY(QObject::disconnect(header(), &HistogramHeader::columnDragged, rows, nullptr));
    QSignalSpy dragged(header(), &HistogramHeader::columnDragged);
    pull(1);
    QCOMPARE(dragged.size(), 1);
    QTest::mouseRelease(header()->viewport(), Qt::LeftButton, Qt::NoModifier, middleOf(1));
    QVERIFY(table()->selectionModel()->isColumnSelected(1, {}));
    QTest::mouseClick(header()->viewport(), Qt::LeftButton, Qt::ControlModifier, middleOf(3));
    QCOMPARE(table()->selectionModel()->selectedColumns().size(), 2);
    pull(3);
    QCOMPARE(dragged.size(), 2);
    QCOMPARE(table()->selectionModel()->selectedColumns().size(), 2);
}

void TstColumnRoles::severalColumnsAreTheKey()
{
    drop("role.key", *std::unique_ptr<QMimeData>(dragOfColumns({"fare", "deck"})));
    QTRY_VERIFY_WITH_TIMEOUT(document().isSettled(), kPatience);
    QVERIFY(document().text().contains("\"fare\", \"deck\""));
    QCOMPARE(document().undoStack()->count(), 1);
}

void TstColumnRoles::aPressOnASelectedColumnWithoutADragSelectsIt()
{
    table()->selectAll();
    QCOMPARE(table()->selectionModel()->selectedColumns().size(), 4);
    QTest::mouseClick(header()->viewport(), Qt::LeftButton, Qt::NoModifier, middleOf(2));
    QCOMPARE(table()->selectionModel()->selectedColumns().size(), 1);
    QVERIFY(table()->selectionModel()->isColumnSelected(2, {}));
}

void TstColumnRoles::somethingElseIsNotTaken()
{
    const QString before = document().text();
    QMimeData text;
    text.setText("fare");
    drop("role.label", text);
    QCOMPARE(document().text(), before);
    QCOMPARE(draggedColumns(text), QStringList());
    const std::unique_ptr<QMimeData> odd(dragOfColumns({"two\nlines", "a, b"}));
    QCOMPARE(draggedColumns(*odd), QStringList({"two\nlines", "a, b"}));
}

CANNERY_TEST(TstColumnRoles)
#include "tst_column_roles.moc"

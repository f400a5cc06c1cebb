// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/editing/remark_list.h"
#include "ui/models/tables/rows_preview_model.h"
#include "ui/pages/data/browsed_table.h"
#include "ui/pages/data/histogram_header.h"
#include "ui/pages/data/remarks_view.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/widgets/link_label.h"
#include "ui/widgets/strip.h"
#include "ui/widgets/style/theme.h"

#include <QAbstractButton>
#include <QMenu>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QUndoStack>

#include <memory>

using namespace cannery;
using namespace cannery::ui;
using cannery::tests::kPatience;

namespace {

constexpr const char* kTable = R"({"sources": {"train": {"rows": 627}, "eval": {"rows": 264}},
 "columns": [
  {"name": "survived", "type": "number", "use": "label", "missing": 0, "distinct": 2},
  {"name": "parch", "type": "number", "use": "feature", "missing": 0, "distinct": 7,
   "histogram": {"labels": [], "counts": [1, 2]}},
  {"name": "deck", "type": "category", "use": "feature", "missing": 484, "distinct": 8,
   "histogram": {"labels": ["unknown", "C"], "counts": [484, 40]}}],
 "texts": [["0", "1", null], ["1", "0", "C"]], "remarks": [%1]})";

QByteArray previewWith(const QByteArray& remarks)
{
    return QByteArray(kTable).replace("%1", remarks);
}

constexpr const char* kDeckRemark = R"({"id": "remark.nearly_empty", "level": "decision",
 "columns": ["deck"], "sentence": "Few rows have a value in 'deck' (143 of 627).",
 "actions": [{"kind": "leave_out", "edits": []},
             {"kind": "key", "edits": [{"path": "data.key_column", "text": "['deck']"}]}]})";
constexpr const char* kParch = R"({"id": "remark.code", "level": "decision",
 "columns": ["parch"], "sentence": "The numbers in 'parch' may be codes.",
 "actions": [{"kind": "category", "edits": []}]})";
constexpr const char* kTwins = R"({"id": "remark.twins", "level": "note", "columns": [],
 "sentence": "37 of 264 evaluation rows (14 %) equal a training row.",
 "actions": [{"kind": "split", "edits": []}]})";

constexpr const char* kDate = R"({"id": "remark.date", "level": "note", "columns": ["deck"],
 "sentence": "Dates.", "actions": [{"kind": "split_by_time", "edits": [{"path": "data.split",
  "text": "{ by_time { column: 'deck' eval_from: '2024-03-01' } }"}]}]})";

} // namespace

class TstRemarksView : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { m_bench = std::make_unique<tests::PageBench>(); }
    void cleanup() { m_bench.reset(); }

    void aTableWithoutRemarksSaysNothing();
    void decisionsAreCountedAndReviewed();
    void leavingOutTakesTheColumnsThatReadIt();
    void aColumnThatTellsRowsApartBecomesAKey();
    void codesBecomeCategories();
    void aFieldIsSetAsTheEngineSays();
    void notesAreOnlyMentioned();
    void whatIsDismissedStaysDismissed();
    void headersOfTheirColumnsLeadToThem();
    void theMenuOfAColumnLeadsToThem();
    void theyAreIssuesUntilTheyAreDismissed();

private:
    RemarksView* show(const QByteArray& remarks);
    QAbstractButton* button(const QString& remark, const QString& name) const;
    /// Where the keyboard is; old rows may still be about to be deleted.
    bool isFocused(const QString& remark, const QString& name) const
    {
        return button(remark, name) != nullptr &&
               m_bench->window().focusWidget() == button(remark, name);
    }
    QList<TableRemark> left() const { return RemarkList::of(m_bench->session()).remarks(); }

    std::unique_ptr<tests::PageBench> m_bench;
    RemarksView* m_view = nullptr;
};

/// The Data page of a Titanic project, with its list of remarks unfolded.
RemarksView* TstRemarksView::show(const QByteArray& remarks)
{
    m_bench->script("preview", previewWith(remarks));
    Page* page = m_bench->page("data");
    m_bench->openTitanic(false);
    m_view = page->findChild<RemarksView*>();
    [&] {
        QTRY_VERIFY_WITH_TIMEOUT(!left().isEmpty(), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(m_bench->session().document().isSettled(), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(m_bench->session().runs().isLoaded(), kPatience);
    }();
    m_view->setOpen(true);
    return m_view;
}

QAbstractButton* TstRemarksView::button(const QString& remark, const QString& name) const
{
    auto* row = m_view->findChild<QWidget*>("remark." + remark);
    return row == nullptr ? nullptr : row->findChild<QAbstractButton*>("button." + name);
}

void TstRemarksView::aTableWithoutRemarksSaysNothing()
{
    m_bench->script("preview", previewWith({}));
    Page* page = m_bench->page("data");
    m_bench->openTitanic(false);
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->wasCalled("preview"), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!page->findChild<LinkLabel*>("label.waiting")->isVisible(), kPatience);
    QVERIFY(!page->findChild<RemarksView*>()->isVisible());
}

void TstRemarksView::decisionsAreCountedAndReviewed()
{
    show(QByteArray(kDeckRemark) + "," + kParch + "," + kTwins);
    m_view->setOpen(false);
    auto* strip = m_view->findChild<Strip*>("strip.remarks");
    QVERIFY(strip->isVisible());
    QCOMPARE(strip->level(), Strip::Level::Warning);
    QVERIFY2(strip->accessibleName().startsWith("The table needs 2 decisions."),
             qPrintable(strip->accessibleName()));
    QVERIFY(!button("remark.code", "dismiss") || !button("remark.code", "dismiss")->isVisible());
    m_view->findChild<QAbstractButton*>("button.review_remarks")->click();
    QTRY_VERIFY_WITH_TIMEOUT(button("remark.code", "dismiss")->isVisible(), kPatience);
    QVERIFY(button("remark.twins", "remark_split")->isVisible());
    QCOMPARE(button("remark.nearly_empty", "remark_leave_out")->text(), "Leave Out of Features");
    QCOMPARE(button("remark.nearly_empty", "remark_leave_out")->accessibleName(),
             "deck: Leave Out of Features");
    QSignalSpy split(m_view, &RemarksView::splitWanted);
    button("remark.twins", "remark_split")->click();
    QCOMPARE(split.count(), 1);
}

void TstRemarksView::leavingOutTakesTheColumnsThatReadIt()
{
    show(kDeckRemark);
    ExperimentDocument& document = m_bench->session().document();
    const QString before = document.text();
    button("remark.nearly_empty", "remark_leave_out")->click();
    QVERIFY(!document.text().contains("deck"));
    QCOMPARE(document.undoStack()->count(), 1);
    QVERIFY2(left().isEmpty(), "it is not offered again while the engine looks");
    QTRY_VERIFY_WITH_TIMEOUT(document.isSettled(), kPatience);
    QVERIFY(!document.problems().hasErrors());
    document.undoStack()->undo();
    QCOMPARE(document.text(), before);
}

void TstRemarksView::aColumnThatTellsRowsApartBecomesAKey()
{
    show(kDeckRemark);
    ExperimentDocument& document = m_bench->session().document();
    button("remark.nearly_empty", "remark_key")->click();
    QTRY_COMPARE_WITH_TIMEOUT(document.value("data.key_column"), "deck", kPatience);
    QVERIFY(document.field("feature_column[deck]") == nullptr);
    QVERIFY(!document.problems().hasErrors());
    QCOMPARE(document.undoStack()->count(), 1);
}

void TstRemarksView::codesBecomeCategories()
{
    show(kParch);
    ExperimentDocument& document = m_bench->session().document();
    const QString before = document.text();
    button("remark.code", "remark_category")->click();
    QCOMPARE(document.undoStack()->count(), 1);
    QTRY_COMPARE_WITH_TIMEOUT(document.value("data.column[parch].dtype"), "string", kPatience);
    QVERIFY(document.field("feature_column[parents_children]") == nullptr);
    const FieldNode* column = document.field("feature_column[parch]");
    QVERIFY(column != nullptr);
    QVERIFY2(document.text().contains("key: \"parch\""), qPrintable(document.text()));
    const QString linear = "estimator.dnn_linear_combined_classifier.linear_feature_columns";
    QVERIFY2(document.value(linear).contains("parch"), qPrintable(document.value(linear)));
    QVERIFY(!document.problems().hasErrors());
    document.undoStack()->undo();
    QCOMPARE(document.text(), before);
}

void TstRemarksView::aFieldIsSetAsTheEngineSays()
{
    show(kDate);
    ExperimentDocument& document = m_bench->session().document();
    button("remark.date", "remark_split_by_time")->click();
    QTRY_COMPARE_WITH_TIMEOUT(document.value("data.split.by_time.eval_from"), "2024-03-01",
                              kPatience);
}

void TstRemarksView::notesAreOnlyMentioned()
{
    show(kTwins);
    m_view->setOpen(false);
    QVERIFY(!m_view->findChild<Strip*>("strip.remarks")->isVisible());
    auto* more = m_view->findChild<LinkLabel*>("label.more_remarks");
    QVERIFY(more->isVisible());
    QVERIFY2(more->text().contains("One note on this table"), qPrintable(more->text()));
    Q_EMIT more->linkActivated("notes");
    QTRY_VERIFY_WITH_TIMEOUT(button("remark.twins", "dismiss")->isVisible(), kPatience);
    QVERIFY(more->text().contains("Close"));
}

void TstRemarksView::whatIsDismissedStaysDismissed()
{
    show(QByteArray(kDeckRemark) + "," + kTwins);
    button("remark.nearly_empty", "dismiss")->click();
    QCOMPARE(left().size(), 1);
    QVERIFY(!m_view->findChild<Strip*>("strip.remarks")->isVisible());
    const QString folder = m_bench->session().project().folder();
    m_bench->session().project().close();
    m_bench->open(folder);
    QTRY_COMPARE_WITH_TIMEOUT(left().size(), 1, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(m_bench->session().runs().isLoaded(), kPatience);
    auto* more = m_view->findChild<LinkLabel*>("label.more_remarks");
    QTRY_VERIFY_WITH_TIMEOUT(more->text().contains("1 dismissed"), kPatience);
    QCOMPARE(left().size(), 1);
    Q_EMIT more->linkActivated("dismissed");
    QAbstractButton* restore = button("remark.nearly_empty", "dismiss");
    QCOMPARE(restore->text(), "Restore");
    restore->click();
    QCOMPARE(left().size(), 2);
}

void TstRemarksView::headersOfTheirColumnsLeadToThem()
{
    show(QByteArray(kDeckRemark) + "," + kDate + "," + kTwins);
    m_view->setOpen(false);
    auto* table = m_view->parentWidget()->findChild<QTableView*>("table.rows");
    auto* header = qobject_cast<HistogramHeader*>(table->horizontalHeader());
    const auto headerData = [&](int column, int role) {
        return table->model()->headerData(column, Qt::Horizontal, role);
    };
    QVERIFY(!headerData(1, RowsPreviewModel::RemarksRole).isValid());
    QVERIFY(headerData(2, RowsPreviewModel::DecisionRole).toBool());
    for (const int role : {Qt::AccessibleTextRole, Qt::ToolTipRole}) {
        QVERIFY2(headerData(2, role).toString().endsWith(
                     "Few rows have a value in 'deck' (143 of 627).\nDates."),
                 qPrintable(headerData(2, role).toString()));
    }
    const auto clickMark = [&](int column) {
        const int right = header->sectionViewportPosition(column) + header->sectionSize(column);
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                          {right - scaled(9 + 7), scaled(10 + 18 + 7)});
    };
    QSignalSpy clicked(header, &HistogramHeader::remarkClicked);
    clickMark(1); // nothing is remarked there: the column is selected
    QCOMPARE(clicked.size(), 0);
    QVERIFY(table->selectionModel()->isColumnSelected(1, {}));
    clickMark(2);
    QCOMPARE(clicked.size(), 1);
    QTRY_VERIFY_WITH_TIMEOUT(button("remark.nearly_empty", "remark_leave_out")->isVisible(),
                             kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(isFocused("remark.nearly_empty", "remark_leave_out"), kPatience);
    QVERIFY(table->selectionModel()->isColumnSelected(2, {}));
    button("remark.nearly_empty", "dismiss")->click();
    QCOMPARE(headerData(2, RowsPreviewModel::RemarksRole).toString(), QString("Dates."));
    QVERIFY(!headerData(2, RowsPreviewModel::DecisionRole).toBool());
    button("remark.date", "dismiss")->click();
    QVERIFY(!headerData(2, RowsPreviewModel::RemarksRole).isValid());
}

void TstRemarksView::theMenuOfAColumnLeadsToThem()
{
    m_bench->scriptReal("browse");
    show(kDeckRemark);
    m_view->setOpen(false);
    auto* table = m_view->parentWidget()->findChild<QTableView*>("table.rows");
    auto* rows = m_view->parentWidget()->findChild<BrowsedTable*>();
    QAction* remarks = nullptr;
    const auto find = [&] {
        QMenu* menu = rows->findChild<QMenu*>("menu.column");
        delete menu;
        for (int i = 0; i < table->model()->columnCount(); ++i) {
            if (table->model()->headerData(i, Qt::Horizontal).toString() == "deck") {
                rows->openMenu(i, {});
            }
        }
        remarks = rows->findChild<QAction*>("menu.remarks");
        return remarks != nullptr;
    };
    QTRY_VERIFY_WITH_TIMEOUT(find(), kPatience);
    remarks->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(isFocused("remark.nearly_empty", "remark_leave_out"), kPatience);
    qDeleteAll(rows->findChildren<QMenu*>("menu.column"));
    rows->openMenu(0, {}); // nothing is remarked there
    QVERIFY(rows->findChild<QMenu*>("menu.column") != nullptr);
    QVERIFY(rows->findChild<QAction*>("menu.remarks") == nullptr);
}

void TstRemarksView::theyAreIssuesUntilTheyAreDismissed()
{
    show(QByteArray(kDeckRemark) + "," + kTwins);
    const RemarkList& list = RemarkList::of(m_bench->session());
    QSignalSpy changed(&list, &RemarkList::changed);
    const QList<ProblemRow> issues = list.issues();
    QCOMPARE(issues.size(), 2);
    QCOMPARE(issues[0].level, ProblemRow::Level::Warning);
    QCOMPARE(issues[0].place, QString("deck"));
    QCOMPARE(issues[1].level, ProblemRow::Level::Note);
    QCOMPARE(issues[1].place, QString("Split"));
    m_view->setOpen(false);
    auto* page = qobject_cast<Page*>(m_bench->window().findChild<QWidget*>("page.data"));
    page->reveal(issues[1].target);
    QTRY_VERIFY_WITH_TIMEOUT(isFocused("remark.twins", "remark_split"), kPatience);
    button("remark.nearly_empty", "dismiss")->click();
    QVERIFY(!changed.isEmpty());
    QCOMPARE(list.issues().size(), 1);
    QCOMPARE(list.issues().first().id, QString("remark.twins"));
}

CANNERY_TEST(TstRemarksView)
#include "tst_remarks_view.moc"

// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/editors/bucket_editor.h"
#include "ui/editors/bucket_plot.h"
#include "ui/pages/feature_list_model.h"
#include "ui/pages/feature_sources.h"
#include "ui/widgets/button.h"

#include <QAction>
#include <QApplication>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMimeData>
#include <QTableView>
#include <QTest>
#include <QUndoStack>

#include <cmath>
#include <memory>

using namespace cannery;
using namespace cannery::ui;
using cannery::tests::kPatience;

namespace {

QByteArray passengerTable()
{
    QByteArray quantiles;
    for (int i = 0; i <= 100; ++i) {
        quantiles += (i > 0 ? "," : "") + QByteArray::number(i);
    }
    return R"({"sources": {"train": {"rows": 627}, "eval": {"rows": 264}},
 "columns": [
  {"name": "survived", "type": "number", "use": "label", "distinct": 2,
   "histogram": {"labels": [], "counts": [384, 243]}},
  {"name": "sex", "type": "category", "use": "feature", "distinct": 2,
   "histogram": {"labels": ["male", "female"], "counts": [410, 217]}},
  {"name": "port", "type": "category", "use": "ignored", "distinct": 3,
   "histogram": {"labels": ["S", "C", "Q"], "counts": [400, 150, 77]}},
  {"name": "age", "type": "number", "use": "feature", "distinct": 76, "min": 0, "max": 100,
   "mean": 50, "sd": 20, "quantiles": [)" +
           quantiles + R"(],
   "histogram": {"begin": 0, "end": 100, "labels": [], "counts": [10, 40, 30, 20]}}],
 "texts": [],
 "inputs": [{"name": "sex", "column": "sex", "kind": "ids", "width": 2},
            {"name": "age_bucketized", "column": "age_buckets", "kind": "ids", "width": 7}],
 "rows": [{"sex": [0], "age_bucketized": [3]}]})";
}

/// A column of the table as a drag carries it, dropped in the middle of a list.
void dropColumn(QWidget* list, const QString& column)
{
    QMimeData data;
    data.setData(FeatureSources::mimeType(), column.toUtf8());
    const QPoint middle = list->rect().center();
    QDragEnterEvent enter(middle, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(list, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(middle, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(list, &drop);
    QVERIFY(drop.isAccepted());
}

} // namespace

class TstFeaturesPage : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();

    void aColumnThatIsDroppedOnTheListIsAdded();
    void enterAddsAColumnToo();
    void deleteRemovesAColumnAndUndoRestoresEveryByte();
    void altAndArrowsReorder();
    void theNameInTheInspectorRenames();
    void D11_dividersChangeTheBoundaryList();
    void wordsAreMovedInTheInspector();
    void D12_aCrossSaysWhatSharesABucket();
    void theUseMenuSwitchesSides();
    void aCategoryIsWrappedForTheNetwork();
    void theMenuOffersEveryKind();
    void aNarrowPageKeepsTheListOfFeatureColumns();
    void theEncodedRowMarksTheSelectedColumn();
    void suggestionsAreAddedOneByOneOrAll();

private:
    QTableView* table() const { return m_page->findChild<QTableView*>("table.features"); }
    QWidget* inspector() const { return m_page->inspector(); }
    ExperimentDocument& document() const { return m_bench->session().document(); }
    QByteArray text() const { return document().text().toUtf8(); }
    void select(const QString& column);
    QString selected() const;
    void undoAll();

    std::unique_ptr<tests::PageBench> m_bench;
    Page* m_page = nullptr;
    QByteArray m_original;
};

void TstFeaturesPage::init()
{
    m_bench = std::make_unique<tests::PageBench>();
    m_bench->script("preview", passengerTable());
    m_page = m_bench->page("features");
    m_bench->openTitanic(false);
    QTRY_VERIFY_WITH_TIMEOUT(m_page->findChild<QListWidget*>("list.columns")->count() == 3,
                             kPatience);
    inspector()->show();
    m_original = text();
    QVERIFY(m_original.contains("age_buckets"));
}

void TstFeaturesPage::cleanup()
{
    m_bench.reset();
    m_page = nullptr;
}

void TstFeaturesPage::select(const QString& column)
{
    m_page->reveal("feature:" + column);
    QCOMPARE(selected(), column);
}

QString TstFeaturesPage::selected() const
{
    auto* model = qobject_cast<FeatureListModel*>(table()->model());
    const QModelIndexList rows = table()->selectionModel()->selectedIndexes();
    const FeatureFacts* feature = rows.isEmpty() ? nullptr : model->at(rows.first().row());
    return feature ? feature->name : QString();
}

void TstFeaturesPage::undoAll()
{
    QCOMPARE(document().undoStack()->count(), 1);
    document().undoStack()->undo();
    QCOMPARE(text(), m_original);
}

void TstFeaturesPage::aColumnThatIsDroppedOnTheListIsAdded()
{
    dropColumn(table()->viewport(), "port");
    QVERIFY2(text().contains("name: \"port\" categorical_column_with_vocabulary_list { key: "
                             "\"port\" vocabulary_list: [\"S\", \"C\", \"Q\"] }"),
             text().constData());
    QVERIFY(text().contains("\"sex_x_age\", \"port\"]"));
    QTRY_COMPARE_WITH_TIMEOUT(selected(), QString("port"), kPatience);
    // For the network, an indicator.
    QTRY_COMPARE_WITH_TIMEOUT(
        document().value("feature_column[port_indicator].indicator_column.categorical_column"),
        QString("port"), kPatience);
    QVERIFY(text().contains("\"port_indicator\""));
    undoAll();
    QTRY_VERIFY_WITH_TIMEOUT(selected() != "port", kPatience);
}

void TstFeaturesPage::enterAddsAColumnToo()
{
    auto* columns = m_page->findChild<QListWidget*>("list.columns");
    columns->setCurrentRow(1);
    QTest::keyClick(columns, Qt::Key_Return);
    QVERIFY(text().contains("key: \"port\""));
    undoAll();
}

void TstFeaturesPage::deleteRemovesAColumnAndUndoRestoresEveryByte()
{
    select("age");
    QTest::keyClick(table(), Qt::Key_Delete);
    QVERIFY(!text().contains("age_buckets"));
    QVERIFY(!text().contains("sex_x_age"));
    QVERIFY(text().contains("# Numbers, scaled for the deep part"));
    undoAll();
}

void TstFeaturesPage::altAndArrowsReorder()
{
    select("sex");
    QTest::keyClick(table(), Qt::Key_Down, Qt::AltModifier);
    QVERIFY(text().indexOf("name: \"class\"") < text().indexOf("name: \"sex\""));
    QTRY_COMPARE_WITH_TIMEOUT(selected(), QString("sex"), kPatience);
    QTest::keyClick(table(), Qt::Key_Up, Qt::AltModifier);
    QCOMPARE(text(), m_original);
}

void TstFeaturesPage::theNameInTheInspectorRenames()
{
    select("age_buckets");
    auto* name = inspector()->findChild<QLineEdit*>("field.feature_name");
    QCOMPARE(name->text(), QString("age_buckets"));
    name->setFocus();
    name->selectAll();
    QTest::keyClicks(name, "ages");
    QTest::keyClick(name, Qt::Key_Return);
    QVERIFY(!text().contains("age_buckets"));
    QVERIFY(text().contains("key { column: \"ages\" }"));
    QVERIFY(text().contains("\"alone\", \"ages\""));
    QTRY_COMPARE_WITH_TIMEOUT(selected(), QString("ages"), kPatience);
    // A name that is taken is not.
    name->selectAll();
    QTest::keyClicks(name, "sex");
    QTest::keyClick(name, Qt::Key_Return);
    QCOMPARE(name->text(), QString("ages"));
    undoAll();
}

void TstFeaturesPage::D11_dividersChangeTheBoundaryList()
{
    select("age_buckets");
    auto* editor = inspector()->findChild<BucketEditor*>();
    QVERIFY(editor);
    QCOMPARE(editor->boundaries(), QList<double>({6, 16, 25, 35, 50, 65}));
    auto* plot = editor->findChild<BucketPlot*>();
    QCOMPARE(plot->numbers().largest(), 100.0);
    auto* divider = editor->findChild<QWidget*>("divider.2");
    divider->setFocus();
    QTest::keyClick(divider, Qt::Key_Right);
    QTest::keyClick(divider, Qt::Key_Right);
    QVERIFY(text().contains("boundaries: [6, 16, 27, 35, 50, 65]"));
    undoAll();
    QTRY_COMPARE_WITH_TIMEOUT(editor->boundaries(), QList<double>({6, 16, 25, 35, 50, 65}),
                              kPatience);
    // The same with the mouse.
    const QPoint from = divider->rect().center();
    const int target = int(std::lround(plot->xOf(30)));
    QTest::mousePress(divider, Qt::LeftButton, {}, from);
    const QPointF there = divider->mapFrom(plot, QPointF(target, 20));
    QMouseEvent move(QEvent::MouseMove, there, divider->mapToGlobal(there), Qt::NoButton,
                     Qt::LeftButton, {});
    QApplication::sendEvent(divider, &move);
    QTest::mouseRelease(divider, Qt::LeftButton, {}, there.toPoint());
    QVERIFY(text() != m_original);
    QVERIFY(std::abs(editor->boundaries()[2] - 30) <= 1);
    QTRY_COMPARE_WITH_TIMEOUT(
        document().value("feature_column[age_buckets].bucketized_column.boundaries"),
        boundariesText(editor->boundaries()), kPatience);
    undoAll();
}

void TstFeaturesPage::wordsAreMovedInTheInspector()
{
    select("sex");
    auto* words = inspector()->findChild<QListWidget*>("list.words");
    QVERIFY(words);
    words->setCurrentRow(0);
    QTest::keyClick(words, Qt::Key_Down, Qt::AltModifier);
    QVERIFY(text().contains("vocabulary_list: [\"female\", \"male\"]"));
    undoAll();
}

void TstFeaturesPage::D12_aCrossSaysWhatSharesABucket()
{
    select("sex");
    QTest::mouseClick(m_page->findChild<Button*>("button.add_cross"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(selected(), QString("sex_x_port"), kPatience);
    QVERIFY2(text().contains("crossed_column { key { feature: \"sex\" } key { feature: \"port\" } "
                             "hash_bucket_size: 50 }"),
             text().constData());
    auto* sharing = inspector()->findChild<QLabel*>("words.sharing");
    QVERIFY(sharing);
    // 1 − (1 − 1/50)⁵ = 9.6 %
    QVERIFY2(sharing->text().startsWith(
                 QStringLiteral(u"6 combinations in 50 buckets: about 10\u2009% of them")),
             qPrintable(sharing->text()));
    // The next one is of a pair that is not crossed yet.
    select("sex");
    QTest::mouseClick(m_page->findChild<Button*>("button.add_cross"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(selected(), QString("sex_x_deck"), kPatience);
    document().undoStack()->undo();
    document().undoStack()->undo();
    QCOMPARE(text(), m_original);
}

void TstFeaturesPage::theUseMenuSwitchesSides()
{
    select("age_scaled");
    QTest::keyClick(table(), Qt::Key_Return);
    auto* menu = m_page->findChild<QMenu*>("menu.use");
    QVERIFY(menu);
    auto* wide = menu->findChild<QAction*>("use.wide");
    QVERIFY(!wide->isChecked());
    QVERIFY(menu->findChild<QAction*>("use.deep")->isChecked());
    wide->trigger();
    menu->close();
    QVERIFY(text().contains("\"sex_x_age\", \"age_scaled\"]"));
    undoAll();
}

void TstFeaturesPage::aCategoryIsWrappedForTheNetwork()
{
    select("alone");
    QTest::keyClick(table(), Qt::Key_Return);
    auto* menu = m_page->findChild<QMenu*>("menu.use");
    QVERIFY(menu);
    QVERIFY(!menu->findChild<QAction*>("use.deep")->isEnabled());
    auto* indicator = menu->findChild<QAction*>("wrap.indicator_column");
    QVERIFY(indicator);
    QVERIFY(menu->findChild<QAction*>("wrap.embedding_column"));
    indicator->trigger();
    menu->close();
    QVERIFY(text().contains(
        "name: \"alone_indicator\" indicator_column { categorical_column: \"alone\" }"));
    QVERIFY(text().contains("\"town_embedding\", \"alone_indicator\""));
    undoAll();
}

void TstFeaturesPage::theMenuOffersEveryKind()
{
    m_page->findChild<QListWidget*>("list.columns")->setCurrentRow(0);
    auto* menu = m_page->findChild<QMenu*>("menu.add_feature_column");
    Q_EMIT menu->aboutToShow();
    // Eleven kinds, below the columns of the table and a line.
    QCOMPARE(menu->actions().size(), 13);
    auto* suited = menu->findChild<QMenu*>("menu.suited");
    QCOMPARE(suited->actions().size(), 3);
    suited->actions().at(1)->trigger();
    QVERIFY(text().contains("key: \"port\" vocabulary_list: [\"S\", \"C\", \"Q\"]"));
    undoAll();
    auto* numeric = menu->findChild<QAction*>("offer.numeric_column");
    QVERIFY(!numeric->isEnabled());
    QCOMPARE(numeric->toolTip(), QString("sex is text, not a number."));
    auto* hash = menu->findChild<QAction*>("offer.categorical_column_with_hash_bucket");
    QVERIFY(hash->isEnabled());
    hash->trigger();
    QVERIFY2(text().contains("name: \"sex_2\" categorical_column_with_hash_bucket { key: "
                             "\"sex\" hash_bucket_size: 10 }"),
             text().constData());
    QTRY_COMPARE_WITH_TIMEOUT(selected(), QString("sex_2"), kPatience);
    undoAll();
}

void TstFeaturesPage::aNarrowPageKeepsTheListOfFeatureColumns()
{
    auto* columns = m_page->findChild<QListWidget*>("list.columns");
    QVERIFY(columns->isVisible());
    m_page->window()->resize(600, 700);
    QTRY_VERIFY_WITH_TIMEOUT(!columns->isVisible(), kPatience);
    QVERIFY(table()->isVisible());
    m_page->window()->resize(1192, 730);
    QTRY_VERIFY_WITH_TIMEOUT(columns->isVisible(), kPatience);
}

void TstFeaturesPage::theEncodedRowMarksTheSelectedColumn()
{
    const auto chosen = [this] {
        QString name;
        for (const QWidget* block : m_page->findChildren<QWidget*>("encoded.chosen")) {
            // The one that it replaces is deleted later.
            name += block->isHidden() ? QString() : block->accessibleName();
        }
        return name;
    };
    select("age_buckets");
    QTRY_COMPARE_WITH_TIMEOUT(chosen(), QString("age_bucketized: id 3"), kPatience);
    select("sex");
    QTRY_COMPARE_WITH_TIMEOUT(chosen(), QString("sex: id 0"), kPatience);
    select("age_scaled");
    QTRY_COMPARE_WITH_TIMEOUT(chosen(), QString(), kPatience);
}

void TstFeaturesPage::suggestionsAreAddedOneByOneOrAll()
{
    m_bench->script(
        "new",
        R"({"experiment_text": "feature_column { name: \"port\" categorical_column_with_hash_bucket { key: \"port\" hash_bucket_size: 9 } }\nfeature_column { name: \"sex\" categorical_column_with_vocabulary_list { key: \"sex\" vocabulary_list: [\"male\", \"female\"] } }\nfeature_column { name: \"year\" numeric_column { key: \"year\" } }\nestimator { dnn_linear_combined_classifier { linear_feature_columns: [\"port\", \"sex\"] dnn_feature_columns: \"year\" } }"})");
    QTest::mouseClick(m_page->findChild<Button*>("button.suggest_features"), Qt::LeftButton);
    auto* all = m_page->findChild<Button*>("button.add_all_suggestions");
    QTRY_VERIFY_WITH_TIMEOUT(all->isVisible(), kPatience);
    QVERIFY(
        m_bench->calls().contains("new titanic_train.csv --dry-run --label survived --estimator "
                                  "dnn_linear_combined_classifier --json"));
    QTest::mouseClick(m_page->findChild<Button*>("suggestion.year"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(document().value("feature_column[year].numeric_column.key"),
                              QString("year"), kPatience);
    QVERIFY(text().contains("\"year\"\n    ]") || text().contains("\"year\"]"));
    QTRY_VERIFY_WITH_TIMEOUT(!all->isVisible(), kPatience);
    undoAll();
    QTRY_VERIFY_WITH_TIMEOUT(all->isVisible(), kPatience);
    QTest::mouseClick(all, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(document().field("feature_column[year]"), kPatience);
    QVERIFY(document().field("feature_column[port]"));
    QVERIFY(text().contains("\"sex_x_age\", \"port\"]"));
    QTRY_VERIFY_WITH_TIMEOUT(!all->isVisible(), kPatience);
    undoAll();
}

CANNERY_TEST(TstFeaturesPage)
#include "tst_features_page.moc"

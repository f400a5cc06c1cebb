// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/features_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/editing/feature_list_model.h"
#include "ui/editors/bucket_editor.h"
#include "ui/editors/bucket_plot.h"
#include "ui/pages/features/feature_sources.h"
#include "ui/widgets/button.h"
#include "ui/widgets/key_value_list.h"

#include <QAction>
#include <QApplication>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMimeData>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QUndoStack>

#include <cmath>
#include <memory>

using namespace cannery;
using namespace cannery::ui;
using cannery::tests::kPatience;

class TstFeaturesPage : public tests::FeaturesBench
{
    Q_OBJECT

private Q_SLOTS:
    void init() { start(); }
    void cleanup() { end(); }

    void enterAddsAColumnToo();
    void theActionsAreInMenusAndPalette();
    void deleteRemovesAColumnAndUndoRestoresEveryByte();
    void altAndArrowsReorder();
    void theNameInTheInspectorRenames();
    void D11_dividersChangeTheBoundaryList();
    void wordsAreMovedInTheInspector();
    void D12_aCrossSaysWhatSharesABucket();
    void pairsThatOccurAreShownUntilTheBucketsChange();
    void aNormalizerIsDrawnBeforeAndAfter();
    void theUseMenuSwitchesSides();
    void aCategoryIsWrappedForTheNetwork();
    void theMenuOffersEveryKind();
    void aNewColumnIsMadeOfWhatWasChosenLast();
    void aNarrowPageKeepsTheListOfFeatureColumns();
    void theEncodedRowMarksTheSelectedColumn();
    void suggestionsAreAddedOneByOneOrAll();
};

void TstFeaturesPage::enterAddsAColumnToo()
{
    auto* columns = m_page->findChild<QListWidget*>("list.columns");
    columns->setCurrentRow(1);
    QTest::keyClick(columns, Qt::Key_Return);
    QVERIFY(text().contains("key: \"port\""));
    undoAll();
}

void TstFeaturesPage::theActionsAreInMenusAndPalette()
{
    ActionRegistry& actions = m_bench->actions();
    for (const char* id :
         {"action.add_feature_column", "action.add_cross", "action.suggest_features"}) {
        QVERIFY2(actions.find(id) && actions.find(id)->isEnabled(), id);
    }
    actions.find("action.add_cross")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(selected(), QString("sex_x_port"), kPatience);
    undoAll();
    actions.find("action.add_feature_column")->trigger();
    auto* menu = m_page->findChild<QMenu*>("menu.add_feature_column");
    QVERIFY(menu->isVisible());
    menu->close();
    // From another page, the page is asked for first.
    const QSignalSpy asked(m_page, &Page::navigate);
    m_page->hide();
    actions.find("action.add_cross")->trigger();
    QCOMPARE(asked.value(0).value(0).toString(), QString("features"));
    m_page->show();
    m_bench->session().project().close();
    QTRY_VERIFY_WITH_TIMEOUT(!actions.find("action.add_cross")->isEnabled(), kPatience);
    QCOMPARE(actions.hindrance("action.add_feature_column"), QString("Open a project first."));
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
    auto* observed = inspector()->findChild<QLabel*>("words.observed_sharing");
    QVERIFY(observed->isHidden());
    QStringList facts;
    for (const KeyValueList::Row& row : inspector()->findChild<KeyValueList*>()->rows()) {
        facts << row.key + ' ' + row.value;
    }
    QVERIFY2(facts.contains("Parameters 50") &&
                 facts.contains(QStringLiteral(u"Memory 200\u2009B")),
             qPrintable(facts.join(", ")));
    // The next one is of a pair that is not crossed yet.
    select("sex");
    QTest::mouseClick(m_page->findChild<Button*>("button.add_cross"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(selected(), QString("sex_x_deck"), kPatience);
    document().undoStack()->undo();
    document().undoStack()->undo();
    QCOMPARE(text(), m_original);
}

void TstFeaturesPage::pairsThatOccurAreShownUntilTheBucketsChange()
{
    select("sex_x_class");
    auto* observed = inspector()->findChild<QLabel*>("words.observed_sharing");
    auto* pairs = inspector()->findChild<QTableView*>("table.hashed_values");
    QVERIFY(!observed->isHidden());
    QVERIFY2(observed->text().startsWith("Observed: 2 "), qPrintable(observed->text()));
    QCOMPARE(pairs->model()->rowCount(), 2);
    QCOMPARE(pairs->model()->index(0, 0).data().toString(), QString("male × Third"));
    QCOMPARE(inspector()->findChild<QLabel*>("words.label_of_values")->text(),
             QString("Share of survived = 1 in each"));
    // The counts do not apply to another number of buckets.
    document().setValue("feature_column[sex_x_class].crossed_column.hash_bucket_size", "70");
    QTRY_VERIFY_WITH_TIMEOUT(observed->isHidden(), kPatience);
    undoAll();
    QTRY_VERIFY_WITH_TIMEOUT(!observed->isHidden(), kPatience);
}

void TstFeaturesPage::aNormalizerIsDrawnBeforeAndAfter()
{
    select("age");
    QVERIFY(inspector()->findChild<QWidget*>("plot.normalizer")->isHidden());
    select("age_scaled");
    // That of the other column is deleted later.
    auto* plot = inspector()->findChildren<QWidget*>("plot.normalizer").last();
    const auto text = [plot](const char* name) { return plot->findChild<QLabel*>(name)->text(); };
    QVERIFY(!plot->isHidden());
    QVERIFY(!plot->findChild<QWidget*>("plot.after")->isHidden());
    // Those of the training rows, which the file leaves out.
    QCOMPARE(text("words.formula"), QStringLiteral(u"(x − 50) / 20"));
    QCOMPARE(text("words.before"), QString("Mean 50, standard deviation 20"));
    QCOMPARE(text("words.after"), QString("Mean 0, standard deviation 1"));
    QVERIFY(text("words.normalizer").contains("fixed when a run begins"));
    const QString path = "feature_column[age_scaled].numeric_column.normalizer";
    document().setValue(path + ".z_score.mean", "30");
    QTRY_COMPARE_WITH_TIMEOUT(text("words.formula"), QStringLiteral(u"(x − 30) / 20"), kPatience);
    QCOMPARE(text("words.after"), QString("Mean 1, standard deviation 1"));
    undoAll();
    // Another member; the smallest number is 0 and has no logarithm without an offset.
    document().setValue(path, "{ log { offset: 0 } }");
    QTRY_COMPARE_WITH_TIMEOUT(text("words.formula"), QString("log(x)"), kPatience);
    QVERIFY(text("words.normalizer").contains("Raise the offset"));
    QVERIFY(plot->findChild<QWidget*>("plot.after")->isHidden());
    document().setValue(path, "{ log { offset: 1 } }");
    QTRY_COMPARE_WITH_TIMEOUT(text("words.formula"), QString("log(x + 1)"), kPatience);
    QVERIFY(!plot->findChild<QWidget*>("plot.after")->isHidden());
    QVERIFY2(text("words.after").startsWith("Mean about 3.6"), qPrintable(text("words.after")));
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
    // Sixteen kinds, below the columns of the table and a line.
    QCOMPARE(menu->actions().size(), 18);
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

void TstFeaturesPage::aNewColumnIsMadeOfWhatWasChosenLast()
{
    auto* columns = m_page->findChild<QListWidget*>("list.columns");
    auto* menu = m_page->findChild<QMenu*>("menu.add_feature_column");
    const auto bucketized = [&] {
        Q_EMIT menu->aboutToShow();
        return menu->findChild<QAction*>("offer.bucketized_column");
    };
    const auto sources = [&](const char* column) {
        return text().count("source_column: \"" + QByteArray(column) + '"');
    };
    const auto ofAge = sources("age");
    QCOMPARE(sources("fare_scaled"), 0);
    select("fare_scaled");
    columns->setCurrentRow(2);
    QCOMPARE(columns->currentItem()->text(), QString("age"));
    bucketized()->trigger();
    QCOMPARE(sources("fare_scaled"), 0);
    QCOMPARE(sources("age"), ofAge + 1);
    QTRY_COMPARE_WITH_TIMEOUT(selected(), QString("age_buckets_2"), kPatience);
    undoAll();
    QTRY_VERIFY_WITH_TIMEOUT(selected() != "age_buckets_2", kPatience);
    select("fare_scaled");
    bucketized()->trigger();
    QCOMPARE(sources("fare_scaled"), 1);
    QCOMPARE(sources("age"), ofAge);
    QTRY_COMPARE_WITH_TIMEOUT(selected(), QString("fare_scaled_buckets"), kPatience);
    undoAll();
    QTRY_VERIFY_WITH_TIMEOUT(selected() != "fare_scaled_buckets", kPatience);
    // A press chooses again what is current already.
    select("fare_scaled");
    QCOMPARE(columns->currentItem()->text(), QString("age"));
    const QPoint place = columns->visualItemRect(columns->currentItem()).center();
    QTest::mouseClick(columns->viewport(), Qt::LeftButton, {}, place);
    bucketized()->trigger();
    QCOMPARE(sources("age"), ofAge + 1);
    undoAll();
    columns->setCurrentRow(0);
    QVERIFY(!bucketized()->isEnabled());
    QCOMPARE(bucketized()->toolTip(), QString("sex is text, not a number."));
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
            name += block->accessibleName();
        }
        return name;
    };
    select("age_buckets");
    QTRY_COMPARE_WITH_TIMEOUT(chosen(), QString("age_bucketized: id 3"), kPatience);
    const auto* preview = m_page->findChild<QWidget*>("preview.encoded");
    const QRegularExpression block("^encoded\\..*");
    const QList<QWidget*> before = preview->findChildren<QWidget*>(block);
    QVERIFY(before.size() >= 2);
    select("sex");
    QTRY_COMPARE_WITH_TIMEOUT(chosen(), QString("sex: id 0"), kPatience);
    QCOMPARE(preview->findChildren<QWidget*>(block), before); // only their titles are made anew
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

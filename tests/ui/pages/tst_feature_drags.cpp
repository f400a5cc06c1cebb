// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/features_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/editing/feature_list_model.h"
#include "ui/models/tables/dragged_columns.h"

#include <QAction>
#include <QApplication>
#include <QDropEvent>
#include <QMenu>
#include <QMimeData>
#include <QTableView>
#include <QTest>

using namespace cannery;
using namespace cannery::ui;
using cannery::tests::kPatience;

namespace {

/// The events of a drag that ends at a point of a widget.
void dropOn(QWidget* target, const QMimeData& data, const QPoint& place,
            Qt::KeyboardModifiers modifiers = {})
{
    const Qt::DropActions actions = Qt::CopyAction | Qt::MoveAction;
    QDragEnterEvent enter(place, actions, &data, Qt::LeftButton, modifiers);
    QApplication::sendEvent(target, &enter);
    QVERIFY(enter.isAccepted());
    QDragMoveEvent move(place, actions, &data, Qt::LeftButton, modifiers);
    QApplication::sendEvent(target, &move);
    QVERIFY(move.isAccepted());
    QDropEvent drop(place, actions, &data, Qt::LeftButton, modifiers);
    QApplication::sendEvent(target, &drop);
    QVERIFY(drop.isAccepted());
}

/// A column of the table as a drag carries it, dropped in the middle of a widget.
void dropColumn(QWidget* target, const QString& column)
{
    const std::unique_ptr<QMimeData> data(dragOfColumns({column}));
    dropOn(target, *data, target->rect().center());
}

} // namespace

class TstFeatureDrags : public tests::FeaturesBench
{
    Q_OBJECT

private Q_SLOTS:
    void init() { start(); }
    void cleanup() { end(); }

    void aColumnThatIsDroppedOnTheListIsAdded();
    void rowsAreDraggedToAnotherPlace();
    void aDragOntoASideChangesWhoUsesAColumn();
    void aCategoryThatIsDraggedOntoTheNetworkIsOfferedItsWraps();
    void anEmbeddingThatIsDraggedOntoTheWideSideIsOfferedItsCategories();
    void aColumnOfTheTableIsDraggedOntoOneSide();

private:
    /// What a drag of this row carries, as the list makes it.
    std::unique_ptr<QMimeData> dragged(const QString& column) const;
    QWidget* side(const char* name) const { return m_page->findChild<QWidget*>(name); }
    QMenu* dropMenu() const { return m_page->findChild<QMenu*>("menu.drop"); }
};

std::unique_ptr<QMimeData> TstFeatureDrags::dragged(const QString& column) const
{
    const auto* model = qobject_cast<FeatureListModel*>(table()->model());
    const QModelIndex index = model->index(model->rowOf(column), 0);
    return std::unique_ptr<QMimeData>(
        index.flags().testFlag(Qt::ItemIsDragEnabled) ? model->mimeData({index}) : nullptr);
}

void TstFeatureDrags::aColumnThatIsDroppedOnTheListIsAdded()
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

void TstFeatureDrags::rowsAreDraggedToAnotherPlace()
{
    const auto* model = qobject_cast<FeatureListModel*>(table()->model());
    const auto data = dragged("alone");
    QVERIFY(data);
    QVERIFY(table()->dragEnabled());
    // Onto the upper half of a row: before it.
    const QRect row = table()->visualRect(model->index(model->rowOf("age_scaled"), 0));
    dropOn(table()->viewport(), *data, row.center() - QPoint(0, row.height() / 4));
    QVERIFY(text().indexOf("name: \"alone\"") > text().indexOf("name: \"age_buckets\""));
    QVERIFY(text().indexOf("name: \"alone\"") < text().indexOf("name: \"age_scaled\""));
    QTRY_COMPARE_WITH_TIMEOUT(selected(), QString("alone"), kPatience);
    undoAll();
    QTRY_VERIFY_WITH_TIMEOUT(model->rowOf("alone") > model->rowOf("class"), kPatience);
    // Onto the lower half: after it, the first row further down.
    const auto first = dragged("age");
    const QRect last = table()->visualRect(model->index(model->rowOf("age_buckets"), 0));
    dropOn(table()->viewport(), *first, last.center() + QPoint(0, last.height() / 4));
    QVERIFY(text().indexOf("name: \"age_buckets\"") < text().indexOf("name: \"age\""));
    QVERIFY(text().indexOf("name: \"age\"") < text().indexOf("name: \"age_scaled\""));
    undoAll();
    // Where it is already, nothing changes.
    QTRY_COMPARE_WITH_TIMEOUT(model->rowOf("age"), 0, kPatience);
    dropOn(table()->viewport(), *first, table()->visualRect(model->index(0, 0)).center());
    QCOMPARE(text(), m_original);
}

void TstFeatureDrags::aDragOntoASideChangesWhoUsesAColumn()
{
    QVERIFY2(side("side.wide")->accessibleName().startsWith("Wide: 8 columns · width "),
             qPrintable(side("side.wide")->accessibleName()));
    const auto data = dragged("age_scaled");
    dropOn(side("side.wide"), *data, side("side.wide")->rect().center());
    QVERIFY(text().contains("\"sex_x_age\", \"age_scaled\"]"));
    QVERIFY(!text().contains("\"age_scaled\", \"fare_scaled\""));
    QTRY_VERIFY_WITH_TIMEOUT(side("side.wide")->accessibleName().startsWith("Wide: 9 columns"),
                             kPatience);
    undoAll();
    // With Ctrl both sides use it.
    dropOn(side("side.wide"), *data, side("side.wide")->rect().center(), Qt::ControlModifier);
    QVERIFY(text().contains("\"sex_x_age\", \"age_scaled\"]"));
    QVERIFY(text().contains("\"age_scaled\", \"fare_scaled\""));
    undoAll();
    dropOn(side("side.unused"), *data, side("side.unused")->rect().center());
    QCOMPARE(text().count("age_scaled"), 1);
    undoAll();
}

void TstFeatureDrags::aCategoryThatIsDraggedOntoTheNetworkIsOfferedItsWraps()
{
    const auto data = dragged("alone");
    dropOn(side("side.deep"), *data, side("side.deep")->rect().center());
    QCOMPARE(text(), m_original);
    QMenu* menu = dropMenu();
    QVERIFY(menu && menu->isVisible());
    auto* embedding = menu->findChild<QAction*>("wrap.embedding_column");
    QVERIFY(embedding);
    menu->findChild<QAction*>("wrap.indicator_column")->trigger();
    menu->close();
    QVERIFY(text().contains("\"town_embedding\", \"alone_indicator\""));
    undoAll();
}

void TstFeatureDrags::anEmbeddingThatIsDraggedOntoTheWideSideIsOfferedItsCategories()
{
    document().setValue("estimator.dnn_linear_combined_classifier.linear_feature_columns",
                        "[\"sex\"]");
    QTRY_VERIFY_WITH_TIMEOUT(side("side.wide")->accessibleName().startsWith("Wide: one column"),
                             kPatience);
    const auto data = dragged("deck_embedding");
    dropOn(side("side.wide"), *data, side("side.wide")->rect().center());
    QMenu* menu = dropMenu();
    QVERIFY(menu && menu->isVisible());
    QVERIFY(menu->findChild<QAction*>("use.as_it_is"));
    menu->findChild<QAction*>("use.categories")->trigger();
    menu->close();
    QVERIFY2(text().contains("linear_feature_columns: [\"sex\", \"deck\"]"), text().constData());
    QVERIFY(text().contains("\"deck_embedding\", \"town_embedding\""));
}

void TstFeatureDrags::aColumnOfTheTableIsDraggedOntoOneSide()
{
    dropColumn(side("side.wide"), "port");
    QVERIFY(text().contains("\"sex_x_age\", \"port\"]"));
    QVERIFY(!text().contains("port_indicator"));
    undoAll();
    dropColumn(side("side.deep"), "port");
    QVERIFY(text().contains("\"port_indicator\""));
    QVERIFY(!text().contains("\"sex_x_age\", \"port\"]"));
    undoAll();
}

CANNERY_TEST(TstFeatureDrags)
#include "tst_feature_drags.moc"

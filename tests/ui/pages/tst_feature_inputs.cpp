// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/features_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/editing/feature_list_model.h"
#include "ui/editors/name_chips.h"
#include "ui/models/tables/dragged_columns.h"
#include "ui/widgets/button.h"

#include <QAction>
#include <QApplication>
#include <QDropEvent>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QMimeData>
#include <QTableView>
#include <QTest>
#include <QUndoStack>

#include <memory>

using cannery::tests::kPatience;
using cannery::ui::Button;
using cannery::ui::dragOfColumns;
using cannery::ui::FeatureListModel;
using cannery::ui::FieldEdit;
using cannery::ui::NameChips;

/// What a cross combines, and what shares a table.
class TstFeatureInputs : public cannery::tests::FeaturesBench
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { end(); }

    void membersOfAGroupAreAddedAndRemoved();
    void whatDoesNotFitIntoAGroupSaysWhy();
    void aColumnIsDroppedOntoItsGroup();
    void aColumnIsDroppedOntoACross();
    void aCrossTellsWhatItCannotCombine();
    void aCrossIsMadeOfWhatWasChosenLast();
    void aNumberWithoutBucketsIsNotCrossed();
    void whatTheModelReadsAlreadyIsNotUsedTwice();

private:
    NameChips* chips() const { return inspector()->findChildren<NameChips*>().last(); }
    QAction* offer(const QString& name) const;
    std::unique_ptr<QMimeData> dragged(const QString& column) const;
    /// Whether it was taken.
    bool drop(const QMimeData& data) const;
    QStringList members() const;
    QString hint() const;
    /// The groups are part of the experiment from the beginning.
    void undoOne();

    QByteArray m_grouped;
};

void TstFeatureInputs::init()
{
    start();
    const qsizetype count = document().field("feature_column")->children.size();
    const auto place = [&](qsizetype index) {
        return QStringLiteral("feature_column[%1]").arg(count + index);
    };
    QVERIFY(document().apply(
        "Groups",
        {FieldEdit::set(place(0), "{ name: \"pair\" shared_embeddings { categorical_columns: "
                                  "[\"sex\", \"alone\"] dimension: 2 } }"),
         FieldEdit::set(place(1), "{ name: \"third\" categorical_column_with_vocabulary_list { "
                                  "key: \"port\" vocabulary_list: [\"S\", \"C\"] } }"),
         FieldEdit::set(place(2), "{ name: \"hashed\" categorical_column_with_hash_bucket { "
                                  "key: \"port\" hash_bucket_size: 2 } }"),
         FieldEdit::set(place(3),
                        "{ name: \"heavy\" weighted_categorical_column { "
                        "categorical_column: \"third\" weight_feature_key: \"age\" } }")}));
    m_grouped = text();
    QTRY_VERIFY_WITH_TIMEOUT(document().field("feature_column[heavy]"), kPatience);
}

QAction* TstFeatureInputs::offer(const QString& name) const
{
    return chips()
        ->findChild<Button*>("button.add_name")
        ->menu()
        ->findChild<QAction*>("add." + name);
}

std::unique_ptr<QMimeData> TstFeatureInputs::dragged(const QString& column) const
{
    const auto* model = qobject_cast<FeatureListModel*>(table()->model());
    return std::unique_ptr<QMimeData>(model->mimeData({model->index(model->rowOf(column), 0)}));
}

bool TstFeatureInputs::drop(const QMimeData& data) const
{
    const QPoint place = chips()->rect().center();
    const Qt::DropActions actions = Qt::CopyAction | Qt::MoveAction;
    QDragEnterEvent enter(place, actions, &data, Qt::LeftButton, {});
    QApplication::sendEvent(chips(), &enter);
    QDragMoveEvent move(place, actions, &data, Qt::LeftButton, {});
    QApplication::sendEvent(chips(), &move);
    if (!move.isAccepted()) {
        return false;
    }
    QDropEvent drop(place, actions, &data, Qt::LeftButton, {});
    QApplication::sendEvent(chips(), &drop);
    return drop.isAccepted();
}

QStringList TstFeatureInputs::members() const
{
    return chips()->names();
}

QString TstFeatureInputs::hint() const
{
    return chips()->parentWidget()->findChild<QLabel*>("words.inputs")->text();
}

void TstFeatureInputs::undoOne()
{
    QCOMPARE(document().undoStack()->count(), 2);
    document().undoStack()->undo();
    QCOMPARE(text(), m_grouped);
}

void TstFeatureInputs::membersOfAGroupAreAddedAndRemoved()
{
    select("pair");
    QCOMPARE(chips()->accessibleName(), QString("Columns that share the table"));
    QCOMPARE(members(), QStringList({"sex", "alone"}));
    // A table of one would not be shared.
    QVERIFY(!chips()->findChild<QWidget*>("chip.name.0")->isEnabled());
    QVERIFY(offer("third")->isEnabled());
    offer("third")->trigger();
    QVERIFY2(text().contains("categorical_columns: [\"sex\", \"alone\", \"third\"]"),
             text().constData());
    QCOMPARE(document().undoStack()->undoText(), QString("Add third to pair"));
    QTRY_COMPARE_WITH_TIMEOUT(members(), QStringList({"sex", "alone", "third"}), kPatience);
    undoOne();
    QTRY_COMPARE_WITH_TIMEOUT(members().size(), 2, kPatience);
    document().undoStack()->redo();
    QTRY_COMPARE_WITH_TIMEOUT(members().size(), 3, kPatience);
    auto* first = chips()->findChild<QWidget*>("chip.name.0");
    first->setFocus();
    QTest::keyClick(first, Qt::Key_Space);
    QVERIFY(text().contains("categorical_columns: [\"alone\", \"third\"]"));
    QCOMPARE(document().undoStack()->undoText(), QString("Remove sex from pair"));
    QTRY_COMPARE_WITH_TIMEOUT(members(), QStringList({"alone", "third"}), kPatience);
}

void TstFeatureInputs::whatDoesNotFitIntoAGroupSaysWhy()
{
    select("pair");
    QVERIFY(offer("heavy")->isEnabled()); // its words are those of "third"
    const QList<std::pair<QString, QString>> unfit{
        {"deck", "deck has 8 ids, but sex has 2."},
        {"hashed", QStringLiteral(
                       u"hashed is of the kind “Hash bucket”, sex of the kind “Vocabulary list”.")},
        {"age", "age has no categories."},
        {"deck_embedding", "deck_embedding has no categories."},
    };
    for (const auto& [name, reason] : unfit) {
        QVERIFY2(!offer(name)->isEnabled(), qPrintable(name));
        QCOMPARE(offer(name)->toolTip(), reason);
    }
    QVERIFY(!offer("pair"));
    QVERIFY(!offer("sex"));
}

void TstFeatureInputs::aColumnIsDroppedOntoItsGroup()
{
    select("pair");
    const QString before = hint();
    QVERIFY(!drop(*dragged("deck")));
    QCOMPARE(hint(), QString("deck has 8 ids, but sex has 2."));
    QDragLeaveEvent leave;
    QApplication::sendEvent(chips(), &leave);
    QCOMPARE(hint(), before);
    QVERIFY(!drop(*dragged("sex")));
    QCOMPARE(hint(), QString("sex is there already."));
    QApplication::sendEvent(chips(), &leave);
    QMimeData other;
    other.setText("third");
    QVERIFY(!drop(other));
    QCOMPARE(text(), m_grouped);
    QVERIFY(drop(*dragged("third")));
    QVERIFY(text().contains("categorical_columns: [\"sex\", \"alone\", \"third\"]"));
    undoOne();
}

void TstFeatureInputs::aColumnIsDroppedOntoACross()
{
    select("sex_x_class");
    QCOMPARE(chips()->accessibleName(), QString("Inputs of the cross"));
    QVERIFY(drop(*dragged("age_buckets")));
    QVERIFY2(text().contains("key { feature: \"class\" } key { column: \"age_buckets\" }"),
             text().constData());
    undoOne();
    const std::unique_ptr<QMimeData> port(dragOfColumns({"port"}));
    QVERIFY(drop(*port));
    QVERIFY2(text().contains("key { feature: \"class\" } key { feature: \"port\" }"),
             text().constData());
    undoOne();
}

void TstFeatureInputs::aCrossTellsWhatItCannotCombine()
{
    select("sex_x_class");
    const QList<std::pair<QString, QString>> unfit{
        {"heavy", "A cross has no weights: cross third instead of heavy."},
        {"hashed", "hashed is hashed already: cross the column port of the table."},
        {"fare_scaled", "fare_scaled is a number: add buckets of it, which can be crossed."},
        {"deck_embedding", "deck_embedding is dense: cross deck, which it is made of."},
        {"sex_x_age", "sex_x_age is a cross itself: add its inputs."},
        {"pair", "pair has no categories that could be crossed."},
    };
    for (const auto& [name, reason] : unfit) {
        QVERIFY2(offer(name) && !offer(name)->isEnabled(), qPrintable(name));
        QCOMPARE(offer(name)->toolTip(), reason);
    }
    QVERIFY(offer("age_buckets")->isEnabled());
    QVERIFY(!offer("sex_x_class"));
    QVERIFY(!drop(*dragged("heavy")));
    QCOMPARE(hint(), unfit[0].second);
    QCOMPARE(text(), m_grouped);
}

void TstFeatureInputs::aCrossIsMadeOfWhatWasChosenLast()
{
    auto* columns = m_page->findChild<QListWidget*>("list.columns");
    auto* add = m_page->findChild<Button*>("button.add_cross");
    select("class");
    columns->setCurrentRow(1);
    QCOMPARE(columns->currentItem()->text(), QString("port"));
    QTest::mouseClick(add, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(selected(), QString("port_x_class"), kPatience);
    undoOne();
    QTRY_VERIFY_WITH_TIMEOUT(!document().field("feature_column[port_x_class]"), kPatience);
    select("class");
    QTest::mouseClick(add, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(selected(), QString("class_x_port"), kPatience);
    undoOne();
    QTRY_VERIFY_WITH_TIMEOUT(!document().field("feature_column[class_x_port]"), kPatience);
    // A number takes part by its buckets; the menu follows the same rule.
    columns->setCurrentRow(2);
    QCOMPARE(columns->currentItem()->text(), QString("age"));
    auto* menu = m_page->findChild<QMenu*>("menu.add_feature_column");
    Q_EMIT menu->aboutToShow();
    menu->findChild<QAction*>("offer.crossed_column")->trigger();
    QTRY_VERIFY2_WITH_TIMEOUT(selected().startsWith("age_buckets_x_"), qPrintable(selected()),
                              kPatience);
    undoOne();
}

void TstFeatureInputs::aNumberWithoutBucketsIsNotCrossed()
{
    document().apply("Without", {FieldEdit::remove("feature_column[age_buckets]")});
    QTRY_VERIFY_WITH_TIMEOUT(!document().field("feature_column[age_buckets]"), kPatience);
    const QByteArray before = text();
    m_page->findChild<QListWidget*>("list.columns")->setCurrentRow(2);
    QTest::mouseClick(m_page->findChild<Button*>("button.add_cross"), Qt::LeftButton);
    QCOMPARE(text(), before);
    auto* menu = m_page->findChild<QMenu*>("menu.add_feature_column");
    Q_EMIT menu->aboutToShow();
    auto* cross = menu->findChild<QAction*>("offer.crossed_column");
    QVERIFY(!cross->isEnabled());
    QCOMPARE(cross->toolTip(),
             QString("age is a number: add buckets of it, which can be crossed."));
}

void TstFeatureInputs::whatTheModelReadsAlreadyIsNotUsedTwice()
{
    auto* columns = m_page->findChild<QListWidget*>("list.columns");
    const auto offerOf = [&](int row, const char* kind) {
        columns->setCurrentRow(row);
        auto* menu = m_page->findChild<QMenu*>("menu.add_feature_column");
        Q_EMIT menu->aboutToShow();
        return menu->findChild<QAction*>(QLatin1String("offer.") + QLatin1String(kind));
    };
    QCOMPARE(columns->item(0)->text(), QString("sex"));
    offerOf(0, "categorical_column_with_hash_bucket")->trigger();
    QVERIFY(text().contains("name: \"sex_2\" categorical_column_with_hash_bucket"));
    QVERIFY2(text().contains("\"sex_x_class\", \"sex_x_age\"]"), text().constData());
    QTRY_COMPARE_WITH_TIMEOUT(selected(), QString("sex_2"), kPatience);
    QVERIFY(!document().problems().hasErrors());
    undoOne();
    QTRY_VERIFY_WITH_TIMEOUT(!document().field("feature_column[sex_2]"), kPatience);
    // Nothing reads the port yet.
    QCOMPARE(columns->item(1)->text(), QString("port"));
    offerOf(1, "categorical_column_with_vocabulary_list")->trigger();
    QVERIFY(text().contains("\"sex_x_age\", \"port\"]"));
    undoOne();
}

CANNERY_TEST(TstFeatureInputs)
#include "tst_feature_inputs.moc"

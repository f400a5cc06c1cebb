// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/features_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/editing/feature_templates.h"
#include "ui/pages/features/template_dialogs.h"
#include "ui/services/projects/settings.h"

#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <QUndoStack>

using namespace cannery;
using namespace cannery::ui;
using cannery::tests::kPatience;

/// Templates are saved from the Titanic example; its scripted table has sex, port and age.
class TstFeatureTemplates : public tests::FeaturesBench
{
    Q_OBJECT

private Q_SLOTS:
    void init() { start(); }
    void cleanup() { end(); }

    void checkedColumnsAreSavedWithWhatTheyAreMadeOf();
    void aTemplateBringsItsColumnsBackInOneStep();
    void whatTheTableLacksIsMappedOrLeftOut();
    void whatIsThereAlreadyIsNotAddedAgain();
    void templatesAreRenamedAndDeleted();
    void templatesOutliveTheProgram();

private:
    QMenu* menu() const;
    /// An entry of the template's own menu.
    void choose(const QString& name, const char* entry) const;
    template <typename DialogType>
    DialogType* dialog() const
    {
        return m_bench->window().findChild<DialogType*>();
    }
    /// Through the dialog.
    void save(const QString& name, const QStringList& columns);
    FeatureTemplates templates() const { return FeatureTemplates(m_bench->session().settings()); }
};

QMenu* TstFeatureTemplates::menu() const
{
    auto* menu = m_page->findChild<QMenu*>("menu.feature_templates");
    Q_EMIT menu->aboutToShow();
    return menu;
}

void TstFeatureTemplates::choose(const QString& name, const char* entry) const
{
    auto* own = menu()->findChild<QMenu*>("template." + name);
    QVERIFY(own);
    own->findChild<QAction*>(entry)->trigger();
}

void TstFeatureTemplates::save(const QString& name, const QStringList& columns)
{
    menu()->findChild<QAction*>("templates.save")->trigger();
    auto* asked = dialog<TemplateSaveDialog>();
    QVERIFY(asked);
    auto* list = asked->findChild<QListWidget*>("list.template_columns");
    for (int i = 0; i < list->count(); ++i) {
        const bool isChecked = columns.contains(list->item(i)->text());
        list->item(i)->setCheckState(isChecked ? Qt::Checked : Qt::Unchecked);
    }
    QTest::keyClicks(asked->findChild<QLineEdit*>("field.template_name"), name);
    QTest::keyClick(asked->findChild<QLineEdit*>("field.template_name"), Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(!dialog<TemplateSaveDialog>(), kPatience);
}

void TstFeatureTemplates::checkedColumnsAreSavedWithWhatTheyAreMadeOf()
{
    select("sex_x_age");
    menu()->findChild<QAction*>("templates.save")->trigger();
    auto* asked = dialog<TemplateSaveDialog>();
    // The selected one; the others need a click.
    QCOMPARE(asked->columns(), QStringList{"sex_x_age"});
    asked->reject();
    QTRY_VERIFY_WITH_TIMEOUT(!dialog<TemplateSaveDialog>(), kPatience);
    save("ages", {"sex_x_age", "deck_embedding"});
    const QList<FeatureTemplate> all = templates().all();
    QCOMPARE(all.size(), 1);
    QCOMPARE(all.first().name, QString("ages"));
    const QByteArray& text = all.first().text;
    for (const char* column : {"age", "age_buckets", "sex_x_age", "deck", "deck_embedding"}) {
        QVERIFY2(text.contains(QByteArray("name: \"") + column + '"'), text.constData());
    }
    QCOMPARE(text.count("feature_column {"), 5);
    QVERIFY2(text.contains("linear_feature_columns: [\"deck\", \"age_buckets\", \"sex_x_age\"] "
                           "dnn_feature_columns: [\"deck_embedding\"]"),
             text.constData());
    QCOMPARE(this->text(), m_original);
}

void TstFeatureTemplates::aTemplateBringsItsColumnsBackInOneStep()
{
    save("ages", {"age_buckets", "age_scaled"});
    select("age");
    QTest::keyClick(table(), Qt::Key_Delete);
    QVERIFY(!text().contains("age_buckets"));
    QTRY_VERIFY_WITH_TIMEOUT(!document().field("feature_column[age_buckets]"), kPatience);
    select("age_scaled");
    QTest::keyClick(table(), Qt::Key_Delete);
    QTRY_VERIFY_WITH_TIMEOUT(!document().field("feature_column[age_scaled]"), kPatience);
    const QByteArray without = text();
    choose("ages", "template.apply");
    QVERIFY2(text().contains("name: \"age_buckets\" bucketized_column { source_column: \"age\" "
                             "boundaries: [6, 16, 25, 35, 50, 65] }"),
             text().constData());
    QVERIFY(text().contains("\"age_buckets\"]"));
    QTRY_VERIFY_WITH_TIMEOUT(document().field("feature_column[age_scaled]"), kPatience);
    document().undoStack()->undo();
    QCOMPARE(text(), without);
}

void TstFeatureTemplates::whatTheTableLacksIsMappedOrLeftOut()
{
    save("all of it", {"fare_scaled", "class", "class_indicator", "age_scaled"});
    for (const char* column : {"fare_scaled", "class", "age_scaled"}) {
        select(column);
        QTest::keyClick(table(), Qt::Key_Delete);
        const QString path = QStringLiteral("feature_column[%1]").arg(QLatin1String(column));
        QTRY_VERIFY_WITH_TIMEOUT(!document().field(path), kPatience);
    }
    choose("all of it", "template.apply");
    auto* asked = dialog<TemplateSourcesDialog>();
    QVERIFY(asked);
    auto* fare = asked->findChild<QComboBox*>("source.fare");
    auto* grade = asked->findChild<QComboBox*>("source.class");
    QVERIFY(fare && grade);
    QVERIFY(!asked->findChild<QComboBox*>("source.age"));
    // Instead of a number only another one, and never the label.
    QCOMPARE(fare->count(), 2);
    QCOMPARE(grade->findText("survived"), -1);
    fare->setCurrentText("age");
    QCOMPARE(grade->currentText(), QString("Leave Out"));
    asked->accept();
    QVERIFY2(text().contains("name: \"fare_scaled\" numeric_column { key: \"age\" normalizer { log "
                             "{ offset: 1 } } }"),
             text().constData());
    QVERIFY(text().contains("name: \"age_scaled\""));
    QVERIFY(!text().contains("class_indicator"));
}

void TstFeatureTemplates::whatIsThereAlreadyIsNotAddedAgain()
{
    save("sexes", {"sex", "sex_indicator"});
    choose("sexes", "template.apply");
    QCOMPARE(text(), m_original);
}

void TstFeatureTemplates::templatesAreRenamedAndDeleted()
{
    save("one", {"sex"});
    save("two", {"age"});
    choose("one", "template.rename");
    auto* field = dialog<TemplateNameDialog>()->findChild<QLineEdit*>("field.template_name");
    field->selectAll();
    QTest::keyClicks(field, "first");
    dialog<TemplateNameDialog>()->accept();
    QCOMPARE(templates().all().first().name, QString("first"));
    QVERIFY(!templates().rename("first", "two"));
    choose("two", "template.delete");
    QCOMPARE(templates().all().size(), 1);
    m_bench->context().toaster->undo();
    QCOMPARE(templates().all().size(), 2);
}

void TstFeatureTemplates::templatesOutliveTheProgram()
{
    const QString file = m_bench->folder() + "/own settings.ini";
    const FeatureTemplate kept{.name = "ä / b",
                               .text = "feature_column { name: \"a\\\"b\" }\n# words\n"};
    {
        Settings settings(file);
        FeatureTemplates(settings).save(kept);
    }
    Settings settings(file);
    QCOMPARE(FeatureTemplates(settings).all(), QList<FeatureTemplate>{kept});
}

CANNERY_TEST(TstFeatureTemplates)
#include "tst_feature_templates.moc"

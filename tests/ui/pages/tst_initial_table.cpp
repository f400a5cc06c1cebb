// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/features_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/models/runs/checkpoint_variables.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/widgets/button.h"

#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QListWidget>
#include <QTest>
#include <QUndoStack>

using cannery::tests::kPatience;
using cannery::ui::Button;
using cannery::ui::FieldEdit;
using cannery::ui::InitialTable;

namespace {

const QByteArray kVariables = R"({"kind": "checkpoint", "tensors": [
 {"name": "dnn/hiddenlayer_0/bias", "dtype": "float32", "shape": [64]},
 {"name": "dnn/input/deck_embedding/embedding_weights", "dtype": "float32", "shape": [8, 4]},
 {"name": "dnn/input/deck_embedding/embedding_weights/Adagrad", "dtype": "float32", "shape": [8, 4]},
 {"name": "dnn/input/town_embedding/embedding_weights", "dtype": "float32", "shape": [4, 2]},
 {"name": "doubles", "dtype": "float64", "shape": [8, 4]},
 {"name": "few", "dtype": "float32", "shape": [7, 4]},
 {"name": "global_step", "dtype": "int64", "shape": []},
 {"name": "training/Adagrad/dnn/input/deck_embedding/embedding_weights/accumulator",
  "dtype": "float32", "shape": [8, 4]}]})";

const QString kDeckTable = QStringLiteral("dnn/input/deck_embedding/embedding_weights");
const QString kCheckpointPath =
    QStringLiteral("feature_column[deck_embedding].embedding_column.ckpt_to_load_from");
const QString kTensorPath =
    QStringLiteral("feature_column[deck_embedding].embedding_column.tensor_name_in_ckpt");

} // namespace

/// A table of vectors that starts from a checkpoint.
class TstInitialTable : public cannery::tests::FeaturesBench
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { end(); }

    void variablesThatFitComeFirst();
    void aTableIsChosenFromARun();
    void withoutTheNumberOfRowsTheLengthDecides();
    void aCheckpointOfTensorFlowIsChosenAsAFile();
    void aTableThatNoLongerFitsSaysSo();
    void aCheckpointThatCannotBeReadSaysWhy();

private:
    template <typename Widget>
    Widget* part(const char* name) const
    {
        return inspector()->findChildren<Widget*>(QLatin1String(name)).last();
    }
    QListWidget* tables() const { return part<QListWidget>("list.initial_tables"); }
    QString words() const { return part<QLabel>("words.initial_table")->text(); }
    void open() const { part<Button>("button.initial_table")->click(); }
};

void TstInitialTable::init()
{
    start();
    m_bench->script("inspect", kVariables);
    m_bench->addFinishedRun(m_bench->session().project().folder(), "run-1");
    m_bench->session().runs().refresh();
    QTRY_COMPARE_WITH_TIMEOUT(m_bench->session().runs().snapshot()->runs.size(), 1, kPatience);
    select("deck_embedding");
}

void TstInitialTable::variablesThatFitComeFirst()
{
    const auto variables =
        cannery::ui::checkpointVariablesFromJson(QJsonDocument::fromJson(kVariables).object());
    QCOMPARE(variables.size(), 8);
    const QList<InitialTable> found = initialTables(variables, 8, 4);
    QCOMPARE(found[0].variable.name, kDeckTable);
    QCOMPARE(found[0].variable.shapeText(), QStringLiteral(u"8 × 4"));
    QCOMPARE(found[0].hindrance, QString());
    QStringList reasons;
    for (const InitialTable& table : found.mid(1)) {
        reasons << table.hindrance;
    }
    QCOMPARE(reasons,
             QStringList({"It is no table of vectors: its shape is 64.",
                          "An optimizer keeps it for " + kDeckTable + ".",
                          "Its vectors have 2 numbers, not 4.",
                          "Its numbers are float64, not float32.", "It has 7 vectors, not 8.",
                          "It is no table of vectors: its shape is a single number.",
                          "An optimizer keeps it for " + kDeckTable + "."}));
    QVERIFY(initialTables(variables, -1, 4)[1].hindrance.isEmpty());
}

void TstInitialTable::aTableIsChosenFromARun()
{
    QVERIFY(!m_bench->wasCalled("inspect"));
    QVERIFY(tables()->isHidden() || !tables()->isVisible());
    open();
    QTRY_COMPARE_WITH_TIMEOUT(tables()->count(), 8, kPatience);
    // The best checkpoint of the newest run.
    QVERIFY2(m_bench->lastCall("inspect").contains("/run-1/model.ckpt-100 --json"),
             qPrintable(m_bench->lastCall("inspect")));
    QCOMPARE(tables()->currentRow(), 0);
    QVERIFY(tables()->item(0)->text().startsWith(kDeckTable));
    QCOMPARE(tables()->item(1)->flags(), Qt::NoItemFlags);
    QVERIFY(tables()->item(3)->toolTip().endsWith("Its vectors have 2 numbers, not 4."));
    QCOMPARE(words(), QString("The table starts at random."));
    // Another checkpoint of it.
    auto* steps = part<QComboBox>("field.checkpoint");
    steps->setCurrentIndex(steps->count() - 2);
    QTRY_VERIFY2_WITH_TIMEOUT(m_bench->lastCall("inspect").contains("model.ckpt-200"),
                              qPrintable(m_bench->lastCall("inspect")), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(tables()->count(), 8, kPatience);
    tables()->setFocus();
    QTest::keyClick(tables(), Qt::Key_Return);
    QVERIFY2(text().contains("dimension: 4 ckpt_to_load_from: \"runs/run-1/model.ckpt-200\" "
                             "tensor_name_in_ckpt: \"" +
                             kDeckTable.toUtf8() + "\""),
             text().constData());
    QTRY_VERIFY2_WITH_TIMEOUT(
        words().contains("from " + kDeckTable + " in runs/run-1/model.ckpt-200"),
        qPrintable(words()), kPatience);
    QVERIFY(!part<Button>("button.use_table")->isEnabled());
    undoAll();
    QTRY_COMPARE_WITH_TIMEOUT(words(), QString("The table starts at random."), kPatience);
    // And no longer.
    QTest::mouseClick(part<Button>("button.use_table"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(document().value(kTensorPath), kDeckTable, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(part<Button>("button.use_no_table")->isVisibleTo(inspector()),
                             kPatience);
    QTest::mouseClick(part<Button>("button.use_no_table"), Qt::LeftButton);
    QCOMPARE(text(), m_original);
    QCOMPARE(document().undoStack()->undoText(), QString("Start at random"));
}

void TstInitialTable::withoutTheNumberOfRowsTheLengthDecides()
{
    // The words of a file that nothing has counted yet.
    const QString column = "feature_column[deck].categorical_column_with_vocabulary_";
    QVERIFY(document().apply(
        "File",
        {FieldEdit::remove(column + "list"),
         FieldEdit::set(column + "file", "{ key: \"deck\" vocabulary_file: \"decks.txt\" }")}));
    QTRY_VERIFY_WITH_TIMEOUT(
        document().field("feature_column[deck].categorical_column_with_vocabulary_file"),
        kPatience);
    open();
    QTRY_VERIFY2_WITH_TIMEOUT(tables()->count() == 8,
                              qPrintable(part<QLabel>("words.listed_checkpoint")->text()),
                              kPatience);
    QVERIFY(tables()->item(1)->text().startsWith("few"));
    QVERIFY(tables()->item(1)->flags() != Qt::NoItemFlags);
}

void TstInitialTable::aCheckpointOfTensorFlowIsChosenAsAFile()
{
    open();
    QTRY_COMPARE_WITH_TIMEOUT(tables()->count(), 8, kPatience);
    const QString folder = m_bench->folder() + "/model_dir";
    QVERIFY(QDir().mkpath(folder));
    for (const char* name : {"/checkpoint", "/model.ckpt-7.index"}) {
        QFile file(folder + QLatin1String(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
    }
    const auto choose = [&](const QString& file) {
        part<Button>("button.other_checkpoint")->click();
        auto* dialog = inspector()->findChildren<QFileDialog*>("dialog.other_checkpoint").last();
        Q_EMIT dialog->fileSelected(folder + file);
        dialog->close();
    };
    choose("/model.ckpt-7.index");
    QTRY_COMPARE_WITH_TIMEOUT(m_bench->lastCall("inspect"),
                              "inspect " + folder + "/model.ckpt-7 --json", kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(tables()->count(), 8, kPatience);
    choose("/checkpoint");
    QTRY_COMPARE_WITH_TIMEOUT(m_bench->lastCall("inspect"), "inspect " + folder + " --json",
                              kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(tables()->count(), 8, kPatience);
    QTest::mouseClick(part<Button>("button.use_table"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(document().value(kCheckpointPath), folder, kPatience);
    undoAll();
}

void TstInitialTable::aTableThatNoLongerFitsSaysSo()
{
    open();
    QTRY_COMPARE_WITH_TIMEOUT(tables()->count(), 8, kPatience);
    QTest::mouseClick(part<Button>("button.use_table"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(words().contains(kDeckTable), kPatience);
    QVERIFY(!words().contains("not"));
    document().setValue("feature_column[deck_embedding].embedding_column.dimension", "6");
    QTRY_VERIFY2_WITH_TIMEOUT(words().endsWith("Its vectors have 4 numbers, not 6."),
                              qPrintable(words()), kPatience);
    QCOMPARE(tables()->currentRow(), -1);
    QVERIFY(!part<Button>("button.use_table")->isEnabled());
    document().setValue(kTensorPath, "\"gone\"");
    QTRY_VERIFY2_WITH_TIMEOUT(words().endsWith("There is no such variable in it."),
                              qPrintable(words()), kPatience);
    // What is set is listed when the column is selected again.
    select("sex");
    select("deck_embedding");
    QVERIFY(tables()->isVisibleTo(inspector()) || m_bench->wasCalled("inspect"));
    QTRY_COMPARE_WITH_TIMEOUT(tables()->count(), 8, kPatience);
}

void TstInitialTable::aCheckpointThatCannotBeReadSaysWhy()
{
    m_bench->script("inspect",
                    R"({"error": {"id": "tf.table_bad", "sentence": "The index is damaged."}})", 5);
    open();
    auto* title = part<QLabel>("words.listed_checkpoint");
    QTRY_COMPARE_WITH_TIMEOUT(title->text(), QString("The index is damaged."), kPatience);
    QCOMPARE(tables()->count(), 0);
    QVERIFY(!part<Button>("button.use_table")->isEnabled());
}

CANNERY_TEST(TstInitialTable)
#include "tst_initial_table.moc"

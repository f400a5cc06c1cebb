// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/document/field_schema.h"
#include "ui/editing/feature_list_model.h"
#include "ui/widgets/button.h"

#include <QAction>
#include <QFile>
#include <QFileDialog>
#include <QItemSelectionModel>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QTableView>
#include <QTest>
#include <QUndoStack>

#include <algorithm>
#include <memory>

using cannery::tests::kPatience;
using cannery::tests::PageBench;
using cannery::ui::Button;
using cannery::ui::FeatureListModel;

namespace {

const QByteArray kKinds = R"(name: "kinds"
data {
  train { csv { files: "titanic_train.csv" } }
  label { column: "survived" }
}
feature_column { name: "age" numeric_column { key: "age" } }
feature_column { name: "sex" categorical_column_with_vocabulary_list { key: "sex" vocabulary_list: ["male", "female"] } }
feature_column { name: "alone" categorical_column_with_vocabulary_list { key: "alone" vocabulary_list: ["y", "n"] } }
estimator {
  dnn_linear_combined_classifier {
    linear_feature_columns: ["alone"]
    dnn_feature_columns: ["age"]
    dnn_hidden_units: [4]
  }
}
train_spec { max_steps: 1 input { batch_size: 8 } }
)";

/// For the kinds of sequences.
const QByteArray kSequences = R"(name: "kinds"
data {
  train { csv { files: "visits.csv" } }
  label { column: "ordered" }
  feature { name: "page" split { column: "pages" } }
  feature { name: "stay" split { column: "seconds" dtype: int64 } }
}
feature_column { name: "steps" sequence_categorical_column_with_vocabulary_list { key: "page" vocabulary_list: ["home", "cart"] } }
feature_column { name: "read" indicator_column { categorical_column: "steps" } }
estimator { rnn_classifier { units: 4 sequence_feature_columns: ["read"] } }
train_spec { max_steps: 1 input { batch_size: 8 } }
)";

const QByteArray kVisits = "device,pages,seconds,ordered\n"
                           "phone,home|help|cart,3|8|5,1\n"
                           "tablet,home|cart,2|7,0\n";

struct KindRow
{
    const char* kind;
    const char* raw;     ///< selected in the table
    const char* feature; ///< selected after that
    const char* made;
    const char* editor; ///< its own, or one of the fields of its form
    const char* encoded;
};

/// The first row: male, 22 years, 7.25 pounds, no children or parents, third class.
constexpr KindRow kRows[] = {
    {"numeric_column", "fare", "", "fare", "plot.normalizer", "fare: 7.25"},
    {"bucketized_column", "fare", "", "fare_buckets", "editor.buckets", "fare_bucketized: id 0"},
    {"categorical_column_with_vocabulary_list", "class", "", "class", "editor.vocabulary",
     "class: id 0"},
    {"categorical_column_with_vocabulary_file", "class", "", "class", "panel.vocabulary_file", ""},
    {"categorical_column_with_hash_bucket", "deck", "", "deck", "editor.hash", "deck: id "},
    {"categorical_column_with_identity", "parch", "", "parch", "field.*.num_buckets",
     "parch: id 0"},
    {"crossed_column", "class", "sex", "sex_x_class", "editor.cross", "class_X_sex: id "},
    {"weighted_categorical_column", "fare", "sex", "sex_weighted_categorical",
     "field.*.weight_feature_key", "sex_weighted_by_fare: id 0 × 7.25"},
    {"indicator_column", "", "sex", "sex_indicator", "field.*.categorical_column", "sex: id 0"},
    {"embedding_column", "", "sex", "sex_embedding", "choice.initial_table", "sex: id 0"},
    {"shared_embeddings", "", "sex", "sex_shared_embeddings", "editor.group", "sex: id 0"},
    {"sequence_numeric_column", "seconds", "", "stay", "plot.normalizer", "stay: 3, 8, 5"},
    {"sequence_categorical_column_with_vocabulary_list", "pages", "", "page", "editor.vocabulary",
     ""},
    {"sequence_categorical_column_with_vocabulary_file", "pages", "", "page",
     "panel.vocabulary_file", ""},
    {"sequence_categorical_column_with_hash_bucket", "pages", "", "page", "editor.hash", ""},
    {"sequence_categorical_column_with_identity", "seconds", "", "stay", "field.*.num_buckets", ""},
};

bool isOfSequences(const QByteArray& kind)
{
    return kind.startsWith("sequence_");
}

bool write(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
}

} // namespace

/// Every kind of feature column, made on the page and encoded by the engine.
class TstEveryKind : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();

    void rowsNameEveryKind();
    void isMadeEditedAndEncoded_data();
    void isMadeEditedAndEncoded();
    void aMissingVocabularyIsRebuiltFromTheData();
    void aVocabularyIsLocated();

private:
    cannery::ui::ExperimentDocument& document() const { return m_bench->session().document(); }
    template <typename Widget>
    Widget* inInspector(const char* name) const
    {
        const auto found = m_page->inspector()->findChildren<Widget*>(QLatin1String(name));
        return found.isEmpty() ? nullptr : found.last();
    }
    QStringList encoded(const char* name) const;
    QString selected() const;
    void make(const QString& kind, const QString& raw, const QString& feature);

    std::unique_ptr<PageBench> m_bench;
    cannery::ui::Page* m_page = nullptr;
    QByteArray m_text; ///< of the experiment
};

void TstEveryKind::init()
{
    m_bench = std::make_unique<PageBench>();
    m_bench->scriptReal("preview");
    const bool isSequence = isOfSequences(QTest::currentDataTag());
    m_text = isSequence ? kSequences : kKinds;
    const QString example = isSequence ? "visits" : "titanic";
    const QString folder = m_bench->copyExample(example);
    QVERIFY(write(folder + "/" + example + ".cannery", m_text));
    QVERIFY(!isSequence || write(folder + "/visits.csv", kVisits));
    m_page = m_bench->page("features");
    m_bench->open(folder);
    QTRY_COMPARE_WITH_TIMEOUT(m_page->findChild<QListWidget*>("list.columns")->count(),
                              isSequence ? 3 : 9, kPatience);
    m_page->inspector()->show();
}

void TstEveryKind::cleanup()
{
    m_bench.reset();
    m_page = nullptr;
}

/// What blocks of the encoded row say.
QStringList TstEveryKind::encoded(const char* name) const
{
    QStringList words;
    for (const QWidget* block : m_page->findChildren<QWidget*>(QLatin1String(name))) {
        words << block->accessibleName();
    }
    return words;
}

QString TstEveryKind::selected() const
{
    auto* table = m_page->findChild<QTableView*>("table.features");
    const auto* feature =
        qobject_cast<FeatureListModel*>(table->model())->at(table->currentIndex().row());
    return feature ? feature->name : QString();
}

void TstEveryKind::make(const QString& kind, const QString& raw, const QString& feature)
{
    auto* columns = m_page->findChild<QListWidget*>("list.columns");
    if (!raw.isEmpty()) {
        columns->setCurrentItem(columns->findItems(raw, Qt::MatchExactly).value(0));
        QVERIFY(columns->currentItem());
    }
    if (!feature.isEmpty()) {
        m_page->reveal("feature:" + feature);
    }
    auto* menu = m_page->findChild<QMenu*>("menu.add_feature_column");
    Q_EMIT menu->aboutToShow();
    auto* offer = menu->findChild<QAction*>("offer." + kind);
    QVERIFY(offer);
    QVERIFY2(offer->isEnabled(), qPrintable(offer->toolTip()));
    offer->trigger();
}

void TstEveryKind::isMadeEditedAndEncoded_data()
{
    for (const char* column : {"raw", "feature", "made", "editor", "encoded"}) {
        QTest::addColumn<QString>(column);
    }
    for (const KindRow& row : kRows) {
        QTest::newRow(row.kind) << QString(row.raw) << QString(row.feature) << QString(row.made)
                                << QString(row.editor) << QString(row.encoded);
    }
}

/// A new kind gets its row.
void TstEveryKind::rowsNameEveryKind()
{
    QStringList kinds;
    const auto schema = cannery::ui::messageSchema("feature_column[0]");
    for (const cannery::ui::FieldSchema& kind : schema->members()) {
        kinds << kind.name;
    }
    QStringList rows;
    for (const KindRow& row : kRows) {
        rows << QString(row.kind);
    }
    QCOMPARE(rows, kinds);
}

void TstEveryKind::isMadeEditedAndEncoded()
{
    QFETCH(QString, raw);
    QFETCH(QString, feature);
    QFETCH(QString, made);
    QFETCH(QString, editor);
    QFETCH(QString, encoded);
    const QString kind = QTest::currentDataTag();
    make(kind, raw, feature);
    QCOMPARE(document().undoStack()->count(), 1);
    QTRY_COMPARE_WITH_TIMEOUT(selected(), made, kPatience);
    QCOMPARE(memberOf(document(), "feature_column[" + made + "]"), kind);
    QVERIFY(!document().problems().hasErrors());
    const QString path = "feature_column[" + made + "]." + kind;
    const QString name = editor.replace("*", path);
    QVERIFY2(inInspector<QWidget>(qPrintable(name)), qPrintable(name));
    QVERIFY(inInspector<QWidget>(qPrintable("form." + path)));
    const auto isEncoded = [&] {
        const QStringList words = this->encoded("encoded.chosen");
        return std::any_of(words.begin(), words.end(),
                           [&](const QString& word) { return word.startsWith(encoded); });
    };
    if (!encoded.isEmpty()) {
        QTRY_VERIFY2_WITH_TIMEOUT(isEncoded(),
                                  qPrintable(this->encoded("encoded.chosen").join(" | ") + " of " +
                                             this->encoded("encoded.input").join(" | ")),
                                  kPatience);
    }
    document().undoStack()->undo();
    QCOMPARE(document().text().toUtf8(), m_text);
}

void TstEveryKind::aMissingVocabularyIsRebuiltFromTheData()
{
    make("categorical_column_with_vocabulary_file", "class", {});
    QTRY_COMPARE_WITH_TIMEOUT(selected(), QString("class"), kPatience);
    auto* words = inInspector<QLabel>("words.vocabulary_file");
    // The rest is shown, and the column says what is wrong with it.
    QTRY_VERIFY2_WITH_TIMEOUT(words->text().contains("class.txt: No such file"),
                              qPrintable(words->text()), kPatience);
    QVERIFY(this->encoded("encoded.input").contains("age: 22"));
    QVERIFY(m_page->findChild<QLabel*>("words.unencoded")->text().startsWith("Not shown: class. "));
    QCOMPARE(m_page->findChild<QListWidget*>("list.columns")->count(), 9);
    QTest::mouseClick(inInspector<Button>("button.rebuild_vocabulary"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(this->encoded("encoded.chosen"), QStringList("class: id 0"),
                              kPatience);
    QVERIFY(m_page->findChild<QLabel*>("words.unencoded")->isHidden());
    QFile file(m_bench->session().project().folder() + "/class_words.txt");
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray("Third\nFirst\nSecond\n"));
    // A number of words that the file has not.
    const QString path = "feature_column[class].categorical_column_with_vocabulary_file";
    document().setValue(path + ".vocabulary_size", "5");
    QTRY_VERIFY2_WITH_TIMEOUT(words->text().contains("has vocabulary_size 5, but"),
                              qPrintable(words->text()), kPatience);
    const int before = document().undoStack()->count();
    QTest::mouseClick(inInspector<Button>("button.rebuild_vocabulary"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(document().value(path + ".vocabulary_file"),
                              QString("class_words_2.txt"), kPatience);
    QVERIFY(document().field(path + ".vocabulary_size") == nullptr ||
            document().field(path + ".vocabulary_size")->isDefault);
    QCOMPARE(document().undoStack()->count(), before + 1);
    QTRY_COMPARE_WITH_TIMEOUT(this->encoded("encoded.chosen"), QStringList("class: id 0"),
                              kPatience);
}

void TstEveryKind::aVocabularyIsLocated()
{
    make("categorical_column_with_vocabulary_file", "class", {});
    QTRY_COMPARE_WITH_TIMEOUT(selected(), QString("class"), kPatience);
    QFile file(m_bench->folder() + "/classes.txt");
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("First\nSecond\nThird\n") > 0);
    file.close();
    QTest::mouseClick(inInspector<Button>("button.locate_vocabulary"), Qt::LeftButton);
    auto* dialog = m_page->inspector()->findChild<QFileDialog*>("dialog.locate_vocabulary");
    QVERIFY(dialog);
    Q_EMIT dialog->fileSelected(file.fileName());
    dialog->close();
    QTRY_COMPARE_WITH_TIMEOUT(this->encoded("encoded.chosen"), QStringList("class: id 2"),
                              kPatience);
}

CANNERY_TEST(TstEveryKind)
#include "tst_every_kind.moc"

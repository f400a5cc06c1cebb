// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/document/experiment_reading.h"
#include "ui/document/field_edit.h"
#include "ui/document/field_tree.h"

#include <QFile>
#include <QTest>

#include <algorithm>
#include <functional>

using namespace cannery::ui;

namespace {

QByteArray titanic()
{
    QFile file(QStringLiteral(CANNERY_SOURCE_DIR "/resources/examples/titanic/titanic.cannery"));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QByteArray changed(const QByteArray& text, const char* path, const char* value)
{
    QString error;
    const auto change = editChange(
        text, {FieldEdit::set(QString::fromLatin1(path), QString::fromLatin1(value))}, error);
    return change ? change->applied(text) : error.toUtf8();
}

} // namespace

class TstExperimentReading : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyFieldHasALabelAndAHelp();
    void valuesStandAsWritten();
    void defaultsAreMarked();
    void elementsAreFoundByNameAndByIndex();
    void namesAreFoundByWhatTheyName();
    void problemsNameThePageThatMendsThem();
    void aMissingLabelBelongsToTheDataPage();
    void aBrokenTextIsReadAsFarAsItGoes();
    void aStringNeedsNoQuotes();
    void aChangeAndItsInverseGiveTheSameBytes();
    void whatCannotBeWrittenIsRefusedWithASentence();
    void aTableMovesWithItsKindOfSource_data();
    void aTableMovesWithItsKindOfSource();
};

void TstExperimentReading::everyFieldHasALabelAndAHelp()
{
    const ExperimentReadingPtr reading = readExperiment(titanic(), QStringLiteral("a.cannery"));
    QVERIFY(reading->problems.isEmpty());
    QCOMPARE(reading->name, QStringLiteral("Titanic, wide and deep"));
    const std::function<void(const FieldNode&)> visit = [&](const FieldNode& node) {
        for (const FieldNode& child : node.children) {
            QVERIFY2(!child.label.isEmpty() && !child.help.isEmpty() && !child.type.isEmpty(),
                     qPrintable(child.path));
            QCOMPARE(findField(reading->root, child.path.toStdString()), &child);
            visit(child);
        }
    };
    visit(reading->root);
    QVERIFY(reading->root.children.size() > 5);
}

void TstExperimentReading::valuesStandAsWritten()
{
    const ExperimentReadingPtr reading = readExperiment(
        "name: \"A\" # so\ntrain_spec { max_steps: 2000 input { batch_size: 0x20 } }\n"
        "estimator { dnn_classifier { hidden_units: [64, 32] n_classes: 2\n"
        "  optimizer { adam { learning_rate: 1e-3 } } } }\n",
        {});
    const auto text = [&](const char* path) {
        const FieldNode* node = findField(reading->root, path);
        return node ? node->text : QStringLiteral("absent");
    };
    QCOMPARE(text("name"), QStringLiteral("A"));
    QCOMPARE(text("train_spec.input.batch_size"), QStringLiteral("0x20"));
    QCOMPARE(text("estimator.dnn_classifier.hidden_units"), QStringLiteral("64, 32"));
    QCOMPARE(text("estimator.dnn_classifier.hidden_units[1]"), QStringLiteral("32"));
    QCOMPARE(text("estimator.dnn_classifier.optimizer.adam.learning_rate"), QStringLiteral("1e-3"));
    QCOMPARE(text("estimator.linear_classifier"), QStringLiteral("absent"));
    QCOMPARE(findField(reading->root, "train_spec.max_steps")->line, 2);
}

void TstExperimentReading::defaultsAreMarked()
{
    const ExperimentReadingPtr reading = readExperiment(titanic(), {});
    const FieldNode* steps = findField(reading->root, "train_spec.max_steps");
    QVERIFY(steps && !steps->isDefault && steps->line > 0);
    const FieldNode* summary = findField(reading->root, "run_config.keep_checkpoint_max");
    QVERIFY(summary && summary->isDefault && summary->line == 0);
    QCOMPARE(summary->text, QStringLiteral("5"));
}

void TstExperimentReading::elementsAreFoundByNameAndByIndex()
{
    const ExperimentReadingPtr reading = readExperiment(titanic(), {});
    const FieldNode* columns = findField(reading->root, "feature_column");
    QVERIFY(columns && columns->isRepeated && columns->children.size() > 3);
    const FieldNode& first = columns->children.first();
    QCOMPARE(first.path, QStringLiteral("feature_column[%1]").arg(first.name));
    QCOMPARE(findField(reading->root, "feature_column[0]"), &first);
    QCOMPARE(findField(reading->root, "feature_column[99]"), nullptr);
}

void TstExperimentReading::namesAreFoundByWhatTheyName()
{
    const ExperimentReadingPtr reading = readExperiment(
        "data { train { csv { files: \"a.csv\" files: \"b.csv\" } } key_column: \"id\"\n"
        "  label { columns { column: [\"y\", \"z\"] } } }\n"
        "feature_column { name: \"x\" numeric_column { key: \"age\" } }\n"
        "estimator { linear_regressor { feature_columns: [\"x\"] } }\n",
        {});
    const FieldNode& root = reading->root;
    QCOMPARE(root.namesOf({FieldNames::File}), QStringList({"a.csv", "b.csv"}));
    QCOMPARE(root.namesOf({FieldNames::FeatureColumn}), QStringList("x"));
    QCOMPARE(findField(root, "data.label")->namesOf({FieldNames::Column}), QStringList({"y", "z"}));
    QStringList both = root.namesOf({FieldNames::Column, FieldNames::Feature});
    both.sort();
    QCOMPARE(both, QStringList({"age", "id", "y", "z"}));
    for (const FieldNode* node : root.naming({FieldNames::File})) {
        QVERIFY2(node->path.startsWith(QLatin1String("data.train.csv.files[")),
                 qPrintable(node->path));
    }
}

void TstExperimentReading::problemsNameThePageThatMendsThem()
{
    const QByteArray text = changed(titanic(), "train_spec.input.batch_size", "0");
    const ExperimentReadingPtr reading = readExperiment(text, QStringLiteral("b.cannery"));
    QCOMPARE(reading->problems.size(), 1);
    const ProblemRow& problem = reading->problems.first();
    QCOMPARE(problem.path, QStringLiteral("train_spec.input.batch_size"));
    QCOMPARE(problem.page, QStringLiteral("model"));
    QCOMPARE(problem.level, ProblemRow::Level::Error);
    QVERIFY(problem.line > 0 && problem.column > 0 && !problem.id.isEmpty());
    QVERIFY(problem.sentence.endsWith(u'.'));
    QCOMPARE(pageOfField(QStringLiteral("feature_column[age].numeric_column")),
             QStringLiteral("features"));
    QCOMPARE(pageOfField(QStringLiteral("data.label")), QStringLiteral("data"));
}

void TstExperimentReading::aMissingLabelBelongsToTheDataPage()
{
    const QByteArray text = changed(titanic(), "data.label", "");
    const ExperimentReadingPtr reading = readExperiment(text, {});
    QVERIFY(!reading->problems.isEmpty());
    QCOMPARE(reading->problems.first().path, QStringLiteral("data.label"));
    QCOMPARE(reading->problems.first().page, QStringLiteral("data"));
}

void TstExperimentReading::aBrokenTextIsReadAsFarAsItGoes()
{
    const ExperimentReadingPtr reading = readExperiment(
        "name: \"Broken\"\nfeature_column { name: \"a\" numeric_column { key: } }\n", {});
    QCOMPARE(reading->name, QStringLiteral("Broken"));
    const auto ofText = std::find_if(reading->problems.begin(), reading->problems.end(),
                                     [](const ProblemRow& problem) { return problem.line == 2; });
    QVERIFY(ofText != reading->problems.end());
    QCOMPARE(ofText->page, QStringLiteral("features"));
}

void TstExperimentReading::aStringNeedsNoQuotes()
{
    const QByteArray text = "name: 'Old' # kept\n";
    QCOMPARE(changed(text, "name", "New one"), QByteArray("name: \"New one\" # kept\n"));
    QCOMPARE(changed(text, "name", "\"Quoted\""), QByteArray("name: \"Quoted\" # kept\n"));
    QCOMPARE(renamedExperiment(text, QStringLiteral("Ümlaut \"x\"")),
             QByteArray("name: \"Ümlaut \\\"x\\\"\" # kept\n"));
}

void TstExperimentReading::aChangeAndItsInverseGiveTheSameBytes()
{
    const QByteArray text = titanic();
    QString error;
    for (const char* path : {"train_spec.max_steps", "run_config.tf_random_seed"}) {
        const auto change = editChange(
            text, {FieldEdit::set(QString::fromLatin1(path), QStringLiteral("7"))}, error);
        QVERIFY2(change, qPrintable(error));
        const QByteArray after = change->applied(text);
        QVERIFY(after != text);
        QCOMPARE(change->inverse(text).applied(after), text);
    }
}

void TstExperimentReading::whatCannotBeWrittenIsRefusedWithASentence()
{
    QString error;
    QVERIFY(!editChange(
        titanic(), {FieldEdit::set(QStringLiteral("no_such_field"), QStringLiteral("7"))}, error));
    QVERIFY(error.contains(QLatin1String("no_such_field")));
    error.clear();
    QVERIFY(!editChange(titanic(),
                        {FieldEdit::set(QStringLiteral("train_spec"), QStringLiteral("{ input {"))},
                        error));
    QVERIFY(!error.isEmpty());
}

void TstExperimentReading::aTableMovesWithItsKindOfSource_data()
{
    QTest::addColumn<QByteArray>("before");
    QTest::addColumn<QByteArray>("after");
    QTest::newRow("CSV") << QByteArray("data { train { csv { files: \"a.csv\" } } }")
                         << QByteArray("data { train { csv { files: [\"../b\"] } } }");
    QTest::newRow("SQLite")
        << QByteArray("data { train { sqlite { file: \"a.db\" table: \"t\" } } }")
        << QByteArray("data { train { sqlite { file: \"../b\" table: \"t\" } } }");
    QTest::newRow("splits of a folder")
        << QByteArray("data {\n  train { tfrecord { files: \"a\" split: \"train\" } }\n"
                      "  eval { tfrecord { files: \"a\" split: \"eval\" } }\n}")
        << QByteArray("data {\n  train { tfrecord { files: [\"../b\"] split: \"train\" } }\n"
                      "  eval { tfrecord { files: [\"../b\"] split: \"eval\" } }\n}");
    QTest::newRow("no source") << QByteArray("data { }") << QByteArray("data { }");
}

void TstExperimentReading::aTableMovesWithItsKindOfSource()
{
    QFETCH(QByteArray, before);
    QFETCH(QByteArray, after);
    QCOMPARE(withTable(before, QStringLiteral("../b")), after);
}

CANNERY_TEST(TstExperimentReading)
#include "tst_experiment_reading.moc"

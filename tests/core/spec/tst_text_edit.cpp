// SPDX-License-Identifier: Apache-2.0
#include "core/spec/text/parsed_experiment.h"
#include "core/spec/text/text_edit.h"
#include "core/spec/text/text_reader.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::spec;

namespace {

const std::string kEdited = R"(# A comment.
data {
  train { csv { files: "a.csv" } }  # the rows
  # What is predicted.
  label { column: "y" }
}
feature_column { name: "age" numeric_column { key: "age" } }
# Sexes.
feature_column { name: "sex" indicator_column { categorical_column: "s" } }
estimator {
  linear_classifier {
    feature_columns: ["age", "sex"]  # both
    n_classes: 2
  }
}
)";

enum class Action
{
    Set,
    Insert,
    Clear,
};

} // namespace
Q_DECLARE_METATYPE(Action)

class TstTextEdit : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void changesOnlyWhatIsMeant_data();
    void changesOnlyWhatIsMeant();
    void refuses_data();
    void refuses();
    void fillsAnEmptyText();
    void keepsWindowsLineBreaks();
};

void TstTextEdit::changesOnlyWhatIsMeant_data()
{
    QTest::addColumn<Action>("action");
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("before"); // part of the text
    QTest::addColumn<QString>("after");
    const auto row = [](const char* name, Action action, const char* path, const char* value,
                        const char* before, const char* after) {
        QTest::newRow(name) << action << QString(path) << QString(value) << QString(before)
                            << QString(after);
    };
    row("scalar", Action::Set, "estimator.linear_classifier.n_classes", "3", "n_classes: 2",
        "n_classes: 3");
    row("text by name", Action::Set, "feature_column[age].numeric_column.key", "\"years\"",
        "key: \"age\"", "key: \"years\"");
    row("element", Action::Set, "estimator.linear_classifier.feature_columns[1]", "\"job\"",
        "\"age\", \"sex\"", "\"age\", \"job\"");
    row("whole list", Action::Set, "estimator.linear_classifier.feature_columns", "[\"a\"]",
        "[\"age\", \"sex\"]  #", "[\"a\"]  #");
    row("appended element", Action::Set, "estimator.linear_classifier.feature_columns[2]",
        "\"job\"", "\"sex\"]", "\"sex\", \"job\"]");
    row("single value becomes a list", Action::Set, "data.train.csv.files[1]", "\"b.csv\"",
        "files: \"a.csv\"", "files: [\"a.csv\", \"b.csv\"]");
    row("absent field on its own line", Action::Set, "estimator.linear_classifier.sparse_combiner",
        "mean", "    n_classes: 2\n", "    n_classes: 2\n    sparse_combiner: mean\n");
    row("absent field within a line", Action::Set, "data.train.csv.header", "true",
        "files: \"a.csv\" }", "files: \"a.csv\" header: true }");
    row("in the schema's order", Action::Set, "data.eval", "csv { files: \"b\" }", "# the rows\n",
        "# the rows\n  eval { csv { files: \"b\" } }\n");
    row("behind a trailing comment", Action::Set, "estimator.linear_classifier.label_vocabulary",
        "[\"a\", \"b\"]", "n_classes: 2\n", "n_classes: 2\n    label_vocabulary: [\"a\", \"b\"]\n");
    row("absent messages", Action::Set, "estimator.linear_classifier.optimizer.sgd.momentum", "0.9",
        "n_classes: 2\n", "n_classes: 2\n    optimizer { sgd { momentum: 0.9 } }\n");
    row("at the end of the file", Action::Set, "run_config.threads", "2", "  }\n}\n",
        "  }\n}\nrun_config { threads: 2 }\n");
    row("at the beginning", Action::Set, "name", "\"n\"", "data {\n", "name: \"n\"\ndata {\n");
    row("another member of a oneof", Action::Set, "feature_column[sex].embedding_column",
        "{ categorical_column: \"s\" dimension: 2 }",
        "indicator_column { categorical_column: \"s\" }",
        "embedding_column { categorical_column: \"s\" dimension: 2 }");
    row("new column", Action::Set, "feature_column[2]", "name: \"x\"", "\"s\" } }\n",
        "\"s\" } }\nfeature_column { name: \"x\" }\n");
    row("inserted above its comment", Action::Insert, "feature_column[1]", "name: \"x\"",
        "# Sexes.\n", "feature_column { name: \"x\" }\n# Sexes.\n");
    row("inserted element", Action::Insert, "estimator.linear_classifier.feature_columns[0]",
        "\"x\"", "[\"age\"", "[\"x\", \"age\"");
    row("cleared line", Action::Clear, "estimator.linear_classifier.n_classes", "",
        "    n_classes: 2\n", "");
    row("cleared with its comment", Action::Clear, "estimator.linear_classifier.feature_columns",
        "", "    feature_columns: [\"age\", \"sex\"]  # both\n", "");
    row("cleared first element", Action::Clear, "estimator.linear_classifier.feature_columns[0]",
        "", "[\"age\", \"sex\"]", "[\"sex\"]");
    row("cleared last element", Action::Clear, "estimator.linear_classifier.feature_columns[1]", "",
        "[\"age\", \"sex\"]", "[\"age\"]");
    row("cleared within a line", Action::Clear, "feature_column[age].name", "", " name: \"age\"",
        "");
    row("cleared column", Action::Clear, "feature_column[sex]", "",
        "feature_column { name: \"sex\" indicator_column { categorical_column: \"s\" } }\n", "");
}

void TstTextEdit::changesOnlyWhatIsMeant()
{
    QFETCH(Action, action);
    QFETCH(QString, path);
    QFETCH(QString, value);
    QFETCH(QString, before);
    QFETCH(QString, after);
    const SyntaxTree tree = readText(kEdited).tree;
    const auto parsedPath = parsePath(path.toStdString());
    VERIFY_OK(parsedPath);
    const std::string written = value.toStdString();
    const auto edit = action == Action::Set      ? setFieldEdit(tree, *parsedPath, written)
                      : action == Action::Insert ? insertElementEdit(tree, *parsedPath, written)
                                                 : clearFieldEdit(tree, *parsedPath);
    VERIFY_OK(edit);
    const std::string edited = applyEdit(kEdited, *edit);
    QString expected = QString::fromStdString(kEdited);
    const qsizetype at =
        path == "run_config.threads" ? expected.lastIndexOf(before) : expected.indexOf(before);
    QVERIFY(at >= 0);
    expected.replace(at, before.size(), after);
    QCOMPARE(QString::fromStdString(edited), expected);
    QCOMPARE(applyEdit(edited, inverseEdit(kEdited, *edit)), kEdited);
    QVERIFY(parseExperiment(edited).problems.empty());
}

void TstTextEdit::refuses_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("id");
    QTest::newRow("unknown") << "estimator.x"
                             << "1"
                             << "spec.unknown_field";
    QTest::newRow("malformed") << "name"
                               << "\"a"
                               << "spec.value_not_writable";
    QTest::newRow("two values") << "name"
                                << "\"a\" x: 3"
                                << "spec.value_not_writable";
    QTest::newRow("break-out") << "estimator.linear_classifier"
                               << "} name: \"x\" {"
                               << "spec.value_not_writable";
    QTest::newRow("separator behind the value") << "name"
                                                << "\"a\","
                                                << "spec.value_not_writable";
    QTest::newRow("decimal comma") << "train_spec.max_steps"
                                   << "007,"
                                   << "spec.not_one_number";
    QTest::newRow("octal") << "train_spec.max_steps"
                           << "010"
                           << "spec.octal_number";
    QTest::newRow("no element") << "feature_column[9].name"
                                << "\"a\""
                                << "spec.no_such_element";
    QTest::newRow("no name") << "feature_column[x].name"
                             << "\"a\""
                             << "spec.no_such_element";
    QTest::newRow("other estimator") << "estimator.dnn_classifier.dropout"
                                     << "0.5"
                                     << "spec.other_member_set";
}

void TstTextEdit::refuses()
{
    QFETCH(QString, path);
    QFETCH(QString, value);
    QFETCH(QString, id);
    const auto parsedPath = parsePath(path.toStdString());
    VERIFY_OK(parsedPath);
    VERIFY_ERROR(setFieldEdit(readText(kEdited).tree, *parsedPath, value.toStdString()), id);
}

void TstTextEdit::fillsAnEmptyText()
{
    std::string text;
    const std::vector<std::pair<std::string, std::string>> edits{
        {"run_config.threads", "2"},
        {"name", "\"n\""},
        {"estimator.dnn_classifier.hidden_units", "[8, 4]"},
        {"feature_column[0].name", "\"f\""},
        {"feature_column[f].numeric_column.key", "\"k\""}};
    for (const auto& [path, value] : edits) {
        const auto edit = setFieldEdit(readText(text).tree, parsePath(path).value(), value);
        VERIFY_OK(edit);
        text = applyEdit(text, *edit);
    }
    QCOMPARE(QString::fromStdString(text),
             QString("name: \"n\"\nfeature_column { name: \"f\" numeric_column { key: \"k\" } }\n"
                     "estimator { dnn_classifier { hidden_units: [8, 4] } }\n"
                     "run_config { threads: 2 }\n"));
}

void TstTextEdit::keepsWindowsLineBreaks()
{
    const std::string text = "name: \"a\"\r\nstrategy {\r\n}\r\n";
    const auto edit = setFieldEdit(readText(text).tree, parsePath("description").value(), "\"b\"");
    VERIFY_OK(edit);
    QCOMPARE(applyEdit(text, *edit),
             std::string("name: \"a\"\r\ndescription: \"b\"\r\nstrategy {\r\n}\r\n"));
}

CANNERY_TEST(TstTextEdit)
#include "tst_text_edit.moc"

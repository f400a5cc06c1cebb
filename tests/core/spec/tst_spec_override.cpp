// SPDX-License-Identifier: Apache-2.0
#include "core/spec/experiment.pb.h"
#include "core/spec/text/parsed_experiment.h"
#include "core/spec/text/spec_override.h"
#include "core/spec/text/text_format.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::spec;

namespace {

const std::string kText = R"(
data { train { csv { files: ["a.csv", "b.csv"] } } }
feature_column { name: "age" numeric_column { key: "age" } }
feature_column { name: "a b]" numeric_column { key: "c" } }
estimator { dnn_classifier { hidden_units: [8, 4] optimizer { adam { learning_rate: 0.1 } } } }
)";

Experiment sample()
{
    return parseExperiment(kText).experiment;
}

} // namespace

class TstSpecOverride : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsAndPrintsPaths_data();
    void readsAndPrintsPaths();
    void readsValues_data();
    void readsValues();
    void overridesAnyField_data();
    void overridesAnyField();
    void refusesWithThePath_data();
    void refusesWithThePath();
    void clearsFields();
    void namesElements();
};

void TstSpecOverride::readsAndPrintsPaths_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("good");
    for (const char* text :
         {"name", "a.b.c", "a[2].b", "a[age].b[0]", "a[\"1\"]", "a[\"x]\\\"\"].b"}) {
        QTest::newRow(text) << QString(text) << true;
    }
    for (const char* text : {".", "a.", ".a", "a..b", "a[", "a[]", "a[1", "a b", "a[1]b", "a[\"x]",
                             "a[99999999999]"}) {
        QTest::newRow(text) << QString(text) << false;
    }
}

void TstSpecOverride::readsAndPrintsPaths()
{
    QFETCH(QString, text);
    QFETCH(bool, good);
    const auto path = parsePath(text.toStdString());
    if (good) {
        VERIFY_OK(path);
        QCOMPARE(QString::fromStdString(path->toString()), text);
    } else {
        VERIFY_ERROR(path, "spec.path_syntax");
    }
}

void TstSpecOverride::readsValues_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("value"); // or the id of the error
    QTest::newRow("list") << "estimator.dnn_classifier.hidden_units"
                          << "[8, 4]";
    QTest::newRow("element") << "estimator.dnn_classifier.hidden_units[1]"
                             << "4";
    QTest::newRow("by name") << "feature_column[age].numeric_column.key"
                             << "\"age\"";
    QTest::newRow("by quoted name") << "feature_column[\"a b]\"].numeric_column.key"
                                    << "\"c\"";
    QTest::newRow("message") << "estimator.dnn_classifier.optimizer"
                             << "{ adam { learning_rate: 0.1 } }";
    QTest::newRow("default") << "estimator.dnn_classifier.n_classes"
                             << "2";
    QTest::newRow("default of an absent message") << "run_config.keep_checkpoint_max"
                                                  << "5";
    QTest::newRow("none") << "estimator.dnn_classifier.dropout"
                          << "";
    QTest::newRow("no element") << "estimator.dnn_classifier.hidden_units[2]"
                                << "spec.path_no_element";
    QTest::newRow("no name") << "feature_column[agee].name"
                             << "spec.path_no_element";
    QTest::newRow("no field") << "estimator.dnn_clasifier"
                              << "spec.unknown_field";
    QTest::newRow("no list") << "estimator[0]"
                             << "spec.path_not_repeated";
    QTest::newRow("no message") << "name.first"
                                << "spec.path_not_message";
    QTest::newRow("which element") << "feature_column.name"
                                   << "spec.path_element_needed";
}

void TstSpecOverride::readsValues()
{
    QFETCH(QString, path);
    QFETCH(QString, value);
    const auto text = valueText(sample(), parsePath(path.toStdString()).value());
    QCOMPARE(QString::fromStdString(text ? *text : text.error().id), value);
}

void TstSpecOverride::overridesAnyField_data()
{
    QTest::addColumn<QString>("assignment");
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("value");
    const auto row = [](const char* assignment, const char* path, const char* value) {
        QTest::newRow(assignment) << assignment << path << value;
    };
    row("estimator.dnn_classifier.hidden_units=[64,32]", "estimator.dnn_classifier.hidden_units",
        "[64, 32]");
    row("estimator.dnn_classifier.hidden_units=64", "estimator.dnn_classifier.hidden_units",
        "[64]");
    row("estimator.dnn_classifier.hidden_units[1]=9", "estimator.dnn_classifier.hidden_units",
        "[8, 9]");
    row("estimator.dnn_classifier.hidden_units[0]=9", "estimator.dnn_classifier.hidden_units",
        "[9, 4]");
    row("estimator.dnn_classifier.hidden_units[2]=9", "estimator.dnn_classifier.hidden_units",
        "[8, 4, 9]");
    row("run_config.tf_random_seed=3", "run_config", "{ tf_random_seed: 3 }");
    row(" run_config.tf_random_seed = -3 ", "run_config.tf_random_seed", "-3");
    row("estimator.dnn_classifier.hidden_units=[]", "estimator.dnn_classifier.hidden_units", "");
    row("name=Titanic, wide", "name", "\"Titanic, wide\"");
    row("name='quoted'", "name", "\"quoted\"");
    row("name=a=b", "name", "\"a=b\"");
    row("data.train.csv.files=[x.csv, \"y z.csv\"]", "data.train.csv.files",
        "[\"x.csv\", \"y z.csv\"]");
    row("data.train.csv.files=x.csv", "data.train.csv.files", "[\"x.csv\"]");
    row("feature_column[age].numeric_column.shape=[2]", "feature_column[0].numeric_column",
        "{ key: \"age\" shape: 2 }");
    row("feature_column[2]={ name: \"n\" }", "feature_column[n]", "{ name: \"n\" }");
    row("feature_column[age]=name: \"n\"", "feature_column[0]", "{ name: \"n\" }");
    row("estimator.dnn_classifier.optimizer=sgd { momentum: 0.5 }",
        "estimator.dnn_classifier.optimizer", "{ sgd { momentum: 0.5 } }");
    row("estimator.dnn_classifier.optimizer.adam.beta_1=0.5", "estimator.dnn_classifier.optimizer",
        "{ adam { learning_rate: 0.1 beta_1: 0.5 } }");
    row("estimator.linear_classifier={}", "estimator", "{ linear_classifier {} }");
    row("estimator.dnn_classifier.activation_fn=tanh", "estimator.dnn_classifier.activation_fn",
        "tanh");
    row("estimator.dnn_classifier.optimizer=", "estimator.dnn_classifier.optimizer", "");
}

void TstSpecOverride::overridesAnyField()
{
    QFETCH(QString, assignment);
    QFETCH(QString, path);
    QFETCH(QString, value);
    Experiment experiment = sample();
    VERIFY_OK(applyOverride(experiment, assignment.toStdString()));
    const auto text = valueText(experiment, parsePath(path.toStdString()).value());
    VERIFY_OK(text);
    QCOMPARE(QString::fromStdString(*text), value);
}

void TstSpecOverride::refusesWithThePath_data()
{
    QTest::addColumn<QString>("assignment");
    QTest::addColumn<QString>("id");
    QTest::addColumn<QString>("path");
    const auto row = [](const char* assignment, const char* id, const char* path) {
        QTest::newRow(assignment) << QString(assignment) << id << path;
    };
    row("run_config.tf_random_seed", "spec.override_syntax", "");
    row("=3", "spec.override_syntax", "");
    row("run_config.tf_random_sed=3", "spec.unknown_field", "run_config.tf_random_sed");
    row("run_config.tf_random_seed=x", "spec.wrong_type", "run_config.tf_random_seed");
    row("run_config.tf_random_seed=3 threads: 2", "spec.value_syntax", "run_config.tf_random_seed");
    row("estimator.dnn_classifier.dropout=1.5", "spec.out_of_range",
        "estimator.dnn_classifier.dropout");
    row("estimator.dnn_classifier.hidden_units=[8,0]", "spec.out_of_range",
        "estimator.dnn_classifier.hidden_units[1]");
    row("estimator.dnn_classifier.hidden_units[7]=1", "spec.path_no_element", "");
    row("feature_column[\"x\\\"=y\"].name=n", "spec.path_no_element", "");
    row("estimator.linear_classifier.n_classes=3", "spec.other_member",
        "estimator.linear_classifier.n_classes");
    row("estimator.dnn_classifier.optimizer=sgd { momentum: 2 }", "spec.out_of_range",
        "estimator.dnn_classifier.optimizer.sgd.momentum");
    for (const char* typed : {"0,07", "007,", "1,000", "1 000", "0.07;", "1'000"}) {
        const std::string assignment = std::string("estimator.dnn_classifier.dropout=") + typed;
        row(assignment.c_str(), "spec.not_one_number", "estimator.dnn_classifier.dropout");
    }
    row("estimator.dnn_classifier.hidden_units=8,4", "spec.not_one_number",
        "estimator.dnn_classifier.hidden_units");
    row("run_config.tf_random_seed=010", "spec.octal_number", "run_config.tf_random_seed");
    row("name={ x: 1 }", "", "");
}

void TstSpecOverride::refusesWithThePath()
{
    QFETCH(QString, assignment);
    QFETCH(QString, id);
    QFETCH(QString, path);
    Experiment experiment = sample();
    const std::string before = printExperiment(experiment);
    const auto applied = applyOverride(experiment, assignment.toStdString());
    if (id.isEmpty()) {
        VERIFY_OK(applied); // any text is a valid name
        return;
    }
    VERIFY_ERROR(applied, id);
    QCOMPARE(QString::fromStdString(applied.error().path), path);
    QCOMPARE(printExperiment(experiment), before);
}

void TstSpecOverride::clearsFields()
{
    Experiment experiment = sample();
    VERIFY_OK(clearField(experiment, parsePath("feature_column[age]").value()));
    VERIFY_OK(
        clearField(experiment, parsePath("estimator.dnn_classifier.hidden_units[0]").value()));
    VERIFY_OK(clearField(experiment, parsePath("data").value()));
    QCOMPARE(experiment.feature_column_size(), 1);
    QCOMPARE(experiment.estimator().dnn_classifier().hidden_units(0), std::int64_t{4});
    QVERIFY(!experiment.has_data());
}

void TstSpecOverride::namesElements()
{
    Experiment experiment = sample();
    const SpecPath path = parsePath("feature_column[1].name").value();
    QCOMPARE(namedPath(experiment, path).toString(), std::string("feature_column[\"a b]\"].name"));
    QCOMPARE(indexedPath(experiment, namedPath(experiment, path)).value().toString(),
             path.toString());
    experiment.mutable_feature_column(1)->set_name("age"); // no longer unique
    QCOMPARE(namedPath(experiment, path).toString(), path.toString());
}

CANNERY_TEST(TstSpecOverride)
#include "tst_spec_override.moc"

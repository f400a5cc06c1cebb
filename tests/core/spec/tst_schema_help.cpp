// SPDX-License-Identifier: Apache-2.0
#include "core/spec/experiment.pb.h"
#include "core/spec/experiment_file.h"
#include "core/spec/layers.pb.h"
#include "core/spec/schema_help.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <google/protobuf/descriptor.h>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <set>

using namespace cannery;
using namespace cannery::spec;

namespace {

using google::protobuf::Descriptor;

void collect(const Descriptor& message, std::set<const Descriptor*>& found)
{
    if (!found.insert(&message).second) {
        return;
    }
    for (int i = 0; i < message.field_count(); ++i) {
        if (message.field(i)->message_type() != nullptr) {
            collect(*message.field(i)->message_type(), found);
        }
    }
}

} // namespace

class TstSchemaHelp : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyMessageAndFieldExplainsItself();
    void describesFields();
    void printsHelp_data();
    void printsHelp();
    void suggestsTheNearestName();
    void loadsTextAndMessage();
    void saysWhyAFileCannotBeRead();
    void resolvesPathsAgainstTheFile();
};

void TstSchemaHelp::everyMessageAndFieldExplainsItself()
{
    std::set<const Descriptor*> messages;
    collect(*Experiment::descriptor(), messages);
    collect(*Layer::descriptor(), messages);
    // Its kinds have the texts of those of NetworkLayer.
    messages.erase(Layer::descriptor());
    QVERIFY(messages.size() > 60);
    for (const Descriptor* message : messages) {
        const MessageHelp help = describeMessage(*message);
        QVERIFY2(help.help.size() > 10 && help.help.back() == '.', help.name.c_str());
        for (const FieldHelp& field : help.fields) {
            const std::string name = help.name + "." + field.name;
            QVERIFY2(field.help.size() > 10 && field.help.back() == '.', name.c_str());
            QVERIFY2(!field.label.empty() && !field.type.empty(), name.c_str());
        }
    }
}

void TstSchemaHelp::describesFields()
{
    const auto entry = describeSchema("estimator.dnn_classifier.hidden_units");
    VERIFY_OK(entry);
    QVERIFY(entry->field && !entry->message);
    QVERIFY(entry->field->repeated && entry->field->minCount == 1 && entry->field->min == 1.0);
    QCOMPARE(entry->field->type, std::string("int64"));
    const auto activation = describeSchema("estimator.dnn_classifier.activation_fn");
    VERIFY_OK(activation);
    QCOMPARE(activation->field->defaultText, std::string("relu"));
    QVERIFY(activation->field->choices.size() > 5);
    // For an enum, the allowed values.
    QVERIFY(describeSchema("feature_column.numeric_column.dtype")->field->choices ==
            (std::vector<std::string>{"float32", "float64", "int32", "int64"}));
    const auto message = describeSchema("DNNClassifier");
    VERIFY_OK(message);
    QVERIFY(!message->field && message->message && message->message->fields.size() == 10);
}

void TstSchemaHelp::printsHelp_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("part");
    QTest::newRow("experiment") << ""
                                << "feature_column  (list of FeatureColumn)";
    QTest::newRow("message") << "estimator.dnn_classifier"
                             << "n_classes  (int64, [2, 16777216], default 2)";
    QTest::newRow("members") << "estimator"
                             << "One of these:";
    QTest::newRow("unit")
        << "eval_spec.throttle_secs"
        << "eval_spec.throttle_secs  (int64, at least 0, in seconds, default 600)";
    QTest::newRow("list") << "estimator.dnn_classifier.hidden_units"
                          << "list of int64, at least 1 element, each at least 1, in units";
    QTest::newRow("range") << "data.split.fraction.eval_fraction"
                           << "(double, (0, 1), default 0.2)";
    QTest::newRow("none") << "run_config.keep_checkpoint_max"
                          << "0 means none";
    QTest::newRow("experts") << "run_config"
                             << "ask for them with --expert";
}

void TstSchemaHelp::printsHelp()
{
    QFETCH(QString, path);
    QFETCH(QString, part);
    const auto text = helpFor(path.toStdString());
    VERIFY_OK(text);
    QVERIFY2(QString::fromStdString(*text).contains(part), text->c_str());
}

void TstSchemaHelp::suggestsTheNearestName()
{
    const auto text = helpFor("estimator.dnn_clasifier");
    VERIFY_ERROR(text, "spec.unknown_field");
    QVERIFY(text.error().sentence.find("Did you mean 'dnn_classifier'?") != std::string::npos);
}

void TstSchemaHelp::loadsTextAndMessage()
{
    const QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath("x.cannery").toStdString();
    std::ofstream(file) << "# kept\nname: \"second\"\n";
    const auto loaded = loadExperiment(file);
    VERIFY_OK(loaded);
    QCOMPARE(loaded->experiment.name(), std::string("second"));
    QCOMPARE(loaded->tree.text, std::string("# kept\nname: \"second\"\n"));
}

void TstSchemaHelp::saysWhyAFileCannotBeRead()
{
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    VERIFY_ERROR(loadExperiment(path / "none.cannery"), "spec.file_missing");
    VERIFY_ERROR(loadExperiment(path), "spec.file_unreadable");
}

void TstSchemaHelp::resolvesPathsAgainstTheFile()
{
    QCOMPARE(resolvePath("/a/b", "c.csv").string(), std::string("/a/b/c.csv"));
    QCOMPARE(resolvePath("/a/b", "../c/*.csv").string(), std::string("/a/c/*.csv"));
    QCOMPARE(resolvePath("/a/b", "/c.csv").string(), std::string("/c.csv"));
    QCOMPARE(resolvePath("", "c.csv").string(), std::string("c.csv"));
}

CANNERY_TEST(TstSchemaHelp)
#include "tst_schema_help.moc"

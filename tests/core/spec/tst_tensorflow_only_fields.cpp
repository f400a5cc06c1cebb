// SPDX-License-Identifier: Apache-2.0
#include "core/spec/tensorflow_only_fields.h"
#include "core/spec/text/parsed_experiment.h"
#include "core/spec/text/spec_override.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QtTest>

#include <set>
#include <utility>

using namespace cannery;
using namespace cannery::spec;

/// Arguments of TensorFlow that an experiment has no field for say why, and what to write.
class TstTensorflowOnlyFields : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyOneIsOfAMessageThatLacksIt();
    void aFileThatUsesOneIsToldWhatToWrite_data();
    void aFileThatUsesOneIsToldWhatToWrite();
    void soIsAnOverride();
    void otherNamesAreUnknown();
};

void TstTensorflowOnlyFields::everyOneIsOfAMessageThatLacksIt()
{
    std::set<std::pair<std::string_view, std::string_view>> seen;
    for (const TensorFlowOnlyField& field : tensorflowOnlyFields()) {
        const std::string what = std::string(field.message) + "." + std::string(field.name);
        const auto* message =
            google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(
                "cannery.spec." + std::string(field.message));
        QVERIFY2(message != nullptr, what.c_str());
        QVERIFY2(message->FindFieldByName(std::string(field.name)) == nullptr, what.c_str());
        QVERIFY2(seen.insert({field.message, field.name}).second, what.c_str());
        QVERIFY2(field.sentence.ends_with('.'), what.c_str());
    }
}

void TstTensorflowOnlyFields::aFileThatUsesOneIsToldWhatToWrite_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<QByteArray>("cure");
    const auto row = [](const char* text, const char* path, const char* cure) {
        QTest::newRow(path) << QByteArray(text) << QByteArray(path) << QByteArray(cure);
    };
    row("run_config { session_config { } }", "run_config.session_config", "set threads");
    row("run_config { device_fn: \"f\" }", "run_config.device_fn", "strategy {");
    row("run_config { protocol: \"grpc\" }", "run_config.protocol", "leave it out");
    row("run_config { train_distribute { } }", "run_config.train_distribute", "strategy {");
    row("train_spec { hooks { } }", "train_spec.hooks", "hook { … }");
    row("estimator { dnn_classifier { warm_start_from: \"x\" } }",
        "estimator.dnn_classifier.warm_start_from", "warm_start {");
    row("estimator { linear_regressor { partitioner { } } }",
        "estimator.linear_regressor.partitioner", "variable_partitioner");
    row("eval_spec { exporter { best_exporter { compare_fn: \"f\" } } }",
        "eval_spec.exporter[0].best_exporter.compare_fn", "higher_is_better");
    row("warm_start { vars_to_warm_start: \".*\" }", "warm_start.vars_to_warm_start", "pattern");
}

void TstTensorflowOnlyFields::aFileThatUsesOneIsToldWhatToWrite()
{
    QFETCH(const QByteArray, text);
    QFETCH(const QByteArray, path);
    QFETCH(const QByteArray, cure);
    const ParsedExperiment parsed = parseExperiment(text.toStdString());
    const auto found = std::ranges::find_if(parsed.problems, [](const Problem& problem) {
        return problem.error.id == "spec.tensorflow_only_field";
    });
    QVERIFY(found != parsed.problems.end());
    QCOMPARE(found->fieldPath, path.toStdString());
    QVERIFY2(found->error.sentence.find(cure.toStdString()) != std::string::npos,
             found->error.sentence.c_str());
}

void TstTensorflowOnlyFields::soIsAnOverride()
{
    Experiment experiment;
    VERIFY_ERROR(applyOverride(experiment, "run_config.model_dir=x"), "spec.tensorflow_only_field");
}

void TstTensorflowOnlyFields::otherNamesAreUnknown()
{
    QVERIFY(!tensorflowOnlyField(*RunConfig::descriptor(), "sesion_config"));
    QVERIFY(!tensorflowOnlyField(*Input::descriptor(), "session_config"));
}

CANNERY_TEST(TstTensorflowOnlyFields)
#include "tst_tensorflow_only_fields.moc"

// SPDX-License-Identifier: Apache-2.0
#include "core/train/loop/hyperparameters.h"
#include "storage/tf/events/event_reader.h"
#include "storage/tf/events/summary_values.h"
#include "tests/core/train/training_fixture.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QtTest>

#include <algorithm>
#include <map>
#include <variant>

using namespace cannery;
using namespace cannery::tests;
using namespace cannery::train;

class TstHyperparameters : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void kindsShareTheirNames();
    void everyTrainingStatesThem();
    void aTrainingThatIsToldToStopHasNotEnded();
};

namespace {

using Value = std::variant<bool, double, std::string>;

/// Tags of the plugin in the event files of a folder, and the parameters stated there.
struct Stated
{
    std::vector<std::string> tags;
    std::map<std::string, std::string> parameters;
};

Stated statedIn(const std::string& folder)
{
    Stated stated;
    const QStringList files =
        QDir(QString::fromStdString(folder)).entryList({"events.out.tfevents.*"});
    for (const QString& file : files) {
        auto reader = storage::EventReader::open(folder + "/" + file.toStdString());
        for (auto event = reader->next(); event && *event; event = reader->next()) {
            for (const storage::EventValue& value : (*event)->values) {
                if (value.plugin == "hparams") {
                    stated.tags.push_back(value.tag);
                }
                if (const auto parameters = storage::hyperparametersOf(value)) {
                    stated.parameters.insert(parameters->begin(), parameters->end());
                }
            }
        }
    }
    return stated;
}

const std::string kSessionStart = "_hparams_/session_start_info";
const std::string kSessionEnd = "_hparams_/session_end_info";

} // namespace

void TstHyperparameters::kindsShareTheirNames()
{
    spec::Experiment experiment;
    auto& classifier = *experiment.mutable_estimator()->mutable_dnn_classifier();
    classifier.add_hidden_units(8);
    classifier.add_hidden_units(4);
    classifier.add_feature_columns("x");
    classifier.set_batch_norm(true);
    auto& optimizer = *classifier.mutable_optimizer();
    optimizer.mutable_adamax()->set_learning_rate(0.5);
    optimizer.mutable_learning_rate_schedule()->mutable_constant()->set_learning_rate(0.25);
    optimizer.mutable_learning_rate_schedule()->set_warmup_steps(3);
    experiment.mutable_train_spec()->set_max_steps(7);
    experiment.mutable_train_spec()->mutable_input()->set_batch_size(16);
    experiment.mutable_train_spec()->add_hook()->mutable_stop_if_lower_hook();
    experiment.mutable_run_config()->set_tf_random_seed(5);
    std::map<std::string, Value> values;
    const std::vector<storage::Hyperparameter> all = hyperparametersOf(experiment);
    QVERIFY(std::ranges::is_sorted(all, {}, &storage::Hyperparameter::name));
    for (const storage::Hyperparameter& one : all) {
        values[one.name] = one.value;
    }
    const std::map<std::string, Value> expected{
        {"batch_norm", true},
        {"batch_size", 16.0},
        {"estimator", std::string("dnn_classifier")},
        {"hidden_units", std::string("[8, 4]")},
        {"max_steps", 7.0},
        {"optimizer", std::string("adamax")},
        {"optimizer.learning_rate", 0.5},
        {"optimizer.learning_rate_schedule", std::string("constant")},
        {"optimizer.learning_rate_schedule.learning_rate", 0.25},
        {"optimizer.learning_rate_schedule.warmup_steps", 3.0},
        {"tf_random_seed", 5.0}};
    QVERIFY(values == expected);
    QCOMPARE(all.size(), expected.size());
}

void TstHyperparameters::everyTrainingStatesThem()
{
    TrainingFixture fixture;
    VERIFY_OK(fixture.train("train_spec { max_steps: 4 input { batch_size: 10 } }"));
    const Stated stated = statedIn(fixture.modelDir());
    QCOMPARE(stated.tags, (std::vector<std::string>{kSessionStart, kSessionEnd}));
    QCOMPARE(stated.parameters.at("dnn_optimizer"), std::string("adam"));
    QCOMPARE(stated.parameters.at("dnn_optimizer.learning_rate"), std::string("0.01"));
    QCOMPARE(stated.parameters.at("batch_size"), std::string("10"));
    QCOMPARE(stated.parameters.at("dnn_hidden_units"), std::string("[8, 4]"));
}

void TstHyperparameters::aTrainingThatIsToldToStopHasNotEnded()
{
    TrainingFixture fixture;
    RecordingObserver observer;
    observer.stopAfter = 2;
    TrainRequest request = fixture.request("train_spec { max_steps: 4 input { batch_size: 10 } }");
    request.observer = &observer;
    request.stop = &observer.stop;
    VERIFY_OK(trainAndEvaluate(request));
    QCOMPARE(statedIn(fixture.modelDir()).tags, (std::vector<std::string>{kSessionStart}));
}

CANNERY_TEST(TstHyperparameters)
#include "tst_hyperparameters.moc"

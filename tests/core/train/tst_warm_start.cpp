// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/warm_start.h"
#include "core/train/evaluation/model_evaluation.h"
#include "core/train/opened_model.h"
#include "storage/io/files.h"
#include "storage/tf/checkpoints/checkpoint_writer.h"
#include "tests/core/train/training_fixture.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <fstream>

using namespace cannery;
using namespace cannery::train;
using cannery::tests::TrainingFixture;

namespace {

/// A model that consists only of variables.
struct Variables
{
    std::vector<float> weights = std::vector<float>(8, -1.0F); // [4, 2]
    std::vector<float> bias = std::vector<float>(2, -1.0F);
    std::vector<float> slot = std::vector<float>(2, -1.0F);

    std::vector<plan::StateTensor> state()
    {
        const auto bytes = [](std::vector<float>& values) {
            return std::as_writable_bytes(std::span<float>(values));
        };
        return {{.name = "m/bias", .shape = {2}, .bytes = bytes(bias), .trainable = true},
                {.name = "m/weights", .shape = {4, 2}, .bytes = bytes(weights), .trainable = true},
                {.name = "training/Adagrad/m/bias/accumulator",
                 .shape = {2},
                 .bytes = bytes(slot),
                 .optimizerState = true}};
    }
};

} // namespace

class TstWarmStart : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void aPatternSelectsTrainableVariables();
    void aListSelectsSlotsAndTheStepToo();
    void renamesVariables();
    void movesRowsByTheirWords();
    void movesColumnsByTheirWords();
    void noneRestoresOnlyVocabularies();
    void problemsAreNamed();
    void theSurveyTellsOfEveryVariable();
    void theSurveyGoesOnAfterWhatDoesNotFit();
    void aPatternNeitherCrashesNorRunsForEver_data();
    void aPatternNeitherCrashesNorRunsForEver();
    void aPatternThatCostsTooMuchIsNamed();
    void aPatternMayLookAhead();
    void startsARunFromAnother();

private:
    std::string path(const char* name) const { return m_folder->filePath(name).toStdString(); }
    spec::WarmStart settings() const;

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TstWarmStart::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    const auto weights = storage::HostTensor::of(std::vector<float>{1, 2, 3, 4, 5, 6}, {3, 2});
    const auto square = storage::HostTensor::of(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}, {4, 2});
    const auto bias = storage::HostTensor::of(std::vector<float>{7, 8});
    const auto slot = storage::HostTensor::of(std::vector<float>{9, 10});
    const auto step = storage::HostTensor::scalar(std::int64_t{17});
    const std::vector<storage::NamedTensor> tensors{{"m/bias", bias},
                                                    {"m/weights", square},
                                                    {"old/weights", weights},
                                                    {"training/Adagrad/m/bias/accumulator", slot},
                                                    {"global_step", step}};
    VERIFY_OK(storage::writeCheckpoint(path("model.ckpt-17"), tensors));
    std::ofstream(path("old.txt")) << "a\nb\nc\n";
    std::ofstream(path("new.txt")) << "c\r\nx\r\na\r\n";
    std::ofstream(path("columns.txt")) << "two\none\n";
    std::ofstream(path("old_columns.txt")) << "one\ntwo\n";
}

spec::WarmStart TstWarmStart::settings() const
{
    spec::WarmStart settings;
    settings.set_ckpt_to_initialize_from("model.ckpt-17");
    return settings;
}

void TstWarmStart::aPatternSelectsTrainableVariables()
{
    Variables model;
    spec::WarmStart warm = settings();
    warm.set_pattern("m/b");
    const auto outcome = warmStart(warm, path(""), model.state(), 1);
    VERIFY_OK(outcome);
    QCOMPARE(outcome->variables, std::vector<std::string>{"m/bias"});
    QCOMPARE(model.bias, (std::vector<float>{7, 8}));
    QCOMPARE(model.slot, (std::vector<float>{-1, -1}));
    QCOMPARE(model.weights[0], -1.0F);
    QVERIFY(!outcome->globalStep.has_value());
}

void TstWarmStart::aListSelectsSlotsAndTheStepToo()
{
    Variables model;
    spec::WarmStart warm = settings();
    warm.mutable_variables()->add_pattern(".*bias");
    warm.mutable_variables()->add_pattern("global_step");
    const auto outcome = warmStart(warm, path(""), model.state(), 1);
    VERIFY_OK(outcome);
    QCOMPARE(model.slot, (std::vector<float>{9, 10}));
    QCOMPARE(outcome->globalStep, std::optional<std::int64_t>(17));
}

void TstWarmStart::renamesVariables()
{
    Variables model;
    spec::WarmStart warm = settings();
    warm.set_pattern("m/bias");
    auto* renamed = warm.add_var_name_to_prev_var_name();
    renamed->set_var_name("m/bias");
    renamed->set_prev_var_name("training/Adagrad/m/bias/accumulator");
    VERIFY_OK(warmStart(warm, path(""), model.state(), 1));
    QCOMPARE(model.bias, (std::vector<float>{9, 10}));
}

void TstWarmStart::movesRowsByTheirWords()
{
    Variables model;
    spec::WarmStart warm = settings();
    auto* renamed = warm.add_var_name_to_prev_var_name();
    renamed->set_var_name("m/weights");
    renamed->set_prev_var_name("old/weights");
    auto* vocabulary = warm.add_var_name_to_vocab_info();
    vocabulary->set_var_name("m/weights");
    vocabulary->set_new_vocab("new.txt");
    vocabulary->set_new_vocab_size(3);
    vocabulary->set_num_oov_buckets(1);
    vocabulary->set_old_vocab("old.txt");
    vocabulary->mutable_backup_initializer()->mutable_constant()->add_value(0.25);
    VERIFY_OK(warmStart(warm, path(""), model.state(), 1));
    QCOMPARE(model.weights, (std::vector<float>{5, 6, 0.25F, 0.25F, 1, 2, 0.25F, 0.25F}));
    // Only the first words of the old file count.
    vocabulary->set_old_vocab_size(2);
    VERIFY_OK(warmStart(warm, path(""), model.state(), 1));
    QCOMPARE(model.weights, (std::vector<float>{0.25F, 0.25F, 0.25F, 0.25F, 1, 2, 0.25F, 0.25F}));
}

void TstWarmStart::movesColumnsByTheirWords()
{
    Variables model;
    spec::WarmStart warm = settings();
    auto* vocabulary = warm.add_var_name_to_vocab_info();
    vocabulary->set_var_name("m/weights");
    vocabulary->set_new_vocab("columns.txt");
    vocabulary->set_new_vocab_size(2);
    vocabulary->set_old_vocab("old_columns.txt");
    vocabulary->set_axis(1);
    VERIFY_OK(warmStart(warm, path(""), model.state(), 1));
    QCOMPARE(model.weights, (std::vector<float>{2, 1, 4, 3, 6, 5, 8, 7}));
}

void TstWarmStart::noneRestoresOnlyVocabularies()
{
    Variables model;
    spec::WarmStart warm = settings();
    warm.mutable_none();
    const auto nothing = warmStart(warm, path(""), model.state(), 1);
    VERIFY_OK(nothing);
    QVERIFY(nothing->variables.empty());
    QCOMPARE(model.weights, std::vector<float>(8, -1.0F));
    auto* vocabulary = warm.add_var_name_to_vocab_info();
    vocabulary->set_var_name("m/weights");
    vocabulary->set_new_vocab("columns.txt");
    vocabulary->set_new_vocab_size(2);
    vocabulary->set_old_vocab("old_columns.txt");
    vocabulary->set_axis(1);
    const auto moved = warmStart(warm, path(""), model.state(), 1);
    VERIFY_OK(moved);
    QCOMPARE(moved->variables, std::vector<std::string>{"m/weights"});
    QCOMPARE(model.weights, (std::vector<float>{2, 1, 4, 3, 6, 5, 8, 7}));
    QCOMPARE(model.bias, (std::vector<float>{-1, -1}));
}

void TstWarmStart::theSurveyTellsOfEveryVariable()
{
    Variables model;
    spec::WarmStart warm = settings();
    warm.set_pattern("m/b");
    const auto trainable = surveyWarmStart(warm, path(""), model.state(), 1);
    VERIFY_OK(trainable);
    // No pattern alone selects a slot or the step.
    QCOMPARE(trainable->variables.size(), std::size_t{2});
    QCOMPARE(trainable->variables[0].name, std::string("m/bias"));
    QVERIFY(trainable->variables[0].isSelected && !trainable->variables[1].isSelected);
    QCOMPARE(trainable->variables[0].patterns, std::vector<std::size_t>{0});
    QCOMPARE(trainable->variables[1].shape, (Shape{4, 2}));
    QCOMPARE(*trainable->variables[1].previousShape, (Shape{4, 2})); // even if it is not selected
    QVERIFY(!trainable->variables[1].problem);
    QCOMPARE(trainable->patterns, std::vector<std::string>{"m/b"});

    warm.mutable_variables()->add_pattern(".*bias");
    warm.mutable_variables()->add_pattern("nothing");
    warm.mutable_variables()->add_pattern("training|global_step");
    const auto any = surveyWarmStart(warm, path(""), model.state(), 1);
    VERIFY_OK(any);
    QCOMPARE(any->variables.size(), std::size_t{4});
    QCOMPARE(any->variables[2].patterns, (std::vector<std::size_t>{0, 2}));
    QCOMPARE(any->variables[3].name, std::string("global_step"));
    QCOMPARE(any->variables[3].patterns, std::vector<std::size_t>{2});
    QCOMPARE(any->globalStep, std::optional<std::int64_t>(17));
}

void TstWarmStart::theSurveyGoesOnAfterWhatDoesNotFit()
{
    Variables model;
    spec::WarmStart warm = settings();
    auto* renamed = warm.add_var_name_to_prev_var_name();
    renamed->set_var_name("m/weights");
    renamed->set_prev_var_name("old/weights"); // [3, 2]
    renamed = warm.add_var_name_to_prev_var_name();
    renamed->set_var_name("m/bias");
    renamed->set_prev_var_name("lost");
    renamed = warm.add_var_name_to_prev_var_name();
    renamed->set_var_name("m/other");
    renamed->set_prev_var_name("m/bias");
    const auto survey = surveyWarmStart(warm, path(""), model.state(), 1);
    VERIFY_OK(survey);
    QCOMPARE(survey->variables.size(), std::size_t{2});
    const WarmStartVariable& bias = survey->variables[0];
    QCOMPARE(bias.previousName, std::string("lost"));
    QVERIFY(bias.problem && bias.problem->id == "train.warm_start_missing");
    QVERIFY(!bias.previousShape);
    const WarmStartVariable& weights = survey->variables[1];
    QVERIFY(weights.problem && weights.problem->id == "train.warm_start_shape");
    QCOMPARE(*weights.previousShape, (Shape{3, 2}));
    QVERIFY(survey->unused && survey->unused->id == "train.warm_start_unused");
    // The same settings stop a training at the first of these.
    const auto outcome = warmStart(warm, path(""), model.state(), 1);
    QVERIFY(!outcome && outcome.error().id == "train.warm_start_missing");
}

void TstWarmStart::problemsAreNamed()
{
    Variables model;
    spec::WarmStart warm = settings();
    warm.set_ckpt_to_initialize_from("nothing");
    VERIFY_ERROR(warmStart(warm, path(""), model.state(), 1), "train.warm_start_source");
    warm = settings();
    warm.set_pattern("(");
    VERIFY_ERROR(warmStart(warm, path(""), model.state(), 1), "train.warm_start_pattern");
    QCOMPARE(warmStart(warm, path(""), model.state(), 1).error().sentence,
             std::string("'(' is not a regular expression: missing closing parenthesis at byte 1. "
                         "Correct the pattern of warm_start."));
    warm = settings();
    auto* renamed = warm.add_var_name_to_prev_var_name();
    renamed->set_var_name("m/weights");
    renamed->set_prev_var_name("old/weights");
    VERIFY_ERROR(warmStart(warm, path(""), model.state(), 1), "train.warm_start_shape");
    renamed->set_prev_var_name("older/weights");
    VERIFY_ERROR(warmStart(warm, path(""), model.state(), 1), "train.warm_start_missing");
    renamed->set_var_name("m/weihgts");
    VERIFY_ERROR(warmStart(warm, path(""), model.state(), 1), "train.warm_start_unused");
}

void TstWarmStart::aPatternNeitherCrashesNorRunsForEver_data()
{
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("brackets") << QString(5000, '(')
                              << "'" + QString(60, '(') +
                                     "…' nests brackets more than 100 levels deep. Write a simpler "
                                     "expression. Correct the pattern of warm_start.";
    QTest::newRow("more brackets") << QString(20000, '(')
                                   << "The regular expression has 20000 bytes; at most 16384 are "
                                      "allowed. Shorten it. Correct the pattern of warm_start.";
    QTest::newRow("long") << QString(100000, 'a')
                          << "The regular expression has 100000 bytes; at most 16384 are allowed. "
                             "Shorten it. Correct the pattern of warm_start.";
}

void TstWarmStart::aPatternNeitherCrashesNorRunsForEver()
{
    QFETCH(QString, pattern);
    QFETCH(QString, sentence);
    Variables model;
    spec::WarmStart warm = settings();
    warm.set_pattern(pattern.toStdString());
    const auto started = warmStart(warm, path(""), model.state(), 1);
    VERIFY_ERROR(started, "train.warm_start_pattern");
    QCOMPARE(QString::fromStdString(started.error().sentence), sentence);
}

void TstWarmStart::aPatternThatCostsTooMuchIsNamed()
{
    Variables model;
    std::vector<plan::StateTensor> state = model.state();
    state[1].name = std::string(40, 'm') + "!";
    spec::WarmStart warm = settings();
    warm.set_pattern("((m*)*)*!!");
    const auto started = warmStart(warm, path(""), state, 1);
    VERIFY_ERROR(started, "train.warm_start_pattern");
    QCOMPARE(started.error().sentence,
             "'((m*)*)*!!' takes too many attempts to compare with '" + state[1].name +
                 "': a repetition within a repetition, such as (.*)*, tries every way to divide "
                 "the text. Write a simpler expression. Correct the pattern of warm_start.");
}

void TstWarmStart::aPatternMayLookAhead()
{
    Variables model;
    spec::WarmStart warm = settings();
    warm.set_pattern("(?!.*weights)m/");
    const auto started = warmStart(warm, path(""), model.state(), 1);
    VERIFY_OK(started);
    QCOMPARE(started->variables, std::vector<std::string>{"m/bias"});
    QCOMPARE(model.bias, (std::vector<float>{7, 8}));
}

void TstWarmStart::startsARunFromAnother()
{
    TrainingFixture fixture;
    VERIFY_OK(fixture.train("train_spec { max_steps: 10 }"));
    TrainRequest request = fixture.request("train_spec { max_steps: 1 } "
                                           "warm_start { ckpt_to_initialize_from: \"model\" }");
    request.modelDir = fixture.path("second");
    tests::RecordingObserver observer;
    request.observer = &observer;
    VERIFY_OK(trainAndEvaluate(request));
    QCOMPARE(observer.saved, (std::vector<std::int64_t>{0, 1}));
    // Both are evaluated before the second one's step: the weights are the same.
    auto first = openModel({.modelDir = fixture.modelDir()});
    VERIFY_OK(first);
    auto second = openModel({.modelDir = fixture.path("second"),
                             .checkpoint = {.kind = CheckpointChoice::Kind::Step, .step = 0}});
    VERIFY_OK(second);
    const auto trained = evaluateModel(*first, {});
    const auto started = evaluateModel(*second, {});
    VERIFY_OK(trained);
    VERIFY_OK(started);
    QCOMPARE(started->metrics, trained->metrics);
    QCOMPARE(started->globalStep, 0);
    VERIFY_ERROR(openModel({.modelDir = fixture.modelDir(),
                            .checkpoint = {.kind = CheckpointChoice::Kind::Step, .step = 3}}),
                 "train.no_checkpoint");
}

CANNERY_TEST(TstWarmStart)
#include "tst_warm_start.moc"

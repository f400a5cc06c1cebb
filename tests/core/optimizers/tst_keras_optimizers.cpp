// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/optimizer_catalog.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <google/protobuf/text_format.h>

#include <array>

using namespace cannery;
using namespace cannery::tests;
using optimizers::Optimizer;

/// Names, options and refusals of `rules: keras`; the numbers are in tests/golden
/// (OptimizerGoldens).
class TstKerasOptimizers : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void namesAreThoseOfKeras();
    void theFirstOptimizerAloneHasNamesWithoutAPrefix();
    void onlyTheRateIsSaved();
    void excludedWeightsDoNotDecay();
    void weightDecayOfAllTakesThePlaceOfAdamWs();
    void averagesBecomeWeightsEveryFewSteps();
    void adafactorHasRowsAndColumnsOfMatrices();
    void refusesWhatDoesNotFitTheRules_data();
    void refusesWhatDoesNotFitTheRules();
};

namespace {

Result<std::unique_ptr<Optimizer>> made(const std::string& text)
{
    spec::Optimizer message;
    if (!google::protobuf::TextFormat::ParseFromString(text, &message)) {
        return fail(ErrorCode::Internal, ErrorKind{"test.text", "The text is wrong."});
    }
    return optimizers::makeOptimizer(message, 0);
}

/// Of one weight that is 1, by a gradient of 0.
float afterStep(const Optimizer& optimizer)
{
    kernels::ThreadPool pool(1);
    std::array<float, 1> weights{1.0F};
    optimizer.decay(pool, weights);
    return weights[0];
}

} // namespace

void TstKerasOptimizers::namesAreThoseOfKeras()
{
    const auto optimizer = made("adam { amsgrad: true } rules: keras ema_momentum: 0.5");
    VERIFY_OK(optimizer);
    std::vector<std::string> names;
    for (const optimizers::SlotSpec& slot : (*optimizer)->slots()) {
        names.push_back(slot.tensorName("Adam", "dense/kernel"));
    }
    QCOMPARE(names,
             (std::vector<std::string>{"Adam/m/dense/kernel", "Adam/v/dense/kernel",
                                       "Adam/vhat/dense/kernel", "Adam/average/dense/kernel"}));
}

void TstKerasOptimizers::theFirstOptimizerAloneHasNamesWithoutAPrefix()
{
    const auto optimizer = made("adam {} rules: keras");
    VERIFY_OK(optimizer);
    QCOMPARE((*optimizer)->counterName("Adam"), std::string("iteration"));
    QCOMPARE((*optimizer)->counterName("Adam_1"), std::string("Adam_1/iteration"));
    QCOMPARE((*optimizer)->scalarName("Adam", "learning_rate"), std::string("learning_rate"));
    const auto legacy = made("adam {}");
    VERIFY_OK(legacy);
    QCOMPARE((*legacy)->counterName("training/Adam"), std::string("training/Adam/iter"));
}

void TstKerasOptimizers::onlyTheRateIsSaved()
{
    const auto optimizer = made("sgd { momentum: 0.5 } rules: keras");
    VERIFY_OK(optimizer);
    QCOMPARE((*optimizer)->scalars().size(), std::size_t{1});
    QCOMPARE((*optimizer)->scalars()[0].name, std::string_view("learning_rate"));
}

void TstKerasOptimizers::excludedWeightsDoNotDecay()
{
    const auto optimizer = made(
        "adam {} rules: keras weight_decay: 0.1 exclude_from_weight_decay: [\"bias$\", \"^norm\"]");
    VERIFY_OK(optimizer);
    for (const auto& [name, decays] : {std::pair("dense/kernel", true),
                                       {"dense/bias", false},
                                       {"norm/gamma", false},
                                       {"dense/bias_1", true}}) {
        const Result<bool> own = (*optimizer)->decays(name);
        VERIFY_OK(own);
        QCOMPARE(*own, decays);
    }
}

void TstKerasOptimizers::weightDecayOfAllTakesThePlaceOfAdamWs()
{
    const auto own = made("adamw { learning_rate: 0.5 weight_decay: 0.25 } rules: keras");
    VERIFY_OK(own);
    (*own)->beginStep(0);
    QCOMPARE(afterStep(**own), 0.875F);
    const auto common =
        made("adamw { learning_rate: 0.5 weight_decay: 0.25 } rules: keras weight_decay: 0.5");
    VERIFY_OK(common);
    (*common)->beginStep(0);
    QCOMPARE(afterStep(**common), 0.75F);
}

void TstKerasOptimizers::averagesBecomeWeightsEveryFewSteps()
{
    const auto optimizer = made("sgd {} rules: keras ema_momentum: 0.5 ema_overwrite_frequency: 3");
    VERIFY_OK(optimizer);
    QVERIFY((*optimizer)->averagesBecomeWeights());
    QVERIFY(!(*optimizer)->infersWithAverages());
    kernels::ThreadPool pool(1);
    std::array<float, 1> average{1.0F};
    for (int step = 0; step < 6; ++step) {
        (*optimizer)->beginStep(step);
        std::array<float, 1> weights{3.0F};
        average[0] = 1.0F;
        (*optimizer)->average(pool, weights, average);
        QCOMPARE(average[0], 2.0F);
        QCOMPARE(weights[0], step % 3 == 2 ? 2.0F : 3.0F);
    }
}

void TstKerasOptimizers::adafactorHasRowsAndColumnsOfMatrices()
{
    const auto optimizer = made("adafactor {} rules: keras");
    VERIFY_OK(optimizer);
    QVERIFY((*optimizer)->needsWholeVariables());
    const auto slots = (*optimizer)->slots();
    QCOMPARE(slots[0].shapeFor(Shape{3, 4, 5}), std::optional(Shape{3, 4}));
    QCOMPARE(slots[1].shapeFor(Shape{3, 4, 5}), std::optional(Shape{3, 5}));
    QCOMPARE(slots[2].shapeFor(Shape{3, 4, 5}), std::optional(Shape{3, 4, 5}));
    QCOMPARE(slots[0].shapeFor(Shape{7}), std::optional<Shape>());
}

void TstKerasOptimizers::refusesWhatDoesNotFitTheRules_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("sentence");
    const auto row = [](const char* text, const char* path, const char* sentence) {
        QTest::newRow(text) << QString(text) << QString(path) << QString(sentence);
    };
    row("lion {}", "lion",
        "lion is an optimizer of tf.keras.optimizers alone: set rules to keras, or choose another "
        "one.");
    row("adafactor {}", "adafactor",
        "adafactor is an optimizer of tf.keras.optimizers alone: set rules to keras, or choose "
        "another one.");
    row("proximal_adagrad {} rules: keras", "proximal_adagrad",
        "tf.keras.optimizers has no proximal_adagrad: set rules to estimator, or choose another "
        "optimizer.");
    row("adam {} weight_decay: 0.1", "weight_decay",
        "weight_decay is an option of tf.keras.optimizers: set rules to keras, or leave it out.");
    row("adam {} ema_momentum: 0.1", "ema_momentum",
        "ema_momentum is an option of tf.keras.optimizers: set rules to keras, or leave it out.");
    row("adam {} rules: keras decay: 0.1", "decay",
        "The optimizers of tf.keras.optimizers have no decay: give a learning_rate_schedule with "
        "inverse_time_decay, or set rules to estimator.");
    row("adam {} rules: keras clipnorm: 1 clipvalue: 1", "clipvalue",
        "The optimizers of tf.keras.optimizers clip in one way: keep one of clipnorm, clipvalue "
        "and global_clipnorm.");
    row("adam {} rules: keras ema_momentum: 0.5 moving_average_decay: 0.5", "ema_momentum",
        "moving_average_decay and ema_momentum are two kinds of moving averages of the weights: "
        "keep one of them.");
    row("adam {} rules: keras ema_overwrite_frequency: 5", "ema_overwrite_frequency",
        "There are no moving averages that could overwrite the weights: give ema_momentum, or "
        "leave ema_overwrite_frequency out.");
}

void TstKerasOptimizers::refusesWhatDoesNotFitTheRules()
{
    QFETCH(QString, text);
    QFETCH(QString, path);
    QFETCH(QString, sentence);
    const auto optimizer = made(text.toStdString());
    QVERIFY(!optimizer.has_value());
    QCOMPARE(QString::fromStdString(optimizer.error().path), path);
    QCOMPARE(QString::fromStdString(optimizer.error().sentence), sentence);
}

CANNERY_TEST(TstKerasOptimizers)
#include "tst_keras_optimizers.moc"

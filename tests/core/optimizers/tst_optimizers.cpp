// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/optimizer_catalog.h"
#include "kernels/ops/sparse_gradient.h"
#include "tests/core/optimizers/optimizer_case.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <array>
#include <cmath>

using namespace cannery;
using namespace cannery::tests;
using optimizers::Optimizer;

class TstOptimizers : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void stepsAsKerasDoes_data();
    void stepsAsKerasDoes();
    void scalarsHaveTensorFlowsNames_data();
    void scalarsHaveTensorFlowsNames();
    void slotsHaveTensorFlowsNames();
    void restoredScalarsCount();
    void anEpsilonOfZeroIsThatOfKeras();
    void scheduleTakesThePlaceOfTheRate();
    void aRateThatIsNotSavedCounts();
    void aRestoredDecayDoesNotCount();
    void aRateOfZeroChangesNoWeight_data();
    void aRateOfZeroChangesNoWeight();
    void refusesWhatKerasRefuses();
    void catalogHasEveryOptimizerOfTheSchema();
};

namespace {

void step(kernels::ThreadPool& pool, Optimizer& optimizer, OptimizerState& state,
          const QJsonValue& gradient)
{
    if (gradient.isArray()) {
        std::vector<float> grad = numbersOf(gradient);
        const std::array<optimizers::ClippedGradient, 1> all{{{.values = grad}}};
        optimizer.clipping().apply(pool, all);
        optimizer.applyDense(pool, state.weights, state.views(), grad);
        state.average(pool, optimizer);
        return;
    }
    std::vector<std::int32_t> ids;
    for (const float id : numbersOf(gradient["indices"])) {
        ids.push_back(static_cast<std::int32_t>(id));
    }
    std::vector<float> values = numbersOf(gradient["values"]);
    // Keras clips slices before it sums those of equal rows.
    const std::array<optimizers::ClippedGradient, 1> all{{{.values = values}}};
    optimizer.clipping().apply(pool, all);
    kernels::SparseScratch scratch;
    kernels::SparseGradient sum;
    const auto rows = static_cast<std::int64_t>(ids.size());
    const std::int64_t width = state.width;
    QCOMPARE(std::int64_t(values.size()), rows * width);
    kernels::sumDuplicates(
        pool, ids, kernels::matrixView(std::span<const float>(values), rows, width), scratch, sum);
    optimizer.applySparse(
        pool,
        kernels::matrixView(std::span<float>(state.weights),
                            static_cast<std::int64_t>(state.weights.size()) / width, width),
        state.views(), sum);
    state.average(pool, optimizer);
}

void compare(const std::vector<float>& actual, const std::vector<float>& expected)
{
    QCOMPARE(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
        VERIFY_NEAR(actual[i], expected[i], 1e-5, 1e-6);
    }
}

} // namespace

void TstOptimizers::stepsAsKerasDoes_data()
{
    QTest::addColumn<QJsonObject>("row");
    QTest::addColumn<int>("threads");
    for (const QJsonObject& row : optimizerCases()) {
        const QString className = row["class"].toString();
        const QJsonObject given = row["arguments"].toObject();
        const QByteArray arguments = QJsonDocument(given).toJson();
        for (const int threads : {1, 3}) {
            QTest::newRow(qPrintable(
                QString("%1 %2 %3 %4 threads")
                    .arg(className, row["gradient"].toString(), QString(arguments.simplified()))
                    .arg(threads)))
                << row << threads;
        }
    }
}

void TstOptimizers::stepsAsKerasDoes()
{
    QFETCH(QJsonObject, row);
    QFETCH(int, threads);
    const QJsonObject table = goldenTable("optimizers");
    const auto made = optimizerOf(row["class"].toString(), row["arguments"].toObject());
    VERIFY_OK(made);
    Optimizer& optimizer = **made;
    kernels::ThreadPool pool(threads);
    const QJsonArray initial = table["initial"].toArray();
    OptimizerState state = initialState(optimizer, initial[0].toArray().size(), numbersOf(initial));
    const QJsonArray gradients = table[row["gradient"].toString() + "_gradients"].toArray();
    const QJsonArray steps = row["steps"].toArray();
    QVERIFY(!steps.isEmpty());
    QCOMPARE(gradients.size(), steps.size());
    for (int i = 0; i < steps.size(); ++i) {
        optimizer.beginStep(i);
        step(pool, optimizer, state, gradients[i]);
        compare(state.weights, numbersOf(steps[i]["value"]));
        const QJsonObject slots = steps[i]["slots"].toObject();
        QCOMPARE(int(optimizer.slots().size()), slots.size());
        for (std::size_t slot = 0; slot < optimizer.slots().size(); ++slot) {
            // In compat.v1.train a slot's name in a checkpoint is that of the optimizer.
            QString name = QString::fromStdString(std::string(optimizer.slots()[slot].name));
            name = name == "ProximalAdagrad" ? QString("accumulator") : name;
            QVERIFY2(slots.contains(name), qPrintable(name));
            compare(state.slots[slot], numbersOf(slots[name]));
        }
    }
}

void TstOptimizers::scalarsHaveTensorFlowsNames_data()
{
    QTest::addColumn<QString>("field");
    QTest::addColumn<QString>("className");
    QTest::addColumn<QStringList>("names");
    // As tf.train.list_variables shows them in checkpoints of canned estimators.
    QTest::newRow("sgd") << "sgd"
                         << "SGD" << QStringList{"decay=0", "learning_rate=0.01", "momentum=0"};
    QTest::newRow("adagrad") << "adagrad"
                             << "Adagrad" << QStringList{"decay=0", "learning_rate=0.001"};
    QTest::newRow("adam") << "adam"
                          << "Adam"
                          << QStringList{"beta_1=0.9", "beta_2=0.999", "decay=0",
                                         "learning_rate=0.001"};
    QTest::newRow("rmsprop") << "rmsprop"
                             << "RMSprop"
                             << QStringList{"decay=0", "learning_rate=0.001", "momentum=0",
                                            "rho=0.9"};
    QTest::newRow("ftrl") << "ftrl"
                          << "Ftrl"
                          << QStringList{"beta=0",
                                         "decay=0",
                                         "l1_regularization_strength=0",
                                         "l2_regularization_strength=0",
                                         "learning_rate=0.001",
                                         "learning_rate_power=-0.5"};
    QTest::newRow("adadelta") << "adadelta"
                              << "Adadelta"
                              << QStringList{"decay=0", "learning_rate=0.001", "rho=0.95"};
    QTest::newRow("adamax") << "adamax"
                            << "Adamax"
                            << QStringList{"beta_1=0.9", "beta_2=0.999", "decay=0",
                                           "learning_rate=0.001"};
    QTest::newRow("adamw") << "adamw"
                           << "AdamW"
                           << QStringList{"beta_1=0.9", "beta_2=0.999", "decay=0",
                                          "learning_rate=0.001", "weight_decay=0.004"};
    QTest::newRow("proximal gradient descent") << "proximal_gradient_descent"
                                               << "ProximalGradientDescent" << QStringList{};
    QTest::newRow("proximal adagrad") << "proximal_adagrad"
                                      << "ProximalAdagrad" << QStringList{};
    QTest::newRow("nadam") << "nadam"
                           << "Nadam"
                           << QStringList{"beta_1=0.9", "beta_2=0.999", "decay=0.004",
                                          "learning_rate=0.001", "momentum_cache=1"};
}

void TstOptimizers::scalarsHaveTensorFlowsNames()
{
    QFETCH(QString, field);
    QFETCH(QString, className);
    QFETCH(QStringList, names);
    const auto optimizer = optimizerOf(field, {});
    VERIFY_OK(optimizer);
    QCOMPARE(QString::fromStdString(std::string((*optimizer)->className())), className);
    QStringList actual;
    for (const optimizers::Scalar& scalar : (*optimizer)->scalars()) {
        actual << QString("%1=%2")
                      .arg(QString::fromStdString(std::string(scalar.name)))
                      .arg(double(scalar.value), 0, 'g', 6);
    }
    QCOMPARE(actual, names);
}

void TstOptimizers::slotsHaveTensorFlowsNames()
{
    const auto namesOf = [](const char* field, const QJsonObject& arguments) {
        QStringList names;
        const auto optimizer = optimizerOf(field, arguments);
        for (const optimizers::SlotSpec& slot : (*optimizer)->slots()) {
            names << QString::fromStdString(slot.tensorName("training/X", "dense/kernel"));
        }
        return names;
    };
    QCOMPARE(namesOf("adadelta", {}), (QStringList{"training/X/dense/kernel/accum_grad",
                                                   "training/X/dense/kernel/accum_var"}));
    QCOMPARE(
        namesOf("proximal_adagrad", {{"moving_average_decay", 0.9}}),
        (QStringList{"dense/kernel/ProximalAdagrad", "dense/kernel/ExponentialMovingAverage"}));
}

void TstOptimizers::restoredScalarsCount()
{
    const auto optimizer = optimizerOf("sgd", {{"learning_rate", 0.5}, {"momentum", 0.9}});
    VERIFY_OK(optimizer);
    for (optimizers::Scalar& scalar : (*optimizer)->scalars()) {
        scalar.value = scalar.name == "learning_rate" ? 0.25F : scalar.value;
    }
    (*optimizer)->beginStep(3);
    QCOMPARE((*optimizer)->learningRate(), 0.25F);
}

/// `epsilon or backend_config.epsilon()` of Keras.
void TstOptimizers::anEpsilonOfZeroIsThatOfKeras()
{
    kernels::ThreadPool pool(1);
    for (const char* className : {"Adagrad", "Adadelta", "Adam", "Adamax", "Nadam", "RMSprop"}) {
        const auto weightsAfterAStep = [&](double epsilon) {
            const auto made = optimizerOf(className, {{"epsilon", epsilon}});
            OptimizerState state = initialState(**made, 2, {1, -1});
            (*made)->beginStep(0);
            step(pool, **made, state, QJsonArray{2e-7, 0.5});
            return state.weights;
        };
        QCOMPARE(weightsAfterAStep(0), weightsAfterAStep(1e-7));
        QVERIFY2(weightsAfterAStep(0) != weightsAfterAStep(10), className);
    }
}

void TstOptimizers::scheduleTakesThePlaceOfTheRate()
{
    spec::Optimizer message;
    message.mutable_adagrad()->set_learning_rate(0.5);
    auto* decay = message.mutable_learning_rate_schedule()->mutable_inverse_time_decay();
    decay->set_learning_rate(0.2);
    decay->set_decay_steps(10);
    decay->set_decay_rate(1.0);
    const auto optimizer = optimizers::makeOptimizer(message, 0);
    VERIFY_OK(optimizer);
    QCOMPARE(int((*optimizer)->scalars().size()), 1);
    (*optimizer)->beginStep(10);
    QCOMPARE((*optimizer)->learningRate(), 0.1F);
}

/// The optimizers of compat.v1.train save no rate, and take the options of all optimizers.
void TstOptimizers::aRateThatIsNotSavedCounts()
{
    const auto optimizer = optimizerOf(
        "proximal_gradient_descent", {{"learning_rate", 0.5}, {"decay", 1.0}, {"clipvalue", 0.1}});
    VERIFY_OK(optimizer);
    (*optimizer)->beginStep(0);
    QCOMPARE((*optimizer)->learningRate(), 0.5F);
    (*optimizer)->beginStep(4);
    QCOMPARE((*optimizer)->learningRate(), 0.1F);
    kernels::ThreadPool pool(1);
    OptimizerState state = initialState(**optimizer, 1, {1});
    step(pool, **optimizer, state, QJsonArray{7});
    QCOMPARE(state.weights[0], 0.99F);
}

void TstOptimizers::aRestoredDecayDoesNotCount()
{
    const auto optimizer = optimizerOf("sgd", {{"learning_rate", 0.5}, {"decay", 1.0}});
    VERIFY_OK(optimizer);
    for (optimizers::Scalar& scalar : (*optimizer)->scalars()) {
        QVERIFY(scalar.name != "decay" || scalar.value == 1.0F);
        scalar.value = scalar.name == "decay" ? 9.0F : 0.25F;
    }
    (*optimizer)->beginStep(4);
    QCOMPARE((*optimizer)->learningRate(), 0.05F);
}

void TstOptimizers::aRateOfZeroChangesNoWeight_data()
{
    QTest::addColumn<QString>("field");
    QTest::addColumn<double>("rate");
    for (const optimizers::OptimizerRow& row : optimizers::optimizerCatalog()) {
        // Those of tf.keras.optimizers alone refuse to be made without their rules.
        if (row.make != nullptr && row.make != row.makeKeras) {
            const QString name = QString::fromStdString(std::string(row.name));
            QTest::newRow(qPrintable(name)) << name << 0.0;
            QTest::newRow(qPrintable(name + " almost")) << name << 1e-40;
        }
    }
}

/// As the first step of a warm-up, and the last ones of a decay.
void TstOptimizers::aRateOfZeroChangesNoWeight()
{
    QFETCH(QString, field);
    QFETCH(double, rate);
    const std::vector<float> weights{0.0F, 1.0F, -2.5F, 1e-3F};
    for (const bool isSparse : {false, true}) {
        const auto made = optimizerOf(field, {{"learning_rate", rate}});
        VERIFY_OK(made);
        kernels::ThreadPool pool(1);
        OptimizerState state = initialState(**made, 2, weights);
        for (int i = 0; i < 5; ++i) {
            (*made)->beginStep(i);
            step(pool, **made, state,
                 isSparse ? QJsonValue(QJsonObject{{"indices", QJsonArray{0, 1}},
                                                   {"values", QJsonArray{0.5, -1, 0, 2}}})
                          : QJsonValue(QJsonArray{0.5, -1, 0, 2}));
        }
        for (std::size_t i = 0; i < weights.size(); ++i) {
            QVERIFY(std::abs(state.weights[i] - weights[i]) <= 100 * rate);
        }
        for (const std::vector<float>& slot : state.slots) {
            QVERIFY(std::ranges::none_of(slot, [](float value) { return std::isnan(value); }));
        }
    }
}

void TstOptimizers::refusesWhatKerasRefuses()
{
    VERIFY_ERROR(optimizers::makeOptimizer({}, 0), "optimizer.none");
    spec::Optimizer message;
    message.mutable_nadam();
    message.mutable_learning_rate_schedule()->mutable_constant()->set_learning_rate(1.0);
    VERIFY_ERROR(optimizers::makeOptimizer(message, 0), "optimizer.nadam_schedule");
    message.Clear();
    message.mutable_sgd();
    message.set_clipnorm(1.0);
    message.set_global_clipnorm(1.0);
    VERIFY_ERROR(optimizers::makeOptimizer(message, 0), "optimizer.two_norms");
}

void TstOptimizers::catalogHasEveryOptimizerOfTheSchema()
{
    const auto* kinds = spec::Optimizer::descriptor()->FindOneofByName("kind");
    QCOMPARE(int(optimizers::optimizerCatalog().size()), kinds->field_count());
    for (int i = 0; i < kinds->field_count(); ++i) {
        const auto& row = optimizers::optimizerCatalog()[static_cast<std::size_t>(i)];
        QCOMPARE(int(row.key), kinds->field(i)->number());
        QCOMPARE(std::string(row.name), kinds->field(i)->name());
    }
}

CANNERY_TEST(TstOptimizers)
#include "tst_optimizers.moc"

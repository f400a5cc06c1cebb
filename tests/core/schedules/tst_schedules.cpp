// SPDX-License-Identifier: Apache-2.0
#include "core/schedules/schedule_catalog.h"
#include "tests/golden/tables/message_of_table.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QMap>

using namespace cannery;
using namespace cannery::tests;

class TstSchedules : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void givesTensorFlowsRates_data();
    void givesTensorFlowsRates();
    void warmsUpBeforeAnySchedule();
    void noiseIsAFunctionOfSeedAndStep();
    void noiseHasTheVarianceOfItsStep();
    void refusesWhatDoesNotGoTogether();
    void catalogHasEveryScheduleOfTheSchema();
};

namespace {

/// The schema's name for TensorFlow's function or Keras's class.
QString fieldOf(const QJsonObject& row)
{
    const QMap<QString, QString> fields{{"ExponentialDecay", "exponential_decay"},
                                        {"InverseTimeDecay", "inverse_time_decay"},
                                        {"PolynomialDecay", "polynomial_decay"},
                                        {"CosineDecay", "cosine_decay"},
                                        {"CosineDecayRestarts", "cosine_decay_restarts"},
                                        {"PiecewiseConstantDecay", "piecewise_constant"}};
    const QString name = row["schedule"].toString();
    return fields.value(name, name);
}

} // namespace

void TstSchedules::givesTensorFlowsRates_data()
{
    QTest::addColumn<QJsonObject>("row");
    for (const QJsonValue value : goldenTable("schedules")["cases"].toArray()) {
        const QJsonObject row = value.toObject();
        const QByteArray arguments = QJsonDocument(row["arguments"].toObject()).toJson();
        QTest::newRow(qPrintable(row["api"].toString() + " " + row["schedule"].toString() +
                                 arguments.simplified()))
            << row;
    }
}

void TstSchedules::givesTensorFlowsRates()
{
    QFETCH(QJsonObject, row);
    QJsonObject arguments = row["arguments"].toObject();
    if (arguments.contains("initial_learning_rate")) {
        arguments["learning_rate"] = arguments.take("initial_learning_rate");
    }
    QJsonObject fields;
    if (arguments.contains("warmup_target")) { // Keras's names of a warm-up
        fields["warmup_start"] = arguments.take("learning_rate");
        fields["warmup_steps"] = arguments.take("warmup_steps");
        arguments["learning_rate"] = arguments.take("warmup_target");
    }
    fields[fieldOf(row)] = arguments;
    spec::Schedule message;
    QVERIFY(fillMessage(fields, message));
    const auto schedule = schedules::makeSchedule(message, 0);
    VERIFY_OK(schedule);
    const std::vector<float> steps = numbersOf(row["steps"]);
    const std::vector<float> rates = numbersOf(row["rates"]);
    QVERIFY(!steps.empty());
    QCOMPARE(rates.size(), steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const float rate = (*schedule)->learningRate(static_cast<std::int64_t>(steps[i]));
        VERIFY_NEAR(rate, rates[i], 1e-6, 1e-7);
    }
}

void TstSchedules::warmsUpBeforeAnySchedule()
{
    spec::Schedule message;
    message.set_warmup_steps(4);
    message.set_warmup_start(0.1);
    message.mutable_piecewise_constant()->add_boundaries(2);
    message.mutable_piecewise_constant()->add_values(0.5);
    message.mutable_piecewise_constant()->add_values(0.25);
    const auto schedule = schedules::makeSchedule(message, 0);
    VERIFY_OK(schedule);
    const std::vector<float> expected{0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.5F, 0.5F, 0.25F};
    for (std::size_t step = 0; step < expected.size(); ++step) {
        VERIFY_NEAR((*schedule)->learningRate(static_cast<std::int64_t>(step)), expected[step],
                    1e-6, 0);
    }
}

namespace {

std::vector<float> noisyRates(std::uint64_t seed, double variance, int steps)
{
    spec::Schedule message;
    auto* noisy = message.mutable_noisy_linear_cosine_decay();
    noisy->set_learning_rate(1);
    noisy->set_decay_steps(1000000);
    noisy->set_initial_variance(variance);
    noisy->set_variance_decay(0);
    const auto schedule = schedules::makeSchedule(message, seed);
    std::vector<float> rates;
    for (int step = 0; step < steps; ++step) {
        rates.push_back((*schedule)->learningRate(step));
    }
    return rates;
}

} // namespace

void TstSchedules::noiseIsAFunctionOfSeedAndStep()
{
    const std::vector<float> rates = noisyRates(3, 0.1, 50);
    QCOMPARE(noisyRates(3, 0.1, 50), rates);
    QVERIFY(noisyRates(4, 0.1, 50) != rates);
    spec::Schedule message;
    message.mutable_noisy_linear_cosine_decay()->set_learning_rate(1);
    message.mutable_noisy_linear_cosine_decay()->set_decay_steps(1000000);
    message.mutable_noisy_linear_cosine_decay()->set_initial_variance(0.1);
    message.mutable_noisy_linear_cosine_decay()->set_variance_decay(0);
    const auto resumed = schedules::makeSchedule(message, 3);
    QCOMPARE((*resumed)->learningRate(49), rates[49]);
}

/// Of many steps that are all at the start of the cosine.
void TstSchedules::noiseHasTheVarianceOfItsStep()
{
    constexpr int kSteps = 4000;
    const std::vector<float> rates = noisyRates(1, 0.25, kSteps);
    const std::vector<float> quiet = noisyRates(1, 0, kSteps);
    double sum = 0;
    double squares = 0;
    for (int step = 0; step < kSteps; ++step) {
        const double noise = double(rates[step]) - double(quiet[step]);
        sum += noise;
        squares += noise * noise;
    }
    // Of 4000 numbers, the mean deviates by 0.5 / 63, the mean square by 0.25 * sqrt(2) / 63.
    VERIFY_NEAR(sum / kSteps, 0, 0, 0.03);
    VERIFY_NEAR(squares / kSteps, 0.25, 0, 0.02);
    spec::Schedule message;
    auto* noisy = message.mutable_noisy_linear_cosine_decay();
    noisy->set_learning_rate(1);
    noisy->set_decay_steps(1000000);
    noisy->set_initial_variance(0.25);
    noisy->set_variance_decay(1);
    const auto fading = schedules::makeSchedule(message, 1);
    VERIFY_NEAR((*fading)->learningRate(99) - quiet[99], (rates[99] - quiet[99]) / 10, 1e-3, 1e-6);
}

void TstSchedules::refusesWhatDoesNotGoTogether()
{
    VERIFY_ERROR(schedules::makeSchedule({}, 0), "schedule.none");
    spec::Schedule message;
    auto* piecewise = message.mutable_piecewise_constant();
    piecewise->add_boundaries(5);
    piecewise->add_values(0.1);
    VERIFY_ERROR(schedules::makeSchedule(message, 0), "schedule.value_count");
    piecewise->add_boundaries(5);
    piecewise->add_values(0.2);
    piecewise->add_values(0.3);
    VERIFY_ERROR(schedules::makeSchedule(message, 0), "schedule.boundaries_not_ascending");
}

void TstSchedules::catalogHasEveryScheduleOfTheSchema()
{
    const auto* kinds = spec::Schedule::descriptor()->FindOneofByName("kind");
    QCOMPARE(int(schedules::scheduleCatalog().size()), kinds->field_count());
    for (int i = 0; i < kinds->field_count(); ++i) {
        const auto& row = schedules::scheduleCatalog()[static_cast<std::size_t>(i)];
        QCOMPARE(int(row.key), kinds->field(i)->number());
        QCOMPARE(std::string(row.name), kinds->field(i)->name());
    }
}

CANNERY_TEST(TstSchedules)
#include "tst_schedules.moc"

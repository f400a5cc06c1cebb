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
    void refusesWhatDoesNotGoTogether();
    void catalogHasEveryScheduleOfTheSchema();
};

namespace {

/// The schema's name for TensorFlow's function or Keras's class; empty if the schema lacks it.
QString fieldOf(const QJsonObject& row)
{
    const QMap<QString, QString> fields{{"ExponentialDecay", "exponential_decay"},
                                        {"InverseTimeDecay", "inverse_time_decay"},
                                        {"PolynomialDecay", "polynomial_decay"},
                                        {"CosineDecay", "cosine_decay"},
                                        {"PiecewiseConstantDecay", "piecewise_constant"}};
    const QString name = row["schedule"].toString();
    const bool warmup = row["arguments"].toObject().contains("warmup_target");
    const QStringList outside{"natural_exp_decay", "cosine_decay_restarts", "linear_cosine_decay",
                              "CosineDecayRestarts"};
    return warmup || outside.contains(name) ? QString() : fields.value(name, name);
}

} // namespace

void TstSchedules::givesTensorFlowsRates_data()
{
    QTest::addColumn<QJsonObject>("row");
    for (const QJsonValue value : goldenTable("schedules")["cases"].toArray()) {
        const QJsonObject row = value.toObject();
        if (fieldOf(row).isEmpty()) {
            continue;
        }
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
    spec::Schedule message;
    QVERIFY(fillMessage({{fieldOf(row), arguments}}, message));
    const auto schedule = schedules::makeSchedule(message);
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

void TstSchedules::refusesWhatDoesNotGoTogether()
{
    VERIFY_ERROR(schedules::makeSchedule({}), "schedule.none");
    spec::Schedule message;
    auto* piecewise = message.mutable_piecewise_constant();
    piecewise->add_boundaries(5);
    piecewise->add_values(0.1);
    VERIFY_ERROR(schedules::makeSchedule(message), "schedule.value_count");
    piecewise->add_boundaries(5);
    piecewise->add_values(0.2);
    piecewise->add_values(0.3);
    VERIFY_ERROR(schedules::makeSchedule(message), "schedule.boundaries_not_ascending");
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

// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/plan_facts.h"

#include "core/reports/given.h"
#include "core/reports/plan.pb.h"
#include "ui/models/report_reader.h"

#include <QCoreApplication>
#include <QJsonObject>
#include <QStringList>

#include <algorithm>

namespace cannery::ui {

namespace {

QString text(const std::string& utf8)
{
    return QString::fromStdString(utf8);
}

QString shapeText(const reports::Shape& shape)
{
    QStringList parts;
    for (const qint64 size : shape.dims()) {
        // A negative size is unknown until the sequence is read.
        parts.append(size < 0 ? QCoreApplication::translate("PlanFacts", "steps")
                              : QString::number(size));
    }
    return parts.join(QStringLiteral(" × "));
}

WarmStartFacts warmStart(const reports::WarmStart& report)
{
    WarmStartFacts facts{.checkpoint = text(report.checkpoint()),
                         .restored = textsOf(report.restored()),
                         .fresh = textsOf(report.fresh()),
                         .problem = text(report.problem()),
                         .patterns = textsOf(report.patterns())};
    for (const reports::WarmStartVariable& variable : report.variables()) {
        facts.variables.append(
            {.name = text(variable.name()),
             .shape = shapeText(variable.shape()),
             .previousName = text(variable.previous_name()),
             .previousShape = shapeText(variable.previous_shape()),
             .isThere = variable.has_previous_shape(),
             .patterns = QList<qsizetype>(variable.patterns().begin(), variable.patterns().end()),
             .isSelected = variable.selected(),
             .movesWords = variable.moves_words(),
             .problem = text(variable.problem())});
    }
    return facts;
}

StrategyFacts strategy(const reports::PlannedStrategy& report)
{
    return {
        .name = text(report.name()),
        .available = !report.has_available() || report.available(),
        .reason = text(report.reason()),
        .needs = text(report.needs()),
        .replicas = report.replicas(),
        .batchPerReplica = report.batch_per_replica(),
        .batchPerStep = report.batch_per_step(),
        .memoryBytes = report.has_memory_bytes() ? report.memory_bytes() : -1,
        .stepsPerSecond = reports::given(report.has_steps_per_second(), report.steps_per_second()),
        .rowsPerSecond = reports::given(report.has_rows_per_second(), report.rows_per_second())};
}

WorkersFacts workers(const reports::PlannedWorkers& report)
{
    WorkersFacts facts{.network = text(report.network()),
                       .recommended = report.recommended(),
                       .sentence = text(report.sentence())};
    for (const reports::WorkerPoint& point : report.curve()) {
        facts.curve.append({.workers = point.workers(),
                            .stepsPerSecond = point.steps_per_second(),
                            .rowsPerSecond = point.rows_per_second(),
                            .efficiency = point.efficiency()});
    }
    return facts;
}

void addMeasurement(const reports::PlanMeasurement& report, PlanFacts& facts)
{
    facts.secondsPerEpoch =
        reports::given(report.has_seconds_per_epoch(), report.seconds_per_epoch());
    facts.measuredSteps = report.measured_steps();
    facts.mayTrainOnGpu = report.may_train_on_gpu();
    facts.measuredRows = report.measured_rows();
    facts.measuredBytes = report.has_measured_bytes() ? report.measured_bytes() : -1;
    facts.programBytes = report.has_program_bytes() ? report.program_bytes() : -1;
}

} // namespace

qsizetype WarmStartFacts::caughtBy(qsizetype pattern) const
{
    return std::count_if(variables.begin(), variables.end(),
                         [pattern](const WarmStartVariableFacts& variable) {
                             return variable.patterns.contains(pattern);
                         });
}

const StrategyFacts* PlanFacts::strategy(const QString& name) const
{
    const auto found =
        std::find_if(strategies.begin(), strategies.end(),
                     [&](const StrategyFacts& strategy) { return strategy.name == name; });
    return found == strategies.end() ? nullptr : &*found;
}

const PlanLayer* PlanFacts::layer(const QString& name) const
{
    // An input is columns first and then their values ("pixels/values"), a recurrent layer its cell
    // ("lstm/lstm_cell"). A block gives what its last layer does ("residual/2/add").
    const auto found = std::find_if(layers.rbegin(), layers.rend(), [&](const PlanLayer& layer) {
        return layer.name == name || layer.name.startsWith(name + u'/');
    });
    return found == layers.rend() ? nullptr : &*found;
}

qint64 PlanFacts::parametersOf(const QString& block) const
{
    qint64 parameters = 0;
    for (const PlanLayer& layer : layers) {
        parameters += layer.name.startsWith(block + u'/') ? layer.parameters : 0;
    }
    return parameters;
}

bool LearningRateFacts::changes() const
{
    return std::any_of(points.begin(), points.end(),
                       [this](const QPointF& point) { return point.y() != points.first().y(); });
}

PlanFacts planFactsFromJson(const QJsonObject& plan)
{
    reports::Plan report;
    readAnswer(plan, report);
    PlanFacts facts;
    for (const reports::PlannedLayer& layer : report.layers()) {
        facts.layers.append({.name = text(layer.name()),
                             .type = text(layer.type()),
                             .shape = shapeText(layer.shape()),
                             .rank = layer.shape().dims_size(),
                             .parameters = layer.parameters(),
                             .multiplyAdds = layer.multiply_adds()});
    }
    // -1 stands for "not planned", as 0 is an answer.
    facts.parameters = report.has_parameters() ? report.parameters() : -1;
    facts.memoryBytes = report.has_memory_bytes() ? report.memory_bytes() : -1;
    facts.multiplyAdds = report.has_multiply_adds() ? report.multiply_adds() : -1;
    facts.seconds = reports::given(report.has_estimated_seconds(), report.estimated_seconds());
    facts.secondsLow =
        reports::given(report.has_estimated_seconds_low(), report.estimated_seconds_low());
    facts.secondsHigh =
        reports::given(report.has_estimated_seconds_high(), report.estimated_seconds_high());
    addMeasurement(report.measurement(), facts);
    facts.warmStart = warmStart(report.warm_start());
    facts.trainRows = report.has_train_rows() ? report.train_rows() : -1;
    facts.wideInputs = report.has_wide_inputs() ? static_cast<int>(report.wide_inputs()) : -1;
    facts.deepInputs = report.has_deep_inputs() ? static_cast<int>(report.deep_inputs()) : -1;
    for (const reports::PlannedStrategy& planned : report.strategies()) {
        facts.strategies.append(strategy(planned));
    }
    facts.workers = workers(report.workers());
    return facts;
}

QList<LearningRateFacts> learningRatesFromJson(const QJsonObject& plan)
{
    reports::LearningRates report;
    readAnswer(plan, report);
    QList<LearningRateFacts> curves;
    for (const reports::LearningRate& rate : report.learning_rates()) {
        LearningRateFacts curve{.path = text(rate.path()),
                                .optimizer = text(rate.optimizer()),
                                .schedule = text(rate.schedule())};
        for (int i = 0; i < std::min(rate.steps_size(), rate.rates_size()); ++i) {
            curve.points.append({double(rate.steps(i)), rate.rates(i)});
        }
        // A single point is not a curve.
        if (curve.points.size() >= 2) {
            curves.append(curve);
        }
    }
    return curves;
}

} // namespace cannery::ui

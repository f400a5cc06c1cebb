// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/plan_facts.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonObject>
#include <QStringList>

#include <algorithm>

namespace cannery::ui {

namespace {

std::optional<double> number(const QJsonObject& json, const char* key)
{
    const QJsonValue value = json.value(QLatin1String(key));
    return value.isDouble() ? std::optional<double>(value.toDouble()) : std::nullopt;
}

QString shapeText(const QJsonValue& shape)
{
    QStringList parts;
    for (const QJsonValue& dimension : shape.toArray()) {
        // A negative size is unknown until the sequence is read.
        const qint64 size = dimension.toInteger();
        parts.append(size < 0 ? QCoreApplication::translate("PlanFacts", "steps")
                              : QString::number(size));
    }
    return parts.join(QStringLiteral(" × "));
}

WarmStartFacts warmStart(const QJsonObject& json)
{
    WarmStartFacts facts{.checkpoint = json.value("checkpoint").toString(),
                         .restored = json.value("restored").toVariant().toStringList(),
                         .fresh = json.value("fresh").toVariant().toStringList(),
                         .problem = json.value("problem").toString(),
                         .patterns = json.value("patterns").toVariant().toStringList()};
    for (const QJsonValue& value : json.value("variables").toArray()) {
        WarmStartVariableFacts variable{.name = value["name"].toString(),
                                        .shape = shapeText(value["shape"]),
                                        .previousName = value["previous_name"].toString(),
                                        .previousShape = shapeText(value["previous_shape"]),
                                        .isThere = value["previous_shape"].isArray(),
                                        .isSelected = value["selected"].toBool(),
                                        .movesWords = value["moves_words"].toBool(),
                                        .problem = value["problem"].toString()};
        for (const QJsonValue& pattern : value["patterns"].toArray()) {
            variable.patterns.append(pattern.toInteger());
        }
        facts.variables.append(variable);
    }
    return facts;
}

QList<StrategyFacts> strategies(const QJsonArray& json)
{
    QList<StrategyFacts> facts;
    for (const QJsonValue& value : json) {
        const QJsonObject strategy = value.toObject();
        facts.append({.name = strategy.value("name").toString(),
                      .available = strategy.value("available").toBool(true),
                      .reason = strategy.value("reason").toString(),
                      .needs = strategy.value("needs").toString(),
                      .replicas = strategy.value("replicas").toInteger(),
                      .batchPerReplica = strategy.value("batch_per_replica").toInteger(),
                      .batchPerStep = strategy.value("batch_per_step").toInteger(),
                      .memoryBytes = strategy.value("memory_bytes").toInteger(-1),
                      .stepsPerSecond = number(strategy, "steps_per_second"),
                      .rowsPerSecond = number(strategy, "rows_per_second")});
    }
    return facts;
}

WorkersFacts workers(const QJsonObject& json)
{
    WorkersFacts facts{.network = json.value("network").toString(),
                       .recommended = json.value("recommended").toInteger(),
                       .sentence = json.value("sentence").toString()};
    for (const QJsonValue& value : json.value("curve").toArray()) {
        facts.curve.append({.workers = value["workers"].toInteger(),
                            .stepsPerSecond = value["steps_per_second"].toDouble(),
                            .rowsPerSecond = value["rows_per_second"].toDouble(),
                            .efficiency = value["efficiency"].toDouble()});
    }
    return facts;
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

bool LearningRateFacts::changes() const
{
    return std::any_of(points.begin(), points.end(),
                       [this](const QPointF& point) { return point.y() != points.first().y(); });
}

PlanFacts planFactsFromJson(const QJsonObject& plan)
{
    PlanFacts facts;
    for (const QJsonValue& value : plan.value("layers").toArray()) {
        const QJsonObject layer = value.toObject();
        facts.layers.append({.name = layer.value("name").toString(),
                             .type = layer.value("type").toString(),
                             .shape = shapeText(layer.value("shape")),
                             .parameters = layer.value("parameters").toInteger()});
    }
    // -1 stands for "not planned", as 0 is an answer.
    facts.parameters = plan.value("parameters").toInteger(-1);
    facts.memoryBytes = plan.value("memory_bytes").toInteger(-1);
    facts.multiplyAdds = plan.value("multiply_adds").toInteger(-1);
    facts.seconds = number(plan, "estimated_seconds");
    facts.secondsLow = number(plan, "estimated_seconds_low");
    facts.secondsHigh = number(plan, "estimated_seconds_high");
    facts.secondsPerEpoch = number(plan, "seconds_per_epoch");
    facts.measuredSteps = plan.value("measured_steps").toInteger(0);
    facts.mayTrainOnGpu = plan.value("may_train_on_gpu").toBool();
    facts.measuredRows = plan.value("measured_rows").toInteger(0);
    facts.measuredBytes = plan.value("measured_bytes").toInteger(-1);
    facts.programBytes = plan.value("program_bytes").toInteger(-1);
    facts.warmStart = warmStart(plan.value("warm_start").toObject());
    facts.trainRows = plan.value("train_rows").toInteger(-1);
    facts.wideInputs = static_cast<int>(plan.value("wide_inputs").toInteger(-1));
    facts.deepInputs = static_cast<int>(plan.value("deep_inputs").toInteger(-1));
    facts.strategies = strategies(plan.value("strategies").toArray());
    facts.workers = workers(plan.value("workers").toObject());
    return facts;
}

QList<LearningRateFacts> learningRatesFromJson(const QJsonObject& plan)
{
    QList<LearningRateFacts> curves;
    for (const QJsonValue& value : plan.value("learning_rates").toArray()) {
        const QJsonArray steps = value["steps"].toArray();
        const QJsonArray rates = value["rates"].toArray();
        LearningRateFacts curve{.path = value["path"].toString(),
                                .optimizer = value["optimizer"].toString(),
                                .schedule = value["schedule"].toString()};
        for (qsizetype i = 0; i < std::min(steps.size(), rates.size()); ++i) {
            curve.points.append({steps[i].toDouble(), rates[i].toDouble()});
        }
        // A single point is not a curve.
        if (curve.points.size() >= 2) {
            curves.append(curve);
        }
    }
    return curves;
}

} // namespace cannery::ui

// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/plan_facts.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QStringList>

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
        parts.append(QString::number(dimension.toInteger()));
    }
    return parts.join(QStringLiteral(" × "));
}

} // namespace

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
    facts.parameters = plan.value("parameters").toInteger(-1);
    facts.memoryBytes = plan.value("memory_bytes").toInteger(-1);
    facts.multiplyAdds = plan.value("multiply_adds").toInteger(-1);
    facts.seconds = number(plan, "estimated_seconds");
    facts.secondsPerEpoch = number(plan, "seconds_per_epoch");
    facts.trainRows = plan.value("train_rows").toInteger(-1);
    facts.wideInputs = static_cast<int>(plan.value("wide_inputs").toInteger(-1));
    facts.deepInputs = static_cast<int>(plan.value("deep_inputs").toInteger(-1));
    return facts;
}

} // namespace cannery::ui

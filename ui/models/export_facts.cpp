// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/export_facts.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QStringList>

namespace cannery::ui {

namespace {

QString shapeText(const QJsonValue& shape)
{
    if (shape.isString()) {
        return shape.toString();
    }
    QStringList parts;
    for (const QJsonValue& dimension : shape.toArray()) {
        const bool open = dimension.isNull() || dimension.toInteger(-1) < 0;
        parts.append(open ? QStringLiteral("batch") : QString::number(dimension.toInteger()));
    }
    return '[' + parts.join(QLatin1String(", ")) + ']';
}

QList<TensorFacts> tensors(const QJsonValue& json)
{
    QList<TensorFacts> list;
    for (const QJsonValue& value : json.toArray()) {
        const QJsonObject tensor = value.toObject();
        list.append({.name = tensor.value("name").toString(),
                     .type = tensor.value("dtype").toString(),
                     .shape = shapeText(tensor.value("shape"))});
    }
    return list;
}

} // namespace

ExportFacts exportFactsFromJson(const QJsonObject& json)
{
    ExportFacts facts;
    facts.path = json.value("path").toString();
    facts.bytes = json.value("bytes").toInteger();
    for (const QJsonValue& value : json.value("signatures").toArray()) {
        const QJsonObject signature = value.toObject();
        facts.signatures.append({.name = signature.value("name").toString(),
                                 .method = signature.value("method").toString(),
                                 .inputs = tensors(signature.value("inputs")),
                                 .outputs = tensors(signature.value("outputs"))});
    }
    const QJsonObject check = json.value("verification").toObject();
    facts.verifiedRows = check.value("rows").toInt();
    facts.equalRows = check.value("equal").toInt();
    facts.maxDifference = check.value("max_difference").toDouble();
    return facts;
}

} // namespace cannery::ui

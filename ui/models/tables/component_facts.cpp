// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/tables/component_facts.h"

#include "ui/models/formats.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonObject>

#include <algorithm>

namespace cannery::ui {
namespace {

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(ComponentFacts)
};

QList<double> numbersIn(const QJsonArray& array)
{
    QList<double> numbers;
    for (const QJsonValue& value : array) {
        numbers += value.toDouble();
    }
    return numbers;
}

QList<double> sharesIn(const QJsonObject& json)
{
    QList<double> shares;
    for (const QJsonValue& component : json["components"].toArray()) {
        shares += component.toObject()["share"].toDouble();
    }
    return shares;
}

QList<ComponentPoint> pointsIn(const QJsonObject& json)
{
    QList<ComponentPoint> points;
    for (const QJsonValue& value : json["points"].toArray()) {
        const QJsonObject point = value.toObject();
        const QJsonArray at = point["at"].toArray();
        points.append({.x = at.at(0).toDouble(),
                       .y = at.at(1).toDouble(),
                       .group = qsizetype(point["group"].toInteger(-1)),
                       .text = point["text"].toString()});
    }
    return points;
}

QList<ComponentColumn> usedColumnsIn(const QJsonObject& json)
{
    QList<ComponentColumn> columns;
    for (const QJsonValue& value : json["columns"].toArray()) {
        const QJsonObject column = value.toObject();
        const qint64 missing = column["missing"].toInteger();
        columns.append({.name = column["name"].toString(),
                        .loadings = numbersIn(column["loadings"].toArray()),
                        .remark = missing > 0 ? Words::tr("%1 missing").arg(formatCount(missing))
                                              : QString()});
    }
    return columns;
}

QList<ComponentColumn> otherColumnsIn(const QJsonObject& json)
{
    QList<ComponentColumn> columns;
    const auto add = [&](const char* list, const QString& why) {
        for (const QJsonValue& name : json[QLatin1String(list)].toArray()) {
            columns.append({.name = name.toString(), .loadings = {}, .remark = why});
        }
    };
    // Not compared, but listed: a column that is missing without a reason looks forgotten.
    add("constant", Words::tr("always the same value"));
    add("beyond", Words::tr("more columns than are compared"));
    for (const QJsonValue& value : json["others"].toArray()) {
        const QJsonObject other = value.toObject();
        columns.append(
            {.name = other["name"].toString(), .loadings = {}, .remark = other["why"].toString()});
    }
    return columns;
}

EmbeddingTable embeddingTableIn(const QJsonObject& json)
{
    return {.variable = json["variable"].toString(),
            .column = json["column"].toString(),
            .rows = json["rows"].toInteger(),
            .dimension = json["dimension"].toInteger()};
}

} // namespace

TableComponentFacts tableComponentsFromJson(const QJsonObject& components)
{
    TableComponentFacts facts{.rows = components["rows"].toInteger(),
                              .usedRows = components["used_rows"].toInteger(),
                              .shares = sharesIn(components),
                              .columns = usedColumnsIn(components),
                              .usedColumns = 0,
                              .label = components["label"].toString(),
                              .groups = {},
                              .points = pointsIn(components)};
    facts.usedColumns = facts.columns.size();
    facts.columns += otherColumnsIn(components);
    for (const QJsonValue& group : components["groups"].toArray()) {
        const QString name = group.toString();
        facts.groups += name.isEmpty() ? Words::tr("no label") : name;
    }
    // From left to right, so that the arrow keys go through the points in order.
    std::stable_sort(facts.points.begin(), facts.points.end(),
                     [](const ComponentPoint& a, const ComponentPoint& b) { return a.x < b.x; });
    return facts;
}

QList<EmbeddingTable> embeddingTablesFromJson(const QJsonObject& embeddings)
{
    QList<EmbeddingTable> tables;
    for (const QJsonValue& table : embeddings["tables"].toArray()) {
        tables.append(embeddingTableIn(table.toObject()));
    }
    return tables;
}

EmbeddingFacts embeddingFromJson(const QJsonObject& components)
{
    return {.table = embeddingTableIn(components),
            .shares = sharesIn(components),
            .points = pointsIn(components),
            .problem = components["problem"].toString()};
}

QString componentTitle(const QList<double>& shares, qsizetype component)
{
    return component >= shares.size()
               ? QString()
               : Words::tr("Component %1 · %2")
                     .arg(formatCount(component + 1), formatPercent(shares[component]));
}

} // namespace cannery::ui

// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/tables/column_facts.h"

#include <QJsonArray>
#include <QJsonObject>

#include <algorithm>

namespace cannery::ui {

namespace {

constexpr qint64 kFewValues = 12;

std::optional<double> number(const QJsonObject& json, const char* key)
{
    const QJsonValue value = json.value(QLatin1String(key));
    return value.isDouble() ? std::optional<double>(value.toDouble()) : std::nullopt;
}

ColumnFacts columnFromJson(const QJsonObject& json)
{
    ColumnFacts column;
    column.name = json.value("name").toString();
    column.type = json.value("type").toString();
    column.dtype = json.value("dtype").toString();
    column.use = json.value("use").toString("feature");
    column.reason = json.value("reason").toString();
    column.missing = json.value("missing").toInteger();
    column.distinct = json.value("distinct").toInteger(-1);
    column.distinctIsExact = json.value("distinct_is_exact").toBool(true);
    column.minimum = number(json, "min");
    column.maximum = number(json, "max");
    column.mean = number(json, "mean");
    column.median = number(json, "median");
    column.deviation = number(json, "sd");
    for (const QJsonValue& value : json.value("values").toArray()) {
        column.values << ValueRows{value["value"].toString(), value["train"].toInteger(),
                                   value["eval"].toInteger()};
    }
    for (const QJsonValue& time : json.value("times").toArray()) {
        column.times << time.toString();
    }
    const QJsonObject histogram = json.value("histogram").toObject();
    for (const QJsonValue& label : histogram.value("labels").toArray()) {
        column.binLabels.append(label.toString());
    }
    for (const QJsonValue& count : histogram.value("counts").toArray()) {
        column.binCounts.append(count.toDouble());
    }
    if (column.isNumber()) {
        column.bins = column.binCounts;
        column.binsBegin = histogram.value("begin").toDouble();
        column.binsEnd = histogram.value("end").toDouble();
        for (const QJsonValue& quantile : json.value("quantiles").toArray()) {
            column.quantiles.append(quantile.toDouble());
        }
    }
    if (column.isNumber() && column.distinct >= 0 && column.distinct <= kFewValues) {
        // Bars of a few whole numbers are drawn without gaps between them.
        column.binCounts.removeAll(0.0);
    }
    return column;
}

QStringList rowFromJson(const QJsonArray& json)
{
    QStringList row;
    for (const QJsonValue& cell : json) {
        row.append(cell.isNull() ? QString() : cell.toString(QLatin1String("")));
    }
    return row;
}

} // namespace

const ColumnFacts* DataFacts::find(const QString& column) const
{
    for (const ColumnFacts& facts : columns) {
        if (facts.name == column) {
            return &facts;
        }
    }
    return nullptr;
}

bool DataFacts::hasColumnsOf(const DataFacts& other) const
{
    return std::equal(columns.begin(), columns.end(), other.columns.begin(), other.columns.end(),
                      [](const ColumnFacts& one, const ColumnFacts& another) {
                          return one.name == another.name;
                      });
}

double DataFacts::missingShare(const ColumnFacts& column) const
{
    return trainRows > 0 ? static_cast<double>(column.missing) / static_cast<double>(trainRows) : 0;
}

DataFacts dataFactsFromJson(const QJsonObject& preview)
{
    DataFacts facts;
    const QJsonObject sources = preview.value("sources").toObject();
    facts.trainRows = sources.value("train").toObject().value("rows").toInteger(-1);
    facts.evalRows = sources.value("eval").toObject().value("rows").toInteger(-1);
    for (const QJsonValue& column : preview.value("columns").toArray()) {
        facts.columns.append(columnFromJson(column.toObject()));
    }
    for (const QJsonValue& row : preview.value("texts").toArray()) {
        facts.texts.append(rowFromJson(row.toArray()));
    }
    return facts;
}

QStringList columnNamesFromJson(const QJsonObject& preview)
{
    QStringList names;
    for (const QJsonValue& column : preview.value("columns").toArray()) {
        names << column.toObject().value("name").toString();
    }
    return names;
}

} // namespace cannery::ui

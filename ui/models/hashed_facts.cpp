// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/hashed_facts.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonObject>

#include <cmath>

namespace cannery::ui {

namespace {

/// An id stands for several words, or for one that is not known.
QString valueText(const QJsonValue& value)
{
    if (value.isNull()) {
        return {};
    }
    return value.isString()
               ? value.toString()
               : QCoreApplication::translate("HashedFacts", "id %1").arg(value.toInteger());
}

HashedValueFacts valueFromJson(const QJsonObject& json)
{
    HashedValueFacts value;
    for (const QJsonValue& text : json.value("values").toArray()) {
        value.values.append(valueText(text));
    }
    value.count = json.value("count").toInteger();
    value.bucket = json.value("bucket").toInteger();
    value.isShared = json.value("shared").toBool();
    for (const QJsonValue& number : json.value("label").toArray()) {
        value.label.append(number.toDouble(std::nan("")));
    }
    return value;
}

QStringList textsOf(const QJsonValue& list)
{
    QStringList texts;
    for (const QJsonValue& text : list.toArray()) {
        texts.append(text.toString());
    }
    return texts;
}

HashedFacts columnFromJson(const QJsonObject& json)
{
    HashedFacts facts;
    facts.column = json.value("column").toString();
    facts.problem = json.value("problem").toString();
    facts.inputs = textsOf(json.value("inputs"));
    facts.buckets = json.value("buckets").toInteger();
    facts.occurrences = json.value("occurrences").toInteger();
    facts.distinct = json.value("distinct").toInteger();
    facts.isExact = json.value("distinct_is_exact").toBool(true);
    facts.bucketsUsed = json.value("buckets_used").toInteger();
    facts.shared = json.value("shared").toInteger();
    facts.sharedOccurrences = json.value("shared_occurrences").toInteger();
    for (const QJsonValue& value : json.value("values").toArray()) {
        facts.values.append(valueFromJson(value.toObject()));
    }
    return facts;
}

} // namespace

QHash<QString, HashedFacts> hashedFactsFromJson(const QJsonObject& preview)
{
    const QJsonObject survey = preview.value("feature_columns").toObject();
    const QStringList targets = textsOf(survey.value("targets"));
    QHash<QString, HashedFacts> columns;
    for (const QJsonValue& column : survey.value("columns").toArray()) {
        HashedFacts facts = columnFromJson(column.toObject());
        facts.labelName = preview.value("label").toString();
        facts.targets = targets;
        facts.areShares = survey.value("targets_are").toString() == QLatin1String("shares");
        columns.insert(facts.column, facts);
    }
    return columns;
}

} // namespace cannery::ui

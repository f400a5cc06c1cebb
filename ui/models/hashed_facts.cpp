// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/hashed_facts.h"

#include "core/reports/preview.pb.h"
#include "ui/models/report_reader.h"

#include <QCoreApplication>
#include <QJsonObject>

namespace cannery::ui {

namespace {

/// An id stands for several words, or for one that is not known.
QString valueText(const reports::Value& value)
{
    if (value.has_text()) {
        return QString::fromStdString(value.text());
    }
    return value.has_integer()
               ? QCoreApplication::translate("HashedFacts", "id %1").arg(value.integer())
               : QString();
}

HashedValueFacts valueOf(const reports::HashedValue& report)
{
    HashedValueFacts value;
    for (const reports::Value& one : report.values()) {
        value.values.append(valueText(one));
    }
    value.count = static_cast<qint64>(report.count());
    value.bucket = report.bucket();
    value.isShared = report.shared();
    value.label = {report.label().begin(), report.label().end()};
    return value;
}

HashedFacts hashedColumnOf(const reports::HashedColumn& report)
{
    const reports::HashedCounts& counts = report.counts();
    HashedFacts facts;
    facts.column = QString::fromStdString(report.column());
    facts.problem = QString::fromStdString(report.problem());
    facts.inputs = textsOf(counts.inputs());
    facts.buckets = counts.buckets();
    facts.occurrences = static_cast<qint64>(counts.occurrences());
    facts.distinct = static_cast<qint64>(counts.distinct());
    facts.isExact = !report.has_counts() || counts.distinct_is_exact();
    facts.bucketsUsed = static_cast<qint64>(counts.buckets_used());
    facts.shared = static_cast<qint64>(counts.shared());
    facts.sharedOccurrences = static_cast<qint64>(counts.shared_occurrences());
    for (const reports::HashedValue& value : counts.values()) {
        facts.values.append(valueOf(value));
    }
    return facts;
}

} // namespace

QHash<QString, HashedFacts> hashedFactsFromJson(const QJsonObject& preview)
{
    // Without the table, which may be long.
    QJsonObject part;
    for (const char* key : {"label", "feature_columns"}) {
        part.insert(QLatin1String(key), preview.value(QLatin1String(key)));
    }
    reports::Preview report;
    readAnswer(part, report);
    const reports::FeatureSurvey& survey = report.feature_columns();
    QHash<QString, HashedFacts> columns;
    for (const reports::HashedColumn& column : survey.columns()) {
        HashedFacts facts = hashedColumnOf(column);
        facts.labelName = QString::fromStdString(report.label());
        facts.targets = textsOf(survey.targets());
        facts.areShares = survey.targets_are() == "shares";
        columns.insert(facts.column, facts);
    }
    return columns;
}

} // namespace cannery::ui

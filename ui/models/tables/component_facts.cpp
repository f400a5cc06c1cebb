// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/tables/component_facts.h"

#include "core/reports/components.pb.h"
#include "ui/models/formats.h"
#include "ui/models/report_reader.h"

#include <QCoreApplication>
#include <QJsonObject>

#include <algorithm>

namespace cannery::ui {
namespace {

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(ComponentFacts)
};

template <typename Components>
QList<double> sharesOf(const Components& components)
{
    QList<double> shares;
    for (const reports::Component& component : components) {
        shares += component.share();
    }
    return shares;
}

/// `at` may have one component only.
template <typename Point>
ComponentPoint pointAt(const Point& point)
{
    return {.x = point.at_size() > 0 ? point.at(0) : 0, .y = point.at_size() > 1 ? point.at(1) : 0};
}

QList<ComponentColumn> usedColumnsOf(const reports::TableComponents& report)
{
    QList<ComponentColumn> columns;
    for (const reports::ComparedColumn& column : report.columns()) {
        const auto missing = static_cast<qint64>(column.missing());
        columns.append({.name = QString::fromStdString(column.name()),
                        .loadings = {column.loadings().begin(), column.loadings().end()},
                        .remark = missing > 0 ? Words::tr("%1 missing").arg(formatCount(missing))
                                              : QString()});
    }
    return columns;
}

QList<ComponentColumn> otherColumnsOf(const reports::TableComponents& report)
{
    QList<ComponentColumn> columns;
    const auto add = [&](const QStringList& names, const QString& why) {
        for (const QString& name : names) {
            columns.append({.name = name, .loadings = {}, .remark = why});
        }
    };
    // Not compared, but listed: a column that is missing without a reason looks forgotten.
    add(textsOf(report.constant()), Words::tr("always the same value"));
    add(textsOf(report.beyond()), Words::tr("more columns than are compared"));
    for (const reports::OtherColumn& other : report.others()) {
        add({QString::fromStdString(other.name())}, QString::fromStdString(other.why()));
    }
    return columns;
}

EmbeddingTable embeddingTableOf(const reports::EmbeddingTable& table)
{
    return {.variable = QString::fromStdString(table.variable()),
            .column = QString::fromStdString(table.column()),
            .rows = table.rows(),
            .dimension = table.dimension()};
}

} // namespace

TableComponentFacts tableComponentsFromJson(const QJsonObject& components)
{
    reports::TableComponents report;
    readAnswer(components, report);
    TableComponentFacts facts{.rows = static_cast<qint64>(report.rows()),
                              .usedRows = static_cast<qint64>(report.used_rows()),
                              .shares = sharesOf(report.components()),
                              .columns = usedColumnsOf(report),
                              .usedColumns = report.columns_size(),
                              .label = QString::fromStdString(report.label()),
                              .groups = {},
                              .points = {}};
    facts.columns += otherColumnsOf(report);
    for (const QString& group : textsOf(report.groups())) {
        facts.groups += group.isEmpty() ? Words::tr("no label") : group;
    }
    for (const reports::TablePoint& point : report.points()) {
        facts.points += pointAt(point);
        facts.points.last().group = point.has_group() ? static_cast<qsizetype>(point.group()) : -1;
    }
    // From left to right, so that the arrow keys go through the points in order.
    std::stable_sort(facts.points.begin(), facts.points.end(),
                     [](const ComponentPoint& a, const ComponentPoint& b) { return a.x < b.x; });
    return facts;
}

QList<EmbeddingTable> embeddingTablesFromJson(const QJsonObject& embeddings)
{
    reports::EmbeddingTables report;
    readAnswer(embeddings, report);
    QList<EmbeddingTable> tables;
    for (const reports::EmbeddingTable& table : report.tables()) {
        tables.append(embeddingTableOf(table));
    }
    return tables;
}

EmbeddingFacts embeddingFromJson(const QJsonObject& components)
{
    reports::EmbeddingComponents report;
    readAnswer(components, report);
    EmbeddingFacts facts{.table = embeddingTableOf(report.table()),
                         .shares = sharesOf(report.components()),
                         .points = {},
                         .problem = QString::fromStdString(report.problem())};
    for (const reports::EmbeddingPoint& point : report.points()) {
        facts.points += pointAt(point);
        facts.points.last().text = QString::fromStdString(point.text());
    }
    return facts;
}

QString componentTitle(const QList<double>& shares, qsizetype component)
{
    return component >= shares.size()
               ? QString()
               : Words::tr("Component %1 · %2")
                     .arg(formatCount(component + 1), formatPercent(shares[component]));
}

} // namespace cannery::ui

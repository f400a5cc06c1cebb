// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/tables/column_facts.h"

#include "core/reports/given.h"
#include "core/reports/preview.pb.h"
#include "ui/models/report_reader.h"
#include "ui/models/tables/column_report.h"

#include <QJsonObject>

#include <algorithm>

namespace cannery::ui {

namespace {

constexpr qint64 kFewValues = 12;

void addHistogram(const reports::ColumnHistogram& histogram, ColumnFacts& column)
{
    column.binLabels = textsOf(histogram.labels());
    for (const reports::BinCount& count : histogram.counts()) {
        column.binCounts.append(count.has_estimated() ? count.estimated()
                                                      : static_cast<double>(count.counted()));
    }
}

ColumnFacts columnOf(const reports::TableColumn& report)
{
    using reports::given;
    ColumnFacts column;
    column.name = QString::fromStdString(report.name());
    column.type = QString::fromStdString(report.type());
    column.dtype = QString::fromStdString(report.dtype());
    column.use = report.has_use() ? QString::fromStdString(report.use()) : "feature";
    column.reason = QString::fromStdString(report.reason());
    column.missing = static_cast<qint64>(report.missing());
    column.distinct = report.has_distinct() ? static_cast<qint64>(report.distinct()) : -1;
    column.distinctIsExact = !report.has_distinct_is_exact() || report.distinct_is_exact();
    column.minimum = given(report.has_min(), report.min());
    column.maximum = given(report.has_max(), report.max());
    column.mean = given(report.has_mean(), report.mean());
    column.median = given(report.has_median(), report.median());
    column.deviation = given(report.has_sd(), report.sd());
    for (const reports::ValueRows& value : report.values()) {
        column.values << ValueRows{QString::fromStdString(value.value()),
                                   static_cast<qint64>(value.train()),
                                   static_cast<qint64>(value.eval())};
    }
    column.times = textsOf(report.times());
    addHistogram(report.histogram(), column);
    if (column.isNumber()) {
        column.bins = column.binCounts;
        column.binsBegin = report.histogram().begin();
        column.binsEnd = report.histogram().end();
        column.quantiles = {report.quantiles().begin(), report.quantiles().end()};
    }
    if (column.isNumber() && column.distinct >= 0 && column.distinct <= kFewValues) {
        // Bars of a few whole numbers are drawn without gaps between them.
        column.binCounts.removeAll(0.0);
    }
    return column;
}

QStringList rowOf(const reports::CellRow& report)
{
    QStringList row;
    for (const reports::Cell& cell : report.cells()) {
        row.append(cell.has_text() ? QString::fromStdString(cell.text()) : QString());
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
    // Without the encoded rows, which are longer than all else.
    QJsonObject table;
    for (const char* key : {"sources", "columns", "texts"}) {
        table.insert(QLatin1String(key), preview.value(QLatin1String(key)));
    }
    reports::Preview report;
    readAnswer(table, report);
    return dataFactsOf(report);
}

DataFacts dataFactsOf(const reports::Preview& preview)
{
    DataFacts facts;
    const reports::PreviewedSources& sources = preview.sources();
    facts.trainRows = sources.has_train() ? sources.train().rows() : -1;
    facts.evalRows = sources.has_eval() ? sources.eval().rows() : -1;
    for (const reports::TableColumn& column : preview.columns()) {
        facts.columns.append(columnOf(column));
    }
    for (const reports::CellRow& row : preview.texts()) {
        facts.texts.append(rowOf(row));
    }
    return facts;
}

QStringList columnNamesFromJson(const QJsonObject& preview)
{
    QStringList names;
    for (const ColumnFacts& column : dataFactsFromJson(preview).columns) {
        names << column.name;
    }
    return names;
}

} // namespace cannery::ui

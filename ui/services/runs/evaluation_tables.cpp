// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/runs/evaluation_tables.h"

#include "storage/runs/run_files.h"
#include "ui/models/metric_names.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

#include <algorithm>

namespace cannery::ui {
namespace {

QStringList textsOf(const std::vector<std::string>& texts)
{
    QStringList list;
    for (const std::string& text : texts) {
        list << QString::fromStdString(text);
    }
    return list;
}

EvaluationTable tableOf(const storage::ResultTable& read)
{
    EvaluationTable table{.title = QString::fromStdString(read.name),
                          .columns = textsOf(read.columns)};
    const auto width = read.columns.size();
    for (std::size_t row = 0; row < read.rows.size(); ++row) {
        const auto first = read.values.begin() + static_cast<std::ptrdiff_t>(row * width);
        table.rows.append({.name = QString::fromStdString(read.rows[row]),
                           .values = {first, first + static_cast<std::ptrdiff_t>(width)}});
    }
    return table;
}

/// Groups have the same metrics, if the file is sound; others are left out.
EvaluationTable tableOf(const storage::EvaluationSlice& slice)
{
    EvaluationTable table{.title = textsOf(slice.columns).join(QStringLiteral(", ")),
                          .isSlice = true,
                          .columns = {QCoreApplication::translate("EvaluationTables", "Rows")}};
    for (const storage::SliceGroup& group : slice.groups) {
        EvaluationTable::Row row{.name = QString::fromStdString(storage::describe(group)),
                                 .values = {static_cast<double>(group.rows)},
                                 .isSmall = group.rows < storage::kFewSliceRows};
        for (const storage::MetricValue& metric : group.metrics) {
            row.values.append(metric.value);
            if (table.rows.isEmpty()) {
                table.columns << metricName(QString::fromStdString(metric.name));
            }
        }
        if (row.values.size() == table.columns.size()) {
            table.rows.append(std::move(row));
        }
    }
    return table;
}

QList<EvaluationTable> readTables(const QString& folder, qint64 step)
{
    QList<EvaluationTable> tables;
    const auto evaluations = storage::RunFiles(folder.toStdString()).readEvaluations();
    if (!evaluations) {
        return tables; // the run's page shows what is wrong with its files
    }
    const auto found =
        std::find_if(evaluations->rbegin(), evaluations->rend(),
                     [step](const auto& evaluation) { return evaluation.globalStep == step; });
    if (found == evaluations->rend()) {
        return tables;
    }
    for (const storage::EvaluationSlice& slice : found->slices) {
        tables.append(tableOf(slice));
    }
    for (const storage::ResultTable& table : found->tables) {
        tables.append(tableOf(table));
    }
    return tables;
}

} // namespace

void readEvaluationTables(const QString& folder, qint64 step, QObject* receiver,
                          std::function<void(const QList<EvaluationTable>&)> done)
{
    QThreadPool::globalInstance()->start(
        [folder, step, guard = QPointer<QObject>(receiver), done = std::move(done)] {
            const QList<EvaluationTable> tables = readTables(folder, step);
            QMetaObject::invokeMethod(
                qApp,
                [guard, done, tables] {
                    if (guard) {
                        done(tables);
                    }
                },
                Qt::QueuedConnection);
        });
}

} // namespace cannery::ui

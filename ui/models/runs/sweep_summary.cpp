// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/runs/sweep_summary.h"

#include "ui/models/formats.h"
#include "ui/models/runs/run_columns.h"
#include "ui/models/runs/run_fields.h"

#include <QRegularExpression>
#include <QStringList>

#include <cmath>

namespace cannery::ui {
namespace {

constexpr qsizetype kMostSettings = 3;

/// "sweep-001" of "sweep-001-004"; empty for other runs.
QString sweepOf(const RunRow& run)
{
    static const QRegularExpression kTrial(QStringLiteral("^(sweep-[0-9]+)-[0-9]+$"));
    return kTrial.match(run.name).captured(1);
}

void compareTrial(const RunRow& run, SweepSummary& summary)
{
    const QString metric = run.shownMetric();
    const MetricSummary* found = run.metric(metric);
    if (found == nullptr || (!summary.metric.isEmpty() && summary.metric != metric)) {
        return;
    }
    const double value = std::isnan(found->atBest) ? found->last : found->atBest;
    const bool isBetter = summary.best.isEmpty() ||
                          (higherIsBetter(metric) ? value > summary.value : value < summary.value);
    if (std::isfinite(value) && isBetter) {
        summary.metric = metric;
        summary.best = run.name;
        summary.value = value;
    }
}

} // namespace

std::optional<SweepSummary> newestSweep(const ProjectSnapshot& snapshot)
{
    SweepSummary summary;
    QList<const RunRow*> runs;
    for (const RunRow& run : snapshot.runs) {
        const QString sweep = run.trashed ? QString() : sweepOf(run);
        if (sweep.isEmpty() || (!summary.name.isEmpty() && sweep != summary.name)) {
            continue;
        }
        summary.name = sweep;
        runs.append(&run);
        ++summary.runs;
        summary.ended += isLive(run.state) || run.state == RunState::Queued ? 0 : 1;
        compareTrial(run, summary);
    }
    if (runs.isEmpty()) {
        return std::nullopt;
    }
    QStringList settings;
    const RunRow* best = snapshot.find(summary.best);
    for (const QString& path : best == nullptr ? QStringList() : differingParameters(runs)) {
        if (settings.size() < kMostSettings && path != QLatin1String("name")) {
            settings << shortParameterName(path) + u' ' +
                            formatWritten(plainValue(best->parameter(path)));
        }
    }
    summary.settings = settings.join(QStringLiteral(", "));
    return summary;
}

} // namespace cannery::ui

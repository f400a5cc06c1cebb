// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/projects/project_facts.h"

#include "storage/runs/run_store.h"
#include "storage/tf/events/event_reader.h"
#include "ui/services/runs/run_row_builder.h"

#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

constexpr std::size_t kRunsLookedAt = 50;
constexpr qsizetype kSparklineValues = 60;
/// A card's sparkline does not need more of a long run than this.
constexpr std::uint64_t kMostEventBytes = 4U << 20U;

QString fromBytes(const std::string& bytes)
{
    return QString::fromUtf8(bytes.data(), static_cast<qsizetype>(bytes.size()));
}

void addLoss(const std::string& file, QList<double>& values)
{
    auto reader = storage::EventReader::open(file);
    while (reader && reader->position() < kMostEventBytes) {
        const auto event = reader->next();
        if (!event || !*event) {
            return;
        }
        for (const storage::EventValue& value : (*event)->values) {
            const float* number = std::get_if<float>(&value.value);
            if (value.tag == "loss" && number != nullptr && std::isfinite(*number)) {
                values << static_cast<double>(*number);
            }
        }
    }
}

QList<double> lossOf(const std::string& runFolder)
{
    QList<double> values;
    if (const auto files = storage::listEventFiles(runFolder)) {
        for (const std::string& file : *files) {
            addLoss(file, values);
        }
    }
    return thinned(values, kSparklineValues);
}

/// The best value so far of the newest evaluated run's decision metric.
void addBest(const RunRow& row, RecentProject& project)
// Runs of a project may have decided by different metrics; the newest one's is shown.
{
    if (project.bestMetric.isEmpty()) {
        project.bestMetric = row.shownMetric();
    }
    const MetricSummary* metric =
        row.shownMetric() == project.bestMetric ? row.metric(project.bestMetric) : nullptr;
    if (metric == nullptr) {
        return;
    }
    const double value = row.higherIsBetter ? metric->max : metric->min;
    const bool isFirst = !std::isfinite(project.bestValue);
    if (isFirst || (row.higherIsBetter ? value > project.bestValue : value < project.bestValue)) {
        project.bestValue = value;
    }
}

void addState(const storage::RunSummary& run, RecentProject& project)
{
    const storage::RunStatus& status = run.status;
    if (status.state == storage::RunState::Interrupted) {
        ++project.interruptedRuns;
    }
    if (!storage::needsOwner(status.state) || !project.liveRun.isEmpty()) {
        return;
    }
    project.liveRun = fromBytes(run.info.name);
    project.liveState = fromBytes(std::string(storage::name(status.state)));
    if (status.maxSteps && *status.maxSteps > 0) {
        project.liveShare = std::clamp(static_cast<double>(status.globalStep) /
                                           static_cast<double>(*status.maxSteps),
                                       0.0, 1.0);
    }
}

} // namespace

QList<double> thinned(const QList<double>& values, qsizetype count)
{
    if (values.size() <= count) {
        return values;
    }
    QList<double> means;
    for (qsizetype i = 0; i < count; ++i) {
        const qsizetype begin = i * values.size() / count;
        const qsizetype end = (i + 1) * values.size() / count;
        double sum = 0;
        for (qsizetype k = begin; k < end; ++k) {
            sum += values[k];
        }
        means << sum / static_cast<double>(end - begin);
    }
    return means;
}

RecentProject withFacts(RecentProject project)
{
    RecentProject facts;
    facts.folder = project.folder;
    facts.experimentFile = project.experimentFile;
    facts.name = project.name;
    facts.openedAt = project.openedAt;
    facts.bestValue = std::nan("");
    facts.exists = QFileInfo(project.folder).isDir();
    auto store = storage::RunStore::openReadOnly(QFile::encodeName(project.folder).toStdString());
    std::vector<storage::RunSummary> runs;
    if (store) {
        runs = store->list().value_or(runs);
    }
    facts.runCount = static_cast<int>(runs.size());
    // The newest run comes first.
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const storage::RunSummary& run = runs[i];
        addState(run, facts);
        if (i < kRunsLookedAt) {
            if (const auto details = store->show(run.info.name)) {
                addBest(runRow(*details, fromBytes(store->folderOf(run.info.name))), facts);
            }
        }
        if (i == 0) {
            facts.rows = run.info.trainRows;
            facts.sparkline = lossOf(store->folderOf(run.info.name));
        }
    }
    // Without a value, the name of a metric would stand alone.
    if (!std::isfinite(facts.bestValue)) {
        facts.bestMetric.clear();
        facts.bestValue = 0;
    }
    return facts;
}

} // namespace cannery::ui

// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/train/train_facts.h"

#include "ui/models/formats.h"
#include "ui/models/metric_names.h"
#include "ui/pages/train/end_note.h"

#include <QCoreApplication>

#include <algorithm>

namespace cannery::ui {

namespace {

/// Seconds; in less, nobody sees a curve move.
constexpr double kTooShortToWatch = 5;

class Words
{
    Q_DECLARE_TR_FUNCTIONS(TrainFacts)

public:
    static QString stepUnit(const std::optional<qint64>& maxSteps)
    {
        return maxSteps ? tr("of %1 steps").arg(formatCount(*maxSteps)) : tr("steps");
    }

    static QString times(const RunRow& run, const QDateTime& now, bool live)
    {
        if (!run.startedAt.isValid()) {
            return {};
        }
        const double seconds = run.durationSeconds(now);
        const QString started = formatClock(run.startedAt.toLocalTime()).left(5);
        if (live) {
            return run.secondsBefore > 0
                       ? tr("Resumed %1 · %2 so far in all").arg(started, formatDuration(seconds))
                       : tr("Started %1 · %2 so far").arg(started, formatDuration(seconds));
        }
        if (!run.finishedAt.isValid()) {
            return tr("Started %1").arg(formatAgo(run.startedAt, now));
        }
        const QString took =
            (run.secondsBefore > 0 ? tr("Ended %1 · took %2 in all") : tr("Ended %1 · took %2"))
                .arg(formatAgo(run.finishedAt, now), formatDuration(std::max(0.0, seconds)));
        const bool isSmall = run.state == RunState::Finished && seconds < kTooShortToWatch;
        return isSmall ? tr("%1\nA small run: Train Longer continues from here").arg(took) : took;
    }

    static QList<FactRow::Fact> liveFacts(const EngineStatus& status)
    {
        QList<FactRow::Fact> facts;
        if (status.secondsLeft) {
            facts.append({formatDuration(*status.secondsLeft), tr("left"),
                          tr("Estimated from recent steps, with evaluations and saves")});
        }
        if (status.stepsPerSecond > 0) {
            facts.append({formatNumber(status.stepsPerSecond, 3), tr("steps/s"), {}});
        }
        if (status.rowsPerSecond > 0) {
            facts.append({formatShortCount(status.rowsPerSecond), tr("rows/s"), {}});
        }
        if (status.epochs > 0) {
            facts.append({formatNumber(status.epochs, 3), tr("epochs"), {}});
        }
        if (status.deviceMemoryBytes && status.deviceMemoryTotal) {
            facts.append({formatBytes(*status.deviceMemoryBytes),
                          tr("of %1 on the GPU").arg(formatBytes(*status.deviceMemoryTotal)),
                          tr("Memory of %1 in use by all programs").arg(status.device)});
        }
        // Memory and load only where the driver reports them.
        if (status.deviceLoad) {
            facts.append({formatPercent(*status.deviceLoad, 0), tr("GPU busy"),
                          tr("Share of the last moments in which %1 computed").arg(status.device)});
        }
        return facts;
    }

    static QList<FactRow::Fact> endedFacts(const RunRow& run)
    {
        QList<FactRow::Fact> facts;
        const MetricSummary* metric = run.metric(run.shownMetric());
        if (metric) {
            const double best = run.higherIsBetter ? metric->max : metric->min;
            const qint64 step = run.higherIsBetter ? metric->maxStep : metric->minStep;
            facts.append({formatNumber(best),
                          tr("best %1 at step %2").arg(metricWord(metric->name), formatCount(step)),
                          {}});
        }
        // The error of always predicting the mean is what a regression has to beat.
        const MetricSummary* guess = run.metric(QStringLiteral("cannery/rmse_baseline"));
        if (metric && metric->name == QLatin1String("cannery/rmse") && guess) {
            facts.append({formatNumber(guess->last), tr("guessing the mean"), {}});
        }
        if (run.stepsPerEpoch() > 0) {
            facts.append(
                {formatNumber(static_cast<double>(run.globalStep) / run.stepsPerEpoch(), 3),
                 tr("epochs"),
                 {}});
        }
        return facts;
    }

    static HealthNote live(const LogEntry& entry, const RunRow& run)
    {
        HealthNote note{.id = entry.id};
        // The first sentence becomes the bold one.
        note.level = entry.level == LogLevel::Error     ? Strip::Level::Error
                     : entry.level == LogLevel::Warning ? Strip::Level::Warning
                                                        : Strip::Level::Info;
        const qsizetype end = entry.sentence.indexOf(QLatin1String(". "));
        note.lead = end < 0 ? entry.sentence : entry.sentence.left(end + 1);
        note.sentence = end < 0 ? QString() : entry.sentence.mid(end + 2);
        if (entry.id.contains(QLatin1String("improve")) ||
            entry.id.contains(QLatin1String("rising")) ||
            entry.id.contains(QLatin1String("past_best")) ||
            entry.id.contains(QLatin1String("dead"))) {
            // Only claimed of what is on the disk.
            const bool isKept = std::any_of(
                run.checkpoints.begin(), run.checkpoints.end(),
                [&](const CheckpointRow& checkpoint) { return checkpoint.step == run.bestStep; });
            if (isKept) {
                note.sentence = tr("%1 The best checkpoint (%2) is safe.")
                                    .arg(note.sentence, formatCount(run.bestStep))
                                    .trimmed();
            }
            note.level = Strip::Level::Info;
            note.cure = HealthCure::StopAndKeep;
            note.cureText = isKept ? tr("Stop and Keep Best") : tr("Stop and Keep");
        } else if (entry.id.contains(QLatin1String("disk"))) {
            note.cure = HealthCure::OpenFolder;
            note.cureText = tr("Open Folder");
        } else if (entry.id.contains(QLatin1String("nan")) ||
                   entry.id.contains(QLatin1String("infinite"))) {
            note.cure = HealthCure::StopAndKeep;
            note.cureText = tr("Stop and Keep");
        } else {
            note.cure = HealthCure::OpenLog;
            note.cureText = tr("Open Log");
        }
        return note;
    }
};

} // namespace

RunState stateOf(const RunRow& run, const std::optional<EngineStatus>& status)
{
    return status ? status->state : run.state;
}

TrainFacts trainFacts(const RunRow& run, const std::optional<EngineStatus>& status,
                      const QDateTime& now)
{
    TrainFacts result;
    // The engine's own status is newer than what the store holds.
    const qint64 step = status ? status->globalStep : run.globalStep;
    const std::optional<qint64> maxSteps =
        status && status->maxSteps ? status->maxSteps : run.maxSteps;
    result.facts.append({formatCount(step), Words::stepUnit(maxSteps), {}});
    result.facts.append(status ? Words::liveFacts(*status) : Words::endedFacts(run));
    if (maxSteps && *maxSteps > 0) {
        const auto all = static_cast<double>(*maxSteps);
        result.fraction = std::clamp(static_cast<double>(step) / all, 0.0, 1.0);
        for (const CheckpointRow& checkpoint : run.checkpoints) {
            const double at = static_cast<double>(checkpoint.step) / all;
            if (at > 0 && at < 1) {
                result.checkpoints.append(at);
            }
        }
    }
    result.times = Words::times(run, now, status.has_value() || isLive(run.state));
    return result;
}

HealthNote healthNote(const RunRow& run, RunState state, const QList<LogEntry>& events)
{
    if (!isLive(state)) {
        return endNote(run, state, events);
    }
    const QList<LogEntry> notes = standingNotes(events);
    return notes.isEmpty() ? HealthNote() : Words::live(notes.last(), run);
}

QList<LogEntry> standingNotes(const QList<LogEntry>& events)
{
    QList<LogEntry> notes;
    for (const LogEntry& entry : events) {
        // The engine reports "Running" whenever it begins or goes on: older notes no longer hold.
        if (entry.id.isEmpty() && entry.sentence == QLatin1String("Running")) {
            notes.clear();
        } else if (entry.id.startsWith(QLatin1String("health."))) {
            // A later note of the same kind replaces the earlier one; one of level Info withdraws
            // it.
            notes.removeIf([&](const LogEntry& note) { return note.id == entry.id; });
            if (entry.level != LogLevel::Info) {
                notes.append(entry);
            }
        }
    }
    return notes;
}

} // namespace cannery::ui

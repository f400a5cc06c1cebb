// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/services/engine_service.h"
#include "ui/widgets/fact_row.h"
#include "ui/widgets/strip.h"

#include <QDateTime>
#include <QList>
#include <QString>

#include <optional>
#include <utility>

namespace cannery::ui {

/// The header of the Train page for a run.
struct TrainFacts
{
    QList<FactRow::Fact> facts;
    double fraction = -1;      ///< of the steps; -1: the end is not known
    QList<double> checkpoints; ///< fractions
    QString times;             ///< "Started 14:31 · 1 min 4 s so far"
};

/// `status`: of a live run. The time left appears once the engine can estimate it.
TrainFacts trainFacts(const RunRow& run, const std::optional<EngineStatus>& status,
                      const QDateTime& now);

/// The remedy for a health note.
enum class HealthCure
{
    None,
    StopAndKeep,
    Resume,
    Retry,
    OpenFolder,
    OpenLog,
    SetBatchSize, ///< of the experiment, as HealthNote::batchSize
    SetFields,    ///< of the experiment, as HealthNote::settings
};

/// The quiet line below the charts.
struct HealthNote
{
    QString id; ///< "health.no_improvement"; "state.interrupted"
    Strip::Level level = Strip::Level::Info;
    QString lead; ///< the first sentence, bold
    QString sentence;
    HealthCure cure = HealthCure::None;
    QString cureText;
    qint64 batchSize = 0;
    QList<std::pair<QString, QString>> settings; ///< paths of fields, and their values
    HealthCure next = HealthCure::None;          ///< what helps after that
    QString nextText;

    bool isEmpty() const { return id.isEmpty(); }
    bool operator==(const HealthNote&) const = default;
};

/// The newest current note of a live run, or the reason for an ended run's state.
HealthNote healthNote(const RunRow& run, RunState state, const QList<LogEntry>& events);

/// The notes on a run's health that still apply, oldest first: a later one with the same id
/// replaces an earlier one, one at info level withdraws it, and a restarted engine starts without
/// notes.
QList<LogEntry> standingNotes(const QList<LogEntry>& events);

/// The current state: the engine's while it lives, otherwise the store's.
RunState stateOf(const RunRow& run, const std::optional<EngineStatus>& status);

} // namespace cannery::ui

// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/services/engine_service.h"
#include "ui/widgets/fact_row.h"
#include "ui/widgets/strip.h"

#include <QDateTime>
#include <QList>
#include <QString>

#include <optional>

namespace cannery::ui {

/// What the top of the Train page says of a run.
struct TrainFacts
{
    QList<FactRow::Fact> facts;
    double fraction = -1;      ///< of the steps; below 0: no end is known
    QList<double> checkpoints; ///< fractions
    QString times;             ///< "Started 14:31 · 1 min 4 s so far"
};

/// `status`: of a live run. The time left appears when the engine has evidence for it, never
/// before.
TrainFacts trainFacts(const RunRow& run, const std::optional<EngineStatus>& status,
                      const QDateTime& now);

/// What a person can do about a health note.
enum class HealthCure
{
    None,
    StopAndKeep,
    Resume,
    Retry,
    OpenFolder,
    OpenLog,
};

/// The quiet line below the charts.
struct HealthNote
{
    QString id; ///< "health.no_improvement"; "state.interrupted"
    Strip::Level level = Strip::Level::Info;
    QString lead; ///< bold: the first sentence
    QString sentence;
    HealthCure cure = HealthCure::None;
    QString cureText;

    bool isEmpty() const { return id.isEmpty(); }
    bool operator==(const HealthNote&) const = default;
};

/// The newest note that stands, of a live run, or why an ended run is where it is.
HealthNote healthNote(const RunRow& run, RunState state, const QList<LogEntry>& events);

/// The notes on a run's health that still hold, oldest first: a later one of the same id takes the
/// place of an earlier one, one that is mere information takes it back, and an engine that begins
/// anew has said nothing yet.
QList<LogEntry> standingNotes(const QList<LogEntry>& events);

/// The state that counts: the engine's while it lives, the store's else.
RunState stateOf(const RunRow& run, const std::optional<EngineStatus>& status);

} // namespace cannery::ui

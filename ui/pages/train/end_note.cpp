// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/train/end_note.h"

#include "ui/models/device_facts.h"
#include "ui/models/formats.h"

#include <QCoreApplication>

#include <algorithm>

namespace cannery::ui {
namespace {

struct EndNoteWords
{
    Q_DECLARE_TR_FUNCTIONS(EndNote)
};

/// Of a run that could not even write its last words, the last error of its log.
QString reasonOf(const RunRow& run, const QList<LogEntry>& events)
{
    if (!run.reason.isEmpty()) {
        return run.reason;
    }
    const auto last = std::find_if(events.rbegin(), events.rend(), [](const LogEntry& entry) {
        return entry.level == LogLevel::Error;
    });
    return last == events.rend() ? QString() : last->sentence;
}

// The errors of the system and of the engine are English in every language.
bool isDiskFull(const QString& reason)
{
    return reason.contains(QLatin1String("No space left on device")) ||
           reason.contains(QLatin1String("Disk quota exceeded")) ||
           reason.contains(QLatin1String("Free some space"));
}

bool isNan(const QString& reason)
{
    return reason.contains(QLatin1String("became NaN"));
}

QString safeWords(const RunRow& run)
{
    return run.checkpoints.isEmpty() ? EndNoteWords::tr("No checkpoint was written yet.")
                                     : EndNoteWords::tr("Everything up to step %1 is safe.")
                                           .arg(formatCount(run.checkpoints.last().step));
}

// Without a checkpoint there is nothing to go on from.
void offerToGoOn(const RunRow& run, HealthCure& cure, QString& text)
{
    const bool canResume = !run.checkpoints.isEmpty();
    cure = canResume ? HealthCure::Resume : HealthCure::Retry;
    text = canResume
               ? EndNoteWords::tr("Resume From %1").arg(formatCount(run.checkpoints.last().step))
               : EndNoteWords::tr("Train Again");
}

/// The learning rate is the usual cause, and a tenth the usual first attempt.
/// A tenth of each rate that the run's optimizers had.
QList<std::pair<QString, QString>> lowerRates(const RunRow& run)
{
    QList<std::pair<QString, QString>> rates;
    for (const auto& [path, value] : run.parameters) {
        bool isNumber = false;
        const double rate = value.toDouble(&isNumber);
        if (isNumber && rate > 0 && path.contains(QLatin1String("optimizer.")) &&
            path.endsWith(QLatin1String(".learning_rate"))) {
            rates.append({path, QString::number(rate / 10, 'g', 6)});
        }
    }
    return rates;
}

HealthNote nanNote(const RunRow& run, const QString& reason)
{
    HealthNote note{.id = QStringLiteral("state.nan"),
                    .level = Strip::Level::Error,
                    .lead = EndNoteWords::tr("The loss became NaN."),
                    .sentence = reason,
                    .settings = lowerRates(run)};
    if (note.settings.isEmpty()) {
        note.cure = HealthCure::OpenLog;
        note.cureText = EndNoteWords::tr("Open Log");
    } else {
        note.cure = HealthCure::SetFields;
        note.cureText = note.settings.size() == 1
                            ? EndNoteWords::tr("Set Learning Rate to %1")
                                  .arg(formatWritten(note.settings.first().second))
                            : EndNoteWords::tr("Divide Learning Rates by 10");
    }
    return note;
}

HealthNote fullDiskNote(const RunRow& run, const QString& reason)
{
    HealthNote note{
        .id = QStringLiteral("state.disk_full"),
        .level = Strip::Level::Error,
        .lead = EndNoteWords::tr("The disk is full."),
        .sentence =
            EndNoteWords::tr("%1 %2 Free some space, then go on.").arg(reason, safeWords(run)),
        .cure = HealthCure::OpenFolder,
        .cureText = EndNoteWords::tr("Open Folder")};
    // The sentence of the engine already says so.
    if (reason.contains(QLatin1String("Free some space"))) {
        note.sentence = EndNoteWords::tr("%1 %2").arg(reason, safeWords(run));
    }
    offerToGoOn(run, note.next, note.nextText);
    return note;
}

} // namespace

HealthNote endNote(const RunRow& run, RunState state, const QList<LogEntry>& events)
{
    if (state != RunState::Interrupted && state != RunState::Failed) {
        return {};
    }
    const QString reason = reasonOf(run, events);
    // Before the state: a full disk may also interrupt a run.
    if (isDiskFull(reason)) {
        return fullDiskNote(run, reason);
    }
    if (isNan(reason)) {
        return nanNote(run, reason);
    }
    HealthNote note;
    if (state == RunState::Interrupted) {
        note = {.id = QStringLiteral("state.interrupted"),
                .level = Strip::Level::Warning,
                .lead = EndNoteWords::tr("Training was interrupted."),
                .sentence = safeWords(run)};
        offerToGoOn(run, note.cure, note.cureText);
        if (note.cure == HealthCure::Resume) {
            note.cureText = EndNoteWords::tr("Resume");
        }
        return note;
    }
    note = {.id = QStringLiteral("state.failed"),
            .level = Strip::Level::Error,
            .lead = EndNoteWords::tr("Training failed."),
            .sentence = reason};
    if (const auto batch = proposedBatchSize(reason)) {
        note.lead = EndNoteWords::tr("The GPU has too little memory.");
        note.cure = HealthCure::SetBatchSize;
        note.cureText = EndNoteWords::tr("Set Batch Size to %1").arg(formatCount(*batch));
        note.batchSize = *batch;
        return note;
    }
    offerToGoOn(run, note.cure, note.cureText);
    if (note.cure == HealthCure::Retry) {
        note.cureText = EndNoteWords::tr("Retry");
    }
    return note;
}

} // namespace cannery::ui

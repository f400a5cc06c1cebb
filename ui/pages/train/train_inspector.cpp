// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/train/train_inspector.h"

#include "ui/models/formats.h"
#include "ui/models/metric_names.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/train/train_facts.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {

namespace {

constexpr qsizetype kEventsShown = 12;
constexpr qsizetype kCheckpointsShown = 8;

/// "Saving dict for global step 400: auc = 0.87, …" as "auc 0.87 at step 400".
QString shortened(const QString& sentence, const QString& metric)
{
    // The engine's log is English and not translated: TensorFlow's sentences are recognised in it.
    static const QString kEvaluated = QStringLiteral("Saving dict for global step ");
    if (sentence.startsWith(QLatin1String("Saved the checkpoint"))) {
        return sentence.section(QLatin1String(": "), 0, 0);
    }
    if (sentence.startsWith(QLatin1String("Exported "))) {
        return TrainInspector::tr("Exported %1").arg(sentence.section('/', -2));
    }
    if (!sentence.startsWith(kEvaluated)) {
        return sentence;
    }
    const QString step = sentence.mid(kEvaluated.size()).section(':', 0, 0);
    const QString name =
        metric.startsWith(QLatin1String("eval_")) ? metric.section('/', 1) : metric;
    for (const QString& part :
         sentence.section(QLatin1String(": "), 1).split(QLatin1String(", "))) {
        if (part.section(QLatin1String(" = "), 0, 0) == name) {
            return TrainInspector::tr("%1 %2 at step %3")
                .arg(metricWord(name),
                     formatNumber(part.section(QLatin1String(" = "), 1).toDouble()),
                     formatCount(step.toLongLong()));
        }
    }
    return TrainInspector::tr("Evaluated at step %1").arg(formatCount(step.toLongLong()));
}

/// The reason why a checkpoint was kept.
QString reasonOf(const CheckpointRow& checkpoint, const QString& metric, bool isLast)
{
    if (checkpoint.isBest) {
        return metric.isEmpty() ? TrainInspector::tr("best")
                                : TrainInspector::tr("best %1").arg(metricWord(metric));
    }
    return isLast ? TrainInspector::tr("last") : checkpoint.keptBecause;
}

InspectorSection::Row checkpointRow(const RunRow& run, const CheckpointRow& checkpoint)
{
    // An evaluation of this checkpoint beats what the curve has at its step.
    const QString metric = run.shownMetric();
    std::optional<double> value = run.metricAt(metric, checkpoint.step);
    for (const MetricSummary& summary : checkpoint.metrics) {
        if (summary.name == metric) {
            value = summary.last;
        }
    }
    const QString why =
        reasonOf(checkpoint, metric, checkpoint.step == run.checkpoints.last().step);
    const QString spoken =
        TrainInspector::tr("Checkpoint at step %1, %2, %3")
            .arg(formatCount(checkpoint.step), why.isEmpty() ? TrainInspector::tr("kept") : why,
                 value ? formatNumber(*value) : TrainInspector::tr("not evaluated"));
    const QString size = formatBytes(checkpoint.bytes);
    const auto fill = [=, isBest = checkpoint.isBest, at = checkpoint.step](QHBoxLayout& row) {
        row.addWidget(makeIcon(isBest ? "star" : "diamond", isBest ? Ink::Ok : Ink::Secondary, 15));
        auto* step = new Label(formatCount(at), TextRole::Strong);
        step->setMinimumWidth(scaled(52));
        row.addWidget(step);
        row.addWidget(new ElidedLabel(why, TextRole::Label, Ink::Secondary), 1);
        if (value) {
            row.addWidget(new Label(formatNumber(*value), TextRole::Strong));
        }
        row.parentWidget()->setToolTip(size);
    };
    return {.key = QStringList{spoken, size, checkpoint.isBest ? "best" : ""}.join('\n'),
            .accessibleName = spoken,
            .objectName = "checkpoint." + QString::number(checkpoint.step),
            .fill = fill};
}

InspectorSection::Row eventRow(const LogEntry& entry, const QString& metric)
{
    const bool isError = entry.level == LogLevel::Error;
    const bool isWarning = entry.level == LogLevel::Warning;
    const QString time = formatClock(entry.time.toLocalTime());
    const QString sentence = shortened(entry.sentence, metric);
    const QString level = isError     ? TrainInspector::tr("error")
                          : isWarning ? TrainInspector::tr("warning")
                                      : QString();
    const QString spoken = QStringList{time, level, sentence}.join(' ');
    const auto fill = [=, whole = entry.sentence](QHBoxLayout& row) {
        row.parentWidget()->setToolTip(whole);
        row.setContentsMargins(0, scaled(3), 0, scaled(3));
        row.addWidget(new Label(time, TextRole::Label, Ink::Secondary));
        row.addWidget(makeIcon(isError     ? "alert-circle"
                               : isWarning ? "alert-triangle"
                                           : "point",
                               isError     ? Ink::Error
                               : isWarning ? Ink::Warn
                                           : Ink::Accent,
                               12));
        row.addWidget(new ElidedLabel(sentence, TextRole::Label,
                                      isError     ? Ink::Error
                                      : isWarning ? Ink::Warn
                                                  : Ink::Text),
                      1);
    };
    return {.key = spoken + '\n' + entry.sentence,
            .accessibleName = spoken,
            .objectName = {},
            .fill = fill};
}

QFrame* makeRule()
{
    auto* rule = new QFrame;
    rule->setFrameShape(QFrame::HLine);
    rule->setFrameShadow(QFrame::Plain);
    rule->setForegroundRole(QPalette::Mid);
    return rule;
}

} // namespace

TrainInspector::TrainInspector(QWidget* parent)
    : QWidget(parent), m_checkpoints(new InspectorSection(tr("Checkpoints"))),
      m_queue(new InspectorSection(tr("Next in queue"))),
      m_events(new InspectorSection(tr("Events")))
{
    setObjectName("inspector.train");
    setAccessibleName(tr("Checkpoints, queue and events"));
    m_events->setLink(tr("Open Log"));
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(scaled(16), scaled(16), scaled(16), scaled(16));
    column->setSpacing(scaled(12));
    column->addWidget(m_checkpoints);
    column->addWidget(makeRule());
    column->addWidget(m_queue);
    column->addWidget(makeRule());
    column->addWidget(m_events);
    column->addStretch(1);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(makeScrollArea(content, this));
    connect(m_events, &InspectorSection::linkActivated, this, &TrainInspector::logRequested);
    clear();
}

void TrainInspector::clear()
{
    m_metric.clear();
    m_checkpoints->showRows({}, tr("The first one appears when the run saves."));
    setQueue({});
    setEvents({});
}

void TrainInspector::setRun(const RunRow& run)
{
    m_metric = run.shownMetric();
    QList<InspectorSection::Row> rows;
    for (auto checkpoint = run.checkpoints.crbegin();
         checkpoint != run.checkpoints.crend() && rows.size() < kCheckpointsShown; ++checkpoint) {
        rows.append(checkpointRow(run, *checkpoint));
    }
    m_checkpoints->showRows(rows, isLive(run.state)
                                      ? tr("The first one appears when the run saves.")
                                      : tr("This run kept none."));
}

void TrainInspector::setQueue(const QStringList& queue)
{
    QList<InspectorSection::Row> rows;
    for (const QString& name : queue) {
        const auto fill = [this, name](QHBoxLayout& row) {
            row.addWidget(makeIcon("clock", Ink::Secondary, 15));
            row.addWidget(new ElidedLabel(name, TextRole::Strong), 1);
            row.addWidget(makeQueueButton(name));
        };
        rows.append({.key = name,
                     .accessibleName = tr("%1 is waiting").arg(name),
                     .objectName = "queue." + name,
                     .fill = fill});
    }
    m_queue->showRows(rows, tr("Nothing is waiting."));
}

QWidget* TrainInspector::makeQueueButton(const QString& name)
{
    auto* more = new IconButton("dots", tr("Actions for %1").arg(name));
    auto* menu = new QMenu(more);
    connect(menu->addAction(tr("Start Now")), &QAction::triggered, this,
            [this, name] { Q_EMIT queueStartRequested(name); });
    connect(menu->addAction(tr("Remove From Queue")), &QAction::triggered, this,
            [this, name] { Q_EMIT queueRemoveRequested(name); });
    more->setMenu(menu);
    more->setPopupMode(QToolButton::InstantPopup);
    return more;
}

void TrainInspector::setEvents(const QList<LogEntry>& events)
{
    // Current health notes are never displaced by saves and evaluations.
    QList<LogEntry> shown = standingNotes(events);
    std::reverse(shown.begin(), shown.end());
    const qsizetype notes = shown.size();
    for (auto entry = events.crbegin(); entry != events.crend() && shown.size() < kEventsShown;
         ++entry) {
        if (std::find(shown.begin(), shown.begin() + notes, *entry) == shown.begin() + notes) {
            shown.append(*entry);
        }
    }
    QList<InspectorSection::Row> rows;
    for (const LogEntry& entry : std::as_const(shown)) {
        rows.append(eventRow(entry, m_metric));
    }
    m_events->showRows(rows, tr("Engine messages appear here."));
}

} // namespace cannery::ui

// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/train_inspector.h"

#include "ui/models/formats.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/train_facts.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/theme.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {

namespace {

constexpr qsizetype kEventsShown = 12;
constexpr qsizetype kCheckpointsShown = 8;

bool sameCheckpoints(const QList<CheckpointRow>& a, const QList<CheckpointRow>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const CheckpointRow& left, const CheckpointRow& right) {
                          return left.step == right.step && left.isBest == right.isBest &&
                                 left.keptBecause == right.keptBecause &&
                                 left.metrics.size() == right.metrics.size();
                      });
}

/// "Saving dict for global step 400: auc = 0.87, …" as "auc 0.87 at step 400".
QString shortened(const QString& sentence, const QString& metric)
{
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
    const QString name = metric.section('/', -1);
    for (const QString& part :
         sentence.section(QLatin1String(": "), 1).split(QLatin1String(", "))) {
        if (part.section(QLatin1String(" = "), 0, 0) == name) {
            return TrainInspector::tr("%1 %2 at step %3")
                .arg(name, formatNumber(part.section(QLatin1String(" = "), 1).toDouble()),
                     formatCount(step.toLongLong()));
        }
    }
    return TrainInspector::tr("Evaluated at step %1").arg(formatCount(step.toLongLong()));
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
    m_shown.clear();
    m_shownEvents.clear();
    m_shownQueue.clear();
    m_shownRun.clear();
    m_checkpoints->setNothing(tr("The first one appears when the run saves."));
    m_queue->setNothing(tr("Nothing waits."));
    m_events->setNothing(tr("What the engine reports appears here."));
}

void TrainInspector::setRun(const RunRow& run)
{
    if (run.name == m_shownRun && sameCheckpoints(run.checkpoints, m_shown)) {
        return;
    }
    m_shownRun = run.name;
    m_metric = run.decisionMetric;
    m_shown = run.checkpoints;
    if (run.checkpoints.isEmpty()) {
        m_checkpoints->setNothing(isLive(run.state)
                                      ? tr("The first one appears when the run saves.")
                                      : tr("This run kept none."));
        return;
    }
    m_checkpoints->clear();
    const qint64 last = run.checkpoints.last().step;
    qsizetype shown = 0;
    for (auto checkpoint = run.checkpoints.crbegin();
         checkpoint != run.checkpoints.crend() && shown < kCheckpointsShown;
         ++checkpoint, ++shown) {
        addCheckpoint(run, *checkpoint, checkpoint->step == last);
    }
}

void TrainInspector::addCheckpoint(const RunRow& run, const CheckpointRow& checkpoint, bool isLast)
{
    const QString metric = run.decisionMetric;
    std::optional<double> value = run.metricAt(metric, checkpoint.step);
    for (const MetricSummary& summary : checkpoint.metrics) {
        if (summary.name == metric) {
            value = summary.last;
        }
    }
    QString why = checkpoint.keptBecause;
    if (checkpoint.isBest) {
        why = metric.isEmpty() ? tr("best") : tr("best %1").arg(metric);
    } else if (isLast) {
        why = tr("last");
    }
    const QString spoken = tr("Checkpoint at step %1, %2, %3")
                               .arg(formatCount(checkpoint.step), why.isEmpty() ? tr("kept") : why,
                                    value ? formatNumber(*value) : tr("not evaluated"));
    QHBoxLayout* row =
        m_checkpoints->addRow(spoken, "checkpoint." + QString::number(checkpoint.step));
    row->addWidget(makeIcon(checkpoint.isBest ? "star" : "diamond",
                            checkpoint.isBest ? Ink::Ok : Ink::Secondary, 15));
    auto* step = new Label(formatCount(checkpoint.step), TextRole::Strong);
    step->setMinimumWidth(scaled(52));
    row->addWidget(step);
    row->addWidget(new ElidedLabel(why, TextRole::Label, Ink::Secondary), 1);
    if (value) {
        row->addWidget(new Label(formatNumber(*value), TextRole::Strong));
    }
    row->parentWidget()->setToolTip(formatBytes(checkpoint.bytes));
}

void TrainInspector::setQueue(const QStringList& queue)
{
    if (queue == m_shownQueue) {
        return;
    }
    m_shownQueue = queue;
    if (queue.isEmpty()) {
        m_queue->setNothing(tr("Nothing waits."));
        return;
    }
    m_queue->clear();
    for (const QString& name : queue) {
        QHBoxLayout* row = m_queue->addRow(tr("%1 waits").arg(name), "queue." + name);
        row->addWidget(makeIcon("clock", Ink::Secondary, 15));
        row->addWidget(new ElidedLabel(name, TextRole::Strong), 1);
        auto* more = new IconButton("dots", tr("What to do with %1").arg(name));
        auto* menu = new QMenu(more);
        connect(menu->addAction(tr("Start Now")), &QAction::triggered, this,
                [this, name] { Q_EMIT queueStartRequested(name); });
        connect(menu->addAction(tr("Remove From Queue")), &QAction::triggered, this,
                [this, name] { Q_EMIT queueRemoveRequested(name); });
        more->setMenu(menu);
        more->setPopupMode(QToolButton::InstantPopup);
        row->addWidget(more);
    }
}

void TrainInspector::setEvents(const QList<LogEntry>& events)
{
    // What stands of the run's health is never driven out by saves and evaluations.
    QList<LogEntry> shown = standingNotes(events);
    std::reverse(shown.begin(), shown.end());
    const qsizetype notes = shown.size();
    for (auto entry = events.crbegin(); entry != events.crend() && shown.size() < kEventsShown;
         ++entry) {
        if (std::find(shown.begin(), shown.begin() + notes, *entry) == shown.begin() + notes) {
            shown.append(*entry);
        }
    }
    if (shown == m_shownEvents) {
        return;
    }
    m_shownEvents = shown;
    if (shown.isEmpty()) {
        m_events->setNothing(tr("What the engine reports appears here."));
        return;
    }
    m_events->clear();
    for (const LogEntry& entry : std::as_const(shown)) {
        addEvent(entry);
    }
}

void TrainInspector::addEvent(const LogEntry& entry)
{
    const bool isError = entry.level == LogLevel::Error;
    const bool isWarning = entry.level == LogLevel::Warning;
    const QString time = formatClock(entry.time.toLocalTime());
    const QString sentence = shortened(entry.sentence, m_metric);
    const QString level = isError ? tr("error") : isWarning ? tr("warning") : QString();
    QHBoxLayout* row = m_events->addRow(QStringList{time, level, sentence}.join(' '));
    row->parentWidget()->setToolTip(entry.sentence);
    row->setContentsMargins(0, scaled(3), 0, scaled(3));
    row->addWidget(new Label(time, TextRole::Label, Ink::Secondary));
    row->addWidget(makeIcon(isError     ? "alert-circle"
                            : isWarning ? "alert-triangle"
                                        : "point",
                            isError     ? Ink::Error
                            : isWarning ? Ink::Warn
                                        : Ink::Accent,
                            12));
    row->addWidget(new ElidedLabel(sentence, TextRole::Label,
                                   isError     ? Ink::Error
                                   : isWarning ? Ink::Warn
                                               : Ink::Text),
                   1);
}

} // namespace cannery::ui

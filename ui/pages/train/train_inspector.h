// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"
#include "ui/services/engine_service.h"

#include <QWidget>

namespace cannery::ui {

class InspectorSection;

/// Next to the live charts: checkpoints with the decision metric, the queue, recent events.
class TrainInspector : public QWidget
{
    Q_OBJECT

public:
    explicit TrainInspector(QWidget* parent = nullptr);

    void setRun(const RunRow& run);
    void setQueue(const QStringList& queue);
    /// From EngineService::events() of the run.
    void setEvents(const QList<LogEntry>& events);
    void clear();

Q_SIGNALS:
    void queueStartRequested(const QString& name);
    void queueRemoveRequested(const QString& name);
    void logRequested();

private:
    QWidget* makeQueueButton(const QString& name);

    InspectorSection* m_checkpoints;
    InspectorSection* m_queue;
    InspectorSection* m_events;
    QString m_metric; ///< the run's decision metric
};

} // namespace cannery::ui

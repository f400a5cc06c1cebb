// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>
#include <QThread>

namespace cannery::ui {

/// Finds, on a thread of its own, the runs of a project whose lock a process holds. GUI thread.
class EngineScanner : public QObject
{
    Q_OBJECT

public:
    explicit EngineScanner(QObject* parent = nullptr);
    ~EngineScanner() override;

    /// Empty for no project.
    void openProject(const QString& folder);
    /// found() is emitted again for this run if a process still, or again, holds it.
    void forget(const QString& run);
    /// Scans often for a while: an engine is starting.
    void expect();

Q_SIGNALS:
    /// A process holds this run; emitted once until forget().
    void found(const QString& project, const QString& run);

private:
    QThread m_thread;
    QObject* m_worker; ///< lives in m_thread
};

} // namespace cannery::ui

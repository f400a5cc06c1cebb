// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>
#include <QThread>

namespace cannery::ui {

/// Looks, on a thread of its own, which runs of a project a process holds. GUI thread.
class EngineScanner : public QObject
{
    Q_OBJECT

public:
    explicit EngineScanner(QObject* parent = nullptr);
    ~EngineScanner() override;

    /// Empty: looks nowhere.
    void openProject(const QString& folder);
    /// found() comes again for this run when a process still, or again, holds it.
    void forget(const QString& run);
    /// Looks often for a while: an engine is being started.
    void expect();

Q_SIGNALS:
    /// A process holds this run; told once until forget().
    void found(const QString& project, const QString& run);

private:
    QThread m_thread;
    QObject* m_worker; ///< lives in m_thread
};

} // namespace cannery::ui

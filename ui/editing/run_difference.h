// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/experiment_difference.h"

#include <QObject>
#include <QThreadPool>
#include <QTimer>

namespace cannery::ui {

class ProjectSession;

/// What the open experiment changes since the run that it goes on from: its own newest run,
/// otherwise the run that it was copied from, otherwise the project's newest one. Read and compared
/// in the background. GUI thread.
class RunDifference : public QObject
{
    Q_OBJECT

public:
    explicit RunDifference(ProjectSession& session, QObject* parent = nullptr);
    ~RunDifference() override;

    /// Empty if there is no run to compare with.
    QString run() const { return m_shownRun; }
    const QList<ExperimentChange>& changes() const { return m_changes; }
    /// The run's value of a field that differs, a sentence; otherwise empty.
    QString formerly(const QString& path) const;

Q_SIGNALS:
    void changed();

private:
    void follow();
    void read(const QString& folder);
    void compare();
    void show(const QString& run, const QList<ExperimentChange>& changes);

    ProjectSession* m_session;
    QThreadPool m_pool;
    QTimer m_soon;
    QString m_folder; ///< of the run to compare with
    QString m_run;    ///< its name for display
    QString m_frozen; ///< its experiment's text; empty if not read yet
    quint64 m_compared = 0;
    QString m_shownRun;
    QList<ExperimentChange> m_changes;
};

} // namespace cannery::ui

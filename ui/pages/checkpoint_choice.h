// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"

#include <QWidget>

class QComboBox;

namespace cannery::ui {

/// Two lists: a run that has checkpoints, and one of them (best, last, or by step). Until the user
/// chooses, they follow the newest run and its best checkpoint.
class CheckpointChoice : public QWidget
{
    Q_OBJECT

public:
    explicit CheckpointChoice(QWidget* parent = nullptr);

    void setRuns(const ProjectSnapshotPtr& snapshot);
    void chooseRun(const QString& run);
    void chooseStep(qint64 step);
    /// Forgets the choice, which was for another project.
    void forgetChoice();

    bool isEmpty() const;
    QString run() const;
    /// "best", "latest" or a step, as on the command line.
    QString checkpoint() const;
    /// The step of the choice; -1: none.
    qint64 step() const;
    /// "run-012 · checkpoint 500 · best auc 0.8392"
    QString sentence() const;

Q_SIGNALS:
    void changed();

private:
    void fillCheckpoints();
    void offerCheckpoints();
    const RunRow* row() const;

    QComboBox* m_runs;
    QComboBox* m_checkpoints;
    ProjectSnapshotPtr m_snapshot;
    QString m_chosenRun;        ///< empty if not chosen
    QString m_chosenCheckpoint; ///< of that run; empty if not chosen
};

} // namespace cannery::ui

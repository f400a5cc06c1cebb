// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/checkpoint_model.h"

#include <QWidget>

namespace cannery::ui {

class Button;
class Label;
class TableView;

/// The checkpoints of a run, and the actions for the selected one.
class RunCheckpoints : public QWidget
{
    Q_OBJECT

public:
    explicit RunCheckpoints(QWidget* parent = nullptr);

    /// Selects the best one, or keeps the selection.
    void showRun(const ProjectSnapshot& snapshot, const RunRow& run);

Q_SIGNALS:
    void exportRequested(qint64 step);
    /// Requests a new run that begins with the weights of this checkpoint.
    void startRequested(qint64 step);

private:
    qint64 selectedStep() const;

    TableView* m_table;
    Label* m_nothing;
    Button* m_export;
    Button* m_startFrom;
    CheckpointModel m_model;
};

} // namespace cannery::ui

// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/parameter_diff_model.h"
#include "ui/widgets/split_view.h"

class QComboBox;
class QPlainTextEdit;

namespace cannery::ui {

class Label;
class TableView;

/// The frozen experiment of a run, and its fields next to another run's.
class RunExperiment : public SplitView
{
    Q_OBJECT

public:
    explicit RunExperiment(QWidget* parent = nullptr);

    void showRun(const ProjectSnapshotPtr& snapshot, const RunRow& run);
    void setText(const QString& text);

private:
    void compareWith(const QString& other);

    ProjectSnapshotPtr m_snapshot;
    RunRow m_run;
    QPlainTextEdit* m_text;
    QComboBox* m_other;
    Label* m_diffSummary;
    TableView* m_diff;
    ParameterDiffModel m_diffModel;
};

} // namespace cannery::ui

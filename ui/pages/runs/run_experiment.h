// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/problem_row.h"
#include "ui/models/runs/parameter_diff_model.h"
#include "ui/widgets/split_view.h"

class QComboBox;
class QPlainTextEdit;

namespace cannery::ui {

class Label;
class ProblemList;
class TableView;

/// The frozen experiment of a run with its problems, and its fields next to another run's.
class RunExperiment : public SplitView
{
    Q_OBJECT

public:
    explicit RunExperiment(QWidget* parent = nullptr);

    void showRun(const ProjectSnapshotPtr& snapshot, const RunRow& run);
    void setText(const QString& text, const QList<ProblemRow>& problems);

private:
    void compareWith(const QString& other);
    void showLine(int line);

    ProjectSnapshotPtr m_snapshot;
    RunRow m_run;
    ProblemList* m_problems;
    QPlainTextEdit* m_text;
    QComboBox* m_other;
    Label* m_diffSummary;
    TableView* m_diff;
    ParameterDiffModel m_diffModel;
};

} // namespace cannery::ui

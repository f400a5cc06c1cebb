// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"

#include <QWidget>

class QScrollArea;

namespace cannery::ui {

class KeyValueList;
class Label;
class ParallelPlot;

/// What the parameters of the shown runs have to do with their metric: parallel coordinates, and
/// how important each parameter is; marked parts of the axes choose runs. The second tab of Runs.
/// GUI thread.
class ParameterPanel : public QWidget
{
    Q_OBJECT

public:
    explicit ParameterPanel(QWidget* parent = nullptr);

    void setRuns(const ProjectSnapshotPtr& snapshot, const QStringList& shown);
    /// Highlights the line of this run, or none if it is empty.
    void setEmphasis(const QString& run);

    ParallelPlot& plot() { return *m_plot; }

Q_SIGNALS:
    void runHovered(const QString& run);
    /// The runs that the user has chosen by their values; empty once there are none.
    void runsChosen(const QStringList& runs);

private:
    void publishChoice();

    Label* m_title;
    Label* m_words;
    ParallelPlot* m_plot;
    QScrollArea* m_plotArea = nullptr;
    Label* m_chosen;
    Label* m_importanceTitle;
    KeyValueList* m_importance;
    Label* m_caveat;
};

} // namespace cannery::ui

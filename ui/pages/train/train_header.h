// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"
#include "ui/pages/page.h"

#include <QWidget>

#include <optional>

class QComboBox;
class QVBoxLayout;

namespace cannery::ui {

class PageHeader;
struct EngineStatus;

/// The top of the Train page: the shown run, its state, and the actions for it.
class TrainHeader : public QWidget
{
    Q_OBJECT

public:
    explicit TrainHeader(const PageContext& context, QWidget* parent = nullptr);

    /// `status`: of a live run.
    void showRun(const RunRow& run, const std::optional<EngineStatus>& status);

Q_SIGNALS:
    /// Requests another run.
    void runChosen(const QString& run);
    /// Requests the run's own page.
    void openRequested(const QString& run);
    /// Requests to show no run.
    void crumbActivated();
    /// Resumes an interrupted run, or asks for more steps if it has ended.
    void continueRequested();

private:
    /// Which buttons are shown.
    enum class Stage
    {
        Live,
        Paused,
        Finishing,
        Ended,
        Stuck, ///< failed or interrupted
    };

    static Stage stageOf(RunState state);
    void make(Stage stage);
    void addActions(Stage stage);
    void refreshActions(const RunRow& run);
    void refreshSwitcher();
    QAction* action(const QString& id) const;

    PageContext m_context;
    QVBoxLayout* m_column;
    PageHeader* m_header = nullptr;
    QComboBox* m_switcher = nullptr;
    QAction* m_resume;
    QAction* m_longer; ///< resumes, or asks for more steps
    QAction* m_openRun;
    std::optional<Stage> m_stage;
    QString m_run;
};

} // namespace cannery::ui

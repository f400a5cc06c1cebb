// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/run_snapshot.h"
#include "ui/pages/page.h"

#include <optional>

class QComboBox;
class QStackedWidget;
class QTimer;
class QVBoxLayout;

namespace cannery::ui {

class Attention;
class EmptyState;
class FactRow;
class Label;
class PageHeader;
class ProgressBar;
class RecipeCard;
class Strip;
class TrainCharts;
class TrainInspector;
class TrainToolbar;
struct EngineStatus;

/// What trains now, live; a run that has ended stays here with what can be done next.
class TrainPage : public Page
{
    Q_OBJECT

public:
    explicit TrainPage(const PageContext& context, QWidget* parent = nullptr);

    QWidget* inspector() override;
    CommandLine command() const override;
    void reveal(const QString& what) override;
    QByteArray saveState() const override;
    void restoreState(const QByteArray& state) override;
    QString currentRun() const override { return m_run; }

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    /// Which buttons the header has.
    enum class Stage
    {
        Live,
        Paused,
        Finishing,
        Ended,
        Stuck, ///< failed or interrupted
    };

    QWidget* makeContent();
    QWidget* makeFacts();
    void makeEmptyState();
    void makeHeader(Stage stage);
    void connectServices();

    void showRun(const QString& run);
    void chooseRun();
    void refresh();
    void refreshWhole();
    void refreshLive();
    void refreshHeader(const RunRow& run, const std::optional<EngineStatus>& status);
    void refreshStrip(const RunRow& run, const std::optional<EngineStatus>& status);
    void refreshSwitcher();
    void refreshEmptyState();
    void refreshMark();
    void cure();
    void queueCommand(const QString& verb, const QString& name);
    const RunRow* row() const;

    QStackedWidget* m_stack;
    EmptyState* m_empty;
    RecipeCard* m_recipe;
    QVBoxLayout* m_column = nullptr;
    PageHeader* m_header = nullptr;
    QComboBox* m_switcher = nullptr;
    FactRow* m_facts = nullptr;
    Label* m_times = nullptr;
    ProgressBar* m_progress = nullptr;
    TrainToolbar* m_toolbar = nullptr;
    TrainCharts* m_charts = nullptr;
    Strip* m_strip = nullptr;
    TrainInspector* m_inspector;
    QTimer* m_clock;
    Attention* m_whole; ///< everything, after news of the store
    Attention* m_live;  ///< what moves while a run trains
    QAction* m_cure;
    QAction* m_openRun;
    QAction* m_resume;
    QAction* m_longer; ///< resumes, or asks for more steps
    std::optional<Stage> m_stage;
    QString m_run;
    QString m_dismissedNote;
};

} // namespace cannery::ui

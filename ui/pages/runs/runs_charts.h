// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/curves/chart_card.h"
#include "ui/models/curves/tag_list_model.h"
#include "ui/models/runs/run_snapshot.h"
#include "ui/pages/runs/chart_choices.h"
#include "ui/pages/runs/runs_curves.h"

#include <QJsonObject>
#include <QWidget>

class QMenu;
class QStackedWidget;
class QTimer;

namespace cannery::ui {

class ChartGrid;
class UpdateThrottle;
class ChartLink;
class NoCharts;
class ParameterPanel;
class RunsReadout;
class RunsToolbar;
class SeriesStore;
class SplitView;

/// The right half of Runs: view options, a card for each tag in groups (pinned ones first), and the
/// docked table of the values at the cursor. Cards share the cursor and the x range.
class RunsCharts : public QWidget
{
    Q_OBJECT

public:
    explicit RunsCharts(SeriesStore& store, QWidget* parent = nullptr);

    /// `filtered`: how many runs would be shown, were it not for the filter.
    void setRuns(const ProjectSnapshotPtr& snapshot, const QStringList& shown, int filtered = 0);
    /// Highlights the curves of this run, or none if it is empty.
    void setEmphasis(const QString& run);
    void setHoverReadoutShown(bool shown);

    /// Shows the parameters of the runs beside their metric in place of the curves.
    void setComparing(bool comparing);
    ParameterPanel& parameters() { return *m_parameters; }
    NoCharts& nothing() { return *m_nothing; }

    /// On the focused card, otherwise on all of them.
    void perform(ChartCommand command);
    bool isChecked(ChartCommand command) const;
    /// The focused card, or the one last under the pointer; null if there is none.
    ChartCard* activeCard() const;

    RunsToolbar& toolbar() { return *m_toolbar; }
    ChartGrid& grid() { return *m_grid; }
    RunsReadout& readout() { return *m_readout; }
    const QStringList& pinned() const { return m_choices.pinned(); }
    void setPinned(const QString& tag, bool pinned);
    void overlay(const QString& tag, const QString& added);
    void follow();
    bool follows() const;

    QJsonObject saveState() const;
    void restoreState(const QJsonObject& state);

Q_SIGNALS:
    void stateChanged();
    void runHovered(const QString& run);
    void optionsChanged();
    void csvRequested(const QByteArray& csv);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();
    void watchStore();
    void watchToolbar();
    void watchCharts();
    bool hasRoomForLargeCards() const;
    void fill(ChartCard& card, const QString& group, const QString& tag);
    void watchCard(ChartCard& card);
    void takeNews();
    void refreshSoon();
    void refresh();
    void chooseContent();
    void refreshCurves(bool force);
    void refreshMarks(ChartCard& card);
    void refreshNote(ChartCard& card);
    QString nothingWords() const;
    void refreshNothing();
    void refreshGroups();
    void refreshParameters(const ProjectSnapshot& snapshot);
    void refreshReadout();
    void takeOptionsOf(const ChartCard& card);
    void applyOptions();
    void extendMenu(QMenu* menu, const QString& tag);
    QList<Curve> curvesOf(const QString& tag) const;
    QString titleOf(const QString& tag) const;
    QString note() const;

    SeriesStore* m_store;
    int m_filtered = 0;
    RunsCurves* m_curves;
    ChartLink* m_link;
    RunsToolbar* m_toolbar;
    SplitView* m_split;
    QStackedWidget* m_stack; ///< the grid, or the reason why there is none, or the parameters
    NoCharts* m_nothing;
    ChartGrid* m_grid;
    ParameterPanel* m_parameters;
    bool m_isComparing = false;
    ProjectSnapshotPtr m_snapshot;
    QStringList m_shown;
    RunsReadout* m_readout;
    QTimer* m_soon;
    UpdateThrottle* m_whole; ///< tags, groups and all
    UpdateThrottle* m_news;  ///< new points
    QSet<SeriesKey> m_changed;
    ChartChoices m_choices;
    QString m_activeTag;
    QString m_decision;
    QSet<QString> m_live;
    std::pair<qsizetype, qsizetype> m_parametersSeen{-1, -1}; ///< runs, fields of the newest
    int m_columns = 0;
    bool m_showsHover = true;
};

} // namespace cannery::ui

// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/run_snapshot.h"

#include <QWidget>

class QStackedWidget;

namespace cannery::ui {

class Attention;
class ChartLink;
class Label;
class SearchField;
class Segmented;
class SummaryFeed;
class SummaryGrid;

/// What a run has logged besides scalars, one kind at a time: histograms as ridges or bands, texts,
/// pictures, PR curves. Reads the run's event files while it is shown, also those of other
/// programs. Cards share their cursor.
class RunInspect : public QWidget
{
    Q_OBJECT

public:
    enum View
    {
        Distributions,
        Texts,
        Images,
        PrCurves,
    };

    explicit RunInspect(QWidget* parent = nullptr);

    void showRun(const RunRow& run);
    void setView(View view);
    View view() const;
    SummaryFeed& feed() { return *m_feed; }
    SummaryGrid& grid(View view);
    QWidget* findField();

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void makeGrids();
    void arrange();
    void refresh();
    void refreshGrid();
    void showView();
    QString sounds() const;

    SummaryFeed* m_feed;
    ChartLink* m_link;
    Attention* m_news;
    Segmented* m_views;
    Segmented* m_look; ///< of the distributions
    SearchField* m_search;
    Label* m_state;
    QStackedWidget* m_stack;
    QList<SummaryGrid*> m_grids; ///< by View
    int m_slot = 0;
};

} // namespace cannery::ui

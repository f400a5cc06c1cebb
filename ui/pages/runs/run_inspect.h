// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"

#include <QJsonObject>
#include <QWidget>

class QStackedWidget;

namespace cannery::ui {

class UpdateThrottle;
class ChartLink;
class JobRunner;
class Label;
class RunEmbeddings;
class RunGraphView;
class RunMistakes;
class SearchField;
class Segmented;
class SummaryFeed;
class SummaryGrid;

/// What a run has logged besides scalars, one kind at a time: histograms as ridges or bands, texts,
/// pictures, PR curves; its graph, its embeddings, and the pictures that it mistakes. Reads the
/// run's event files while it is shown, also those of other programs. Cards share their cursor.
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
        Graph,
        Embeddings,
        Mistakes,
    };

    explicit RunInspect(JobRunner& jobs, QWidget* parent = nullptr);

    void showRun(const RunRow& run);
    void setView(View view);
    View view() const;
    SummaryFeed& feed() { return *m_feed; }
    /// Of the first four views.
    SummaryGrid& grid(View view);
    RunGraphView& graph() { return *m_graph; }
    RunEmbeddings& embeddings() { return *m_embeddings; }
    RunMistakes& mistakes() { return *m_mistakes; }
    QWidget* findField();
    /// The view, how distributions are drawn, the table of embeddings, and what is searched for.
    QJsonObject saveState() const;
    void restoreState(const QJsonObject& state);

Q_SIGNALS:
    /// What saveState() returns.
    void stateChanged();
    /// A file that the person wants to see.
    void fileOpened(const QString& file);

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
    QString state() const;

    SummaryFeed* m_feed;
    ChartLink* m_link;
    UpdateThrottle* m_news;
    Segmented* m_views;
    Segmented* m_look; ///< of the distributions
    SearchField* m_search;
    Label* m_state;
    QStackedWidget* m_stack;
    QList<SummaryGrid*> m_grids; ///< by View
    RunGraphView* m_graph;
    RunEmbeddings* m_embeddings;
    RunMistakes* m_mistakes;
    int m_slot = 0;
};

} // namespace cannery::ui

// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/graph_outline.h"
#include "ui/models/runs/run_summaries.h"

#include <QWidget>

class QListWidget;
class QListWidgetItem;

namespace cannery::ui {

class GraphView;
class Label;

/// The graph of a run beside what is selected in it: its kind, its shape, what feeds it and what it
/// feeds; and what a search finds. A row of the lists leads to its place in the graph.
class RunGraphView : public QWidget
{
    Q_OBJECT

public:
    explicit RunGraphView(QWidget* parent = nullptr);

    /// `otherwise`: a sentence for a run without a graph.
    void setGraph(const std::shared_ptr<const RunGraph>& graph, const QString& otherwise);
    /// Lists what is found; nothing for an empty text.
    void setFilter(const QString& text);
    GraphView& view() { return *m_view; }

private:
    void showSelection();
    void listItems(QListWidget& list, Label& title, const QString& words,
                   const std::vector<int>& items);
    QListWidget* makeList(const char* name, const QString& title);
    void buildOutline();

    GraphView* m_view;
    QWidget* m_side;
    Label* m_nothing;
    Label* m_title;
    Label* m_facts;
    Label* m_foundTitle;
    Label* m_inputsTitle;
    Label* m_outputsTitle;
    QListWidget* m_found;
    QListWidget* m_inputs;
    QListWidget* m_outputs;
    std::shared_ptr<const RunGraph> m_graph;
    QString m_filter;
};

} // namespace cannery::ui

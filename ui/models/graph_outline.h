// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_summaries.h"

#include <QHash>
#include <QString>
#include <QStringList>

#include <memory>
#include <vector>

namespace cannery::ui {

/// A scope or an operation of a run's graph.
struct GraphItem
{
    QString name;  ///< "dnn/hiddenlayer_0"
    QString label; ///< "hiddenlayer_0"; "(loss)" for an operation named like its scope
    int parent = -1;
    int node = -1; ///< of the RunGraph; -1: a scope
    std::vector<int> children;
    int operations = 0; ///< in it

    bool isScope() const { return node < 0; }
};

/// Something flows from one child of a scope to another.
struct GraphEdge
{
    int from = 0;
    int to = 0;
    int count = 0; ///< of the tensors and control inputs

    bool operator==(const GraphEdge&) const = default;
};

/// The scopes of a graph as a tree. Item 0 is the root. Built in time proportional to the graph.
/// Does not change.
class GraphOutline
{
public:
    explicit GraphOutline(std::shared_ptr<const RunGraph> graph);

    const GraphItem& item(int number) const { return m_items[std::size_t(number)]; }
    int size() const { return int(m_items.size()); }
    const GraphNodeFacts& node(int item) const;
    /// Between the children of this scope, whatever lies in them; by number.
    const std::vector<GraphEdge>& edges(int scope) const { return m_edges[std::size_t(scope)]; }
    /// The operation or scope of this name; -1: none.
    int find(const QString& name) const;
    /// Operations and scopes whose names or kinds contain the text, at most `most`;
    /// those that are called exactly that come first.
    std::vector<int> search(const QString& text, int most) const;

    /// The operations that feed this one, or this scope from outside; and those that it feeds.
    std::vector<int> inputs(int item) const;
    std::vector<int> outputs(int item) const;

private:
    int scopeOf(const QString& path);
    int addItem(const QString& name, int parent, int node);
    void addScopes();
    void connectNodes();
    void addEdge(int from, int to);
    int depth(int item) const;
    bool isWithin(int item, int scope) const;
    std::vector<int> neighbours(int item, const std::vector<std::vector<int>>& links) const;

    std::shared_ptr<const RunGraph> m_graph;
    std::vector<GraphItem> m_items;
    std::vector<std::vector<GraphEdge>> m_edges;
    std::vector<int> m_ofNode; ///< items by node
    QHash<QString, int> m_scopes;
    QHash<QString, int> m_operations;
    std::vector<std::vector<int>> m_sources; ///< items by node
    std::vector<std::vector<int>> m_targets;
};

} // namespace cannery::ui

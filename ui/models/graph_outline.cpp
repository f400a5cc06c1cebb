// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/graph_outline.h"

#include <algorithm>
#include <map>
#include <utility>

namespace cannery::ui {
namespace {

/// Scopes that a hostile name nests more deeply are one.
constexpr int kDeepestScope = 50;

QString parentPath(const QString& name)
{
    const qsizetype slash = name.lastIndexOf(u'/');
    return slash <= 0 ? QString() : name.left(slash);
}

} // namespace

GraphOutline::GraphOutline(std::shared_ptr<const RunGraph> graph) : m_graph(std::move(graph))
{
    m_items.push_back({.label = "/"});
    addScopes();
    m_edges.resize(m_items.size());
    connectNodes();
    // Children come after their parents.
    for (std::size_t i = m_items.size(); i-- > 1;) {
        m_items[std::size_t(m_items[i].parent)].operations += m_items[i].operations;
    }
}

void GraphOutline::addScopes()
{
    const std::vector<GraphNodeFacts>& nodes = m_graph->nodes;
    for (const GraphNodeFacts& node : nodes) {
        scopeOf(parentPath(node.name));
    }
    m_ofNode.resize(nodes.size(), -1);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const QString& name = nodes[i].name;
        const auto own = m_scopes.constFind(name);
        const bool isInside = own != m_scopes.constEnd();
        const int item = addItem(name, isInside ? *own : scopeOf(parentPath(name)), int(i));
        GraphItem& added = m_items[std::size_t(item)];
        added.operations = 1;
        // An operation with the name of a scope stands within it, in brackets.
        if (isInside) {
            added.label = '(' + added.label + ')';
        }
        m_ofNode[i] = item;
        m_operations.insert(name, item);
    }
}

int GraphOutline::addItem(const QString& name, int parent, int node)
{
    const int number = int(m_items.size());
    const QString& above = m_items[std::size_t(parent)].name;
    QString label = node >= 0 || above.isEmpty() ? name.mid(name.lastIndexOf(u'/') + 1)
                                                 : name.mid(above.size() + 1);
    m_items.push_back({.name = name, .label = std::move(label), .parent = parent, .node = node});
    m_items[std::size_t(parent)].children.push_back(number);
    return number;
}

int GraphOutline::scopeOf(const QString& path)
{
    if (path.isEmpty()) {
        return 0;
    }
    if (const auto known = m_scopes.constFind(path); known != m_scopes.constEnd()) {
        return *known;
    }
    // From the outermost unknown one on.
    int parent = 0;
    int level = 0;
    for (qsizetype slash = path.indexOf(u'/', 1); slash >= 0 && level < kDeepestScope;
         slash = path.indexOf(u'/', slash + 1), ++level) {
        const QString outer = path.left(slash);
        const auto known = m_scopes.constFind(outer);
        if (known != m_scopes.constEnd()) {
            parent = *known;
        } else {
            parent = addItem(outer, parent, -1);
            m_scopes.insert(outer, parent);
        }
    }
    const int scope = addItem(path, parent, -1);
    m_scopes.insert(path, scope);
    return scope;
}

void GraphOutline::connectNodes()
{
    m_sources.resize(m_graph->nodes.size());
    m_targets.resize(m_graph->nodes.size());
    for (std::size_t i = 0; i < m_graph->nodes.size(); ++i) {
        const auto link = [&](QString name) {
            const qsizetype colon = name.lastIndexOf(u':');
            // ":1" is an output of an operation; names may have colons themselves.
            if (colon > 0 && !m_operations.contains(name)) {
                name.truncate(colon);
            }
            const int source = m_operations.value(name, -1);
            if (source < 0) {
                return;
            }
            m_sources[i].push_back(source);
            m_targets[std::size_t(item(source).node)].push_back(m_ofNode[i]);
            addEdge(source, m_ofNode[i]);
        };
        for (const QString& input : m_graph->nodes[i].inputs) {
            link(input);
        }
        for (const QString& input : m_graph->nodes[i].controls) {
            link(input);
        }
    }
    for (std::vector<GraphEdge>& edges : m_edges) {
        std::map<std::pair<int, int>, int> counts;
        for (const GraphEdge& edge : edges) {
            counts[{edge.from, edge.to}] += edge.count;
        }
        edges.clear();
        for (const auto& [ends, count] : counts) {
            edges.push_back({ends.first, ends.second, count});
        }
    }
}

int GraphOutline::depth(int item) const
{
    int depth = 0;
    for (; item > 0; item = m_items[std::size_t(item)].parent) {
        ++depth;
    }
    return depth;
}

/// In the innermost scope that holds both.
void GraphOutline::addEdge(int from, int to)
{
    int fromDepth = depth(from);
    int toDepth = depth(to);
    const auto parentOf = [this](int item) { return m_items[std::size_t(item)].parent; };
    while (fromDepth > toDepth) {
        from = parentOf(from);
        --fromDepth;
    }
    while (toDepth > fromDepth) {
        to = parentOf(to);
        --toDepth;
    }
    while (from != to && parentOf(from) != parentOf(to)) {
        from = parentOf(from);
        to = parentOf(to);
    }
    if (from != to) {
        m_edges[std::size_t(parentOf(from))].push_back({from, to, 1});
    }
}

const GraphNodeFacts& GraphOutline::node(int item) const
{
    return m_graph->nodes[std::size_t(m_items[std::size_t(item)].node)];
}

int GraphOutline::find(const QString& name) const
{
    const int operation = m_operations.value(name, -1);
    return operation >= 0 ? operation : m_scopes.value(name, -1);
}

std::vector<int> GraphOutline::search(const QString& text, int most) const
{
    std::vector<int> found;
    for (int i = 1; i < size() && int(found.size()) < most && !text.isEmpty(); ++i) {
        const bool isMatch = item(i).name.contains(text, Qt::CaseInsensitive) ||
                             (!item(i).isScope() && node(i).op.contains(text, Qt::CaseInsensitive));
        if (isMatch) {
            found.push_back(i);
        }
    }
    // Exact hits first, as a name is often the beginning of many others.
    std::stable_partition(found.begin(), found.end(), [&](int i) {
        return item(i).label.compare(text, Qt::CaseInsensitive) == 0 ||
               item(i).name.compare(text, Qt::CaseInsensitive) == 0;
    });
    return found;
}

bool GraphOutline::isWithin(int item, int scope) const
{
    while (item > 0 && item != scope) {
        item = m_items[std::size_t(item)].parent;
    }
    return item == scope;
}

std::vector<int> GraphOutline::neighbours(int item,
                                          const std::vector<std::vector<int>>& links) const
{
    std::vector<int> found;
    std::vector<int> left{item};
    while (!left.empty()) {
        const int next = left.back();
        left.pop_back();
        const GraphItem& row = m_items[std::size_t(next)];
        left.insert(left.end(), row.children.begin(), row.children.end());
        if (row.isScope()) {
            continue;
        }
        // Edges within a scope are not edges of the scope.
        for (const int other : links[std::size_t(row.node)]) {
            if (!isWithin(other, item)) {
                found.push_back(other);
            }
        }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

std::vector<int> GraphOutline::inputs(int item) const
{
    return neighbours(item, m_sources);
}

std::vector<int> GraphOutline::outputs(int item) const
{
    return neighbours(item, m_targets);
}

} // namespace cannery::ui

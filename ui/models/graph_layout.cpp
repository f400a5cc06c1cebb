// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/graph_layout.h"

#include <QHash>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cannery::ui {
namespace {

constexpr int kSweeps = 4;

/// The content of one scope, at the origin.
struct Level
{
    std::vector<GraphBox> boxes;
    std::vector<GraphLine> lines;
    QSizeF size;
    int hidden = 0;
};

/// One child of the scope that is being laid out.
struct Child
{
    int item = 0;
    QSizeF size;
    Level inside; ///< if it is open
    bool isOpen = false;
    int column = 0;
    double order = 0;
    QPointF place;
    std::vector<int> sources; ///< numbers of children, loops left out
    std::vector<int> targets;
};

class LevelLayout
{
public:
    LevelLayout(const GraphOutline& outline, const QSet<int>& open, const GraphMeasures& measures)
        : m_outline(outline), m_open(open), m_measures(measures)
    {}

    Level layOut(int scope)
    {
        Level level;
        std::vector<Child> children = childrenOf(scope, level.hidden);
        QHash<int, int> numbers;
        for (std::size_t i = 0; i < children.size(); ++i) {
            numbers.insert(children[i].item, int(i));
        }
        link(scope, children, numbers);
        setColumns(children);
        level.size = place(children);
        for (const GraphEdge& edge : m_outline.edges(scope)) {
            const auto from = numbers.constFind(edge.from);
            const auto to = numbers.constFind(edge.to);
            if (from != numbers.constEnd() && to != numbers.constEnd()) {
                level.lines.push_back(
                    lineOf(children[std::size_t(*from)], children[std::size_t(*to)], edge.count));
            }
        }
        for (Child& child : children) {
            take(level, child);
        }
        return level;
    }

private:
    std::vector<Child> childrenOf(int scope, int& hidden)
    {
        std::vector<Child> children;
        for (const int item : m_outline.item(scope).children) {
            const bool isOpen = m_open.contains(item);
            // An open one always stays: it was opened to be seen.
            if (int(children.size()) >= kMostGraphChildren && !isOpen) {
                ++hidden;
                continue;
            }
            Child child{.item = item};
            child.isOpen = isOpen && m_outline.item(item).isScope();
            // From the inside out: the size of an open scope is that of its content.
            if (child.isOpen) {
                child.inside = layOut(item);
                const double title = m_measures.sizeOf(item).width();
                child.size =
                    QSizeF(std::max(child.inside.size.width(), title) + 2 * m_measures.padding,
                           child.inside.size.height() + m_measures.title + m_measures.padding);
            } else {
                child.size = m_measures.sizeOf(item);
            }
            children.push_back(std::move(child));
        }
        return children;
    }

    /// Edges that would close a loop are left out: found by a walk in depth, without recursion.
    void link(int scope, std::vector<Child>& children, const QHash<int, int>& numbers) const
    {
        std::vector<std::vector<int>> targets(children.size());
        for (const GraphEdge& edge : m_outline.edges(scope)) {
            const auto from = numbers.constFind(edge.from);
            const auto to = numbers.constFind(edge.to);
            if (from != numbers.constEnd() && to != numbers.constEnd()) {
                targets[std::size_t(*from)].push_back(*to);
            }
        }
        enum class Seen : char
        {
            No,
            Open,
            Done,
        };
        std::vector<Seen> seen(children.size(), Seen::No);
        std::vector<std::pair<int, std::size_t>> path;
        for (int start = 0; start < int(children.size()); ++start) {
            if (seen[std::size_t(start)] != Seen::No) {
                continue;
            }
            path.emplace_back(start, 0);
            seen[std::size_t(start)] = Seen::Open;
            while (!path.empty()) {
                const int from = path.back().first;
                const std::vector<int>& next = targets[std::size_t(from)];
                if (path.back().second == next.size()) {
                    seen[std::size_t(from)] = Seen::Done;
                    path.pop_back();
                    continue;
                }
                const int to = next[path.back().second++];
                if (seen[std::size_t(to)] == Seen::Open) {
                    continue; // backwards
                }
                children[std::size_t(from)].targets.push_back(to);
                children[std::size_t(to)].sources.push_back(from);
                if (seen[std::size_t(to)] == Seen::No) {
                    seen[std::size_t(to)] = Seen::Open;
                    path.emplace_back(to, 0);
                }
            }
        }
    }

    /// The longest way from a child without sources.
    static void setColumns(std::vector<Child>& children)
    {
        std::vector<std::size_t> waits(children.size());
        std::vector<int> ready;
        for (std::size_t i = 0; i < children.size(); ++i) {
            waits[i] = children[i].sources.size();
            if (waits[i] == 0) {
                ready.push_back(int(i));
            }
        }
        for (std::size_t i = 0; i < ready.size(); ++i) {
            const Child& child = children[std::size_t(ready[i])];
            for (const int target : child.targets) {
                Child& next = children[std::size_t(target)];
                next.column = std::max(next.column, child.column + 1);
                if (--waits[std::size_t(target)] == 0) {
                    ready.push_back(target);
                }
            }
        }
    }

    QSizeF place(std::vector<Child>& children) const
    {
        std::vector<int> alone;
        std::vector<std::vector<int>> columns;
        for (int i = 0; i < int(children.size()); ++i) {
            const Child& child = children[std::size_t(i)];
            // In a column they would be taken for the start of the flow.
            if (child.sources.empty() && child.targets.empty() && children.size() > 1) {
                alone.push_back(i);
                continue;
            }
            columns.resize(std::max(columns.size(), std::size_t(child.column) + 1));
            columns[std::size_t(child.column)].push_back(i);
        }
        order(children, columns);
        const QSizeF flow = placeColumns(children, columns);
        return placeAlone(children, alone, flow);
    }

    /// Each child near the middle of what it is connected with, in a few sweeps to and fro.
    static void order(std::vector<Child>& children, std::vector<std::vector<int>>& columns)
    {
        const auto number = [&](const std::vector<int>& column) {
            for (std::size_t i = 0; i < column.size(); ++i) {
                // As a share of the column's height: columns have different numbers of children.
                children[std::size_t(column[i])].order = double(i) / double(column.size());
            }
        };
        std::for_each(columns.begin(), columns.end(), number);
        const auto sort = [&](std::vector<int>& column, std::vector<int> Child::*side) {
            for (const int one : column) {
                Child& child = children[std::size_t(one)];
                const std::vector<int>& others = child.*side;
                double sum = 0;
                for (const int other : others) {
                    sum += children[std::size_t(other)].order;
                }
                child.order = others.empty() ? child.order : sum / double(others.size());
            }
            // Stable: without a reason, the order of the graph is kept.
            std::stable_sort(column.begin(), column.end(), [&](int a, int b) {
                return children[std::size_t(a)].order < children[std::size_t(b)].order;
            });
            number(column);
        };
        // The barycentre method of layered drawings (Sugiyama, Tagawa, Toda 1981).
        for (int sweep = 0; sweep < kSweeps; ++sweep) {
            for (std::vector<int>& column : columns) {
                sort(column, &Child::sources);
            }
            for (auto column = columns.rbegin(); column != columns.rend(); ++column) {
                sort(*column, &Child::targets);
            }
        }
    }

    QSizeF placeColumns(std::vector<Child>& children,
                        const std::vector<std::vector<int>>& columns) const
    {
        std::vector<double> heights;
        for (const std::vector<int>& column : columns) {
            double height = -m_measures.gap;
            for (const int one : column) {
                height += children[std::size_t(one)].size.height() + m_measures.gap;
            }
            heights.push_back(std::max(height, 0.0));
        }
        const double most = heights.empty() ? 0 : *std::max_element(heights.begin(), heights.end());
        double x = 0;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            double width = 0;
            // Columns are centred on each other.
            double y = (most - heights[i]) / 2;
            for (const int one : columns[i]) {
                Child& child = children[std::size_t(one)];
                child.place = QPointF(x, y);
                y += child.size.height() + m_measures.gap;
                width = std::max(width, child.size.width());
            }
            x += width + (i + 1 < columns.size() ? m_measures.columnGap : 0);
        }
        return {x, most};
    }

    /// What is connected with nothing: in rows below, about as wide as the rest or a square.
    QSizeF placeAlone(std::vector<Child>& children, const std::vector<int>& alone,
                      QSizeF size) const
    {
        double area = 0;
        for (const int one : alone) {
            const QSizeF own = children[std::size_t(one)].size;
            area += (own.width() + m_measures.gap) * (own.height() + m_measures.gap);
        }
        const double room = std::max(size.width(), 1.5 * std::sqrt(area));
        double x = 0;
        double y = size.height() > 0 ? size.height() + m_measures.columnGap : 0;
        double row = 0;
        for (const int one : alone) {
            Child& child = children[std::size_t(one)];
            if (x > 0 && x + child.size.width() > room) {
                x = 0;
                y += row + m_measures.gap;
                row = 0;
            }
            child.place = QPointF(x, y);
            x += child.size.width() + m_measures.gap;
            row = std::max(row, child.size.height());
            size = size.expandedTo(QSizeF(x - m_measures.gap, y + row));
        }
        return size;
    }

    static GraphLine lineOf(const Child& from, const Child& to, int count)
    {
        return {from.place + QPointF(from.size.width(), from.size.height() / 2),
                to.place + QPointF(0, to.size.height() / 2), count};
    }

    void take(Level& level, Child& child) const
    {
        // Before what is in it, so that it is painted below; boxAt() searches from the end.
        level.boxes.push_back(
            {child.item, QRectF(child.place, child.size), child.isOpen, child.inside.hidden});
        const QPointF corner = child.place + QPointF(m_measures.padding, m_measures.title);
        for (GraphBox& box : child.inside.boxes) {
            box.place.translate(corner);
            level.boxes.push_back(box);
        }
        for (GraphLine& line : child.inside.lines) {
            level.lines.push_back({line.from + corner, line.to + corner, line.count});
        }
    }

    const GraphOutline& m_outline;
    const QSet<int>& m_open;
    const GraphMeasures& m_measures;
};

} // namespace

const GraphBox* GraphDrawing::box(int item) const
{
    const auto found = std::find_if(boxes.begin(), boxes.end(),
                                    [item](const GraphBox& row) { return row.item == item; });
    return found == boxes.end() ? nullptr : &*found;
}

const GraphBox* GraphDrawing::boxAt(const QPointF& place) const
{
    const auto found = std::find_if(boxes.rbegin(), boxes.rend(),
                                    [&](const GraphBox& row) { return row.place.contains(place); });
    return found == boxes.rend() ? nullptr : &*found;
}

GraphDrawing layOutGraph(const GraphOutline& outline, const QSet<int>& open,
                         const GraphMeasures& measures)
{
    Level root = LevelLayout(outline, open, measures).layOut(0);
    return {std::move(root.boxes), std::move(root.lines), root.size, root.hidden};
}

} // namespace cannery::ui

// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editing/network_map.h"

#include <algorithm>

namespace cannery::ui {
namespace {

/// Passes over the rows, down and up by turns; more change little.
constexpr int kSweeps = 6;

class MapMaker
{
public:
    explicit MapMaker(const NetworkOutline& outline) : m_outline(outline) {}

    NetworkMap make()
    {
        findRows();
        placeInRows();
        for (int sweep = 0; sweep < kSweeps; ++sweep) {
            sortRows(sweep % 2 == 0);
        }
        return map();
    }

private:
    /// A layer, or the place where a connection passes a row.
    struct Spot
    {
        int row = 0;
        double place = 0; ///< in its row, from 0
        QList<int> above;
        QList<int> below;
    };

    void findRows();
    void placeInRows();
    void sortRows(bool down);
    void number(const QList<int>& row);
    double column(int spot) const;
    NetworkMap map() const;

    const NetworkOutline& m_outline;
    QList<Spot> m_spots; ///< the layers first
    QList<QList<int>> m_rows;
    QList<NetworkMap::Connection> m_connections;
    QList<QList<int>> m_ways; ///< spots of each connection
};

void MapMaker::findRows()
{
    const auto count = static_cast<int>(m_outline.layers.size());
    m_spots.resize(count);
    // Layers mostly stand behind their inputs, so this ends after two passes; the limit is for
    // circles, which are drawn as they are.
    for (int pass = 0, changed = 1; pass < count && changed != 0; ++pass) {
        changed = 0;
        for (int layer = 0; layer < count; ++layer) {
            for (const int input : m_outline.layers[layer].inputs) {
                const int row = std::min(m_spots[input].row + 1, count - 1);
                if (input != layer && m_spots[layer].row < row) {
                    m_spots[layer].row = row;
                    changed = 1;
                }
            }
        }
    }
}

void MapMaker::placeInRows()
{
    const auto count = static_cast<int>(m_outline.layers.size());
    for (int layer = 0; layer < count; ++layer) {
        for (const int input : m_outline.layers[layer].inputs) {
            QList<int> way{input};
            for (int row = m_spots[input].row + 1; row < m_spots[layer].row; ++row) {
                m_spots << Spot{.row = row, .place = 0, .above = {}, .below = {}};
                way << static_cast<int>(m_spots.size()) - 1;
            }
            way << layer;
            for (qsizetype i = 1; i < way.size(); ++i) {
                m_spots[way[i - 1]].below << way[i];
                m_spots[way[i]].above << way[i - 1];
            }
            m_connections << NetworkMap::Connection{input, layer, {}};
            m_ways << way;
        }
    }
    for (int spot = 0; spot < m_spots.size(); ++spot) {
        const int row = m_spots[spot].row;
        while (m_rows.size() <= row) {
            m_rows << QList<int>();
        }
        m_rows[row] << spot;
    }
    for (const QList<int>& row : std::as_const(m_rows)) {
        number(row);
    }
}

void MapMaker::number(const QList<int>& row)
{
    for (qsizetype i = 0; i < row.size(); ++i) {
        m_spots[row[i]].place = static_cast<double>(i);
    }
}

/// The middle of a row is the middle of the drawing.
double MapMaker::column(int spot) const
{
    const auto width = static_cast<double>(m_rows[m_spots[spot].row].size());
    return m_spots[spot].place - (width - 1) / 2;
}

void MapMaker::sortRows(bool down)
{
    for (qsizetype i = 0; i < m_rows.size(); ++i) {
        QList<int>& row = m_rows[down ? i : m_rows.size() - 1 - i];
        QList<double> wanted(m_spots.size(), 0);
        for (const int spot : std::as_const(row)) {
            const QList<int>& neighbours = down ? m_spots[spot].above : m_spots[spot].below;
            double sum = 0;
            for (const int neighbour : neighbours) {
                sum += column(neighbour);
            }
            wanted[spot] =
                neighbours.isEmpty() ? column(spot) : sum / static_cast<double>(neighbours.size());
        }
        // Equal means keep their order, so that the same network is drawn alike.
        std::stable_sort(row.begin(), row.end(),
                         [&](int a, int b) { return wanted[a] < wanted[b]; });
        number(row);
    }
}

NetworkMap MapMaker::map() const
{
    NetworkMap map;
    map.rows = static_cast<int>(m_rows.size());
    map.connections = m_connections;
    for (int layer = 0; layer < m_outline.layers.size(); ++layer) {
        map.places << QPointF(column(layer), m_spots[layer].row);
    }
    for (const QList<int>& row : m_rows) {
        map.columns = std::max(map.columns, static_cast<double>(row.size()));
    }
    for (qsizetype i = 0; i < m_ways.size(); ++i) {
        for (const int spot : m_ways[i]) {
            map.connections[i].way << QPointF(column(spot), m_spots[spot].row);
        }
    }
    return map;
}

} // namespace

NetworkMap mapOf(const NetworkOutline& outline)
{
    return MapMaker(outline).make();
}

} // namespace cannery::ui

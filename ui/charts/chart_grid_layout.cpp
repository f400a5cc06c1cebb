// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/chart_grid_layout.h"

#include <algorithm>

namespace cannery::ui {

void ChartGridLayout::set(const QList<ChartGroup>& groups, const QList<QStringList>& shown,
                          const QSet<QString>& folded, const Measures& measures)
{
    m_measures = measures;
    m_sections.clear();
    const int inner = std::max(measures.width - 2 * measures.margin, 1);
    int y = measures.margin / 2;
    for (qsizetype i = 0; i < groups.size(); ++i) {
        Section section;
        section.top = y;
        section.isEmpty = shown[i].isEmpty();
        const int least = groups[i].large ? measures.cardWidth * 4 / 3 : measures.cardWidth;
        section.columns = std::max(1, (inner + measures.gap) / (least + measures.gap));
        if (measures.columns > 0) {
            const int most =
                groups[i].large ? std::max(1, (measures.columns + 1) / 2) : measures.columns;
            section.columns = std::min(section.columns, most);
        }
        section.cardHeight = groups[i].large ? measures.largeCardHeight : measures.cardHeight;
        section.cards = folded.contains(groups[i].id) ? 0 : shown[i].size();
        const auto rows = int((section.cards + section.columns - 1) / section.columns);
        if (!section.isEmpty) {
            y += measures.headerHeight + rows * (section.cardHeight + measures.gap);
        }
        section.bottom = y;
        m_sections += section;
    }
    m_height = y + measures.margin / 2;
}

QRect ChartGridLayout::cardRect(int group, qsizetype card) const
{
    const Section& section = m_sections[group];
    const int inner = m_measures.width - 2 * m_measures.margin;
    const int column = int(card % section.columns);
    const auto row = int(card / section.columns);
    // Edges are rounded from the total, so that the last card ends where the grid ends.
    const auto left = [&](int i) {
        return m_measures.margin + (inner + m_measures.gap) * i / section.columns;
    };
    const int top =
        section.top + m_measures.headerHeight + row * (section.cardHeight + m_measures.gap);
    return {left(column), top, left(column + 1) - m_measures.gap - left(column),
            section.cardHeight};
}

QList<ChartGridLayout::Place> ChartGridLayout::places(int top, int bottom) const
{
    QList<Place> places;
    auto first = std::ranges::lower_bound(m_sections, top + 1, {}, &Section::bottom);
    for (; first != m_sections.end() && first->top < bottom; ++first) {
        const auto group = int(first - m_sections.begin());
        if (first->isEmpty) {
            continue;
        }
        const QRect heading(m_measures.margin, first->top, m_measures.width - 2 * m_measures.margin,
                            m_measures.headerHeight);
        if (heading.bottom() >= top) {
            places += Place{.group = group, .card = -1, .where = heading};
        }
        const int rowHeight = first->cardHeight + m_measures.gap;
        const int cardsTop = first->top + m_measures.headerHeight;
        const qsizetype firstRow = std::max(0, (top - cardsTop) / rowHeight);
        for (qsizetype i = firstRow * first->columns; i < first->cards; ++i) {
            const QRect where = cardRect(group, i);
            if (where.top() >= bottom) {
                break;
            }
            places += Place{.group = group, .card = i, .where = where};
        }
    }
    return places;
}

} // namespace cannery::ui

// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/chart_grid.h"

#include <QRect>

namespace cannery::ui {

/// Computes the positions of a grid's headings and cards by arithmetic: loops over groups, never
/// over cards.
class ChartGridLayout
{
public:
    struct Measures
    {
        int width = 0;
        int margin = 0;
        int gap = 0;
        int headerHeight = 0;
        int cardWidth = 0; ///< minimum
        int cardHeight = 0;
        int largeCardHeight = 0;
        int columns = 0; ///< maximum; 0: as many as fit

        bool operator==(const Measures&) const = default;
    };
    /// A heading (card < 0) or a card of a group.
    struct Place
    {
        int group = 0;
        qsizetype card = -1;
        QRect where; ///< in the whole grid, not the viewport
    };

    /// The number of tags that a group shows (filtered), in group order; 0 for folded ones.
    void set(const QList<ChartGroup>& groups, const QList<QStringList>& shown,
             const QSet<QString>& folded, const Measures& measures);

    int height() const { return m_height; }
    /// The items that intersect [top, bottom).
    QList<Place> places(int top, int bottom) const;
    QRect cardRect(int group, qsizetype card) const;

private:
    struct Section
    {
        int top = 0;
        int columns = 1;
        int cardHeight = 0;
        qsizetype cards = 0;  ///< 0 if folded
        bool isEmpty = false; ///< everything is filtered out, including the heading
        int bottom = 0;
    };

    Measures m_measures;
    QList<Section> m_sections;
    int m_height = 0;
};

} // namespace cannery::ui

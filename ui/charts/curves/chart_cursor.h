// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/curves/chart_pointer.h"

#include <QObject>
#include <QPointer>

#include <optional>

namespace cannery::ui {

class ChartLink;
struct ChartPlot;

/// Where the hairline of a chart is, and on which curve: follows pointer and keys, shares its x
/// with the other cards of a link, and says what is read out there. GUI thread.
class ChartCursor : public QObject
{
    Q_OBJECT

public:
    explicit ChartCursor(const ChartPlot& plot);

    /// In units of the x axis; empty: no cursor.
    std::optional<double> x() const { return m_x; }
    void setX(std::optional<double> x);
    /// Rows at x, largest value first; empty without a cursor.
    QList<ReadoutRow> rows() const;
    /// The keys ← → walk along it, and Data Table shows it first.
    int curve() const { return m_curve; }
    /// False: only the hairline and its dots follow the pointer.
    void setReadoutShown(bool shown);
    void setLink(ChartLink* link);
    /// What is to be painted.
    ChartPointer pointer() const;

    /// The plot has other curves.
    void curvesChanged();
    /// The unit of x has changed.
    void forget();

    void walk(int by);
    void chooseCurve(int by);
    void hover(const QPointF& pixel);
    void leave();
    /// A click: the cursor stays when the pointer leaves, or follows it again.
    void click(const QPointF& pixel);
    void pin();
    /// False: there was no cursor to remove.
    bool dismiss();
    void releaseRun();

Q_SIGNALS:
    /// What is to be painted has changed.
    void changed();
    void moved(bool byKeys);
    void runHovered(const QString& run);
    /// By keys; empty: none.
    void runChosen(const QString& run);
    void pinRequested();

private:
    void move(std::optional<double> x, bool byKeys);
    void followLink();

    const ChartPlot& m_plot;
    QPointer<ChartLink> m_link;
    std::optional<double> m_x;
    bool m_isOwn = false; ///< set by this card's mouse or keys, not by the link
    bool m_stays = false; ///< clicked: stays when the pointer leaves
    bool m_isByKeys = false;
    bool m_showsReadout = true;
    int m_curve = 0;
    QString m_hoveredRun;
};

} // namespace cannery::ui

// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/steps/step_canvas.h"
#include "ui/models/curves/axis_scale.h"
#include "ui/models/runs/run_summaries.h"

#include <vector>

namespace cannery::ui {

/// Histograms as ridges, one behind the other: the earliest at the top and palest. Values on the
/// horizontal axis, steps on the vertical one. At most kMostRidges are drawn.
class RidgePicture : public StepPicture
{
public:
    static constexpr int kMostRidges = 200;

    RidgePicture(StepHistory<HistogramStep> history, int colourSlot);

    /// How many ridges fit into this height, in logical pixels.
    static int mostRidges(double height);

    void layOut(const QSizeF& size) override;
    void paint(QPainter& painter) const override;
    void paintCursor(QPainter& painter, qsizetype step) const override;
    qsizetype stepAt(const QPointF& place) const override;

private:
    double baseline(qsizetype step) const;
    QPolygonF ridge(qsizetype step) const;
    double share(qsizetype step) const;

    StepHistory<HistogramStep> m_history;
    int m_slot;
    AxisScale m_values;
    double m_height = 0; ///< of the highest ridge
    int m_bins = 1;
    std::vector<qsizetype> m_shown;
    double m_most = 1; ///< the largest count of a bin
};

/// Histograms as bands between the bounds of HistogramStep, the median as a line. Steps on the
/// horizontal axis, values on the vertical one.
class BandPicture : public StepPicture
{
public:
    BandPicture(StepHistory<HistogramStep> history, int colourSlot);

    void layOut(const QSizeF& size) override;
    void paint(QPainter& painter) const override;
    void paintCursor(QPainter& painter, qsizetype step) const override;
    qsizetype stepAt(const QPointF& place) const override;

private:
    QPointF place(qsizetype step, double value) const;

    StepHistory<HistogramStep> m_history;
    int m_slot;
    AxisScale m_steps;
    AxisScale m_values;
};

} // namespace cannery::ui

// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/steps/pr_curve_card.h"

#include "ui/charts/steps/step_canvas.h"
#include "ui/models/curves/axis_scale.h"
#include "ui/models/formats.h"
#include "ui/widgets/style/theme.h"

#include <QKeyEvent>
#include <QPainter>
#include <QPolygonF>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

/// The thresholds at which any row is found; for the others precision has no meaning.
qsizetype thresholdsOf(const PrCurveStep& step)
{
    auto count = qsizetype(step.recall.size());
    while (count > 1 && !(step.truePositives[std::size_t(count - 1)] +
                              step.falsePositives[std::size_t(count - 1)] >
                          0)) {
        --count;
    }
    return count;
}

/// Recall on the horizontal axis, precision on the vertical one; the cursor is at a threshold.
class PrCurvePicture : public StepPicture
{
public:
    PrCurvePicture(std::shared_ptr<const PrCurveStep> step, int slot)
        : m_step(std::move(step)), m_slot(slot), m_count(thresholdsOf(*m_step))
    {}

    void layOut(const QSizeF& size) override
    {
        const AxisScale unit({0, 1}, false);
        const AxisTicks ticks = makeTicks(unit, TickFormat::Number, 5);
        setPlot(size, ticks.labels);
        m_xLabels.clear();
        m_yLabels.clear();
        for (std::size_t i = 0; i < ticks.values.size(); ++i) {
            const AxisLabel label{ticks.values[i], ticks.labels[qsizetype(i)]};
            m_yLabels.append(label);
            m_xLabels.append(label);
        }
    }
    void paint(QPainter& painter) const override
    {
        QPolygonF line;
        for (qsizetype i = 0; i < m_count; ++i) {
            line.append(place(i));
        }
        painter.setPen(QPen(seriesColour(m_slot), 2));
        painter.drawPolyline(line);
    }
    void paintCursor(QPainter& painter, qsizetype threshold) const override
    {
        if (threshold < m_count) {
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(QPen(tokens().surface, 1.5));
            painter.setBrush(tokens().accent);
            painter.drawEllipse(place(threshold), 4.5, 4.5);
        }
    }
    qsizetype stepAt(const QPointF& where) const override
    {
        return nearestOf(
            m_count, [this](qsizetype i) { return place(i); }, where);
    }

private:
    QPointF place(qsizetype threshold) const
    {
        const auto i = std::size_t(threshold);
        return {m_plot.left() + m_step->recall[i] * m_plot.width(),
                m_plot.bottom() - m_step->precision[i] * m_plot.height()};
    }

    std::shared_ptr<const PrCurveStep> m_step;
    int m_slot;
    qsizetype m_count;
};

} // namespace

PrCurveCard::PrCurveCard(const SummaryKey& key, QWidget* parent)
    : StepCard(key, Slider::Shown, parent), m_canvas(new StepCanvas)
{
    setContent(m_canvas);
    connect(m_canvas, &StepCanvas::stepHovered, this, &PrCurveCard::chooseThreshold);
}

void PrCurveCard::setHistory(const StepHistory<PrCurveStep>& history)
{
    if (history != m_history) {
        m_history = history;
        stepsChanged(shownOf(m_history.steps.size(), m_history.logged));
    }
}

void PrCurveCard::setColourSlot(int slot)
{
    if (slot != m_slot) {
        m_slot = slot;
        m_shown.reset();
        stepsChanged(shownOf(m_history.steps.size(), m_history.logged));
    }
}

QString PrCurveCard::describe(qsizetype number) const
{
    const PrCurveStep& step = *m_history.steps[number];
    const QString at = tr("Step %1").arg(formatCount(step.step));
    const qsizetype thresholds = qsizetype(step.recall.size());
    if (m_threshold < 0 || m_threshold >= thresholds) {
        return tr("%1 · recall across, precision up · %2 thresholds")
            .arg(at, formatCount(thresholds));
    }
    const auto i = std::size_t(m_threshold);
    const double threshold = thresholds > 1 ? double(m_threshold) / double(thresholds - 1) : 0;
    return tr("%1 · threshold %2 · precision %3 · recall %4 · true +%5 −%6 · false +%7 −%8")
        .arg(at, formatNumber(threshold), formatNumber(step.precision[i]),
             formatNumber(step.recall[i]), formatShortCount(step.truePositives[i]),
             formatShortCount(step.trueNegatives[i]), formatShortCount(step.falsePositives[i]),
             formatShortCount(step.falseNegatives[i]));
}

void PrCurveCard::showStep(qsizetype number, bool /*isCursor*/)
{
    if (m_shown != m_history.steps[number]) {
        m_shown = m_history.steps[number];
        m_threshold = std::min(m_threshold, thresholdsOf(*m_shown) - 1);
        m_canvas->setPicture(std::make_unique<PrCurvePicture>(m_shown, m_slot));
        m_canvas->setCursorStep(m_threshold);
    }
}

void PrCurveCard::chooseThreshold(qsizetype number)
{
    if (m_threshold != number) {
        m_threshold = number;
        m_canvas->setCursorStep(number);
        stepsChanged(shownOf(m_history.steps.size(), m_history.logged));
    }
}

void PrCurveCard::keyPressEvent(QKeyEvent* event)
{
    const bool isUp = event->key() == Qt::Key_Up;
    if (!m_shown || (!isUp && event->key() != Qt::Key_Down)) {
        StepCard::keyPressEvent(event);
        return;
    }
    chooseThreshold(
        std::clamp<qsizetype>(m_threshold + (isUp ? 1 : -1), 0, thresholdsOf(*m_shown) - 1));
    event->accept();
}

} // namespace cannery::ui

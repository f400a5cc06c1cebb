// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/steps/distribution_card.h"

#include "ui/charts/steps/distribution_pictures.h"
#include "ui/charts/steps/step_canvas.h"
#include "ui/models/curves/histogram_bins.h"

#include <QResizeEvent>

#include <algorithm>

namespace cannery::ui {

DistributionCard::DistributionCard(const SummaryKey& key, QWidget* parent)
    : StepCard(key, Slider::None, parent), m_canvas(new StepCanvas)
{
    setContent(m_canvas);
    connect(m_canvas, &StepCanvas::stepHovered, this, &DistributionCard::moveTo);
    rebuild();
}

void DistributionCard::setHistory(const StepHistory<HistogramStep>& history)
{
    if (history != m_history) {
        m_history = history;
        rebuild();
    }
}

void DistributionCard::setLook(Look look)
{
    if (look != m_look) {
        m_look = look;
        rebuild();
    }
}

void DistributionCard::setColourSlot(int slot)
{
    if (slot != m_slot) {
        m_slot = slot;
        rebuild();
    }
}

void DistributionCard::rebuild()
{
    if (m_look == Look::Ridges) {
        m_canvas->setPicture(std::make_unique<RidgePicture>(m_history, m_slot));
    } else {
        m_canvas->setPicture(std::make_unique<BandPicture>(m_history, m_slot));
    }
    stepsChanged(note());
}

QString DistributionCard::note() const
{
    qsizetype shown = m_history.steps.size();
    if (m_look == Look::Ridges) {
        shown = std::min<qsizetype>(shown, RidgePicture::mostRidges(plotRectangle().height()));
    }
    return shownOf(shown, m_history.logged);
}

QString DistributionCard::describe(qsizetype number) const
{
    return describeHistogram(*m_history.steps[number]);
}

void DistributionCard::showStep(qsizetype number, bool isCursor)
{
    m_canvas->setCursorStep(isCursor ? number : -1);
}

void DistributionCard::resizeEvent(QResizeEvent* event)
{
    StepCard::resizeEvent(event);
    stepsChanged(note());
}

int DistributionCard::paintCount() const
{
    return m_canvas->paintCount();
}

QRect DistributionCard::plotRectangle() const
{
    return m_canvas->plotRectangle().translated(m_canvas->pos());
}

} // namespace cannery::ui

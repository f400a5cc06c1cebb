// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/steps/step_card.h"

namespace cannery::ui {

class StepCanvas;

/// The histograms of one tag over the steps: as ridges, or as bands of their percentiles.
class DistributionCard : public StepCard
{
    Q_OBJECT

public:
    enum class Look
    {
        Ridges,
        Bands,
    };

    explicit DistributionCard(const SummaryKey& key, QWidget* parent = nullptr);

    void setHistory(const StepHistory<HistogramStep>& history);
    const StepHistory<HistogramStep>& history() const { return m_history; }
    void setLook(Look look);
    Look look() const { return m_look; }
    /// 0 to 15.
    void setColourSlot(int slot);

    /// How often the curves were drawn, for tests.
    int paintCount() const;
    /// The plot area in the card, for tests.
    QRect plotRectangle() const;

protected:
    qsizetype stepCount() const override { return m_history.steps.size(); }
    qint64 stepAt(qsizetype number) const override { return m_history.steps[number]->step; }
    QString describe(qsizetype number) const override;
    void showStep(qsizetype number, bool isCursor) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void rebuild();
    QString note() const;

    StepCanvas* m_canvas;
    StepHistory<HistogramStep> m_history;
    Look m_look = Look::Ridges;
    int m_slot = 0;
};

} // namespace cannery::ui

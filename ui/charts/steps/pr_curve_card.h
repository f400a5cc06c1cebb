// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/steps/step_card.h"

namespace cannery::ui {

class StepCanvas;

/// The precision-recall curves of one tag, one step at a time. The pointer, or Up and Down, choose
/// a threshold, whose counts are read out; Left and Right walk the steps.
class PrCurveCard : public StepCard
{
    Q_OBJECT

public:
    explicit PrCurveCard(const SummaryKey& key, QWidget* parent = nullptr);

    void setHistory(const StepHistory<PrCurveStep>& history);
    /// 0 to 15.
    void setColourSlot(int slot);

protected:
    qsizetype stepCount() const override { return m_history.steps.size(); }
    qint64 stepAt(qsizetype number) const override { return m_history.steps[number]->step; }
    QString describe(qsizetype number) const override;
    void showStep(qsizetype number, bool isCursor) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void chooseThreshold(qsizetype number);

    StepCanvas* m_canvas;
    StepHistory<PrCurveStep> m_history;
    std::shared_ptr<const PrCurveStep> m_shown;
    qsizetype m_threshold = -1; ///< -1: none
    int m_slot = 0;
};

} // namespace cannery::ui

// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/plan_facts.h"
#include "ui/widgets/card.h"

namespace cannery::ui {

class Label;
class StepCanvas;

/// The learning rates over the planned steps, as the engine computes them, one curve for each
/// optimizer. The pointer, or Left and Right, read out a step. Hidden while every rate is constant.
class RateCard : public Card
{
    Q_OBJECT

public:
    explicit RateCard(QWidget* parent = nullptr);

    void setCurves(const QList<LearningRateFacts>& curves);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void showPoint(qsizetype point);
    QString sentenceOf(const LearningRateFacts& curve) const;

    StepCanvas* m_canvas;
    Label* m_words;
    QList<LearningRateFacts> m_curves;
    qsizetype m_point = -1; ///< of the curve with the most points; -1: none
};

} // namespace cannery::ui

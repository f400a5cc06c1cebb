// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/steps/step_card.h"

namespace cannery::ui {

class MarkdownLabel;

/// The texts of one tag, one step at a time.
class TextCard : public StepCard
{
    Q_OBJECT

public:
    explicit TextCard(const SummaryKey& key, QWidget* parent = nullptr);

    void setHistory(const StepHistory<TextStep>& history);

protected:
    qsizetype stepCount() const override { return m_history.steps.size(); }
    qint64 stepAt(qsizetype number) const override { return m_history.steps[number]->step; }
    QString describe(qsizetype number) const override;
    void showStep(qsizetype number, bool isCursor) override;

private:
    MarkdownLabel* m_text;
    StepHistory<TextStep> m_history;
    std::shared_ptr<const TextStep> m_shown;
};

} // namespace cannery::ui

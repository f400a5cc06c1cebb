// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_summaries.h"

#include <QFrame>
#include <QPointer>

#include <optional>

class QSlider;
class QVBoxLayout;

namespace cannery::ui {

class ChartLink;
class ElidedLabel;

/// A card for what a run has logged under one tag, one value per step: title, content, and a line
/// that says what is at the cursor, or at the latest step. The pointer or the keys (arrows, Page
/// Up and Down, Home, End; Escape leaves) move the cursor, which linked cards share. Takes the
/// focus. GUI thread.
class StepCard : public QFrame
{
    Q_OBJECT

public:
    ~StepCard() override;

    const SummaryKey& key() const { return m_key; }
    /// Cards with the same link have the same cursor. Not owned.
    void setLink(ChartLink* link);
    /// The number of the step under the cursor; the latest one if there is no cursor.
    qsizetype currentStep() const;
    bool hasCursor() const;
    /// What is at the current step, a line.
    QString readout() const;

    QSize sizeHint() const override;

protected:
    enum class Slider
    {
        None,
        Shown, ///< content that shows one step at a time
    };

    StepCard(const SummaryKey& key, Slider slider, QWidget* parent);

    /// Takes the content.
    void setContent(QWidget* content);
    /// The steps have changed; `note`: what is not shown, a few words.
    void stepsChanged(const QString& note);
    /// The cursor moves to this step; -1: nowhere.
    void moveTo(qsizetype step);

    virtual qsizetype stepCount() const = 0;
    virtual qint64 stepAt(qsizetype number) const = 0;
    virtual QString describe(qsizetype number) const = 0;
    /// Shows this step; `isCursor`: because of the cursor, not for being the latest.
    virtual void showStep(qsizetype number, bool isCursor) = 0;

    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void refresh();
    qsizetype nearest(double step) const;
    std::optional<double> cursor() const;
    void followTheme();

    SummaryKey m_key;
    QVBoxLayout* m_column;
    ElidedLabel* m_title;
    ElidedLabel* m_note;
    ElidedLabel* m_readout;
    QSlider* m_slider = nullptr;
    QPointer<ChartLink> m_link;
    std::optional<double> m_ownCursor; ///< without a link
};

/// Makes StepCards report to assistive technology: their name, and their readout as value. May be
/// called repeatedly.
void installStepAccessible();

/// "120 of 3,000 steps": what is shown of what was logged; empty if all is.
QString shownOf(qsizetype shown, qint64 logged);

} // namespace cannery::ui

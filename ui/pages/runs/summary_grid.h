// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_summaries.h"

#include <QScrollArea>

#include <functional>

namespace cannery::ui {

class Button;
class FlowLayout;
class Label;
class StepCard;

/// Cards of one kind in columns, by tag. Makes a number of them at a time; a button makes more.
class SummaryGrid : public QScrollArea
{
    Q_OBJECT

public:
    using MakeCard = std::function<StepCard*(const SummaryKey&)>;
    static constexpr qsizetype kCardsAtATime = 40;

    /// `make`: a new card, which the grid owns.
    explicit SummaryGrid(MakeCard make, QWidget* parent = nullptr);

    /// Cards whose keys stay are kept. `otherwise`: a sentence shown if there are none.
    void setKeys(const QList<SummaryKey>& keys, const QString& otherwise);
    /// As TagMatcher.
    void setFilter(const QString& text);
    const QList<StepCard*>& cards() const { return m_cards; }

Q_SIGNALS:
    /// New cards have no content yet.
    void cardsAdded();

private:
    void refresh();

    MakeCard m_make;
    QList<SummaryKey> m_keys;
    QString m_otherwise;
    QString m_filter;
    qsizetype m_most = kCardsAtATime;
    QList<StepCard*> m_cards;
    FlowLayout* m_flow;
    Label* m_nothing;
    Button* m_more;
};

} // namespace cannery::ui

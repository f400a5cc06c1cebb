// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"

#include <QWidget>

namespace cannery::ui {

class UpdateThrottle;
class Button;
class ChartLink;
class DistributionCard;
class FlowLayout;
class Label;
class SummaryFeed;

/// The histograms of the run that trains, as bands over its steps, below the scalars. Folded until
/// it is opened; only then are they read.
class TrainDistributions : public QWidget
{
    Q_OBJECT

public:
    static constexpr qsizetype kMostCards = 12;

    explicit TrainDistributions(QWidget* parent = nullptr);

    void setRun(const RunRow& run);
    void clear();
    void setOpen(bool open);
    bool isOpen() const;
    SummaryFeed& feed() { return *m_feed; }
    const QList<DistributionCard*>& cards() const { return m_cards; }

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void follow();
    void refresh();
    void refreshCards();

    SummaryFeed* m_feed;
    ChartLink* m_link;
    UpdateThrottle* m_news;
    Button* m_toggle;
    Label* m_words;
    QWidget* m_grid;
    FlowLayout* m_flow;
    QList<DistributionCard*> m_cards;
    int m_slot = 0;
};

} // namespace cannery::ui

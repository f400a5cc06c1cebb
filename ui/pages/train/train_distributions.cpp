// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/train/train_distributions.h"

#include "ui/charts/curves/chart_link.h"
#include "ui/charts/steps/distribution_card.h"
#include "ui/models/formats.h"
#include "ui/services/runs/summary_feed.h"
#include "ui/widgets/behaviour/update_throttle.h"
#include "ui/widgets/button.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"

#include <QVBoxLayout>

#include <chrono>

namespace cannery::ui {
namespace {

constexpr std::chrono::milliseconds kBetweenBands{250};
constexpr int kBandWidth = 300; ///< design pixels

} // namespace

TrainDistributions::TrainDistributions(QWidget* parent)
    : QWidget(parent), m_feed(new SummaryFeed(this)), m_link(new ChartLink(this)),
      m_news(new UpdateThrottle(
          this, [this] { refresh(); }, kBetweenBands)),
      m_toggle(new Button(Button::Kind::Quiet, tr("Show Distributions"))),
      m_words(new Label({}, TextRole::Label, Ink::Secondary)), m_grid(new QWidget),
      m_flow(new FlowLayout(m_grid))
{
    setObjectName("train_distributions");
    m_toggle->setObjectName("button.train_distributions");
    m_toggle->setCheckable(true);
    m_toggle->setToolTip(tr("The histograms that the run logs"));
    m_words->setWordWrap(true);
    m_flow->setColumns(kBandWidth, 4);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_toggle, 0, Qt::AlignLeft);
    column->addWidget(m_words);
    column->addWidget(m_grid);
    connect(m_toggle, &QPushButton::toggled, this, [this](bool isOn) {
        m_toggle->setText(isOn ? tr("Hide Distributions") : tr("Show Distributions"));
        follow();
        refresh();
    });
    connect(m_feed, &SummaryFeed::changed, m_news, &UpdateThrottle::changed);
    refresh();
}

void TrainDistributions::setRun(const RunRow& run)
{
    m_slot = run.colourSlot;
    m_feed->setRun(run.folder, isLive(run.state));
}

void TrainDistributions::clear()
{
    m_feed->setRun({}, false);
}

void TrainDistributions::setOpen(bool open)
{
    m_toggle->setChecked(open);
}

bool TrainDistributions::isOpen() const
{
    return m_toggle->isChecked();
}

void TrainDistributions::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    follow();
}

// Event files are read only while somebody sees the result.
void TrainDistributions::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    follow();
}

void TrainDistributions::follow()
{
    m_feed->setActive(isVisible() && isOpen());
}

void TrainDistributions::refresh()
{
    const RunSummaries& all = *m_feed->summaries();
    QString words;
    if (all.loadedFraction >= 1 && all.histograms.isEmpty()) {
        words = tr("This run has logged no histograms.");
    } else if (all.histograms.size() > kMostCards) {
        words = tr("%1 of %2 are shown here, all on the run's own page under Inspect.")
                    .arg(formatCount(kMostCards), formatCount(all.histograms.size()));
    }
    m_words->setText(words);
    m_words->setVisible(isOpen() && !words.isEmpty());
    m_grid->setVisible(isOpen());
    if (isOpen()) {
        refreshCards();
    }
}

void TrainDistributions::refreshCards()
{
    const auto& histograms = m_feed->summaries()->histograms;
    const QList<SummaryKey> keys = histograms.keys().mid(0, kMostCards);
    // From the end, because cards are removed.
    for (qsizetype i = m_cards.size(); i-- > 0;) {
        if (!keys.contains(m_cards[i]->key())) {
            delete m_cards.takeAt(i);
        }
    }
    for (qsizetype i = 0; i < keys.size(); ++i) {
        if (i >= m_cards.size() || m_cards[i]->key() != keys[i]) {
            auto* card = new DistributionCard(keys[i]);
            card->setLook(DistributionCard::Look::Bands);
            card->setLink(m_link);
            const auto setHeight = [card] { card->setFixedHeight(scaled(220)); };
            setHeight();
            // Heights are in pixels, and a theme comes with its text scale.
            connect(&themeWatch(), &ThemeWatch::changed, card, setHeight);
            m_flow->insertWidget(int(i), card);
            m_cards.insert(i, card);
        }
        m_cards[i]->setColourSlot(m_slot);
        m_cards[i]->setHistory(histograms.value(keys[i]));
    }
}

} // namespace cannery::ui

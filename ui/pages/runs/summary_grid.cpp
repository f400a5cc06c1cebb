// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/summary_grid.h"

#include "ui/charts/steps/step_card.h"
#include "ui/models/curves/tag_list_model.h"
#include "ui/models/formats.h"
#include "ui/widgets/button.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"

#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kCardWidth = 340; ///< design pixels
constexpr int kCardColumns = 4;

} // namespace

SummaryGrid::SummaryGrid(MakeCard make, QWidget* parent)
    : QScrollArea(parent), m_make(std::move(make)), m_flow(nullptr),
      m_nothing(new Label({}, TextRole::Body, Ink::Secondary)),
      m_more(new Button(Button::Kind::Plain, tr("Show More")))
{
    auto* content = new QWidget;
    auto* grid = new QWidget;
    m_flow = new FlowLayout(grid);
    m_flow->setColumns(kCardWidth, kCardColumns);
    m_nothing->setWordWrap(true);
    m_nothing->setObjectName("label.no_summaries");
    m_more->setObjectName("button.more_summaries");
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_nothing);
    column->addWidget(grid);
    column->addWidget(m_more, 0, Qt::AlignLeft);
    column->addStretch(1);
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    setWidget(content);
    viewport()->setAutoFillBackground(false);
    content->setAutoFillBackground(false);
    connect(m_more, &QPushButton::clicked, this, [this] {
        m_most += kCardsAtATime;
        refresh();
    });
}

void SummaryGrid::setKeys(const QList<SummaryKey>& keys, const QString& otherwise)
{
    if (keys != m_keys || otherwise != m_otherwise) {
        m_keys = keys;
        m_otherwise = otherwise;
        refresh();
    }
}

void SummaryGrid::setFilter(const QString& text)
{
    if (text != m_filter) {
        m_filter = text;
        m_most = kCardsAtATime;
        refresh();
    }
}

void SummaryGrid::refresh()
{
    const TagMatcher matcher(m_filter);
    QList<SummaryKey> matching;
    std::copy_if(
        m_keys.begin(), m_keys.end(), std::back_inserter(matching), [&](const SummaryKey& key) {
            return matcher.isEmpty() || matcher.matches(key.tag) || matcher.matches(key.folder);
        });
    const QList<SummaryKey> shown = matching.mid(0, m_most);
    for (qsizetype i = m_cards.size(); i-- > 0;) {
        if (!shown.contains(m_cards[i]->key())) {
            delete m_cards.takeAt(i);
        }
    }
    bool hasNew = false;
    for (qsizetype i = 0; i < shown.size(); ++i) {
        if (i < m_cards.size() && m_cards[i]->key() == shown[i]) {
            continue;
        }
        StepCard* card = m_make(shown[i]);
        card->setFixedHeight(card->sizeHint().height());
        connect(&themeWatch(), &ThemeWatch::changed, card,
                [card] { card->setFixedHeight(card->sizeHint().height()); });
        m_flow->insertWidget(int(i), card);
        m_cards.insert(i, card);
        hasNew = true;
    }
    m_nothing->setText(m_keys.isEmpty()
                           ? m_otherwise
                           : tr("No tag matches. %1 hidden.").arg(formatCount(m_keys.size())));
    m_nothing->setVisible(matching.isEmpty());
    m_more->setVisible(matching.size() > shown.size());
    m_more->setText(tr("Show More (%1)").arg(formatCount(matching.size() - shown.size())));
    if (hasNew) {
        Q_EMIT cardsAdded();
    }
}

} // namespace cannery::ui

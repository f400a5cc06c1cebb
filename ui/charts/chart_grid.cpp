// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/chart_grid.h"

#include "ui/charts/chart_grid_layout.h"
#include "ui/charts/chart_group_header.h"
#include "ui/charts/curves/chart_card.h"
#include "ui/charts/curves/chart_header.h"
#include "ui/charts/tag_search.h"
#include "ui/widgets/style/theme.h"

#include <QAbstractButton>
#include <QEvent>
#include <QScrollBar>
#include <QStyle>
#include <QTimer>

#include <algorithm>
#include <map>
#include <vector>

namespace cannery::ui {
namespace {

/// Creating one takes about a millisecond.
constexpr int kCardsATurn = 6;
constexpr int kAllCards = 1000;

/// The widget and its own buttons, in tab order.
QList<QWidget*> tabStops(QWidget* widget)
{
    QList<QWidget*> stops{widget};
    for (auto* button : widget->findChildren<QAbstractButton*>(Qt::FindDirectChildrenOnly)) {
        stops += button;
    }
    return stops;
}

} // namespace

class ChartGrid::Private
{
public:
    explicit Private(ChartGrid& owner) : grid(owner) {}

    using Key = std::pair<QString, QString>; ///< group and tag

    void filterTags();
    void layOut();
    /// Creates cards that came into view, deletes those that left it, moves the rest. Creates at
    /// most `mostNew` cards and continues in the next event loop turn, so that no turn takes long.
    void place(int mostNew = kCardsATurn);
    void placeSoon();
    ChartCard* makeCard(const ChartGroup& group, const QString& tag);
    ChartGroupHeader* header(int group);
    void forget(std::map<Key, ChartCard*>& old);
    void showFocused(QWidget* widget);
    ChartGridLayout::Measures measures() const;
    int offset() const { return grid.verticalScrollBar()->value(); }

    ChartGrid& grid;
    Fill fill;
    QList<ChartGroup> groups;
    std::vector<TagSearch> searches; ///< one per group
    QList<QStringList> shown;        ///< of each group
    QSet<QString> folded;
    QString filter;
    int columns = 0;
    ChartGridLayout layout;
    std::map<Key, ChartCard*> cards;
    QList<ChartCard*> ordered;
    std::map<int, ChartGroupHeader*> headers;
    bool isPlacing = false;
    bool placesSoon = false;
};

ChartGrid::ChartGrid(QWidget* parent)
    : QAbstractScrollArea(parent), m_private(std::make_unique<Private>(*this))
{
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    viewport()->setAutoFillBackground(false);
    setAccessibleName(tr("Charts"));
    verticalScrollBar()->setSingleStep(scaled(40));
    connect(&themeWatch(), &ThemeWatch::changed, this, [this] { m_private->layOut(); });
}

ChartGrid::~ChartGrid()
{
    // Cards are children of the viewport and outlive the private part otherwise.
    m_private->fill = nullptr;
    for (const auto& [key, card] : m_private->cards) {
        delete card;
    }
}

void ChartGrid::setFill(Fill fill)
{
    m_private->fill = std::move(fill);
    refill();
}

void ChartGrid::setGroups(const QList<ChartGroup>& groups)
{
    if (groups == m_private->groups) {
        return;
    }
    m_private->groups = groups;
    m_private->searches.clear();
    for (const ChartGroup& group : groups) {
        m_private->searches.emplace_back(group.tags);
    }
    m_private->filterTags();
    m_private->layOut();
}

const QList<ChartGroup>& ChartGrid::groups() const
{
    return m_private->groups;
}

void ChartGrid::setFilter(const QString& filter)
{
    if (filter == m_private->filter) {
        return;
    }
    m_private->filter = filter;
    m_private->filterTags();
    m_private->layOut();
    Q_EMIT filterChanged();
}

QString ChartGrid::filter() const
{
    return m_private->filter;
}

qsizetype ChartGrid::tagCount() const
{
    qsizetype count = 0;
    for (const ChartGroup& group : m_private->groups) {
        count += group.tags.size();
    }
    return count;
}

qsizetype ChartGrid::shownCount() const
{
    qsizetype count = 0;
    for (const QStringList& tags : m_private->shown) {
        count += tags.size();
    }
    return count;
}

void ChartGrid::setFolded(const QString& group, bool isFolded)
{
    if (isFolded == m_private->folded.contains(group)) {
        return;
    }
    if (isFolded) {
        m_private->folded.insert(group);
    } else {
        m_private->folded.remove(group);
    }
    m_private->layOut();
    Q_EMIT foldedChanged();
}

QStringList ChartGrid::foldedGroups() const
{
    QStringList groups(m_private->folded.begin(), m_private->folded.end());
    groups.sort();
    return groups;
}

void ChartGrid::setColumns(int columns)
{
    m_private->columns = columns;
    m_private->layOut();
}

QList<ChartCard*> ChartGrid::cards() const
{
    return m_private->ordered;
}

ChartCard* ChartGrid::card(const QString& tag) const
{
    const auto found = std::ranges::find_if(
        m_private->cards, [&](const auto& row) { return row.first.second == tag; });
    return found == m_private->cards.end() ? nullptr : found->second;
}

void ChartGrid::reveal(const QString& tag)
{
    for (qsizetype group = 0; group < m_private->groups.size(); ++group) {
        const qsizetype index = m_private->shown[group].indexOf(tag);
        if (index < 0) {
            continue;
        }
        setFolded(m_private->groups[group].id, false);
        const QRect where = m_private->layout.cardRect(int(group), index);
        verticalScrollBar()->setValue(where.center().y() - viewport()->height() / 2);
        m_private->place(kAllCards);
        if (ChartCard* shown = card(tag)) {
            shown->setFocus(Qt::OtherFocusReason);
        }
        return;
    }
}

void ChartGrid::refill()
{
    for (const auto& [key, card] : m_private->cards) {
        if (m_private->fill) {
            m_private->fill(*card, key.first, key.second);
        }
    }
    m_private->place();
}

void ChartGrid::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    m_private->layOut();
}

void ChartGrid::showEvent(QShowEvent* event)
{
    QAbstractScrollArea::showEvent(event);
    m_private->layOut();
}

void ChartGrid::scrollContentsBy(int, int)
{
    m_private->place();
}

void ChartGrid::changeEvent(QEvent* event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::LayoutDirectionChange) {
        m_private->layOut();
    }
}

bool ChartGrid::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::FocusIn && watched->isWidgetType()) {
        m_private->showFocused(static_cast<QWidget*>(watched));
    }
    return QAbstractScrollArea::eventFilter(watched, event);
}

void ChartGrid::Private::filterTags()
{
    shown.clear();
    for (const TagSearch& search : searches) {
        shown += search.matching(filter);
    }
}

ChartGridLayout::Measures ChartGrid::Private::measures() const
{
    return {.width = grid.viewport()->width(),
            .margin = scaled(16),
            .gap = scaled(12),
            .headerHeight = scaled(36),
            .cardWidth = scaled(272),
            .cardHeight = scaled(176),
            .largeCardHeight = scaled(256),
            .columns = columns};
}

void ChartGrid::Private::layOut()
{
    const ChartGridLayout::Measures own = measures();
    layout.set(groups, shown, folded, own);
    QScrollBar* bar = grid.verticalScrollBar();
    const int view = grid.viewport()->height();
    bar->setPageStep(view);
    bar->setRange(0, std::max(0, layout.height() - view));
    place();
}

ChartCard* ChartGrid::Private::makeCard(const ChartGroup& group, const QString& tag)
{
    auto* card = new ChartCard(ChartCard::Size::Normal, grid.viewport());
    card->setTag(tag);
    card->header().setTitle(tag);
    if (fill) {
        fill(*card, group.id, tag);
    }
    card->installEventFilter(&grid);
    return card;
}

ChartGroupHeader* ChartGrid::Private::header(int group)
{
    ChartGroupHeader*& header = headers[group];
    if (!header) {
        header = new ChartGroupHeader(grid.viewport());
        header->installEventFilter(&grid);
        connect(header, &QAbstractButton::toggled, &grid, [this, group](bool isOpen) {
            if (group < groups.size()) {
                grid.setFolded(groups[group].id, !isOpen);
            }
        });
    }
    header->setObjectName(QStringLiteral("charts.group.") + groups[group].id);
    header->present(groups[group].title, shown[group].size(), groups[group].tags.size(),
                    folded.contains(groups[group].id));
    return header;
}

void ChartGrid::Private::forget(std::map<Key, ChartCard*>& old)
{
    for (const auto& [key, card] : old) {
        Q_EMIT grid.cardReleased(card);
        card->hide();
        card->deleteLater();
    }
}

void ChartGrid::Private::placeSoon()
{
    if (!placesSoon) {
        placesSoon = true;
        QTimer::singleShot(0, &grid, [this] {
            placesSoon = false;
            place();
        });
    }
}

void ChartGrid::Private::place(int mostNew)
{
    if (isPlacing || grid.viewport()->height() <= 0 || !grid.isVisible()) {
        return;
    }
    isPlacing = true;
    const int view = grid.viewport()->height();
    const int spare = scaled(190);
    const QList<ChartGridLayout::Place> places =
        layout.places(offset() - spare, offset() + view + spare);
    std::map<Key, ChartCard*> old = std::exchange(cards, {});
    std::map<int, ChartGroupHeader*> oldHeaders = headers;
    QList<ChartCard*> made;
    QWidget* before = nullptr;
    ordered.clear();
    for (const ChartGridLayout::Place& place : places) {
        QWidget* widget = nullptr;
        const ChartGroup& group = groups[place.group];
        if (place.card < 0) {
            oldHeaders.erase(place.group);
            widget = header(place.group);
        } else {
            const QString& tag = shown[place.group][place.card];
            const auto kept = old.find({group.id, tag});
            if (kept == old.end() && made.size() >= mostNew) {
                placeSoon();
                continue;
            }
            ChartCard* card = kept != old.end() ? kept->second : makeCard(group, tag);
            if (kept != old.end()) {
                old.erase(kept);
            } else {
                made += card;
            }
            cards[{group.id, tag}] = card;
            ordered += card;
            widget = card;
        }
        const QRect where = place.where.translated(0, -offset());
        widget->setGeometry(
            QStyle::visualRect(grid.layoutDirection(), grid.viewport()->rect(), where));
        widget->show();
        for (QWidget* stop : tabStops(widget)) {
            if (before) {
                QWidget::setTabOrder(before, stop);
            }
            before = stop;
        }
    }
    forget(old);
    for (const auto& [group, header] : oldHeaders) {
        header->deleteLater();
        headers.erase(group);
    }
    isPlacing = false;
    for (ChartCard* card : made) {
        Q_EMIT grid.cardCreated(card);
    }
}

void ChartGrid::Private::showFocused(QWidget* widget)
{
    const QRect where = widget->geometry();
    QScrollBar* bar = grid.verticalScrollBar();
    if (where.top() < 0) {
        bar->setValue(offset() + where.top() - scaled(12));
    } else if (where.bottom() > grid.viewport()->height()) {
        bar->setValue(offset() + std::min(where.top(),
                                          where.bottom() - grid.viewport()->height() + scaled(12)));
    }
}

} // namespace cannery::ui

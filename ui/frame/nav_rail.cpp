// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/nav_rail.h"

#include "ui/frame/rail_foot.h"
#include "ui/frame/rail_item.h"
#include "ui/widgets/style/theme.h"

#include <QButtonGroup>
#include <QPainter>
#include <QScrollArea>
#include <QVBoxLayout>

namespace cannery::ui {
namespace {

constexpr int kEdge = 8;
constexpr int kGap = 4;

} // namespace

NavRail::NavRail(ActionRegistry& actions, QWidget* parent)
    : QWidget(parent), m_scroll(new QScrollArea(this)), m_places(new QWidget),
      m_group(new QButtonGroup(this)), m_foot(new RailFoot(actions, this))
{
    setObjectName("rail");
    setAccessibleName(tr("Places"));
    auto* column = new QVBoxLayout(this);
    column->setSpacing(0);
    column->addWidget(m_scroll, 1);
    column->addWidget(m_foot);
    auto* places = new QVBoxLayout(m_places);
    places->setContentsMargins(0, scaled(6), 0, 0);
    places->setSpacing(scaled(kGap));
    places->addStretch(1);
    m_scroll->setWidget(m_places);
    m_scroll->installEventFilter(this);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->viewport()->setAutoFillBackground(false);
    m_places->setAutoFillBackground(false);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    connect(m_group, &QButtonGroup::buttonToggled, this,
            [this](QAbstractButton* button, bool checked) {
                if (checked) {
                    m_scroll->ensureWidgetVisible(button, 0, 0);
                    Q_EMIT chosen(button->objectName().mid(5));
                }
            });
    connect(&themeWatch(), &ThemeWatch::changed, this, &NavRail::fit);
    fit();
}

void NavRail::addPlace(const QString& id, const QString& iconName, const QString& label)
{
    auto* item = new RailItem(iconName, label, m_places);
    item->setObjectName("rail." + id);
    item->setCompact(m_compact);
    m_group->addButton(item);
    auto* column = static_cast<QVBoxLayout*>(m_places->layout());
    column->insertWidget(column->count() - 1, item, 0, Qt::AlignHCenter);
    fit();
}

void NavRail::setCurrent(const QString& id)
{
    if (RailItem* place = item(id)) {
        const QSignalBlocker quiet(m_group);
        place->setChecked(true);
        m_scroll->ensureWidgetVisible(place, 0, 0);
    } else if (QAbstractButton* checked = m_group->checkedButton()) {
        m_group->setExclusive(false); // a page without a place in the rail
        checked->setChecked(false);
        m_group->setExclusive(true);
    }
}

void NavRail::setMark(const QString& id, const RailMark& mark)
{
    if (RailItem* place = item(id)) {
        place->setMark(mark);
    }
}

RailItem* NavRail::item(const QString& id) const
{
    return m_places->findChild<RailItem*>("rail." + id);
}

void NavRail::setCompact(bool compact)
{
    if (compact == m_compact) {
        return;
    }
    m_compact = compact;
    for (QAbstractButton* button : m_group->buttons()) {
        static_cast<RailItem*>(button)->setCompact(compact);
    }
    m_foot->setCompact(compact);
    fit();
}

/// As wide as the widest entry.
void NavRail::fit()
{
    const int edge = scaled(m_compact ? 6 : kEdge);
    layout()->setContentsMargins(edge, 0, edge, 0);
    int widest = scaled(m_compact ? 44 : 72);
    for (const QAbstractButton* button : m_group->buttons()) {
        widest = qMax(widest, button->sizeHint().width());
    }
    setFixedWidth(widest + 2 * edge);
    squeeze();
}

/// In a low window, or with large text, the places are lower, so that none is out of sight.
void NavRail::squeeze()
{
    const auto count = static_cast<int>(m_group->buttons().size());
    if (count == 0) {
        return;
    }
    QLayout* places = m_places->layout();
    const int room = m_scroll->height() - places->contentsMargins().top();
    const int usual = scaled((m_compact ? 44 : 60) + kGap);
    places->setSpacing(room < count * usual ? 1 : scaled(kGap));
    for (QAbstractButton* button : m_group->buttons()) {
        static_cast<RailItem*>(button)->setRoom(room / count - places->spacing());
    }
}

bool NavRail::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_scroll && event->type() == QEvent::Resize) {
        squeeze();
    }
    return QWidget::eventFilter(watched, event);
}

void NavRail::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.fillRect(rect(), tokens().chrome);
}

} // namespace cannery::ui

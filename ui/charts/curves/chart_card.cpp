// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_card_private.h"

#include "ui/charts/curves/chart_accessible.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QEvent>
#include <QPainter>

#include <algorithm>

namespace cannery::ui {
namespace {

QAbstractButton* followButtonOf(ChartCard::Size size, ChartCard& card)
{
    if (size != ChartCard::Size::Large) {
        return new IconButton(QStringLiteral("follow"), ChartCard::tr("Follow"), &card);
    }
    return new Button(Button::Kind::Link, QStringLiteral("follow"), ChartCard::tr("Follow"), &card);
}

} // namespace

ChartCard::Private::Private(ChartCard& owner, Size cardSize)
    : card(owner), size(cardSize), canvas(new ChartCanvas(plot, &owner)),
      menuButton(new IconButton(QStringLiteral("dots"), ChartCard::tr("Chart menu"), &owner)),
      followButton(followButtonOf(cardSize, owner)), table(plot)
{
    menuButton->setObjectName(QStringLiteral("chart.menu_button"));
    followButton->setObjectName(QStringLiteral("chart.follow"));
    followButton->setToolTip(ChartCard::tr("Show all points again, and new ones as they come (F)"));
    followButton->hide();
    canvas->viewport()->installEventFilter(&owner);
    canvas->setAboutToPaint([this] {
        if (!isLaidOut || (missedWhileHidden && clock.isPending())) {
            clock.flush();
        }
    });
    clock.setPaceSource([this] { return pace(); });
    connect(&clock, &RepaintClock::due, &owner, [this] { tick(); });
    connect(menuButton, &QToolButton::clicked, &owner,
            [this] { showMenu(menuButton->mapToGlobal(QPoint(0, menuButton->height()))); });
    connect(followButton, &QAbstractButton::clicked, &owner,
            [this] { card.perform(ChartCommand::Follow); });
    connect(&themeWatch(), &ThemeWatch::changed, &owner, [this] {
        arrange();
        request(RepaintClock::Cause::Person);
    });
}

ChartCard::ChartCard(Size size, QWidget* parent)
    : QWidget(parent), m_private(std::make_unique<Private>(*this, size))
{
    installChartAccessible();
    setFocusPolicy(Qt::StrongFocus);
    setAcceptDrops(true);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    m_private->arrange();
    m_private->request(RepaintClock::Cause::Person);
}

ChartCard::~ChartCard() = default;

QSize ChartCard::sizeHint() const
{
    const QSize hint = measuresOf(m_private->size).hint;
    return {scaled(hint.width()), scaled(hint.height())};
}

QSize ChartCard::minimumSizeHint() const
{
    return {scaled(m_private->size == Size::Small ? 150 : 200), scaled(120)};
}

RepaintClock::Pace ChartCard::Private::pace() const
{
    if (!card.isVisible() || card.window()->isMinimized() || card.visibleRegion().isEmpty()) {
        return RepaintClock::Pace::Hidden;
    }
    return card.isActiveWindow() ? RepaintClock::Pace::Active : RepaintClock::Pace::Unfocused;
}

void ChartCard::Private::request(RepaintClock::Cause cause)
{
    byPerson = byPerson || cause == RepaintClock::Cause::Person;
    missedWhileHidden = missedWhileHidden || pace() == RepaintClock::Pace::Hidden;
    clock.request(cause);
}

void ChartCard::Private::tick()
{
    const bool isComplete = plot.update();
    canvas->setLegend(hasLegend() ? plot.curves() : QList<Curve>());
    canvas->setEmptyText(!plot.isEmpty()           ? QString()
                         : plot.curves().isEmpty() ? ChartCard::tr("No shown run logged this")
                                                   : ChartCard::tr("No values yet"));
    canvas->layOut(clock.now(), byPerson || !isLaidOut);
    isLaidOut = true;
    byPerson = false;
    missedWhileHidden = false;
    updatePointer();
    followButton->setVisible(!options.follows());
    card.setToolTip(QStringList((title == tag ? QStringList() : QStringList(tag)) + warnings())
                        .join(QStringLiteral("\n")));
    arrange();
    card.update();
    if (!isComplete) {
        request(RepaintClock::Cause::Person);
    }
}

bool ChartCard::Private::hasLegend() const
{
    const QList<Curve>& curves = plot.curves();
    if (size == Size::Small || curves.size() < 2 || curves.size() > 6) {
        return false;
    }
    return std::ranges::all_of(curves,
                               [&](const Curve& curve) { return curve.run == curves.front().run; });
}

void ChartCard::Private::arrange()
{
    const CardMeasures own = measuresOf(size);
    const int header = scaled(own.header);
    const int edge = scaled(6);
    const QSize button = menuButton->sizeHint();
    menuButton->setGeometry(card.width() - button.width() - scaled(8),
                            (header - button.height()) / 2, button.width(), button.height());
    const int top = header - scaled(4);
    canvas->setGeometry(edge, top, std::max(10, card.width() - 2 * edge),
                        std::max(10, card.height() - top - edge));
    const QSize chip = followButton->sizeHint();
    followButton->setGeometry(card.width() - chip.width() - scaled(12),
                              top + plot.around().top() + scaled(4), chip.width(), chip.height());
    followButton->raise();
}

void ChartCard::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paintSurface(painter, rect(), 8, tokens().surface);
    m_private->paintHeader(painter);
    if (showsFocusRing(*this)) {
        paintFocusRing(painter, rect(), 8);
    }
}

void ChartCard::resizeEvent(QResizeEvent*)
{
    m_private->arrange();
    m_private->isLaidOut = false;
    m_private->request(RepaintClock::Cause::Person);
}

void ChartCard::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_private->clock.paceChanged();
}

void ChartCard::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::ActivationChange) {
        m_private->clock.paceChanged();
    } else if (event->type() == QEvent::LanguageChange) {
        m_private->request(RepaintClock::Cause::Person);
    }
}

void ChartCard::setTag(const QString& tag)
{
    m_private->tag = tag;
    setObjectName(QStringLiteral("chart.") + tag);
}

QString ChartCard::tag() const
{
    return m_private->tag;
}

void ChartCard::setTitle(const QString& title)
{
    m_private->title = title;
    setAccessibleName(title);
    update();
}

QString ChartCard::title() const
{
    return m_private->title;
}

void ChartCard::setNote(const QString& note)
{
    if (note != m_private->note) {
        m_private->note = note;
        update();
    }
}

void ChartCard::setHeadline(const QString& label)
{
    if (label != m_private->headline) {
        m_private->headline = label;
        update();
    }
}

void ChartCard::setCurves(const QList<Curve>& curves)
{
    m_private->plot.setCurves(curves);
    m_private->currentCurve =
        std::clamp(m_private->currentCurve, 0, std::max(0, int(curves.size()) - 1));
    m_private->arrange();
    m_private->request(RepaintClock::Cause::Person);
}

const QList<Curve>& ChartCard::curves() const
{
    return m_private->plot.curves();
}

void ChartCard::setMarks(const QList<ChartMark>& marks)
{
    m_private->plot.setMarks(marks);
    m_private->request(RepaintClock::Cause::Data);
}

void ChartCard::setLiveRuns(const QSet<QString>& runs)
{
    m_private->plot.setLiveRuns(runs);
    m_private->request(RepaintClock::Cause::Data);
}

void ChartCard::setHoverReadoutShown(bool shown)
{
    m_private->showsHoverReadout = shown;
    m_private->updatePointer();
}

void ChartCard::seriesChanged(const QSet<SeriesKey>& keys)
{
    const bool concerns = std::ranges::any_of(curves(), [&](const Curve& curve) {
        return curve.series && keys.contains(curve.series->key());
    });
    if (concerns) {
        m_private->request(RepaintClock::Cause::Data);
    }
}

void ChartCard::setEmphasis(const QString& run)
{
    if (run != m_private->plot.emphasis()) {
        m_private->plot.setEmphasis(run);
        m_private->request(RepaintClock::Cause::Person);
    }
}

void ChartCard::setTimeSource(TimeSource* source)
{
    m_private->clock.setTimeSource(source);
}

QList<ReadoutRow> ChartCard::readout() const
{
    return m_private->cursor ? m_private->plot.rows(*m_private->cursor) : QList<ReadoutRow>();
}

qint64 ChartCard::nonFiniteCount() const
{
    return m_private->plot.nonFiniteCount();
}

qint64 ChartCard::hiddenCount() const
{
    return m_private->plot.hiddenCount();
}

int ChartCard::paintCount() const
{
    return m_private->canvas->paintCount();
}

int ChartCard::vertexCount() const
{
    return m_private->canvas->vertexCount();
}

QRectF ChartCard::plotRectangle() const
{
    return m_private->plot.plot().translated(m_private->canvas->pos());
}

AxisLimits ChartCard::visibleX() const
{
    return m_private->plot.x().limits();
}

AxisLimits ChartCard::visibleY() const
{
    return m_private->plot.y().limits();
}

int ChartCard::currentCurve() const
{
    return m_private->currentCurve;
}

QAbstractItemModel* ChartCard::valueTable() const
{
    if (m_private->tableStamp != paintCount()) {
        m_private->tableStamp = paintCount();
        m_private->table.refresh();
    }
    return &m_private->table;
}

} // namespace cannery::ui

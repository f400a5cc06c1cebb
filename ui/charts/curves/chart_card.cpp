// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_card.h"

#include "ui/charts/curves/chart_accessible.h"
#include "ui/charts/curves/chart_canvas.h"
#include "ui/charts/curves/chart_command_runner.h"
#include "ui/charts/curves/chart_cursor.h"
#include "ui/charts/curves/chart_header.h"
#include "ui/charts/curves/chart_menu.h"
#include "ui/charts/curves/chart_mouse.h"
#include "ui/charts/curves/chart_output.h"
#include "ui/charts/curves/chart_plot.h"
#include "ui/charts/curves/chart_zoom.h"
#include "ui/charts/curves/tag_drag.h"
#include "ui/widgets/button.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QAccessible>
#include <QApplication>
#include <QContextMenuEvent>
#include <QDropEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace cannery::ui {
namespace {

struct CardMeasures
{
    QSize hint;
    ChartHeader::Look header;
};

CardMeasures measuresOf(ChartCard::Size size)
{
    switch (size) {
    case ChartCard::Size::Large:
        return {{560, 420}, {46, 16, TextRole::Headline}};
    case ChartCard::Size::Normal:
        return {{360, 230}, {42, 16, TextRole::Headline}};
    case ChartCard::Size::Small:
        return {{236, 158}, {38, 14, TextRole::Section}};
    }
    return {};
}

QAbstractButton* followButtonOf(ChartCard::Size size, ChartCard& card)
{
    const QString icon = QStringLiteral("follow");
    const QString text = ChartCard::tr("Follow");
    return size == ChartCard::Size::Large
               ? static_cast<QAbstractButton*>(new Button(Button::Kind::Link, icon, text, &card))
               : new IconButton(icon, text, &card);
}

/// A legend tells curves of one run apart; those of several runs are in the list of runs.
bool hasLegend(ChartCard::Size size, const QList<Curve>& curves)
{
    if (size == ChartCard::Size::Small || curves.size() < 2 || curves.size() > 6) {
        return false;
    }
    return std::ranges::all_of(curves,
                               [&](const Curve& curve) { return curve.run == curves.front().run; });
}

} // namespace

struct ChartCard::Parts
{
    explicit Parts(ChartCard& card)
        : canvas(new ChartCanvas(plot, &card)), header(plot, measuresOf(card.m_size).header),
          zoom(plot, clock), cursor(plot), mouse(*canvas, zoom, cursor),
          output(plot, header, *canvas, card), commands(plot, zoom, cursor, output),
          menuButton(new IconButton(QStringLiteral("dots"), ChartCard::tr("Chart menu"), &card)),
          followButton(followButtonOf(card.m_size, card))
    {}

    ChartPlot plot;
    RepaintClock clock;
    ChartCanvas* canvas;
    ChartHeader header;
    ChartZoom zoom;
    ChartCursor cursor;
    ChartMouse mouse;
    ChartOutput output;
    ChartCommandRunner commands;
    IconButton* menuButton;
    QAbstractButton* followButton;
};

ChartCard::ChartCard(Size size, QWidget* parent)
    : QWidget(parent), m_size(size), m_parts(std::make_unique<Parts>(*this))
{
    installChartAccessible();
    setFocusPolicy(Qt::StrongFocus);
    setAcceptDrops(true);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    Parts& parts = *m_parts;
    parts.menuButton->setObjectName(QStringLiteral("chart.menu_button"));
    parts.followButton->setObjectName(QStringLiteral("chart.follow"));
    parts.followButton->setToolTip(tr("Show all points again, and new ones as they come (F)"));
    parts.followButton->hide();
    connectParts();
    arrange();
    request(RepaintClock::Cause::Person);
}

ChartCard::~ChartCard() = default;

void ChartCard::connectParts()
{
    Parts& parts = *m_parts;
    const auto requestNow = [this] { request(RepaintClock::Cause::Person); };
    parts.canvas->setAboutToPaint([this] {
        RepaintClock& clock = m_parts->clock;
        if (!m_parts->canvas->isLaidOut() || (m_missedWhileHidden && clock.isPending())) {
            clock.flush();
        }
    });
    parts.clock.setPaceSource([this] { return pace(); });
    connect(&parts.clock, &RepaintClock::due, this, &ChartCard::tick);
    connect(&parts.header, &ChartHeader::changed, this, [this] {
        if (accessibleName() != header().title()) {
            setAccessibleName(header().title());
        }
        update();
    });
    connect(&parts.zoom, &ChartZoom::changed, this, requestNow);
    connect(&parts.zoom, &ChartZoom::changedByPerson, this, &ChartCard::optionsChanged);
    connect(&parts.cursor, &ChartCursor::changed, this, &ChartCard::updatePointer);
    connect(&parts.cursor, &ChartCursor::moved, this, [this](bool byKeys) {
        Q_EMIT cursorMoved();
        if (byKeys && QAccessible::isActive()) {
            QAccessibleValueChangeEvent event(this, header().summary());
            QAccessible::updateAccessibility(&event);
        }
    });
    connect(&parts.cursor, &ChartCursor::runHovered, this, &ChartCard::runHovered);
    connect(&parts.cursor, &ChartCursor::runChosen, this, [this](const QString& run) {
        setEmphasis(run);
        Q_EMIT runHovered(run);
    });
    connect(&parts.cursor, &ChartCursor::pinRequested, this, &ChartCard::pinRequested);
    connect(&parts.mouse, &ChartMouse::pressed, this, [this] { setFocus(Qt::MouseFocusReason); });
    connect(&parts.mouse, &ChartMouse::selectionChanged, this, &ChartCard::updatePointer);
    connect(&parts.mouse, &ChartMouse::panEnded, this, requestNow);
    connect(&parts.output, &ChartOutput::written, this, &ChartCard::exported);
    connect(parts.menuButton, &QToolButton::clicked, this, [this] {
        const QAbstractButton& button = *m_parts->menuButton;
        showMenu(button.mapToGlobal(QPoint(0, button.height())));
    });
    connect(parts.followButton, &QAbstractButton::clicked, this,
            [this] { perform(ChartCommand::Follow); });
    connect(&themeWatch(), &ThemeWatch::changed, this, [this, requestNow] {
        arrange();
        requestNow();
    });
}

QSize ChartCard::sizeHint() const
{
    const QSize hint = measuresOf(m_size).hint;
    return {scaled(hint.width()), scaled(hint.height())};
}

QSize ChartCard::minimumSizeHint() const
{
    return {scaled(m_size == Size::Small ? 150 : 200), scaled(120)};
}

RepaintClock::Pace ChartCard::pace() const
{
    if (!isVisible() || window()->isMinimized() || visibleRegion().isEmpty()) {
        return RepaintClock::Pace::Hidden;
    }
    return isActiveWindow() ? RepaintClock::Pace::Active : RepaintClock::Pace::Unfocused;
}

void ChartCard::request(RepaintClock::Cause cause)
{
    m_byPerson = m_byPerson || cause == RepaintClock::Cause::Person;
    m_missedWhileHidden = m_missedWhileHidden || pace() == RepaintClock::Pace::Hidden;
    m_parts->clock.request(cause);
}

void ChartCard::tick()
{
    Parts& parts = *m_parts;
    const bool isComplete = parts.plot.content.update();
    parts.canvas->setLegend(hasLegend(m_size, curves()) ? curves() : QList<Curve>());
    parts.canvas->setEmptyText(!parts.plot.content.isEmpty() ? QString()
                               : curves().isEmpty()          ? tr("No shown run logged this")
                                                             : tr("No values yet"));
    parts.canvas->layOut(parts.clock.now(), m_byPerson);
    m_byPerson = false;
    m_missedWhileHidden = false;
    updatePointer();
    parts.followButton->setVisible(!options().follows());
    setToolTip(header().toolTip());
    arrange();
    update();
    if (!isComplete) {
        request(RepaintClock::Cause::Person);
    }
}

void ChartCard::arrange()
{
    const Parts& parts = *m_parts;
    const int height = header().height();
    const int edge = scaled(6);
    const QSize button = parts.menuButton->sizeHint();
    parts.menuButton->setGeometry(width() - button.width() - scaled(8),
                                  (height - button.height()) / 2, button.width(), button.height());
    const int top = height - scaled(4);
    parts.canvas->setGeometry(edge, top, std::max(10, width() - 2 * edge),
                              std::max(10, this->height() - top - edge));
    const QSize chip = parts.followButton->sizeHint();
    parts.followButton->setGeometry(width() - chip.width() - scaled(12),
                                    top + parts.plot.axes.around().top() + scaled(4), chip.width(),
                                    chip.height());
    parts.followButton->raise();
}

void ChartCard::updatePointer()
{
    ChartPointer pointer = cursor().pointer();
    pointer.selection = m_parts->mouse.selection();
    if (pointer.selection) {
        pointer.x.reset();
    }
    m_parts->canvas->setPointer(pointer);
}

void ChartCard::setTag(const QString& tag)
{
    header().setTag(tag);
    setObjectName(QStringLiteral("chart.") + tag);
}

QString ChartCard::tag() const
{
    return header().tag();
}

void ChartCard::setCurves(const QList<Curve>& curves)
{
    m_parts->plot.content.setCurves(curves);
    cursor().curvesChanged();
    arrange();
    request(RepaintClock::Cause::Person);
}

const QList<Curve>& ChartCard::curves() const
{
    return m_parts->plot.content.curves();
}

void ChartCard::setMarks(const QList<ChartMark>& marks)
{
    m_parts->plot.content.setMarks(marks);
    request(RepaintClock::Cause::Data);
}

void ChartCard::setLiveRuns(const QSet<QString>& runs)
{
    m_parts->plot.content.setLiveRuns(runs);
    request(RepaintClock::Cause::Data);
}

void ChartCard::seriesChanged(const QSet<SeriesKey>& keys)
{
    const bool concerns = std::ranges::any_of(curves(), [&](const Curve& curve) {
        return curve.series && keys.contains(curve.series->key());
    });
    if (concerns) {
        request(RepaintClock::Cause::Data);
    }
}

void ChartCard::setEmphasis(const QString& run)
{
    if (run != m_parts->plot.content.emphasis()) {
        m_parts->plot.content.setEmphasis(run);
        request(RepaintClock::Cause::Person);
    }
}

void ChartCard::setOptions(const ChartOptions& options)
{
    m_parts->zoom.setOptions(options);
}

const ChartOptions& ChartCard::options() const
{
    return m_parts->zoom.options();
}

void ChartCard::setLink(ChartLink* link)
{
    m_parts->zoom.setLink(link);
    cursor().setLink(link);
}

void ChartCard::setTimeSource(TimeSource* source)
{
    m_parts->clock.setTimeSource(source);
}

void ChartCard::perform(ChartCommand command)
{
    m_parts->commands.perform(command, window());
}

bool ChartCard::isChecked(ChartCommand command) const
{
    return m_parts->commands.isChecked(command);
}

ChartHeader& ChartCard::header() const
{
    return m_parts->header;
}

ChartCursor& ChartCard::cursor() const
{
    return m_parts->cursor;
}

ChartOutput& ChartCard::output() const
{
    return m_parts->output;
}

const ChartCanvas& ChartCard::canvas() const
{
    return *m_parts->canvas;
}

void ChartCard::showMenu(const QPoint& globalPosition)
{
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("chart.menu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillChartMenu(*menu, m_parts->commands, [this](ChartCommand command) { perform(command); });
    Q_EMIT menuAboutToShow(menu);
    menu->popup(globalPosition);
}

bool ChartCard::isInHeader(const QPointF& position) const
{
    return QRectF(0, 0, width(), m_parts->canvas->y()).contains(position);
}

bool ChartCard::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        const auto& key = static_cast<QKeyEvent&>(*event);
        if (chartCommandOf(key) || key.key() == Qt::Key_Space) {
            event->accept();
            return true;
        }
    }
    if (event->type() == QEvent::ToolTip && !isInHeader(static_cast<QHelpEvent&>(*event).pos())) {
        // The readout shows the values there; a tooltip would cover them.
        event->ignore();
        return true;
    }
    return QWidget::event(event);
}

void ChartCard::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paintSurface(painter, rect(), 8, tokens().surface);
    header().paint(painter, m_parts->menuButton->x() - scaled(4));
    if (showsFocusRing(*this)) {
        paintFocusRing(painter, rect(), 8);
    }
}

void ChartCard::resizeEvent(QResizeEvent*)
{
    arrange();
    request(RepaintClock::Cause::Person);
}

void ChartCard::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_parts->clock.paceChanged();
}

void ChartCard::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::ActivationChange) {
        m_parts->clock.paceChanged();
    } else if (event->type() == QEvent::LanguageChange) {
        request(RepaintClock::Cause::Person);
    }
}

void ChartCard::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Space) {
        m_parts->mouse.setSpaceDown(true);
        return;
    }
    const auto command = chartCommandOf(*event);
    if (!command) {
        QWidget::keyPressEvent(event);
        return;
    }
    const int by = event->modifiers() & Qt::ShiftModifier ? 10 : 1;
    if (*command == ChartCommand::UndoZoom) {
        escape();
    } else if (*command == ChartCommand::PreviousPoint || *command == ChartCommand::NextPoint) {
        cursor().walk(*command == ChartCommand::NextPoint ? by : -by);
    } else {
        perform(*command);
    }
}

void ChartCard::escape()
{
    if (m_parts->mouse.isDragging()) {
        m_parts->mouse.endDrag();
    } else if (m_parts->zoom.canUndo()) {
        m_parts->zoom.undo();
    } else if (cursor().dismiss()) {
        return;
    } else if (!m_parts->plot.content.emphasis().isEmpty()) {
        cursor().releaseRun();
    } else {
        clearFocus();
    }
}

void ChartCard::keyReleaseEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Space && !event->isAutoRepeat()) {
        m_parts->mouse.setSpaceDown(false);
    }
    QWidget::keyReleaseEvent(event);
}

void ChartCard::mousePressEvent(QMouseEvent* event)
{
    setFocus(Qt::MouseFocusReason);
    const bool isOnTitle = event->button() == Qt::LeftButton && isInHeader(event->position());
    m_titlePressedAt = isOnTitle ? std::optional(event->position()) : std::nullopt;
}

void ChartCard::mouseMoveEvent(QMouseEvent* event)
{
    if (!(event->buttons() & Qt::LeftButton) || !m_titlePressedAt || tag().isEmpty() ||
        (event->position() - *m_titlePressedAt).manhattanLength() <
            QApplication::startDragDistance()) {
        return;
    }
    m_titlePressedAt.reset();
    dragTag(tag(), *this);
}

void ChartCard::contextMenuEvent(QContextMenuEvent* event)
{
    m_parts->mouse.endDrag();
    showMenu(event->reason() == QContextMenuEvent::Mouse
                 ? event->globalPos()
                 : mapToGlobal(QPoint(width() / 2, height() / 2)));
}

void ChartCard::dragEnterEvent(QDragEnterEvent* event)
{
    const QString dragged = draggedTag(*event->mimeData());
    if (!dragged.isEmpty() && dragged != tag()) {
        event->acceptProposedAction();
    }
}

void ChartCard::dropEvent(QDropEvent* event)
{
    const QString dropped = draggedTag(*event->mimeData());
    if (!dropped.isEmpty()) {
        event->acceptProposedAction();
        Q_EMIT tagDropped(dropped);
    }
}

} // namespace cannery::ui

// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/chart_card_private.h"

#include "ui/charts/chart_accessible.h"
#include "ui/charts/chart_figure.h"
#include "ui/models/formats.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/painting.h"
#include "ui/widgets/theme.h"

#include <QAccessible>
#include <QEvent>
#include <QFileInfo>
#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>
#include <QThreadPool>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

struct CardMeasures
{
    QSize hint;
    int header;
    int padding;
};

CardMeasures measures(ChartCard::Size size)
{
    switch (size) {
    case ChartCard::Size::Large:
        return {{560, 420}, 46, 16};
    case ChartCard::Size::Normal:
        return {{360, 230}, 42, 16};
    case ChartCard::Size::Small:
        return {{236, 158}, 38, 14};
    }
    return {};
}

/// Without zeros that only fill up.
QString spoken(double value)
{
    QString text = formatNumber(value);
    if (text.contains(QLocale().decimalPoint()) && text.back().isDigit()) {
        while (text.endsWith('0')) {
            text.chop(1);
        }
        if (text.endsWith(QLocale().decimalPoint())) {
            text.chop(1);
        }
    }
    return text;
}

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
    const QSize hint = measures(m_private->size).hint;
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
    plot.layOut(canvas->viewport()->size(), clock.now(), byPerson || !isLaidOut);
    isLaidOut = true;
    byPerson = false;
    missedWhileHidden = false;
    canvas->setEmptyText(!plot.isEmpty()           ? QString()
                         : plot.curves().isEmpty() ? ChartCard::tr("No run shown logged this")
                                                   : ChartCard::tr("No values yet"));
    canvas->invalidate();
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
    const CardMeasures own = measures(size);
    const int header = scaled(own.header);
    const int legend = hasLegend() ? scaled(18) : 0;
    const int edge = scaled(6);
    const QSize button = menuButton->sizeHint();
    menuButton->setGeometry(card.width() - button.width() - scaled(8),
                            (header - button.height()) / 2, button.width(), button.height());
    const int top = header + legend - scaled(4);
    canvas->setGeometry(edge, top, std::max(10, card.width() - 2 * edge),
                        std::max(10, card.height() - top - edge));
    const QSize chip = followButton->sizeHint();
    followButton->setGeometry(card.width() - chip.width() - scaled(12), top + scaled(4),
                              chip.width(), chip.height());
    followButton->raise();
}

QRectF ChartCard::Private::headerRect() const
{
    return {0, 0, double(card.width()), double(canvas->y())};
}

int ChartCard::Private::headlineCurve() const
{
    const QList<Curve>& curves = plot.curves();
    const bool isOfOneRun =
        !curves.isEmpty() && std::ranges::all_of(curves, [&](const Curve& curve) {
            return curve.run == curves.front().run;
        });
    if (!isOfOneRun || headline.isEmpty()) {
        return isOfOneRun ? 0 : -1;
    }
    const auto asked =
        std::ranges::find_if(curves, [&](const Curve& curve) { return curve.label == headline; });
    return asked == curves.end() ? -1 : int(asked - curves.begin());
}

QStringList ChartCard::Private::otherValues() const
{
    QStringList texts;
    if (headline.isEmpty()) {
        return texts;
    }
    for (int i = 0; i < int(plot.curves().size()); ++i) {
        const auto value = plot.lastValue(i);
        if (i != headlineCurve() && value) {
            texts += ChartCard::tr("%1 %2", "a curve and its last value")
                         .arg(plot.curves()[i].label, formatNumber(double(*value)));
        }
    }
    return texts;
}

QStringList ChartCard::Private::warnings() const
{
    QStringList texts;
    qint64 nan = 0;
    const qint64 nonFinite = plot.nonFiniteCount(&nan);
    if (nan > 0) {
        texts += ChartCard::tr("%1 NaN").arg(formatCount(nan));
    }
    if (nonFinite > nan) {
        texts += ChartCard::tr("%1 ∞").arg(formatCount(nonFinite - nan));
    }
    if (const qint64 hidden = plot.hiddenCount(); hidden > 0) {
        texts += hidden == 1 ? ChartCard::tr("1 value ≤ 0 hidden")
                             : ChartCard::tr("%1 values ≤ 0 hidden").arg(formatCount(hidden));
    }
    return texts;
}

double ChartCard::Private::paintHeadline(QPainter& painter, double right) const
{
    const double middle = scaled(measures(size).header) / 2.0;
    const auto write = [&](const QString& text, const QFont& font, const QColor& colour) {
        const QFontMetricsF metrics(font);
        const double width = metrics.horizontalAdvance(text);
        painter.setFont(font);
        painter.setPen(colour);
        painter.drawText(
            QPointF(right - width, middle + (metrics.ascent() - metrics.descent()) / 2), text);
        right -= width + scaled(9);
    };
    if (const auto value = plot.lastValue(headlineCurve())) {
        write(formatNumber(double(*value)),
              textFont(size == Size::Small ? TextRole::Section : TextRole::Headline),
              std::isfinite(*value) ? tokens().text : tokens().err);
    }
    const bool hasValue = plot.lastValue(headlineCurve()).has_value();
    const double titleEnd = scaled(measures(size).padding) +
                            QFontMetricsF(textFont(TextRole::Strong)).horizontalAdvance(title);
    const QFontMetricsF labelMetrics(textFont(TextRole::Label));
    const auto fits = [&](const QString& text, double more) {
        return right - labelMetrics.horizontalAdvance(text) - more > titleEnd;
    };
    if (hasValue && !headline.isEmpty() && fits(headline, scaled(8))) {
        write(headline, textFont(TextRole::Label), tokens().text2);
    }
    if (const QStringList texts = warnings(); !texts.isEmpty()) {
        // Without room the sign alone stands there; the tool tip has the words.
        const QString words = texts.join(QStringLiteral(" · "));
        if (fits(words, scaled(24))) {
            write(words, textFont(TextRole::Label), tokens().warn);
            right += scaled(5);
        }
        const int extent = scaled(14);
        right -= extent;
        icon(QStringLiteral("alert-triangle"), tokens().warnIcon)
            .paint(&painter, QRect(int(right), int(middle - extent / 2.0), extent, extent));
        right -= scaled(8);
    }
    if (!note.isEmpty() && fits(note, scaled(8))) {
        write(note, textFont(TextRole::Label), tokens().text2);
    }
    for (const QString& other : otherValues()) {
        if (fits(other, scaled(8))) {
            write(other, textFont(TextRole::Label), tokens().text2);
        }
    }
    return right;
}

void ChartCard::Private::paintHeader(QPainter& painter) const
{
    const double right = paintHeadline(painter, menuButton->x() - scaled(4));
    const double left = scaled(measures(size).padding);
    const QFont font = textFont(TextRole::Strong);
    const QFontMetricsF metrics(font);
    const double middle = scaled(measures(size).header) / 2.0;
    const QString shown = metrics.elidedText(title, Qt::ElideMiddle, std::max(10.0, right - left));
    painter.setFont(font);
    painter.setPen(tokens().text);
    painter.drawText(QPointF(left, middle + (metrics.ascent() - metrics.descent()) / 2), shown);
    if (hasLegend()) {
        paintLegend(painter);
    }
}

void ChartCard::Private::paintLegend(QPainter& painter) const
{
    const QFont font = textFont(TextRole::Label);
    const QFontMetricsF metrics(font);
    double x = scaled(measures(size).padding);
    const double y = scaled(measures(size).header) + scaled(4);
    painter.setFont(font);
    for (const Curve& curve : plot.curves()) {
        QPen pen(seriesColour(curve.colourSlot), 2);
        pen.setCapStyle(Qt::FlatCap);
        if (curve.dashed) {
            pen.setDashPattern({3.6, 1.8});
        }
        painter.setPen(pen);
        painter.drawLine(QPointF(x, y), QPointF(x + scaled(18), y));
        painter.setPen(tokens().text2);
        painter.drawText(QPointF(x + scaled(24), y + (metrics.ascent() - metrics.descent()) / 2),
                         curve.label);
        x += scaled(24) + metrics.horizontalAdvance(curve.label) + scaled(18);
    }
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

QString ChartCard::summary() const
{
    const Private& d = *m_private;
    QSet<QString> runs;
    for (const Curve& curve : curves()) {
        runs.insert(curve.run);
    }
    if (d.plot.isEmpty()) {
        return tr("%1, no values").arg(d.title);
    }
    const QString count = runs.size() == 1 ? tr("1 run") : tr("%1 runs").arg(runs.size());
    const int first = d.headline.isEmpty() ? std::max(d.headlineCurve(), 0) : d.headlineCurve();
    const auto last = d.plot.lastValue(first);
    QString text = tr("%1, %2").arg(d.title, count);
    if (last) {
        text =
            tr("%1, %2 %3", "summary of a chart, which value, value")
                .arg(text, d.headline.isEmpty() ? tr("last") : d.headline, spoken(double(*last)));
    }
    for (const QString& other :
         d.otherValues() +
             (d.note.isEmpty() || d.headline.isEmpty() ? QStringList() : QStringList(d.note))) {
        text = tr("%1, %2", "summary of a chart, another value").arg(text, other);
    }
    if (!last) {
        return text;
    }
    if (const QString trend = d.plot.trend(first); !trend.isEmpty()) {
        text = tr("%1, %2", "summary of a chart, where it goes").arg(text, trend);
    }
    if (const QStringList warnings = d.warnings(); !warnings.isEmpty()) {
        text = tr("%1, %2", "summary of a chart, warnings")
                   .arg(text, warnings.join(QStringLiteral(", ")));
    }
    return text;
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

QSize ChartCard::Private::figureSize() const
{
    return card.size().expandedTo({640, 400});
}

QImage ChartCard::toImage(qreal scale) const
{
    m_private->plot.update();
    return figureImage(m_private->plot, {m_private->title, m_private->tag}, m_private->figureSize(),
                       scale);
}

bool ChartCard::exportTo(const QString& file, QString* error) const
{
    m_private->plot.update();
    const FigureBytes bytes =
        figureBytes(m_private->plot, {m_private->title, m_private->tag}, m_private->figureSize(),
                    QFileInfo(file).suffix().toLower(), error);
    return bytes && writeFigure(bytes, file, error);
}

void ChartCard::exportInBackground(const QString& file)
{
    QString error;
    m_private->plot.update();
    const FigureBytes bytes =
        figureBytes(m_private->plot, {m_private->title, m_private->tag}, m_private->figureSize(),
                    QFileInfo(file).suffix().toLower(), &error);
    if (!bytes) {
        Q_EMIT exported(file, error);
        return;
    }
    QThreadPool::globalInstance()->start([card = QPointer<ChartCard>(this), bytes, file] {
        QString problem;
        writeFigure(bytes, file, &problem);
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [card, file, problem] {
                if (card) {
                    Q_EMIT card->exported(file, problem);
                }
            },
            Qt::QueuedConnection);
    });
}

QString ChartCard::valuesAsText() const
{
    const QList<ReadoutRow> rows = readout();
    if (rows.isEmpty()) {
        return {};
    }
    QString text = QStringList{tr("Run"),      tr("Curve"),      tr("Step"),          tr("Value"),
                               tr("Smoothed"), tr("Wall clock"), tr("Since start, s")}
                       .join('\t') +
                   '\n';
    for (const ReadoutRow& row : rows) {
        const QDateTime wall = QDateTime::fromMSecsSinceEpoch(qint64(row.wallTime * 1000));
        text += QStringList{row.run,
                            row.label,
                            QString::number(row.step),
                            formatExact(row.value),
                            row.smoothed ? QString::number(*row.smoothed, 'g', 9) : QString(),
                            row.wallTime > 0 ? wall.toString(Qt::ISODateWithMs) : QString(),
                            QString::number(row.sinceStart, 'f', 3)}
                    .join('\t') +
                '\n';
    }
    return text;
}

} // namespace cannery::ui

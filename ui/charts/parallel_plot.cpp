// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/parallel_plot.h"

#include "ui/charts/curves/bare_chart.h"
#include "ui/charts/curves/chart_frame.h"
#include "ui/models/formats.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QCategoryAxis>
#include <QChart>
#include <QGraphicsLayout>
#include <QGraphicsScene>
#include <QHelpEvent>
#include <QLegend>
#include <QPainter>
#include <QResizeEvent>
#include <QSet>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cannery::ui {
namespace {

constexpr double kLineWidth = 1.5;
constexpr double kEmphasisWidth = 3;
constexpr double kFaintOpacity = 0.25;
constexpr double kReach = 6; ///< design pixels from a line that still count as on it
constexpr qsizetype kMostChoices = 12;
constexpr int kAxisRoom = 64; ///< design pixels for the words of an axis

/// The axes' names in this much room each, shortened where they stay distinct.
QStringList shownNames(const QList<StudyAxis>& axes, const QFontMetricsF& metrics, double room)
{
    QStringList names;
    for (const Qt::TextElideMode mode : {Qt::ElideMiddle, Qt::ElideLeft, Qt::ElideRight}) {
        names.clear();
        for (const StudyAxis& axis : axes) {
            names << metrics.elidedText(axis.label, mode, room);
        }
        if (QSet<QString>(names.begin(), names.end()).size() == names.size()) {
            break;
        }
    }
    return names;
}

double distanceTo(const QLineF& line, const QPointF& point)
{
    const QPointF along = line.p2() - line.p1();
    const double length = QPointF::dotProduct(along, along);
    const double share =
        length <= 0 ? 0
                    : std::clamp(QPointF::dotProduct(point - line.p1(), along) / length, 0.0, 1.0);
    return QLineF(point, line.p1() + share * along).length();
}

} // namespace

ParallelPlot::ParallelPlot(QWidget* parent)
    : QGraphicsView(new QGraphicsScene, parent), m_chart(new QChart), m_names(new QCategoryAxis),
      m_lines(new PaintedItem(*m_chart, PaintedItem::Layer::Curves,
                              [this](QPainter& painter) { paintStudy(painter); }))
{
    makeBare(*this);
    setFocusPolicy(Qt::StrongFocus);
    setBackgroundBrush(Qt::transparent);
    viewport()->setAutoFillBackground(false);
    setObjectName("plot.parallel");
    setAccessibleName(tr("Parallel coordinates of the shown runs"));
    viewport()->setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    scene()->setParent(this);
    scene()->addItem(m_chart);
    makeBare(*m_chart);
    m_chart->legend()->hide();
    m_names->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
    m_names->setGridLineVisible(false);
    m_names->setLineVisible(false);
    m_names->setTruncateLabels(false);
    m_chart->addAxis(m_names, Qt::AlignTop);
    connect(&themeWatch(), &ThemeWatch::changed, this, [this] {
        updateGeometry();
        layOut();
    });
}

void ParallelPlot::setStudy(const ParameterStudy& study)
{
    m_brushes.follow(m_study, study);
    m_study = study;
    m_axis = std::clamp<qsizetype>(m_axis, 0, std::max<qsizetype>(0, m_study.axes.size() - 1));
    describe();
    updateGeometry();
    layOut();
}

/// For a screen reader.
void ParallelPlot::describe()
{
    QStringList names;
    for (const StudyAxis& axis : m_study.axes) {
        names << axis.label;
    }
    QString words = tr("%1 runs; axes: %2").arg(m_study.lines.size()).arg(names.join(tr(", ")));
    if (!m_brushes.isEmpty()) {
        words += tr("; %1 chosen by %2")
                     .arg(m_brushes.chosen(m_study).size())
                     .arg(m_brushes.words(m_study));
    }
    setAccessibleDescription(words);
}

/// The names at their axes.
void ParallelPlot::layOut()
{
    const auto count = static_cast<double>(m_study.axes.size());
    const QRectF where = area();
    if (count == 0 || where.width() <= 0 || where.height() <= 0) {
        m_names->setVisible(false);
        viewport()->update();
        return;
    }
    const QFont font = textFont(TextRole::Axis);
    const QFontMetricsF metrics(font);
    const double room = count < 2 ? where.width() : where.width() / (count - 1) - scaled(8);
    QStringList names = m_names->categoriesLabels();
    while (!names.isEmpty()) {
        m_names->remove(names.takeLast());
    }
    const double first = count < 2 ? 0.5 : 0;
    m_names->setStartValue(first - 1);
    for (const QString& shown : shownNames(m_study.axes, metrics, room)) {
        QString name = shown.toHtmlEscaped();
        while (name.isEmpty() || names.contains(name)) {
            name += QChar(0x200b); // a category axis takes each name once
        }
        m_names->append(name, first + static_cast<double>(names.size()));
        names += name;
    }
    m_names->setRange(0, std::max(1.0, count - 1));
    m_names->setLabelsFont(font);
    m_names->setLabelsBrush(tokens().text);
    m_names->setVisible(true);
    // Above the upper ends of the axes, which are written between names and lines.
    m_chart->setPlotArea(where.adjusted(0, -(metrics.height() + scaled(4)), 0, 0));
    m_chart->layout()->activate();
    viewport()->update();
}

void ParallelPlot::setEmphasis(const QString& run)
{
    if (m_emphasis != run) {
        m_emphasis = run;
        viewport()->update();
    }
}

QSize ParallelPlot::sizeHint() const
{
    return {scaled(720), scaled(360)};
}

QSize ParallelPlot::minimumSizeHint() const
{
    const auto axes = static_cast<int>(m_study.axes.size());
    return {std::max(scaled(300), scaled(kAxisRoom) * axes), scaled(220)};
}

// Between the names and upper ends above and the lower ends below.
QRectF ParallelPlot::area() const
{
    const QFontMetricsF metrics(textFont(TextRole::Axis));
    const double side = scaled(56);
    return QRectF(QPointF(), viewport()->size())
        .adjusted(side, 2 * metrics.height() + scaled(20), -side, -(metrics.height() + scaled(8)));
}

double ParallelPlot::xOf(qsizetype axis) const
{
    const QRectF where = area();
    const auto last = static_cast<double>(m_study.axes.size() - 1);
    return last <= 0 ? where.center().x()
                     : where.left() + static_cast<double>(axis) / last * where.width();
}

QList<QLineF> ParallelPlot::segmentsOf(const StudyLine& line) const
{
    const QRectF where = area();
    QList<QLineF> segments;
    for (qsizetype axis = 1; axis < line.places.size(); ++axis) {
        const double from = line.places[axis - 1];
        const double to = line.places[axis];
        if (!std::isnan(from) && !std::isnan(to)) {
            segments << QLineF(xOf(axis - 1), where.bottom() - from * where.height(), xOf(axis),
                               where.bottom() - to * where.height());
        }
    }
    return segments;
}

const StudyLine* ParallelPlot::lineAt(const QPointF& where) const
{
    const StudyLine* nearest = nullptr;
    double least = scaled(kReach);
    for (const StudyLine& line : m_study.lines) {
        for (const QLineF& segment : segmentsOf(line)) {
            const double distance = distanceTo(segment, where);
            if (distance <= least) {
                least = distance;
                nearest = &line;
            }
        }
    }
    return nearest;
}

bool ParallelPlot::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        event->setAccepted(showValues(help->pos(), help->globalPos()));
        return true;
    }
    if (event->type() == QEvent::Leave && !m_emphasis.isEmpty()) {
        setEmphasis({});
        Q_EMIT runHovered({});
    }
    return QGraphicsView::viewportEvent(event);
}

bool ParallelPlot::showValues(const QPoint& where, const QPoint& onScreen)
{
    const StudyLine* line = lineAt(where);
    if (line == nullptr) {
        QToolTip::hideText();
        return false;
    }
    QStringList words{line->label};
    for (qsizetype axis = 0; axis < m_study.axes.size(); ++axis) {
        words << tr("%1: %2").arg(m_study.axes[axis].label, line->values[axis]);
    }
    QToolTip::showText(onScreen, words.join('\n'), this);
    return true;
}

void ParallelPlot::resizeEvent(QResizeEvent* event)
{
    QGraphicsView::resizeEvent(event);
    const QRectF all(QPointF(), viewport()->size());
    setSceneRect(all);
    m_chart->resize(all.size());
    m_lines->resize(all.size());
    layOut();
}

void ParallelPlot::wheelEvent(QWheelEvent* event)
{
    // A view would scroll its scene.
    event->ignore();
}

void ParallelPlot::paintStudy(QPainter& painter) const
{
    if (m_study.axes.isEmpty()) {
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(textFont(TextRole::Axis));
    const StudyLine* above = nullptr;
    for (const bool isChosen : {false, true}) {
        for (const StudyLine& line : m_study.lines) {
            if (line.run == m_emphasis) {
                above = &line;
            } else if (m_brushes.admits(m_study, line) == isChosen) {
                paintLine(painter, line, !isChosen || !m_emphasis.isEmpty());
            }
        }
    }
    if (above != nullptr) {
        paintLine(painter, *above, false);
    }
    for (qsizetype axis = 0; axis < m_study.axes.size(); ++axis) {
        paintAxis(painter, axis);
        paintBrush(painter, axis);
    }
}

void ParallelPlot::paintBrush(QPainter& painter, qsizetype index) const
{
    const std::optional<AxisPart> part = m_brushes.on(m_study.axes[index].path);
    if (!part) {
        return;
    }
    const QRectF where = area();
    const double half = scaled(5);
    const double least = scaled(2); // of a part that is a single value
    const QRectF box =
        QRectF(QPointF(xOf(index) - half, where.bottom() - part->to * where.height()),
               QPointF(xOf(index) + half, where.bottom() - part->from * where.height()))
            .adjusted(0, -least, 0, least);
    QColor fill = tokens().accent;
    fill.setAlphaF(0.25);
    painter.setPen(QPen(tokens().accent, 1.5));
    painter.setBrush(fill);
    painter.drawRoundedRect(box, 2, 2);
    painter.setBrush(Qt::NoBrush);
}

void ParallelPlot::paintLine(QPainter& painter, const StudyLine& line, bool isFaint) const
{
    painter.setOpacity(isFaint ? kFaintOpacity : 1);
    painter.setPen(QPen(seriesColour(line.colourSlot),
                        line.run == m_emphasis ? kEmphasisWidth : kLineWidth, Qt::SolidLine,
                        Qt::RoundCap));
    for (const QLineF& segment : segmentsOf(line)) {
        painter.drawLine(segment);
    }
    painter.setOpacity(1);
}

void ParallelPlot::paintAxis(QPainter& painter, qsizetype index) const
{
    const StudyAxis& axis = m_study.axes[index];
    const QRectF where = area();
    const double x = xOf(index);
    const QFontMetricsF metrics(painter.font());
    const double width = m_study.axes.size() < 2
                             ? where.width()
                             : where.width() / double(m_study.axes.size() - 1) - scaled(8);
    const auto word = [&](double top, const QString& text) {
        painter.setPen(tokens().text2);
        const double room = std::max<double>(width, scaled(48));
        paintWords(painter, QRectF(x - room / 2, top, room, metrics.height()), Qt::AlignCenter,
                   metrics.elidedText(text, Qt::ElideMiddle, room));
    };
    const bool isCurrent = index == m_axis && showsFocusRing(*this);
    painter.setPen(QPen(isCurrent ? tokens().accent : tokens().control, isCurrent ? 3 : 1));
    painter.drawLine(QPointF(x, where.top()), QPointF(x, where.bottom()));
    if (axis.isNumeric) {
        word(where.top() - metrics.height() - scaled(2), formatNumber(axis.max));
        word(where.bottom() + scaled(4), formatNumber(axis.min));
        return;
    }
    const qsizetype last = axis.choices.size() - 1;
    for (qsizetype choice = 0; choice <= last && last < kMostChoices; ++choice) {
        const double y = where.bottom() - placeOfChoice(axis, choice) * where.height();
        const QString text = metrics.elidedText(axis.choices[choice], Qt::ElideRight, width);
        QRectF box = metrics.boundingRect(text).adjusted(-3, -1, 3, 1);
        box.moveCenter(QPointF(x, y));
        painter.fillRect(box, tokens().canvas);
        painter.setPen(tokens().text2);
        paintWords(painter, box, Qt::AlignCenter, text);
    }
}

} // namespace cannery::ui

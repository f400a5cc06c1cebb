// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_pointer.h"

#include "ui/charts/curves/chart_plot.h"
#include "ui/models/formats.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

constexpr qsizetype kMostRows = 12;

double readoutPadding()
{
    return scaled(11);
}

} // namespace

PointerPainter::PointerPainter(QPainter& painter, const ChartPlot& plot,
                               const ChartPointer& pointer)
    : m_painter(painter), m_plot(plot), m_pointer(pointer), m_labelFont(textFont(TextRole::Label)),
      m_valueFont(textFont(TextRole::LabelStrong))
{}

void PointerPainter::paint()
{
    if (m_pointer.selection) {
        paintSelection(*m_pointer.selection);
    }
    if (!m_pointer.x || !m_plot.axes.x().canShow(*m_pointer.x)) {
        return;
    }
    m_pixel = m_plot.axes.toPixel(*m_pointer.x);
    if (m_pixel < m_plot.axes.plot().left() - 1 || m_pixel > m_plot.axes.plot().right() + 1) {
        return;
    }
    paintHairline();
    paintDots();
    paintChip();
    if (m_pointer.showsReadout && !m_pointer.rows.isEmpty()) {
        paintReadout();
    }
}

void PointerPainter::paintSelection(const QRectF& selection)
{
    QColor fill = tokens().accent;
    fill.setAlphaF(0.14F);
    m_painter.fillRect(selection, fill);
    m_painter.setPen(QPen(tokens().accent, 1));
    m_painter.drawLine(selection.topLeft(), selection.bottomLeft());
    m_painter.drawLine(selection.topRight(), selection.bottomRight());
}

void PointerPainter::paintHairline()
{
    // Between two pixels the line would be twice as wide and pale.
    m_painter.setRenderHint(QPainter::Antialiasing, false);
    m_painter.setPen(QPen(tokens().text3, 1));
    const double line = std::floor(m_pixel);
    m_painter.drawLine(QPointF(line, m_plot.axes.plot().top() - 4),
                       QPointF(line, m_plot.axes.plot().bottom()));
    m_painter.setRenderHint(QPainter::Antialiasing, true);
}

void PointerPainter::paintDots()
{
    for (const ReadoutRow& row : m_pointer.rows) {
        const double value = row.smoothed.value_or(double(row.value));
        if (!std::isfinite(value) || !m_plot.axes.y().canShow(value)) {
            continue;
        }
        const QPointF centre(m_pixel, m_plot.axes.yToPixel(value));
        if (!m_plot.axes.plot().adjusted(-2, -2, 2, 2).contains(centre)) {
            continue;
        }
        m_painter.setPen(QPen(tokens().surface, 2));
        m_painter.setBrush(seriesColour(row.colourSlot));
        m_painter.drawEllipse(centre, 4.5, 4.5);
    }
}

void PointerPainter::paintChip()
{
    const QFont font = textFont(TextRole::Badge);
    const QFontMetricsF metrics(font);
    const double width = metrics.horizontalAdvance(m_pointer.chip) + 14;
    const double height = metrics.height() + 6;
    const double left = std::clamp(m_pixel - width / 2, 0.0, m_plot.axes.size().width() - width);
    const QRectF chip(left, m_plot.axes.plot().bottom() + scaled(4), width, height);
    for (const QRectF& label : m_plot.axes.xLabelBoxes()) {
        if (label.intersects(chip.adjusted(-3, 0, 3, 0))) {
            // A label that is cut by the chip would be misread as another number.
            m_painter.fillRect(label.adjusted(-2, 0, 2, 1), tokens().surface);
        }
    }
    paintSurface(m_painter, chip, 4, tokens().text);
    m_painter.setFont(font);
    m_painter.setPen(tokens().surface);
    paintWords(m_painter, chip, Qt::AlignCenter, m_pointer.chip);
}

qsizetype PointerPainter::roomFor(double rowHeight) const
{
    const double available = m_plot.axes.size().height() - 2 * readoutPadding() - rowHeight;
    const auto fitting = qsizetype(std::max(1.0, available / rowHeight));
    const qsizetype shown = std::min({m_pointer.rows.size(), kMostRows, fitting});
    // One row less if another line says how many more there are.
    return shown < m_pointer.rows.size() && shown > 1 ? shown - 1 : shown;
}

PointerPainter::Readout PointerPainter::readout() const
{
    const QFontMetricsF metrics(m_labelFont);
    const QFontMetricsF valueMetrics(m_valueFont);
    Readout readout{.shown = 0,
                    .rowHeight = metrics.height() + 5,
                    // Labels begin behind the sample of their line, the heading does not.
                    .labelWidth = metrics.horizontalAdvance(m_pointer.heading) - scaled(24),
                    .valueWidth = 0};
    readout.shown = roomFor(readout.rowHeight);
    for (qsizetype i = 0; i < readout.shown; ++i) {
        const ReadoutRow& row = m_pointer.rows[i];
        readout.labelWidth = std::max(readout.labelWidth, metrics.horizontalAdvance(row.label));
        readout.valueWidth = std::max(
            readout.valueWidth, valueMetrics.horizontalAdvance(formatNumber(double(row.value))));
    }
    readout.labelWidth = std::min(readout.labelWidth, double(scaled(180)));
    return readout;
}

QRectF PointerPainter::readoutCard(const Readout& readout) const
{
    const double padding = readoutPadding();
    const bool saysMore = m_pointer.rows.size() > readout.shown;
    const double rows = double(readout.shown + 1 + (saysMore ? 1 : 0));
    const double width =
        2 * padding + scaled(24) + readout.labelWidth + scaled(18) + readout.valueWidth;
    const double height = 2 * padding - 6 + readout.rowHeight * rows;
    double left = m_pixel + 14;
    if (left + width > m_plot.axes.size().width() - 4) {
        left = std::max(4.0, m_pixel - 14 - width);
    }
    const double top = std::clamp(m_plot.axes.plot().center().y() - height / 2, 2.0,
                                  std::max(2.0, m_plot.axes.size().height() - height - 6));
    return {left, top, width, height};
}

void PointerPainter::paintReadout()
{
    const Readout own = readout();
    const QRectF card = readoutCard(own);
    const double padding = readoutPadding();
    paintShadow(m_painter, card, 8, Elevation::Menu);
    paintSurface(m_painter, card, 8, tokens().raised, tokens().line);
    QRectF line(card.left() + padding, card.top() + padding - 3, card.width() - 2 * padding,
                own.rowHeight);
    const auto write = [&](const QString& words) {
        m_painter.setFont(m_labelFont);
        m_painter.setPen(tokens().text2);
        paintWords(m_painter, line, Qt::AlignLeft | Qt::AlignVCenter, words);
    };
    write(m_pointer.heading);
    for (qsizetype i = 0; i < own.shown; ++i) {
        line.translate(0, own.rowHeight);
        paintRow(m_pointer.rows[i], line, own.labelWidth);
    }
    if (m_pointer.rows.size() > own.shown) {
        line.translate(0, own.rowHeight);
        write(QCoreApplication::translate("ChartPointer", "%1 more")
                  .arg(m_pointer.rows.size() - own.shown));
    }
}

void PointerPainter::paintRow(const ReadoutRow& row, const QRectF& line, double labelWidth)
{
    QPen pen(seriesColour(row.colourSlot), 2.25);
    pen.setCapStyle(Qt::FlatCap);
    if (row.dashed) {
        pen.setDashPattern({2.6, 1.6});
    }
    m_painter.setPen(pen);
    m_painter.drawLine(QPointF(line.left(), line.center().y()),
                       QPointF(line.left() + scaled(16), line.center().y()));
    m_painter.setPen(tokens().text);
    m_painter.setFont(m_labelFont);
    const QFontMetricsF metrics(m_labelFont);
    const QRectF labelBox(line.left() + scaled(24), line.top(), labelWidth, line.height());
    paintWords(m_painter, labelBox, Qt::AlignLeft | Qt::AlignVCenter,
               metrics.elidedText(row.label, Qt::ElideMiddle, labelWidth + 1));
    m_painter.setFont(m_valueFont);
    paintWords(m_painter, line, Qt::AlignRight | Qt::AlignVCenter, formatNumber(double(row.value)));
}

} // namespace cannery::ui

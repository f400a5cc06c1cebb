// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_header.h"

#include "ui/charts/curves/chart_plot.h"
#include "ui/charts/curves/chart_reading.h"
#include "ui/models/formats.h"
#include "ui/widgets/style/icons.h"

#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>
#include <QSet>

#include <algorithm>
#include <cmath>
#include <optional>

namespace cannery::ui {
namespace {

/// Without trailing zeros.
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

/// Writes the parts of a header from its end towards the title.
struct HeaderPen
{
    QPainter& painter;
    double right;
    double middle;
    double titleEnd;

    bool fits(const QString& text, double more) const
    {
        const QFontMetricsF metrics(textFont(TextRole::Label));
        return right - metrics.horizontalAdvance(text) - more > titleEnd;
    }

    void write(const QString& text, const QFont& font, const QColor& colour)
    {
        const QFontMetricsF metrics(font);
        const double width = metrics.horizontalAdvance(text);
        painter.setFont(font);
        painter.setPen(colour);
        painter.drawText(
            QPointF(right - width, middle + (metrics.ascent() - metrics.descent()) / 2), text);
        right -= width + scaled(9);
    }

    /// Of a line, before its name.
    void piece(const QColor& colour)
    {
        right -= scaled(5);
        painter.fillRect(QRectF(right, middle - 1, scaled(9), 2), colour);
        right -= scaled(9);
    }

    /// If there is no room, only the icon is shown; the tooltip has the text.
    void warn(const QStringList& texts)
    {
        if (texts.isEmpty()) {
            return;
        }
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
};

} // namespace

ChartHeader::ChartHeader(const ChartPlot& plot, const Look& look) : m_plot(plot), m_look(look) {}

void ChartHeader::setTag(const QString& tag)
{
    m_tag = tag;
}

void ChartHeader::setTitle(const QString& title)
{
    m_title = title;
    Q_EMIT changed();
}

void ChartHeader::setNote(const QString& note)
{
    if (note != m_note) {
        m_note = note;
        Q_EMIT changed();
    }
}

void ChartHeader::setHeadline(const QString& label)
{
    if (label != m_headline) {
        m_headline = label;
        Q_EMIT changed();
    }
}

int ChartHeader::height() const
{
    return scaled(m_look.height);
}

QString ChartHeader::toolTip() const
{
    return QStringList((m_title == m_tag ? QStringList() : QStringList(m_tag)) + warnings())
        .join(QStringLiteral("\n"));
}

int ChartHeader::headlineCurve() const
{
    const QList<Curve>& curves = m_plot.content.curves();
    const bool isOfOneRun =
        !curves.isEmpty() && std::ranges::all_of(curves, [&](const Curve& curve) {
            return curve.run == curves.front().run;
        });
    if (!isOfOneRun || m_headline.isEmpty()) {
        return isOfOneRun ? 0 : -1;
    }
    const auto asked =
        std::ranges::find_if(curves, [&](const Curve& curve) { return curve.label == m_headline; });
    return asked == curves.end() ? -1 : int(asked - curves.begin());
}

QString ChartHeader::otherValue(int curve) const
{
    const bool isOther = !m_headline.isEmpty() && curve != headlineCurve();
    const auto value = isOther ? m_plot.content.lastValue(curve) : std::optional<float>();
    return value ? tr("%1 %2", "a curve and its last value")
                       .arg(m_plot.content.curves()[curve].label, formatNumber(double(*value)))
                 : QString();
}

QStringList ChartHeader::otherValues() const
{
    QStringList texts;
    for (int i = 0; i < int(m_plot.content.curves().size()); ++i) {
        if (const QString text = otherValue(i); !text.isEmpty()) {
            texts += text;
        }
    }
    return texts;
}

QStringList ChartHeader::warnings() const
{
    QStringList texts;
    qint64 nan = 0;
    const qint64 nonFinite = m_plot.content.nonFiniteCount(&nan);
    if (nan > 0) {
        texts += tr("%1 NaN").arg(formatCount(nan));
    }
    if (nonFinite > nan) {
        texts += tr("%1 ∞").arg(formatCount(nonFinite - nan));
    }
    if (const qint64 hidden = m_plot.content.hiddenCount(); hidden > 0) {
        texts += hidden == 1 ? tr("1 value ≤ 0 hidden")
                             : tr("%1 values ≤ 0 hidden").arg(formatCount(hidden));
    }
    return texts;
}

double ChartHeader::paintValues(QPainter& painter, double right) const
{
    HeaderPen pen{painter, right, height() / 2.0,
                  scaled(m_look.padding) +
                      QFontMetricsF(textFont(TextRole::Strong)).horizontalAdvance(m_title)};
    const auto value = m_plot.content.lastValue(headlineCurve());
    if (value) {
        pen.write(formatNumber(double(*value)), textFont(m_look.value),
                  std::isfinite(*value) ? tokens().text : tokens().err);
    }
    // Two lines in different colours are told apart by a piece of each.
    const bool isColourful = std::ranges::any_of(m_plot.content.curves(), [&](const Curve& curve) {
        return curve.colourSlot != m_plot.content.curves().front().colourSlot;
    });
    const auto name = [&](const QString& text, int curve) {
        const bool hasPiece = isColourful && curve >= 0;
        if (pen.fits(text, scaled(hasPiece ? 22 : 8))) {
            pen.write(text, textFont(TextRole::Label), tokens().text2);
            if (hasPiece) {
                pen.piece(seriesColour(m_plot.content.curves()[curve].colourSlot));
            }
        }
    };
    if (value && !m_headline.isEmpty()) {
        name(m_headline, headlineCurve());
    }
    pen.warn(warnings());
    if (!m_note.isEmpty() && pen.fits(m_note, scaled(8))) {
        pen.write(m_note, textFont(TextRole::Label), tokens().text2);
    }
    for (int i = 0; i < int(m_plot.content.curves().size()); ++i) {
        if (const QString other = otherValue(i); !other.isEmpty()) {
            name(other, i);
        }
    }
    return pen.right;
}

void ChartHeader::paint(QPainter& painter, double right) const
{
    const double end = paintValues(painter, right);
    const double left = scaled(m_look.padding);
    const QFont font = textFont(TextRole::Strong);
    const QFontMetricsF metrics(font);
    const double middle = height() / 2.0;
    const QString shown = metrics.elidedText(m_title, Qt::ElideMiddle, std::max(10.0, end - left));
    painter.setFont(font);
    painter.setPen(tokens().text);
    painter.drawText(QPointF(left, middle + (metrics.ascent() - metrics.descent()) / 2), shown);
}

QString ChartHeader::summary() const
{
    QSet<QString> runs;
    for (const Curve& curve : m_plot.content.curves()) {
        runs.insert(curve.run);
    }
    if (m_plot.content.isEmpty()) {
        return tr("%1, no values").arg(m_title);
    }
    const QString count = runs.size() == 1 ? tr("1 run") : tr("%1 runs").arg(runs.size());
    const int first = m_headline.isEmpty() ? std::max(headlineCurve(), 0) : headlineCurve();
    const auto last = m_plot.content.lastValue(first);
    QString text = tr("%1, %2").arg(m_title, count);
    if (last) {
        text =
            tr("%1, %2 %3", "summary of a chart, which value, value")
                .arg(text, m_headline.isEmpty() ? tr("last") : m_headline, spoken(double(*last)));
    }
    for (const QString& other :
         otherValues() +
             (m_note.isEmpty() || m_headline.isEmpty() ? QStringList() : QStringList(m_note))) {
        text = tr("%1, %2", "summary of a chart, another value").arg(text, other);
    }
    if (!last) {
        return text;
    }
    if (const QString trend = trendOf(m_plot.content, first); !trend.isEmpty()) {
        text = tr("%1, %2", "summary of a chart, where it goes").arg(text, trend);
    }
    if (const QStringList warned = warnings(); !warned.isEmpty()) {
        text = tr("%1, %2", "summary of a chart, warnings")
                   .arg(text, warned.join(QStringLiteral(", ")));
    }
    return text;
}

} // namespace cannery::ui

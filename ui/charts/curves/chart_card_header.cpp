// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_card_private.h"
#include "ui/models/formats.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/theme.h"

#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>

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

CardMeasures measuresOf(ChartCard::Size size)
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

QString ChartCard::Private::otherValue(int curve) const
{
    const bool isOther = !headline.isEmpty() && curve != headlineCurve();
    const auto value = isOther ? plot.lastValue(curve) : std::optional<float>();
    return value ? ChartCard::tr("%1 %2", "a curve and its last value")
                       .arg(plot.curves()[curve].label, formatNumber(double(*value)))
                 : QString();
}

QStringList ChartCard::Private::otherValues() const
{
    QStringList texts;
    for (int i = 0; i < int(plot.curves().size()); ++i) {
        if (const QString text = otherValue(i); !text.isEmpty()) {
            texts += text;
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
    HeaderPen pen{painter, right, scaled(measuresOf(size).header) / 2.0,
                  scaled(measuresOf(size).padding) +
                      QFontMetricsF(textFont(TextRole::Strong)).horizontalAdvance(title)};
    const auto value = plot.lastValue(headlineCurve());
    if (value) {
        pen.write(formatNumber(double(*value)),
                  textFont(size == Size::Small ? TextRole::Section : TextRole::Headline),
                  std::isfinite(*value) ? tokens().text : tokens().err);
    }
    // Two lines in different colours are told apart by a piece of each.
    const bool isColourful = std::ranges::any_of(plot.curves(), [&](const Curve& curve) {
        return curve.colourSlot != plot.curves().front().colourSlot;
    });
    const auto name = [&](const QString& text, int curve) {
        const bool hasPiece = isColourful && curve >= 0;
        if (pen.fits(text, scaled(hasPiece ? 22 : 8))) {
            pen.write(text, textFont(TextRole::Label), tokens().text2);
            if (hasPiece) {
                pen.piece(seriesColour(plot.curves()[curve].colourSlot));
            }
        }
    };
    if (value && !headline.isEmpty()) {
        name(headline, headlineCurve());
    }
    pen.warn(warnings());
    if (!note.isEmpty() && pen.fits(note, scaled(8))) {
        pen.write(note, textFont(TextRole::Label), tokens().text2);
    }
    for (int i = 0; i < int(plot.curves().size()); ++i) {
        if (const QString other = otherValue(i); !other.isEmpty()) {
            name(other, i);
        }
    }
    return pen.right;
}

void ChartCard::Private::paintHeader(QPainter& painter) const
{
    const double right = paintHeadline(painter, menuButton->x() - scaled(4));
    const double left = scaled(measuresOf(size).padding);
    const QFont font = textFont(TextRole::Strong);
    const QFontMetricsF metrics(font);
    const double middle = scaled(measuresOf(size).header) / 2.0;
    const QString shown = metrics.elidedText(title, Qt::ElideMiddle, std::max(10.0, right - left));
    painter.setFont(font);
    painter.setPen(tokens().text);
    painter.drawText(QPointF(left, middle + (metrics.ascent() - metrics.descent()) / 2), shown);
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

} // namespace cannery::ui

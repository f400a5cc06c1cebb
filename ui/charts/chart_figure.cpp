// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/chart_figure.h"

#include "ui/charts/chart_plot.h"
#include "ui/models/formats.h"
#include "ui/widgets/theme.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr double kMargin = 16;

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(ChartFigure)
};

/// Draws the legend from `top` on, as many rows as it takes; only measures without a painter.
double paintLegend(QPainter* painter, const ChartPlot& plot, double top, double width)
{
    const QFont font = textFont(TextRole::Label);
    const QFontMetricsF metrics(font);
    const double rowHeight = metrics.height() + 4;
    double x = kMargin;
    double y = top;
    for (const Curve& curve : plot.curves()) {
        const double own = 22 + metrics.horizontalAdvance(curve.label) + 16;
        if (x > kMargin && x + own > width - kMargin) {
            x = kMargin;
            y += rowHeight;
        }
        if (painter) {
            QPen pen(seriesColour(curve.colourSlot), 2);
            if (curve.dashed) {
                pen.setDashPattern({3, 2});
            }
            painter->setPen(pen);
            painter->drawLine(QPointF(x, y + rowHeight / 2), QPointF(x + 16, y + rowHeight / 2));
            painter->setPen(tokens().text);
            painter->setFont(font);
            painter->drawText(QPointF(x + 22, y + (rowHeight + metrics.ascent()) / 2 - 1),
                              curve.label);
        }
        x += own;
    }
    return plot.curves().isEmpty() ? 0 : y + rowHeight - top;
}

/// Paints with `body` for the curves, so that a picture's are filled and a drawing's are lines.
template <typename Body>
void paintFigure(QPainter& painter, ChartPlot& plot, const FigureWords& figure, const QSizeF& size,
                 const Body& body)
{
    const QSizeF before = plot.size();
    const QFont titleFont = textFont(TextRole::Section);
    const QFont axisFont = textFont(TextRole::Axis);
    const QFontMetricsF titleMetrics(titleFont);
    const QFontMetricsF axisMetrics(axisFont);
    const double titleHeight = titleMetrics.height() + 8;
    const double legendHeight = paintLegend(nullptr, plot, 0, size.width());
    const QPointF corner(kMargin / 2 + axisMetrics.height() + 2,
                         kMargin + titleHeight + legendHeight);
    const QSizeF area(size.width() - corner.x() - kMargin / 2,
                      size.height() - corner.y() - axisMetrics.height() - kMargin);

    painter.fillRect(QRectF(QPointF(), size), tokens().surface);
    painter.setFont(titleFont);
    painter.setPen(tokens().text);
    painter.drawText(QPointF(kMargin, kMargin + titleMetrics.ascent()), figure.title);
    paintLegend(&painter, plot, kMargin + titleHeight - 4, size.width());

    plot.layOut(area, 0, true);
    painter.save();
    painter.translate(corner);
    plot.paintGrid(painter);
    plot.paintLabels(painter);
    body(corner);
    plot.paintMarks(painter);
    painter.restore();

    painter.setFont(axisFont);
    painter.setPen(tokens().text2);
    const QRectF below(corner.x() + plot.plot().left(),
                       size.height() - kMargin / 2 - axisMetrics.height(), plot.plot().width(),
                       axisMetrics.height());
    painter.drawText(below, Qt::AlignCenter, plot.xTitle());
    painter.save();
    painter.translate(kMargin / 2, corner.y() + plot.plot().bottom());
    painter.rotate(-90);
    painter.drawText(QRectF(0, 0, plot.plot().height(), axisMetrics.height()), Qt::AlignCenter,
                     figure.yTitle);
    painter.restore();
    if (!before.isEmpty()) {
        plot.layOut(before, 0, true);
    }
}

void paintAsDrawing(QPainter& painter, ChartPlot& plot, const FigureWords& figure,
                    const QSizeF& size)
{
    paintFigure(painter, plot, figure, size, [&](const QPointF&) { plot.paintCurves(painter); });
}

QByteArray svgBytes(ChartPlot& plot, const FigureWords& figure, const QSize& size)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(), size));
    generator.setTitle(figure.title);
    generator.setDescription(
        Words::tr("Where a curve has more points than the picture has columns, "
                  "each column shows the least and the greatest value."));
    QPainter painter(&generator);
    paintAsDrawing(painter, plot, figure, size);
    painter.end();
    return bytes;
}

QByteArray pdfBytes(ChartPlot& plot, const FigureWords& figure, const QSize& size)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setTitle(figure.title);
    writer.setPageSize(QPageSize(QSizeF(size) * 0.75, QPageSize::Point));
    writer.setPageMargins({});
    writer.setResolution(96);
    QPainter painter(&writer);
    paintAsDrawing(painter, plot, figure, size);
    painter.end();
    return bytes;
}

/// The values of one curve, copied for a thread of their own.
struct CsvCurve
{
    QString run;
    QString label;
    QString folder;
    QString tag;
    double wallStart = 0;
    std::vector<std::int64_t> steps;
    std::vector<float> seconds;
    std::vector<float> values;
    std::shared_ptr<const BandCurve> band;
};

QByteArray csvField(QString text)
{
    if (text.contains(',') || text.contains('"') || text.contains('\n')) {
        text = '"' + text.replace(QLatin1String("\""), QLatin1String("\"\"")) + '"';
    }
    return text.toUtf8();
}

QByteArray csvNumber(float value)
{
    return std::isfinite(value) ? QByteArray::number(double(value), 'g', 9)
           : std::isnan(value)  ? QByteArray("nan")
           : value > 0          ? QByteArray("inf")
                                : QByteArray("-inf");
}

QByteArray csvText(const std::vector<CsvCurve>& curves)
{
    const bool hasBands =
        std::ranges::any_of(curves, [](const CsvCurve& c) { return bool(c.band); });
    QByteArray text = "run,curve,folder,tag,step,wall_time,value";
    text += hasBands ? ",low,high,runs\n" : "\n";
    for (const CsvCurve& curve : curves) {
        const QByteArray begin = csvField(curve.run) + ',' + csvField(curve.label) + ',' +
                                 csvField(curve.folder) + ',' + csvField(curve.tag) + ',';
        for (size_t i = 0; i < curve.values.size(); ++i) {
            text += begin + QByteArray::number(qint64(curve.steps[i])) + ',' +
                    QByteArray::number(curve.wallStart + double(curve.seconds[i]), 'f', 3) + ',' +
                    csvNumber(curve.values[i]) + (hasBands ? ",,,\n" : "\n");
        }
        for (size_t i = 0; curve.band && i < curve.band->steps.size(); ++i) {
            text += begin + QByteArray::number(curve.band->steps[i], 'g', 17) + ",," +
                    csvNumber(curve.band->centre[i]) + ',' + csvNumber(curve.band->low[i]) + ',' +
                    csvNumber(curve.band->high[i]) + ',' +
                    QByteArray::number(i < curve.band->counts.size() ? curve.band->counts[i] : 1) +
                    '\n';
        }
    }
    return text;
}

std::vector<CsvCurve> csvCurves(const ChartPlot& plot)
{
    std::vector<CsvCurve> curves;
    for (const Curve& curve : plot.curves()) {
        CsvCurve copy{
            .run = curve.run, .label = curve.label, .band = curve.series ? nullptr : curve.band};
        if (const Series* series = curve.series) {
            copy.folder = series->key().folder;
            copy.tag = series->key().tag;
            copy.wallStart = series->wallStart();
            copy.steps.assign(series->steps().begin(), series->steps().end());
            copy.seconds.assign(series->seconds().begin(), series->seconds().end());
            copy.values.assign(series->values().begin(), series->values().end());
        }
        curves.push_back(std::move(copy));
    }
    return curves;
}

} // namespace

QImage figureImage(ChartPlot& plot, const FigureWords& figure, const QSize& size, qreal scale)
{
    QImage image((QSizeF(size) * scale).toSize(), QImage::Format_RGB32);
    image.setDevicePixelRatio(scale);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    paintFigure(painter, plot, figure, size, [&](const QPointF& corner) {
        // Curves are filled on pixels of their own, laid over the grid.
        QImage curves((plot.size() * scale).toSize(), QImage::Format_ARGB32_Premultiplied);
        curves.fill(Qt::transparent);
        plot.paintCurves(curves, scale, false);
        curves.setDevicePixelRatio(scale);
        Q_UNUSED(corner)
        painter.drawImage(QPointF(), curves);
    });
    return image;
}

FigureBytes figureBytes(ChartPlot& plot, const FigureWords& figure, const QSize& size,
                        const QString& ending, QString* error)
{
    if (ending == QLatin1String("png")) {
        const QImage image = figureImage(plot, figure, size, 2);
        return [image] {
            QByteArray bytes;
            QBuffer buffer(&bytes);
            buffer.open(QIODevice::WriteOnly);
            image.save(&buffer, "PNG");
            return bytes;
        };
    }
    if (ending == QLatin1String("csv")) {
        const auto curves = std::make_shared<const std::vector<CsvCurve>>(csvCurves(plot));
        return [curves] { return csvText(*curves); };
    }
    if (ending == QLatin1String("svg") || ending == QLatin1String("pdf")) {
        QByteArray bytes = ending == QLatin1String("svg") ? svgBytes(plot, figure, size)
                                                          : pdfBytes(plot, figure, size);
        return [bytes] { return bytes; };
    }
    if (error) {
        *error =
            Words::tr("A chart is saved as .png, .svg, .pdf or .csv, not as \".%1\".").arg(ending);
    }
    return {};
}

bool writeFigure(const FigureBytes& bytes, const QString& file, QString* error)
{
    QSaveFile output(file);
    const QByteArray content = bytes();
    if (!output.open(QIODevice::WriteOnly) || output.write(content) != content.size() ||
        !output.commit()) {
        if (error) {
            *error =
                Words::tr("%1 cannot be written: %2. Choose another folder or make room there.")
                    .arg(formatPath(file), output.errorString());
        }
        return false;
    }
    return true;
}

} // namespace cannery::ui

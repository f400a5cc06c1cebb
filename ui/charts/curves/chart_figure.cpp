// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_figure.h"

#include "ui/charts/curves/chart_frame.h"
#include "ui/charts/curves/chart_plot.h"
#include "ui/charts/curves/chart_reading.h"
#include "ui/charts/curves/plot_painter.h"
#include "ui/models/formats.h"
#include "ui/widgets/style/theme.h"

#include <QBuffer>
#include <QChart>
#include <QCoreApplication>
#include <QFontMetricsF>
#include <QGraphicsScene>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

constexpr int kMargin = 16;

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(ChartFigure)
};

/// The chart in a scene of its own, with title, legend and axis titles. Restores the plot's layout
/// at its end.
class Figure
{
public:
    using PaintCurves = std::function<void(PlotPainter&, QPainter&)>;

    /// `paintCurves`: curves are filled in pictures, lines in drawings.
    Figure(ChartPlot& plot, const FigureWords& words, const QSize& size, PaintCurves paintCurves);
    ~Figure();
    Figure(const Figure&) = delete;
    Figure& operator=(const Figure&) = delete;

    void paint(QPainter& painter);

private:
    ChartPlot& m_plot;
    QSizeF m_sizeBefore;
    QMargins m_aroundBefore;
    QGraphicsScene m_scene;
    ChartFrame m_frame;
};

Figure::Figure(ChartPlot& plot, const FigureWords& words, const QSize& size,
               PaintCurves paintCurves)
    : m_plot(plot), m_sizeBefore(plot.axes.size()), m_aroundBefore(plot.axes.around()),
      m_frame(m_scene)
{
    m_scene.setSceneRect(QRectF(QPointF(), size));
    m_scene.setBackgroundBrush(tokens().surface);
    m_frame.chart().setMargins({kMargin, kMargin, kMargin, kMargin / 2});
    m_frame.setTitles(words.title, titleOf(plot.content.options().xAxis), words.yTitle);
    m_frame.resize(size);
    const int titleHeight = int(std::ceil(QFontMetricsF(textFont(TextRole::Section)).height()));
    const int axisHeight = int(std::ceil(QFontMetricsF(textFont(TextRole::Axis)).height()));
    const int top = kMargin + titleHeight + 6;
    const double legendHeight =
        m_frame.setLegend(plot.content.curves(), QPointF(kMargin, top), size.width() - 2 * kMargin);
    const QMargins around(kMargin + axisHeight, top + int(std::ceil(legendHeight)), kMargin / 2,
                          kMargin / 2 + axisHeight);
    plot.axes.layOut(plot.content, size, around, 0, true);
    m_frame.show(plot);
    auto* curves = new PaintedItem(m_frame.chart(), PaintedItem::Layer::Curves,
                                   [this, paint = std::move(paintCurves)](QPainter& painter) {
                                       PlotPainter plotPainter(m_plot);
                                       paint(plotPainter, painter);
                                       plotPainter.paintMarks(painter);
                                   });
    curves->resize(size);
}

Figure::~Figure()
{
    if (!m_sizeBefore.isEmpty()) {
        m_plot.axes.layOut(m_plot.content, m_sizeBefore, m_aroundBefore, 0, true);
    }
}

void Figure::paint(QPainter& painter)
{
    m_scene.render(&painter, m_scene.sceneRect(), m_scene.sceneRect());
}

void paintAsDrawing(QPainter& painter, ChartPlot& plot, const FigureWords& words, const QSize& size)
{
    Figure(plot, words, size, [](PlotPainter& curves, QPainter& own) {
        curves.paintCurves(own);
    }).paint(painter);
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
    // Qt 6.4 writes it unescaped.
    generator.setTitle(figure.title.toHtmlEscaped());
    generator.setDescription(Words::tr("If a curve has more points than the picture has columns, "
                                       "each column shows the minimum and the maximum."));
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

/// The values of one curve, copied for another thread.
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
    for (const Curve& curve : plot.content.curves()) {
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
    const auto paintCurves = [&](PlotPainter& plotPainter, QPainter& own) {
        // Curves are filled on their own pixels and laid over the grid.
        QImage curves(image.size(), QImage::Format_ARGB32_Premultiplied);
        curves.fill(Qt::transparent);
        plotPainter.paintCurves(curves, scale, false);
        curves.setDevicePixelRatio(scale);
        own.drawImage(QPointF(), curves);
    };
    Figure(plot, figure, size, paintCurves).paint(painter);
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
        *error = Words::tr("A chart can be saved as .png, .svg, .pdf or .csv, not as \".%1\".")
                     .arg(ending);
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

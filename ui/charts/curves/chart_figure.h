// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QByteArray>
#include <QImage>
#include <QString>

#include <functional>

namespace cannery::ui {

struct ChartPlot;

/// The parts around the curves in an exported picture.
struct FigureWords
{
    QString title;
    QString yTitle;
};

/// The chart as a stand-alone figure: title, legend, axis titles.
QImage figureImage(ChartPlot& plot, const FigureWords& words, const QSize& size, qreal scale);

/// The bytes of a file with this suffix (.png .svg .pdf .csv), to be made on any thread: pictures
/// are painted at once, values copied. Null with an error for any other suffix.
using FigureBytes = std::function<QByteArray()>;
FigureBytes figureBytes(ChartPlot& plot, const FigureWords& words, const QSize& size,
                        const QString& ending, QString* error);

/// Writes a temporary file and renames it; on any thread.
bool writeFigure(const FigureBytes& bytes, const QString& file, QString* error);

} // namespace cannery::ui

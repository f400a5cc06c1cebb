// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QByteArray>
#include <QImage>
#include <QString>

#include <functional>

namespace cannery::ui {

class ChartPlot;

/// What stands around the curves of a picture that leaves the program.
struct FigureWords
{
    QString title;
    QString yTitle;
};

/// The chart as a figure that can stand alone: title, legend, titles of the axes.
QImage figureImage(ChartPlot& plot, const FigureWords& words, const QSize& size, qreal scale);

/// The bytes of a file of this ending (.png .svg .pdf .csv), to be made on any thread: pictures are
/// painted at once, values copied. Null with an error when the ending is none of these.
using FigureBytes = std::function<QByteArray()>;
FigureBytes figureBytes(ChartPlot& plot, const FigureWords& words, const QSize& size,
                        const QString& ending, QString* error);

/// Writes beside the file and swaps it in; on any thread.
bool writeFigure(const FigureBytes& bytes, const QString& file, QString* error);

} // namespace cannery::ui

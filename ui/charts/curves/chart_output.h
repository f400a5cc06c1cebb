// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/curves/chart_table_model.h"
#include "ui/charts/curves/curve.h"

#include <QByteArray>
#include <QImage>
#include <QList>
#include <QObject>

#include <functional>

class QWidget;

namespace cannery::ui {

class ChartCanvas;
class ChartHeader;
struct ChartPlot;

/// A readout as text, tab-separated, with a line of headings; empty without rows.
QString readoutText(const QList<ReadoutRow>& rows);

/// A chart as picture, file and table. GUI thread.
class ChartOutput : public QObject
{
    Q_OBJECT

public:
    /// Pictures are as large as `shown`, at least 640 × 400, and its window is the parent of
    /// dialogs.
    ChartOutput(ChartPlot& plot, const ChartHeader& header, const ChartCanvas& canvas,
                QWidget& shown);

    QImage image(qreal scale = 2) const;
    /// .png, .svg, .pdf or .csv by its suffix.
    bool write(const QString& file, QString* error) const;
    /// Like write(), but on another thread; ends with written().
    void writeInBackground(const QString& file);
    /// A snapshot of all points of the visible range: one row per step, one column per curve.
    QAbstractItemModel* table();

    void askFile();
    void showTable();

Q_SIGNALS:
    /// `error` is empty on success.
    void written(const QString& file, const QString& error);

private:
    std::function<QByteArray()> bytesOf(const QString& file, QString* error) const;

    ChartPlot& m_plot;
    const ChartHeader& m_header;
    const ChartCanvas& m_canvas;
    QWidget& m_shown;
    ChartTableModel m_table;
    int m_tableStamp = -1; ///< paintCount() at its last refresh
};

} // namespace cannery::ui

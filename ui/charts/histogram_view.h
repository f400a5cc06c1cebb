// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/tables/column_facts.h"

#include <QGraphicsView>

class QAbstractAxis;
class QAbstractBarSeries;
class QBarSet;
class QChart;

namespace cannery::ui {

/// The distribution of a column's values: a bar for each bin of a number, above an axis of its
/// values, or one for each of the most frequent categories, drawn by a QChart. Hidden while the
/// column has no counts. GUI thread.
class HistogramView : public QGraphicsView
{
    Q_OBJECT

public:
    explicit HistogramView(QWidget* parent = nullptr);

    void setColumn(const ColumnFacts& column);

    QSize sizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void build();
    void showNumbers();
    void showCategories();
    QBarSet* makeSet(const QColor& colour) const;
    /// Takes both; the axis of the counts is hidden and ends a `room`th above the largest.
    void add(QAbstractBarSeries* series, QAbstractAxis* values, Qt::Alignment side, double room);
    double most() const;

    QChart* m_chart; ///< owned by the scene
    ColumnFacts m_column;
};

} // namespace cannery::ui

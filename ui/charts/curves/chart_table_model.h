// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QAbstractTableModel>

#include <vector>

namespace cannery::ui {

struct ChartPlot;

/// The points of a chart's visible range as a table: one row per step, one column per curve, values
/// in full precision. The rows are all steps of all curves, or only those of the longest curve if
/// all would be more than half a million (isOfLongestOnly()). A snapshot: refresh() takes a new
/// one.
class ChartTableModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    explicit ChartTableModel(const ChartPlot& plot, QObject* parent = nullptr);

    void refresh();
    bool isOfLongestOnly() const { return m_isOfLongestOnly; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

private:
    QString text(qint64 step, int curve) const;

    const ChartPlot& m_plot;
    std::vector<qint64> m_steps;
    QStringList m_labels;
    bool m_isOfLongestOnly = false;
};

} // namespace cannery::ui

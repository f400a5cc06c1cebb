// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/curves/curve.h"
#include "ui/models/curves/chart_options.h"
#include "ui/models/curves/curve_data.h"

#include <QList>
#include <QSet>

#include <memory>
#include <optional>
#include <vector>

namespace cannery::ui {

/// What a chart shows: curves with their derived columns, marks, options. GUI thread.
class ChartContent
{
public:
    ChartContent();
    ~ChartContent();

    void setCurves(const QList<Curve>& curves);
    const QList<Curve>& curves() const { return m_curves; }
    void setMarks(const QList<ChartMark>& marks) { m_marks = marks; }
    const QList<ChartMark>& marks() const { return m_marks; }
    void setLiveRuns(const QSet<QString>& runs) { m_liveRuns = runs; }
    bool isLive(const Curve& curve) const { return m_liveRuns.contains(curve.run); }
    void setEmphasis(const QString& run) { m_emphasis = run; }
    QString emphasis() const { return m_emphasis; }
    bool isFaded(const Curve& curve) const;
    /// Without limits that a logarithmic axis cannot show.
    void setOptions(const ChartOptions& options);
    const ChartOptions& options() const { return m_options; }

    /// Updates derived columns, a bounded amount at a time. False: call again.
    bool update();
    bool isEmpty() const; ///< no curve has a point
    /// Null for a band.
    const CurveData* data(qsizetype curve) const { return m_data[size_t(curve)].get(); }

    std::optional<float> lastValue(int curve) const;
    /// The number of logged non-finite values, and of values that a log axis cannot show.
    qint64 nonFiniteCount(qint64* nan = nullptr) const;
    qint64 hiddenCount() const;

private:
    QList<Curve> m_curves;
    std::vector<std::unique_ptr<CurveData>> m_data; ///< null for bands
    QList<ChartMark> m_marks;
    QSet<QString> m_liveRuns;
    QString m_emphasis;
    ChartOptions m_options;
};

} // namespace cannery::ui

// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QProgressBar>

namespace cannery::ui {

/// A thin bar with round ends that moves only with real progress; diamonds mark checkpoints.
class ProgressBar : public QProgressBar
{
    Q_OBJECT

public:
    explicit ProgressBar(QWidget* parent = nullptr);

    /// 0 to 1; negative if unknown (an empty groove).
    void setFraction(double fraction);
    double fraction() const { return m_fraction; }
    void setMarks(const QList<double>& fractions);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    double m_fraction = 0;
    QList<double> m_marks;
};

} // namespace cannery::ui

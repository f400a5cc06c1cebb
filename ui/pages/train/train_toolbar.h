// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/curves/chart_options.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QSlider;

namespace cannery::ui {

class Button;

/// The row of view options above charts: smoothing, x axis, logarithmic y, follow.
class TrainToolbar : public QWidget
{
    Q_OBJECT

public:
    explicit TrainToolbar(QWidget* parent = nullptr);

    void setOptions(const ChartOptions& options);
    const ChartOptions& options() const { return m_options; }
    void setFollows(bool follows);

Q_SIGNALS:
    void optionsChanged();
    void followRequested();

private:
    void setWeight(double weight);

    QSlider* m_slider;
    QDoubleSpinBox* m_weight;
    QComboBox* m_xAxis;
    QCheckBox* m_logY;
    Button* m_follow;
    ChartOptions m_options;
};

} // namespace cannery::ui

// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/train/train_toolbar.h"

#include "ui/widgets/button.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QSlider>

#include <cmath>

namespace cannery::ui {

namespace {

/// Parts that are kept on the same line.
QWidget* together(const QList<QWidget*>& parts)
{
    auto* group = new QWidget;
    auto* line = new QHBoxLayout(group);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(scaled(8));
    for (QWidget* part : parts) {
        line->addWidget(part);
    }
    return group;
}

} // namespace

TrainToolbar::TrainToolbar(QWidget* parent)
    : QWidget(parent), m_slider(new QSlider(Qt::Horizontal)), m_weight(new QDoubleSpinBox),
      m_xAxis(new QComboBox), m_logY(new QCheckBox(tr("Log y"))),
      m_follow(new Button(Button::Kind::Link, "arrow-bar-to-right", tr("Follow")))
{
    setObjectName("toolbar.train");
    m_slider->setObjectName("slider.smoothing");
    m_slider->setAccessibleName(tr("Smoothing"));
    m_slider->setRange(0, 99);
    m_slider->setMinimumWidth(scaled(100));
    m_slider->setMaximumWidth(scaled(140));
    m_weight->setObjectName("field.smoothing");
    m_weight->setAccessibleName(tr("Smoothing weight"));
    m_weight->setRange(0, 0.99);
    m_weight->setSingleStep(0.05);
    m_weight->setSpecialValueText(tr("off"));
    m_xAxis->setObjectName("field.x_axis");
    m_xAxis->setAccessibleName(tr("X axis"));
    m_xAxis->addItems({tr("Step"), tr("Epoch"), tr("Wall clock"), tr("Relative")});
    m_logY->setObjectName("field.log_y");
    m_logY->setAccessibleName(tr("Logarithmic y axis"));
    m_follow->setObjectName("button.follow");
    m_follow->setToolTip(tr("Shows all values and follows new ones"));

    auto* views = new QWidget;
    auto* flow = new FlowLayout(views, 18);
    flow->addWidget(together(
        {new Label(tr("Smoothing"), TextRole::Label, Ink::Secondary), m_slider, m_weight}));
    flow->addWidget(
        together({new Label(tr("x"), TextRole::Label, Ink::Secondary), m_xAxis, m_logY}));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(scaled(8));
    row->addWidget(views, 1);
    row->addWidget(m_follow, 0, Qt::AlignTop);

    connect(m_slider, &QSlider::valueChanged, this,
            [this](int value) { setWeight(value / 100.0); });
    connect(m_weight, &QDoubleSpinBox::valueChanged, this, &TrainToolbar::setWeight);
    connect(m_xAxis, &QComboBox::currentIndexChanged, this, [this](int index) {
        m_options.xAxis = static_cast<XAxis>(index);
        Q_EMIT optionsChanged();
    });
    connect(m_logY, &QCheckBox::toggled, this, [this](bool checked) {
        m_options.logY = checked;
        Q_EMIT optionsChanged();
    });
    connect(m_follow, &QPushButton::clicked, this, &TrainToolbar::followRequested);
    setOptions({});
    setFollows(true);
}

void TrainToolbar::setWeight(double weight)
{
    m_options.smoothing.kind = weight > 0 ? SmoothingKind::Exponential : SmoothingKind::Off;
    if (weight > 0) {
        m_options.smoothing.weight = weight;
    }
    setOptions(m_options);
    Q_EMIT optionsChanged();
}

void TrainToolbar::setOptions(const ChartOptions& options)
{
    m_options = options;
    const QSignalBlocker blockers[]{QSignalBlocker(m_slider), QSignalBlocker(m_weight),
                                    QSignalBlocker(m_xAxis), QSignalBlocker(m_logY)};
    const bool weighted = options.smoothing.kind == SmoothingKind::Exponential;
    const double weight = weighted ? options.smoothing.weight : 0;
    m_slider->setValue(static_cast<int>(std::lround(100 * weight)));
    m_weight->setValue(weight);
    m_xAxis->setCurrentIndex(static_cast<int>(options.xAxis));
    m_logY->setChecked(options.logY);
}

void TrainToolbar::setFollows(bool follows)
{
    m_follow->setEnabled(!follows);
    m_follow->setOwnText(follows ? tr("Following") : tr("Follow"));
    m_follow->setAccessibleName(follows ? tr("Following new values") : tr("Follow new values"));
}

} // namespace cannery::ui

// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/runs_toolbar.h"

#include "ui/models/runs/run_fields.h"
#include "ui/widgets/button.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/search_field.h"
#include "ui/widgets/style/theme.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QJsonObject>
#include <QMenu>
#include <QSignalBlocker>
#include <QSlider>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

constexpr int kSliderSteps = 200;
constexpr int kLargestWindow = 401;
constexpr double kLargestWeight = 0.999;

bool isWindowed(SmoothingKind kind)
{
    return kind == SmoothingKind::WindowMean || kind == SmoothingKind::WindowMedian;
}

/// The slider position for an amount: finer towards 1 for weights, even for windows.
int sliderOf(SmoothingKind kind, double amount)
{
    const double share = isWindowed(kind) ? (amount - 1) / (kLargestWindow - 1)
                                          : 1 - std::cbrt(1 - amount / kLargestWeight);
    return static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * kSliderSteps));
}

double amountOf(SmoothingKind kind, int slider)
{
    const double share = static_cast<double>(slider) / kSliderSteps;
    if (isWindowed(kind)) {
        // A window has a middle, so its length is odd.
        return 1 + 2 * std::round(share * (kLargestWindow - 1) / 2);
    }
    return kLargestWeight * (1 - std::pow(1 - share, 3));
}

} // namespace

RunsToolbar::RunsToolbar(QWidget* parent)
    : QWidget(parent), m_tags(new SearchField(tr("Filter tags, for example loss|auc"))),
      m_slider(new QSlider(Qt::Horizontal)), m_amount(new QDoubleSpinBox), m_kind(new QComboBox),
      m_xAxis(new QComboBox), m_groupBy(new QComboBox), m_centre(new QComboBox),
      m_spread(new QComboBox),
      m_follow(new Button(Button::Kind::Link, "arrow-bar-to-right", tr("Follow"))),
      m_grid(new IconButton("layout-grid", tr("Charts in a row"))),
      m_more(new IconButton("dots", tr("More view options"))), m_menu(new QMenu(this))
{
    setObjectName("toolbar.runs");
    makeFields();
    auto* fields = new QWidget;
    auto* flow = new FlowLayout(fields, 12);
    flow->setContentsMargins(0, 0, 0, 0);
    flow->addWidget(m_tags);
    flow->addWidget(labelled(tr("Smoothing"), {m_slider, m_amount, m_kind}));
    flow->addWidget(labelled(tr("x"), {m_xAxis}));
    flow->addWidget(labelled(tr("Group by"), {m_groupBy, m_centre, m_spread}));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(scaled(8));
    row->addWidget(fields, 1);
    row->addWidget(labelled({}, {m_follow, m_grid, m_more}), 0, Qt::AlignTop);
    connectFields();
    setOptions({});
    setParameters({});
    setFollows(true);
}

QWidget* RunsToolbar::labelled(const QString& words, const QList<QWidget*>& fields)
{
    auto* box = new QWidget;
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(scaled(8));
    if (!words.isEmpty()) {
        row->addWidget(new Label(words, TextRole::Label, Ink::Secondary));
    }
    for (QWidget* field : fields) {
        row->addWidget(field);
    }
    return box;
}

void RunsToolbar::makeFields()
{
    m_tags->setObjectName("field.tag_filter");
    m_tags->setAccessibleName(tr("Tag filter"));
    m_tags->setMinimumWidth(scaled(168));
    m_slider->setObjectName("slider.smoothing");
    m_slider->setAccessibleName(tr("Smoothing"));
    m_slider->setRange(0, kSliderSteps);
    m_slider->setFixedWidth(scaled(80));
    m_amount->setObjectName("field.smoothing");
    m_amount->setAccessibleName(tr("Smoothing amount"));
    m_amount->setSpecialValueText(tr("off"));
    m_amount->setKeyboardTracking(false);
    m_amount->setMinimumWidth(scaled(72));
    m_kind->setObjectName("field.smoothing_kind");
    m_kind->setAccessibleName(tr("Smoothing method"));
    m_kind->addItems({tr("Exponential"), tr("Window mean"), tr("Window median")});
    m_xAxis->setObjectName("field.x_axis");
    m_xAxis->setAccessibleName(tr("X axis"));
    m_xAxis->addItems({tr("Step"), tr("Epoch"), tr("Wall clock"), tr("Relative")});
    m_groupBy->setObjectName("field.group_by");
    m_groupBy->setAccessibleName(tr("Group by"));
    m_groupBy->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_groupBy->setMinimumContentsLength(7);
    m_centre->setObjectName("field.group_centre");
    m_centre->setAccessibleName(tr("Group line"));
    m_centre->addItems({tr("Mean"), tr("Median")});
    m_spread->setObjectName("field.group_spread");
    m_spread->setAccessibleName(tr("Group band"));
    m_spread->addItems({tr("Minimum to maximum"), tr("± 1 sd"), tr("Quartiles")});
    m_follow->setObjectName("button.follow");
    QSizePolicy stays = m_follow->sizePolicy();
    stays.setRetainSizeWhenHidden(true); // zooming does not move the charts
    m_follow->setSizePolicy(stays);
    m_follow->setToolTip(tr("Shows all values and follows new ones"));
    m_grid->setObjectName("button.grid");
    m_more->setObjectName("button.view_options");
}

void RunsToolbar::connectFields()
{
    connect(m_tags, &QLineEdit::textChanged, this, &RunsToolbar::tagFilterChanged);
    connect(m_slider, &QSlider::valueChanged, this,
            [this](int value) { takeAmount(amountOf(m_chosenKind, value)); });
    connect(m_amount, &QDoubleSpinBox::valueChanged, this, &RunsToolbar::takeAmount);
    connect(m_kind, &QComboBox::currentIndexChanged, this, [this](int index) {
        m_chosenKind = static_cast<SmoothingKind>(index + 1);
        if (!m_options.smoothing.isOff()) {
            m_options.smoothing.kind = m_chosenKind;
        }
        setOptions(m_options);
        Q_EMIT optionsChanged();
    });
    connect(m_xAxis, &QComboBox::currentIndexChanged, this, [this](int index) {
        m_options.xAxis = static_cast<XAxis>(index);
        Q_EMIT optionsChanged();
    });
    const auto regroup = [this] {
        m_group = {m_groupBy->currentData().toString(),
                   static_cast<GroupCentre>(m_centre->currentIndex()),
                   static_cast<GroupSpread>(m_spread->currentIndex())};
        showGroup();
        Q_EMIT groupChanged();
    };
    connect(m_groupBy, &QComboBox::currentIndexChanged, this, regroup);
    connect(m_centre, &QComboBox::currentIndexChanged, this, regroup);
    connect(m_spread, &QComboBox::currentIndexChanged, this, regroup);
    connect(m_follow, &QPushButton::clicked, this, &RunsToolbar::followRequested);
    auto* columns = new QMenu(this);
    columns->addAction(tr("As Many as Fit"), this, [this] { Q_EMIT columnsChosen(0); });
    for (int count = 1; count <= 4; ++count) {
        columns->addAction(tr("%n in a Row", nullptr, count), this,
                           [this, count] { Q_EMIT columnsChosen(count); });
    }
    m_grid->setMenu(columns);
    m_grid->setPopupMode(QToolButton::InstantPopup);
    m_more->setMenu(m_menu);
    m_more->setPopupMode(QToolButton::InstantPopup);
    connect(m_menu, &QMenu::aboutToShow, this, &RunsToolbar::menuAboutToShow);
}

void RunsToolbar::takeAmount(double amount)
{
    Smoothing& smoothing = m_options.smoothing;
    const bool isOff = isWindowed(m_chosenKind) ? amount <= 1 : amount <= 0;
    smoothing.kind = isOff ? SmoothingKind::Off : m_chosenKind;
    if (!isOff && isWindowed(m_chosenKind)) {
        // Odd, as the spin box also takes even numbers.
        smoothing.window = static_cast<int>(amount) | 1;
    } else if (!isOff) {
        smoothing.weight = amount;
    }
    setOptions(m_options);
    Q_EMIT optionsChanged();
}

void RunsToolbar::setOptions(const ChartOptions& options)
{
    m_options = options;
    const Smoothing& smoothing = options.smoothing;
    // Off keeps the chosen kind: the slider turns it on again.
    if (!smoothing.isOff()) {
        m_chosenKind = smoothing.kind;
    }
    const QSignalBlocker blockers[]{QSignalBlocker(m_slider), QSignalBlocker(m_amount),
                                    QSignalBlocker(m_kind), QSignalBlocker(m_xAxis)};
    const bool windowed = isWindowed(m_chosenKind);
    m_kind->setVisible(!smoothing.isOff());
    m_kind->setCurrentIndex(static_cast<int>(m_chosenKind) - 1);
    m_amount->setDecimals(windowed ? 0 : 3);
    m_amount->setRange(windowed ? 1 : 0, windowed ? kLargestWindow : kLargestWeight);
    m_amount->setSingleStep(windowed ? 2 : 0.05);
    m_amount->setSuffix(windowed ? tr(" points") : QString());
    const double amount = smoothing.isOff() ? m_amount->minimum()
                          : windowed        ? smoothing.window
                                            : smoothing.weight;
    m_amount->setValue(amount);
    m_slider->setValue(smoothing.isOff() ? 0 : sliderOf(m_chosenKind, amount));
    m_xAxis->setCurrentIndex(static_cast<int>(options.xAxis));
}

void RunsToolbar::setParameters(const QStringList& paths)
{
    // The chosen parameter stays, even if no shown run has it at the moment.
    QStringList wanted = paths;
    if (!m_group.parameter.isEmpty() && !wanted.contains(m_group.parameter)) {
        wanted.append(m_group.parameter);
    }
    QStringList listed;
    for (int i = 1; i < m_groupBy->count(); ++i) {
        listed.append(m_groupBy->itemData(i).toString());
    }
    if (wanted == listed && m_groupBy->count() > 0) {
        return;
    }
    const QSignalBlocker blocker(m_groupBy);
    m_groupBy->clear();
    m_groupBy->addItem(tr("None"), QString());
    for (const QString& path : std::as_const(wanted)) {
        m_groupBy->addItem(shortParameterName(path), path);
        m_groupBy->setItemData(m_groupBy->count() - 1, path, Qt::ToolTipRole);
    }
    showGroup();
}

void RunsToolbar::setGroup(const GroupChoice& group)
{
    m_group = group;
    // The runs that have it may not have been read yet.
    if (!group.parameter.isEmpty() && m_groupBy->findData(group.parameter) < 0) {
        m_groupBy->addItem(shortParameterName(group.parameter), group.parameter);
    }
    showGroup();
}

void RunsToolbar::showGroup()
{
    const QSignalBlocker blockers[]{QSignalBlocker(m_groupBy), QSignalBlocker(m_centre),
                                    QSignalBlocker(m_spread)};
    m_groupBy->setCurrentIndex(std::max(0, m_groupBy->findData(m_group.parameter)));
    m_centre->setCurrentIndex(static_cast<int>(m_group.centre));
    m_spread->setCurrentIndex(static_cast<int>(m_group.spread));
    const bool isGrouped = !m_group.parameter.isEmpty();
    m_centre->setVisible(isGrouped);
    m_spread->setVisible(isGrouped);
}

void RunsToolbar::setFollows(bool follows)
{
    m_follow->setVisible(!follows);
}

QJsonObject toJson(const GroupChoice& group)
{
    return {{QStringLiteral("parameter"), group.parameter},
            {QStringLiteral("centre"), static_cast<int>(group.centre)},
            {QStringLiteral("spread"), static_cast<int>(group.spread)}};
}

GroupChoice groupFromJson(const QJsonObject& json)
{
    // The state comes from a file, which may be of another version.
    const auto among = [&](const char* key, int count) {
        return std::clamp(json.value(QLatin1String(key)).toInt(), 0, count - 1);
    };
    return {json.value(QLatin1String("parameter")).toString(),
            static_cast<GroupCentre>(among("centre", 2)),
            static_cast<GroupSpread>(among("spread", 3))};
}

} // namespace cannery::ui

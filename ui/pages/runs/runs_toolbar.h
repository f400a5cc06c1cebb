// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/curves/chart_options.h"
#include "ui/models/runs/run_groups.h"

#include <QWidget>

class QComboBox;
class QDoubleSpinBox;
class QMenu;
class QSlider;

namespace cannery::ui {

class Button;
class IconButton;
class SearchField;

/// What runs are grouped by.
struct GroupChoice
{
    QString parameter; ///< its path; every run on its own if empty
    GroupCentre centre = GroupCentre::Mean;
    GroupSpread spread = GroupSpread::MinMax;

    bool operator==(const GroupChoice&) const = default;
};

/// The view options above the charts of Runs: tag filter, smoothing, x axis, grouping; more in a
/// menu.
class RunsToolbar : public QWidget
{
    Q_OBJECT

public:
    explicit RunsToolbar(QWidget* parent = nullptr);

    SearchField& tagField() { return *m_tags; }
    void setOptions(const ChartOptions& options);
    const ChartOptions& options() const { return m_options; }
    /// The parameters that runs can be grouped by; those that differ come first.
    void setParameters(const QStringList& paths);
    void setGroup(const GroupChoice& group);
    const GroupChoice& group() const { return m_group; }
    void setFollows(bool follows);
    /// The menu of the ⋯ button; pages fill it.
    QMenu& menu() { return *m_menu; }

Q_SIGNALS:
    void tagFilterChanged(const QString& text);
    void optionsChanged();
    void groupChanged();
    void columnsChosen(int columns);
    void followRequested();
    void menuAboutToShow();

private:
    QWidget* labelled(const QString& words, const QList<QWidget*>& fields);
    void makeFields();
    void connectFields();
    void takeAmount(double amount);
    void showGroup();

    SearchField* m_tags;
    QSlider* m_slider;
    QDoubleSpinBox* m_amount;
    QComboBox* m_kind;
    QComboBox* m_xAxis;
    QComboBox* m_groupBy;
    QComboBox* m_centre;
    QComboBox* m_spread;
    Button* m_follow;
    IconButton* m_grid;
    IconButton* m_more;
    QMenu* m_menu;
    ChartOptions m_options;
    GroupChoice m_group;
    SmoothingKind m_chosenKind = SmoothingKind::Exponential;
};

QJsonObject toJson(const GroupChoice& group);
GroupChoice groupFromJson(const QJsonObject& json);

} // namespace cannery::ui

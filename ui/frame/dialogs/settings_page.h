// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>

class QGridLayout;

namespace cannery::ui {

class Label;

/// One section of the settings: rows with a label, a control and a sentence below.
class SettingsPage : public QWidget
{
    Q_OBJECT

public:
    explicit SettingsPage(const QString& title, QWidget* parent = nullptr);

    /// Gives the control its accessible name. `help` may be empty.
    void addRow(const QString& label, QWidget* control, const QString& help = {});
    /// Adds a widget of full width (a check box, a table).
    void addWide(QWidget* control, const QString& help = {});
    /// Gives the remaining height to the last row, or leaves it empty.
    void finish(bool lastRowStretches = false);

private:
    QGridLayout* m_grid;
};

} // namespace cannery::ui

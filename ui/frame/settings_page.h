// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>

class QGridLayout;

namespace cannery::ui {

class Label;

/// One section of the settings: rows of a label, its control and a sentence below.
class SettingsPage : public QWidget
{
    Q_OBJECT

public:
    explicit SettingsPage(const QString& title, QWidget* parent = nullptr);

    /// Gives the control its accessible name. `help` may be empty.
    void addRow(const QString& label, QWidget* control, const QString& help = {});
    /// Over the whole width (a check box, a table).
    void addWide(QWidget* control, const QString& help = {});
    /// Takes the rest of the height with the last row, or leaves it empty.
    void finish(bool lastRowStretches = false);

private:
    QGridLayout* m_grid;
};

} // namespace cannery::ui

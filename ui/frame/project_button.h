// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QAbstractButton>

class QAction;

namespace cannery::ui {

/// The open experiment's name in the window's first row; opens the list of the project's
/// experiments. Where there is none (event files) it is only a name.
class ProjectButton : public QAbstractButton
{
    Q_OBJECT

public:
    /// Triggers the action, and is enabled as it is.
    explicit ProjectButton(QAction* action, QWidget* parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int endWidth() const;

    QAction* m_action;
};

} // namespace cannery::ui

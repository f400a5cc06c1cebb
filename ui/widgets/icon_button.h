// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QToolButton>

namespace cannery::ui {

/// A square button with only an icon. It always has a name for assistive technology, which is also
/// its tooltip.
class IconButton : public QToolButton
{
    Q_OBJECT

public:
    IconButton(const QString& iconName, const QString& name, QWidget* parent = nullptr);
    /// Follows the action: name, tooltip, checked and enabled state.
    explicit IconButton(QAction* action, QWidget* parent = nullptr);

    void setIconName(const QString& iconName);
    /// Tooltip and accessible name.
    void setName(const QString& name);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void setUp();

    QString m_iconName;
};

} // namespace cannery::ui

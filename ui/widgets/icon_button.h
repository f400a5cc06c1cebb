// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QToolButton>

namespace cannery::ui {

/// A square button with an icon only. It always has a name for assistive technology, which is its
/// tool tip too.
class IconButton : public QToolButton
{
    Q_OBJECT

public:
    IconButton(const QString& iconName, const QString& name, QWidget* parent = nullptr);
    /// Follows the action: name, tool tip, check, enabled.
    explicit IconButton(QAction* action, QWidget* parent = nullptr);

    void setIconName(const QString& iconName);
    /// Tool tip and accessible name.
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

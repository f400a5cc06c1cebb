// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QPushButton>

class QAction;

namespace cannery::ui {

/// A push button in one of the workbench's styles. At most one Primary per page.
class Button : public QPushButton
{
    Q_OBJECT

public:
    enum class Kind
    {
        Primary,
        Plain,
        Quiet,  ///< no outline until hovered
        Link,   ///< quiet, in the accent colour
        Danger, ///< outlined, in the error colour
    };

    explicit Button(Kind kind, const QString& text, QWidget* parent = nullptr);
    Button(Kind kind, const QString& iconName, const QString& text, QWidget* parent = nullptr);
    /// Shows and triggers the action: text, icon, tooltip and enabled state follow it. Named
    /// "button.train" for "action.train".
    Button(Kind kind, QAction* action, QWidget* parent = nullptr);

    Kind kind() const { return m_kind; }
    void setIconName(const QString& name);
    QString iconName() const { return m_iconName; }
    QAction* action() const { return m_action; }
    /// A text that replaces the action's own ("Resume" for "Resume Run").
    void setOwnText(const QString& text);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void setUp();
    void followAction();

    Kind m_kind;
    QString m_iconName;
    QAction* m_action = nullptr;
    bool m_hasOwnText = false;
};

} // namespace cannery::ui

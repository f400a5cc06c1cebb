// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>
#include <QString>

namespace cannery::tests {

/// Operates the program's windows by keys alone. Keys go where the window system sends them: to
/// the open menu, otherwise to the focus of the active window.
class Keyboard : public QObject
{
    Q_OBJECT

public:
    Keyboard();

    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {});
    /// Printable characters of ASCII.
    void type(const QString& text);
    /// Presses Tab until the focus is on the widget of this object name, or in it. False if the
    /// focus went round without it.
    bool tabTo(const QString& name);
    /// Presses an arrow until the focus is on the widget of this object name.
    bool arrowTo(const QString& name, Qt::Key arrow);
    /// Goes down the open menu to the action of this object name and presses Enter.
    bool chooseInMenu(const QString& action);

    /// Pointer events since this was made; 0, or the test cheats.
    int pointerEvents() const { return m_pointerEvents; }
    /// The focus, in words: for failures.
    static QString focusWords();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    int m_pointerEvents = 0;
};

} // namespace cannery::tests

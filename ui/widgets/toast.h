// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QTimer>
#include <QWidget>

class QLabel;
class QPushButton;

namespace cannery::ui {

/// The line itself: a child of the window above everything else, which disappears after six
/// seconds, but not while it has the pointer or the focus.
class Toast : public QWidget
{
    Q_OBJECT

public:
    Toast(const QString& text, const QString& undoText, QWidget* host);

    QString text() const;
    void appear();
    void undo();

Q_SIGNALS:
    void undone();

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void place(int rise);

    QLabel* m_text;
    QPushButton* m_undo = nullptr;
    QTimer m_timer;
};

} // namespace cannery::ui

// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QTimer>

#include <chrono>
#include <functional>

namespace cannery::ui {

/// Brings a widget up to date only as often as somebody can see it: the first change at once, then
/// at most one update an interval, and none while the widget is hidden or its window minimised;
/// what was missed is made up for with one update when it appears. GUI thread.
class Attention : public QObject
{
    Q_OBJECT

public:
    /// An interval for what comes seldom by itself: every change at once.
    static constexpr std::chrono::milliseconds kAtOnce{0};

    /// The widget must outlive this; it becomes the parent.
    Attention(QWidget* widget, std::function<void()> update,
              std::chrono::milliseconds interval = std::chrono::milliseconds(100));

    /// What the widget shows has changed.
    void changed();
    /// Whether somebody can see the widget.
    bool isPaid() const;
    /// Updates so far; tests assert work with it.
    int updates() const { return m_updates; }

    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void look();
    void update();
    void followWindow();

    QWidget* m_widget;
    QPointer<QWidget> m_window;
    std::function<void()> m_update;
    std::chrono::milliseconds m_interval;
    QTimer m_later;
    QElapsedTimer m_sinceUpdate;
    bool m_isStale = false;
    int m_updates = 0;
};

} // namespace cannery::ui

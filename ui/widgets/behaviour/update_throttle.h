// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QTimer>

#include <chrono>
#include <functional>

namespace cannery::ui {

/// Updates a widget only as often as it is useful: the first change at once, then at most once per
/// interval, and not while the widget is hidden or its window minimized; missed changes are made up
/// for with one update when it appears. GUI thread.
class UpdateThrottle : public QObject
{
    Q_OBJECT

public:
    /// An interval for rare changes: every change at once.
    static constexpr std::chrono::milliseconds kAtOnce{0};

    /// The widget must outlive this; it becomes the parent.
    UpdateThrottle(QWidget* widget, std::function<void()> update,
                   std::chrono::milliseconds interval = std::chrono::milliseconds(100));

    /// What the widget shows has changed.
    void changed();
    /// Whether the widget is visible to the user.
    bool isPaid() const;
    /// The number of updates so far, for tests.
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

// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/behaviour/update_throttle.h"

#include <QEvent>
#include <QWidget>

namespace cannery::ui {

UpdateThrottle::UpdateThrottle(QWidget* widget, std::function<void()> update,
                               std::chrono::milliseconds interval)
    : QObject(widget), m_widget(widget), m_update(std::move(update)), m_interval(interval)
{
    m_later.setSingleShot(true);
    connect(&m_later, &QTimer::timeout, this, &UpdateThrottle::look);
    m_widget->installEventFilter(this);
    followWindow();
}

void UpdateThrottle::changed()
{
    m_isStale = true;
    look();
}

bool UpdateThrottle::isPaid() const
{
    return m_widget->isVisible() && !m_widget->window()->isMinimized();
}

bool UpdateThrottle::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_widget && event->type() == QEvent::Show) {
        followWindow();
        look();
    } else if (watched == m_window && event->type() == QEvent::WindowStateChange) {
        look();
    }
    return false;
}

/// The state of the widget's window matters; the window changes once the widget gets a parent.
void UpdateThrottle::followWindow()
{
    QWidget* window = m_widget->window();
    if (window == m_window || window == m_widget) {
        m_window = window;
        return;
    }
    if (m_window && m_window != m_widget) {
        m_window->removeEventFilter(this);
    }
    m_window = window;
    m_window->installEventFilter(this);
}

void UpdateThrottle::look()
{
    // A hidden widget is brought up to date when it is shown again.
    if (!m_isStale || !isPaid() || m_later.isActive()) {
        return;
    }
    const std::chrono::milliseconds since(m_sinceUpdate.isValid() ? m_sinceUpdate.elapsed()
                                                                  : m_interval.count());
    if (since < m_interval) {
        m_later.start(m_interval - since);
        // Once, at the end of the interval: further changes do not postpone it.
        return;
    }
    update();
}

void UpdateThrottle::update()
{
    m_isStale = false;
    m_sinceUpdate.start();
    ++m_updates;
    m_update();
}

} // namespace cannery::ui

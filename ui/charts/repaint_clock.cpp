// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/repaint_clock.h"

#include <QElapsedTimer>
#include <QTimer>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kPersonInterval = 16;
constexpr int kDataInterval = 200;
constexpr int kUnfocusedInterval = 250;

class SystemTime : public TimeSource
{
public:
    SystemTime() { m_timer.start(); }
    qint64 now() const override { return m_timer.elapsed(); }
    void callAfter(QObject* context, int delay, std::function<void()> call) override
    {
        QTimer::singleShot(delay, Qt::PreciseTimer, context, std::move(call));
    }

private:
    QElapsedTimer m_timer;
};

} // namespace

TimeSource& TimeSource::system()
{
    static SystemTime time;
    return time;
}

RepaintClock::RepaintClock(QObject* parent) : QObject(parent), m_source(&TimeSource::system()) {}

void RepaintClock::setTimeSource(TimeSource* source)
{
    m_source = source;
    m_lastRepaint = source->now() - kUnfocusedInterval;
    m_scheduledFor = -1;
    ++m_ticket;
    schedule();
}

void RepaintClock::request(Cause cause)
{
    (cause == Cause::Person ? m_personWaits : m_dataWaits) = true;
    schedule();
}

void RepaintClock::paceChanged()
{
    schedule();
}

void RepaintClock::flush()
{
    ++m_ticket;
    m_scheduledFor = -1;
    m_personWaits = false;
    m_dataWaits = false;
    m_lastRepaint = m_source->now();
    Q_EMIT due();
}

void RepaintClock::schedule()
{
    if (!isPending()) {
        return;
    }
    const Pace pace = m_pace ? m_pace() : Pace::Active;
    if (pace == Pace::Hidden) {
        return;
    }
    int interval = m_personWaits ? kPersonInterval : kDataInterval;
    if (!m_personWaits && pace == Pace::Unfocused) {
        interval = kUnfocusedInterval;
    }
    const qint64 now = m_source->now();
    const qint64 when = std::max(now, m_lastRepaint + interval);
    if (m_scheduledFor >= 0 && m_scheduledFor <= when) {
        return;
    }
    m_scheduledFor = when;
    const quint64 ticket = ++m_ticket;
    m_source->callAfter(this, int(when - now), [this, ticket] {
        if (ticket == m_ticket) {
            fire();
        }
    });
}

void RepaintClock::fire()
{
    m_scheduledFor = -1;
    if (m_pace && m_pace() == Pace::Hidden) {
        return;
    }
    // The focus may have gone since: waiting requests then wait longer.
    if (!m_personWaits && m_pace && m_pace() == Pace::Unfocused &&
        m_source->now() < m_lastRepaint + kUnfocusedInterval) {
        schedule();
        return;
    }
    flush();
}

} // namespace cannery::ui

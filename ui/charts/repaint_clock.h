// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>

#include <functional>

namespace cannery::ui {

/// Where charts take the time from: the machine's, or one that a test moves by hand.
class TimeSource
{
public:
    virtual ~TimeSource() = default;
    virtual qint64 now() const = 0; ///< milliseconds
    /// Calls once, `delay` milliseconds from now, from the event loop of the GUI thread; never when
    /// `context` is gone by then.
    virtual void callAfter(QObject* context, int delay, std::function<void()> call) = 0;

    static TimeSource& system();
};

/// Joins requests to repaint into few repaints: at most 60 a second for what a person does, 5 for
/// arriving data, 4 in a window without the focus, none while nobody can see it. GUI thread.
class RepaintClock : public QObject
{
    Q_OBJECT

public:
    enum class Cause
    {
        Person,
        Data,
    };
    enum class Pace
    {
        Active,
        Unfocused,
        Hidden,
    };

    explicit RepaintClock(QObject* parent = nullptr);

    void setTimeSource(TimeSource* source);
    qint64 now() const { return m_source->now(); }
    /// Asked whenever it matters how often repaints may happen.
    void setPaceSource(std::function<Pace()> pace) { m_pace = std::move(pace); }

    /// Emits due() when its turn has come. While hidden the request is kept for paceChanged().
    void request(Cause cause);
    /// Shown, hidden, focused, unfocused: requests that wait are looked at again.
    void paceChanged();
    /// What waits has its turn now: a hidden chart is being painted after all.
    void flush();
    bool isPending() const { return m_personWaits || m_dataWaits; }

Q_SIGNALS:
    void due();

private:
    void schedule();
    void fire();

    TimeSource* m_source;
    std::function<Pace()> m_pace;
    bool m_personWaits = false;
    bool m_dataWaits = false;
    qint64 m_lastRepaint = -1000000;
    qint64 m_scheduledFor = -1;
    quint64 m_ticket = 0;
};

} // namespace cannery::ui

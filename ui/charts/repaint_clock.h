// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>

#include <functional>

namespace cannery::ui {

/// The clock of charts: the machine's, or one that a test controls.
class TimeSource
{
public:
    virtual ~TimeSource() = default;
    virtual qint64 now() const = 0; ///< milliseconds
    /// Calls once, `delay` milliseconds from now, from the GUI thread's event loop; not if
    /// `context` has been destroyed by then.
    virtual void callAfter(QObject* context, int delay, std::function<void()> call) = 0;

    static TimeSource& system();
};

/// Merges repaint requests: at most 60 repaints a second for user input, 5 for arriving data, 4 in
/// a window without the focus, none while invisible. GUI thread.
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
    /// Called whenever the allowed rate of repaints matters.
    void setPaceSource(std::function<Pace()> pace) { m_pace = std::move(pace); }

    /// Emits due() at its turn. While hidden, the request is kept until paceChanged().
    void request(Cause cause);
    /// Shown, hidden, focused or unfocused: waiting requests are checked again.
    void paceChanged();
    /// Waiting requests are handled now: a hidden chart is being painted after all.
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

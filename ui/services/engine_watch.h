// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/services/engine_link.h"
#include "ui/services/engine_service.h"

#include <QMap>
#include <QObject>
#include <QThreadPool>
#include <QTimer>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace cannery::ui {

/// Follows one engine on a thread of its own: connects, reconnects when the connection breaks or a
/// supervisor restarts the engine, and reports when no process holds the run any more. Signals are
/// emitted in the GUI thread, the first at once, then at most five times a second, or every two
/// seconds while the window is not visible; updates in between are merged (the newest status, the
/// largest size of a file, lines together). GUI thread.
class EngineWatch : public QObject
{
    Q_OBJECT

public:
    EngineWatch(QString run, const QString& folder, std::shared_ptr<EngineLinks> links,
                QObject* parent);
    /// Waits for the thread; at most as long as a call to the engine takes.
    ~EngineWatch() override;

    const std::optional<EngineStatus>& status() const { return m_status; }
    /// Ends the watch without waiting: no more signals, and deleted when its thread has ended.
    void retire();
    /// Whether its reports are visible. Awake by default.
    void setAwake(bool awake);
    /// Requests to the engine, in order; failed() reports when one did not work.
    void call(EngineLink::Call what);

Q_SIGNALS:
    void statusChanged();
    /// In the order of the log.
    void logged(const QList<cannery::ui::LogEntry>& entries);
    void fileGrew(const QString& path, qint64 bytes);
    void storeChanged();
    void failed(const QString& sentence);
    /// No process holds the run any more. The last signal.
    void ended();

private:
    /// What the thread has received and the GUI thread has not yet taken.
    struct Inbox
    {
        std::optional<reports::EngineStatus> status;
        QMap<QString, qint64> files;
        QList<reports::LogLine> lines;
        QString failure;
        bool storeChanged = false;
        bool ended = false;
        bool isThrough = false;  ///< the thread has finished
        bool isNotified = false; ///< the GUI thread has been notified
    };

    void follow(const std::stop_token& stop);
    void receive(EngineLink& link, const std::stop_token& stop);
    void take(const control::EngineEvent& event);
    template <typename Change>
    void put(Change change);
    void emptySoon();
    void emptyWaiting();
    void empty();
    void publishLines(const QList<reports::LogLine>& lines);
    void deleteWhenThrough();
    void setStatus(const reports::EngineStatus& status);
    void answered(EngineLink::Call what, const Result<void>& answer);

    QString m_run;
    std::string m_folder;
    std::shared_ptr<EngineLinks> m_links;
    std::optional<EngineStatus> m_status;
    /// The engine that was asked to stop: it counts as finishing, whatever it still reports.
    std::optional<qint64> m_stopping;
    bool m_isAwake = true;
    bool m_isRetired = false;
    bool m_isThrough = false;
    QTimer m_pause; ///< runs for a moment after the inbox is emptied
    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    Inbox m_inbox;
    QThreadPool m_calls;
    std::jthread m_thread;
};

} // namespace cannery::ui

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

/// Follows one engine from a thread of its own: connects, hears, connects again when the line
/// breaks or a supervisor starts the engine anew, and tells when nobody holds the run any more.
/// Signals come in the GUI thread, the first at once and then at most five times a second, or every
/// two seconds while nobody looks: what comes faster is merged (the newest status, the greatest
/// size of a file, lines together). GUI thread.
class EngineWatch : public QObject
{
    Q_OBJECT

public:
    EngineWatch(QString run, const QString& folder, std::shared_ptr<EngineLinks> links,
                QObject* parent);
    /// Waits for the thread; at most as long as a call to the engine takes.
    ~EngineWatch() override;

    const std::optional<EngineStatus>& status() const { return m_status; }
    /// Ends the watch without waiting: silent from now on, and deleted when its thread is through.
    void retire();
    /// Whether somebody can see what it tells. Awake by default.
    void setAwake(bool awake);
    /// Asks the engine, in order of asking; failed() tells when that did not work.
    void call(EngineLink::Call what);

Q_SIGNALS:
    void statusChanged();
    /// In the order in which they were said.
    void logged(const QList<cannery::ui::LogEntry>& entries);
    void fileGrew(const QString& path, qint64 bytes);
    void storeChanged();
    void failed(const QString& sentence);
    /// Nobody holds the run any more. Nothing comes after it.
    void ended();

private:
    /// What the thread has heard and the GUI thread not yet taken.
    struct Inbox
    {
        std::optional<control::EngineStatus> status;
        QMap<QString, qint64> files;
        QList<control::LogLine> lines;
        QString failure;
        bool storeChanged = false;
        bool ended = false;
        bool isThrough = false; ///< the thread has nothing more to do
        bool isTold = false;    ///< the GUI thread is on its way
    };

    void follow(const std::stop_token& stop);
    void hear(EngineLink& link, const std::stop_token& stop);
    void take(const control::EngineEvent& event);
    template <typename Change>
    void put(Change change);
    void emptySoon();
    void emptyWaiting();
    void empty();
    void tellLines(const QList<control::LogLine>& lines);
    void deleteWhenThrough();
    void setStatus(const control::EngineStatus& status);
    void answered(EngineLink::Call what, const Result<void>& answer);

    QString m_run;
    std::string m_folder;
    std::shared_ptr<EngineLinks> m_links;
    std::optional<EngineStatus> m_status;
    /// The engine that was told to stop; it is finishing, whatever its last step makes it say.
    std::optional<qint64> m_stopping;
    bool m_isAwake = true;
    bool m_isRetired = false;
    bool m_isThrough = false;
    QTimer m_pause; ///< runs for a moment after the inbox was emptied
    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    Inbox m_inbox;
    QThreadPool m_calls;
    std::jthread m_thread;
};

} // namespace cannery::ui

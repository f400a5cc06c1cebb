// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QHash>
#include <QMutex>
#include <QObject>
#include <QString>
#include <QTimer>

QT_FORWARD_DECLARE_CLASS(QSocketNotifier)

namespace cannery::ui {

/// Tells when something in a folder changes: a file made, grown, renamed or deleted. Sees what
/// programs of this machine do; folders on a network are for a poll. Several changes
/// of a moment are told as one. Lives on the GUI thread.
class FolderWatcher : public QObject
{
    Q_OBJECT

public:
    explicit FolderWatcher(QObject* parent = nullptr);
    ~FolderWatcher() override;

    /// False when changes of this folder will not be told, or not surely: it is not there, it is
    /// on a network, or the system has no more watches. Each add() needs a remove(). Any thread,
    /// as it may wait for the disk.
    bool add(const QString& path);
    void remove(const QString& path);
    /// False once the folder was deleted, even when there is another one of its name. Any thread.
    bool isWatching(const QString& path);

    /// While nobody can see the window nothing is told; then, what has changed since. Awake by
    /// default.
    void setAwake(bool awake);

Q_SIGNALS:
    void touched(const QString& path);

private:
    struct Watch
    {
        int id = -1;
        int users = 0;
    };

    void readEvents();
    void listen();

    int m_inotify;
    QSocketNotifier* m_notifier = nullptr;
    QTimer m_rest; ///< runs for a moment after changes were told
    bool m_isAwake = true;
    QMutex m_mutex;
    QHash<QString, Watch> m_watches;
    QHash<int, QString> m_paths;
};

} // namespace cannery::ui

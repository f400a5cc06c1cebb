// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QHash>
#include <QMutex>
#include <QObject>
#include <QString>
#include <QTimer>

QT_FORWARD_DECLARE_CLASS(QSocketNotifier)

namespace cannery::ui {

/// Reports changes in a folder: a file created, grown, renamed or deleted. Sees changes by programs
/// on this machine; folders on a network need a poll. Several changes in a moment are reported as
/// one. Lives on the GUI thread.
class FolderWatcher : public QObject
{
    Q_OBJECT

public:
    explicit FolderWatcher(QObject* parent = nullptr);
    ~FolderWatcher() override;

    /// False if changes in this folder will not be reported reliably: it does not exist, it is on a
    /// network, or the system has no more watches. Each add() needs a remove(). Any thread; may
    /// wait for the disk.
    bool add(const QString& path);
    void remove(const QString& path);
    /// False once the folder was deleted, even if there is a new one of the same name. Any thread.
    bool isWatching(const QString& path);

    /// While the window is not visible, nothing is reported; afterwards, what has changed since.
    /// Awake by default.
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
    QTimer m_rest; ///< runs for a moment after changes were reported
    bool m_isAwake = true;
    QMutex m_mutex;
    QHash<QString, Watch> m_watches;
    QHash<int, QString> m_paths;
};

} // namespace cannery::ui

// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>
#include <QThread>

namespace cannery::ui {

/// Reports when a file was written, replaced, removed or recreated, by inotify and, for network
/// folders, by polling every two seconds. A burst of changes is reported once, when the file has
/// been left alone for a moment: some programs empty a file before they write it. Reads the file's
/// state on a thread of its own.
class FileWatcher : public QObject
{
    Q_OBJECT

public:
    explicit FileWatcher(QObject* parent = nullptr);
    ~FileWatcher() override;

    /// Watches this file instead of the previous one, or none if it is empty. Emits changed() once
    /// when the watch is set up.
    void watch(const QString& file);
    /// Emits changed() after that moment, whether or not the file changed.
    void lookSoon();

Q_SIGNALS:
    void changed();

private:
    QThread m_thread;
    QObject* m_worker; ///< lives in m_thread
};

} // namespace cannery::ui

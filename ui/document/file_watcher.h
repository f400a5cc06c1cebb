// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>
#include <QThread>

namespace cannery::ui {

/// Tells when a file was written, replaced, removed or came back, by inotify and, for network
/// folders, by a look every two seconds. A burst of changes comes as one, when the file has been
/// left alone for a moment: some programs empty a file before they write it. Looks at the file on a
/// thread of its own.
class FileWatcher : public QObject
{
    Q_OBJECT

public:
    explicit FileWatcher(QObject* parent = nullptr);
    ~FileWatcher() override;

    /// Watches this file instead of the one before; empty: none. Emits changed() once when the
    /// watch stands.
    void watch(const QString& file);
    /// Emits changed() after that moment, whatever happened.
    void lookSoon();

Q_SIGNALS:
    void changed();

private:
    QThread m_thread;
    QObject* m_worker; ///< lives in m_thread
};

} // namespace cannery::ui

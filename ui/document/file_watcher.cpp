// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/file_watcher.h"

#include <QFile>
#include <QFileInfo>
#include <QFileSystemWatcher>
#include <QTimer>

#include <sys/stat.h>

#include <array>

namespace cannery::ui {
namespace {

constexpr int kPollMs = 2000;
constexpr int kQuietMs = 60;

/// Identifies a state of a file; zeros if there is none.
using Signature = std::array<qint64, 4>;

Signature signatureOf(const QString& file)
{
    struct stat status
    {};
    if (stat(QFile::encodeName(file).constData(), &status) != 0) {
        return {};
    }
    return {static_cast<qint64>(status.st_ino), static_cast<qint64>(status.st_size),
            static_cast<qint64>(status.st_mtim.tv_sec),
            static_cast<qint64>(status.st_mtim.tv_nsec)};
}

class Worker : public QObject
{
public:
    explicit Worker(FileWatcher* owner)
        : m_owner(owner), m_poll(this), m_quiet(this), m_watcher(this)
    {
        m_quiet.setSingleShot(true);
        connect(&m_quiet, &QTimer::timeout, this, [this] { Q_EMIT m_owner->changed(); });
        // On some network file systems no change is reported at all.
        connect(&m_poll, &QTimer::timeout, this, [this] { look(); });
        connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, [this] { look(); });
        connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, [this] { look(); });
    }

    void watch(const QString& file)
    {
        const QStringList before = m_watcher.files() + m_watcher.directories();
        if (!before.isEmpty()) {
            m_watcher.removePaths(before);
        }
        m_file = file;
        m_poll.stop();
        m_quiet.stop();
        if (file.isEmpty()) {
            return;
        }
        m_signature = signatureOf(file);
        addFile();
        const QString folder = QFileInfo(file).absolutePath();
        // The folder, too: a file that is renamed into its place changes only that.
        if (QFileInfo::exists(folder)) {
            m_watcher.addPath(folder);
        }
        m_poll.start(kPollMs);
        // Changes from before the watch was set up.
        m_quiet.start(kQuietMs);
    }

    void lookSoon() { m_quiet.start(kQuietMs); }

private:
    /// An atomic replacement removes the old file, and the watch with it.
    void addFile()
    {
        if (m_watcher.files().isEmpty() && QFileInfo::exists(m_file)) {
            m_watcher.addPath(m_file);
        }
    }

    void look()
    {
        if (m_file.isEmpty()) {
            return;
        }
        addFile();
        const Signature now = signatureOf(m_file);
        if (now != m_signature) {
            m_signature = now;
            // Programs write in several steps; the last one counts.
            m_quiet.start(kQuietMs);
        }
    }

    FileWatcher* m_owner;
    QString m_file;
    Signature m_signature{};
    QTimer m_poll;
    QTimer m_quiet;
    QFileSystemWatcher m_watcher;
};

} // namespace

FileWatcher::FileWatcher(QObject* parent) : QObject(parent), m_worker(new Worker(this))
{
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    m_thread.setObjectName(QStringLiteral("FileWatcher"));
    m_thread.start();
}

FileWatcher::~FileWatcher()
{
    m_thread.quit();
    m_thread.wait();
}

void FileWatcher::watch(const QString& file)
{
    QMetaObject::invokeMethod(
        m_worker, [worker = static_cast<Worker*>(m_worker), file] { worker->watch(file); },
        Qt::QueuedConnection);
}

void FileWatcher::lookSoon()
{
    QMetaObject::invokeMethod(
        m_worker, [worker = static_cast<Worker*>(m_worker)] { worker->lookSoon(); },
        Qt::QueuedConnection);
}

} // namespace cannery::ui

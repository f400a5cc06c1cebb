// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/runs/folder_watcher.h"

#include <QFile>
#include <QMutexLocker>
#include <QSet>
#include <QSocketNotifier>

#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace cannery::ui {

namespace {

constexpr std::uint32_t kChanges =
    IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE | IN_ONLYDIR;

/// Between two reads: a busy engine writes thousands of times a second.
constexpr std::chrono::milliseconds kRest{100};

/// File systems (statfs) that others can write to without this machine noticing: NFS, SMB and CIFS,
/// FUSE, AFS, Ceph, Lustre, 9P.
constexpr std::array<std::uint32_t, 9> kShared{0x6969U,     0x517bU,     0xff534d42U,
                                               0xfe534d42U, 0x65735546U, 0x5346414fU,
                                               0x00c36400U, 0x0bd00bd0U, 0x01021997U};

bool isShared(const QByteArray& path)
{
    struct statfs status = {};
    return ::statfs(path.constData(), &status) == 0 &&
           std::find(kShared.begin(), kShared.end(), static_cast<std::uint32_t>(status.f_type)) !=
               kShared.end();
}

} // namespace

FolderWatcher::FolderWatcher(QObject* parent)
    : QObject(parent), m_inotify(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC))
{
    if (m_inotify >= 0) {
        m_notifier = new QSocketNotifier(m_inotify, QSocketNotifier::Read, this);
        connect(m_notifier, &QSocketNotifier::activated, this, &FolderWatcher::readEvents);
    }
    m_rest.setSingleShot(true);
    connect(&m_rest, &QTimer::timeout, this, &FolderWatcher::listen);
}

FolderWatcher::~FolderWatcher()
{
    delete m_notifier;
    if (m_inotify >= 0) {
        ::close(m_inotify);
    }
}

void FolderWatcher::setAwake(bool awake)
{
    m_isAwake = awake;
    listen();
}

/// The kernel queues events in the meantime, and merges equal ones.
void FolderWatcher::listen()
{
    if (m_notifier) {
        m_notifier->setEnabled(m_isAwake && !m_rest.isActive());
    }
}

bool FolderWatcher::add(const QString& path)
{
    const QByteArray name = QFile::encodeName(path);
    if (m_inotify < 0) {
        return false;
    }
    const QMutexLocker lock(&m_mutex);
    // The same folder gets the same number, a recreated folder another one.
    const int id = ::inotify_add_watch(m_inotify, name.constData(), kChanges);
    if (id < 0) {
        return false;
    }
    Watch& watch = m_watches[path];
    watch.id = id;
    ++watch.users;
    m_paths[id] = path;
    return !isShared(name);
}

void FolderWatcher::remove(const QString& path)
{
    const QMutexLocker lock(&m_mutex);
    const auto watch = m_watches.find(path);
    if (watch == m_watches.end() || --watch->users > 0) {
        return;
    }
    ::inotify_rm_watch(m_inotify, watch->id);
    m_paths.remove(watch->id);
    m_watches.erase(watch);
}

bool FolderWatcher::isWatching(const QString& path)
{
    const QMutexLocker lock(&m_mutex);
    return m_watches.contains(path);
}

void FolderWatcher::readEvents()
{
    m_rest.start(kRest);
    listen();
    alignas(struct inotify_event) std::array<char, 16384> buffer{};
    QSet<QString> paths;
    ssize_t got = 0;
    while ((got = ::read(m_inotify, buffer.data(), buffer.size())) > 0) {
        const QMutexLocker lock(&m_mutex);
        for (ssize_t at = 0; at < got;) {
            struct inotify_event event = {};
            std::memcpy(&event, buffer.data() + at, sizeof(event));
            at += static_cast<ssize_t>(sizeof(event) + event.len);
            if ((event.mask & IN_Q_OVERFLOW) != 0) {
                for (const QString& path : std::as_const(m_paths)) {
                    paths.insert(path);
                }
            } else if (const auto path = m_paths.constFind(event.wd); path != m_paths.constEnd()) {
                paths.insert(*path);
                if ((event.mask & IN_IGNORED) != 0) {
                    m_watches.remove(*path);
                    m_paths.erase(path);
                }
            }
        }
    }
    for (const QString& path : std::as_const(paths)) {
        Q_EMIT touched(path);
    }
}

} // namespace cannery::ui

// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/engine_scanner.h"

#include "storage/io/files.h"
#include "storage/runs/run_lock.h"
#include "storage/runs/run_store.h"

#include <QElapsedTimer>
#include <QFile>
#include <QHash>
#include <QSet>
#include <QTimer>

#include <sys/stat.h>

#include <utility>

namespace cannery::ui {
namespace {

constexpr int kPeriodMs = 500;
constexpr int kHurryPeriodMs = 50;
constexpr qint64 kHurryMs = 5000;

class Worker : public QObject
{
public:
    explicit Worker(EngineScanner* owner) : m_owner(owner), m_timer(this)
    {
        connect(&m_timer, &QTimer::timeout, this, [this] { look(); });
    }

    void openProject(const QString& folder)
    {
        m_project = folder;
        m_known.clear();
        m_freeSince.clear();
        m_timer.stop();
        if (!folder.isEmpty()) {
            m_timer.start(kPeriodMs);
            look();
        }
    }

    void forget(const QString& run)
    {
        m_known.remove(run);
        expect();
    }

    void expect()
    {
        m_hurry.start();
        if (m_timer.isActive()) {
            m_timer.start(kHurryPeriodMs);
        }
    }

private:
    void look()
    {
        // Only for a while after a start, when the engine is about to take its lock.
        if (m_timer.interval() == kHurryPeriodMs && m_hurry.hasExpired(kHurryMs)) {
            m_timer.start(kPeriodMs);
        }
        const std::string runs =
            storage::joinPath(QFile::encodeName(m_project).toStdString(), storage::kRunsFolder);
        const auto names = storage::listFolder(runs);
        if (!names) {
            return;
        }
        for (const std::string& name : *names) {
            const QString run = QFile::decodeName(name.c_str());
            if (!m_known.contains(run) && isHeld(run, storage::joinPath(runs, name))) {
                m_known.insert(run);
                Q_EMIT m_owner->found(m_project, run);
            }
        }
    }

    /// A process that takes a lock writes its file: a lock that was free and has not changed since
    /// is free. So each of thousands of finished runs costs only a look at a timestamp.
    bool isHeld(const QString& run, const std::string& folder)
    {
        struct stat status
        {};
        if (stat(storage::joinPath(folder, "run.lock").c_str(), &status) != 0) {
            return false;
        }
        const std::pair<qint64, qint64> written{status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
        const auto known = m_freeSince.constFind(run);
        if (known != m_freeSince.constEnd() && *known == written) {
            return false;
        }
        if (storage::RunLock::owner(folder)) {
            return true;
        }
        m_freeSince.insert(run, written);
        return false;
    }

    EngineScanner* m_owner;
    QString m_project;
    QSet<QString> m_known;
    QHash<QString, std::pair<qint64, qint64>> m_freeSince; ///< when its lock file was written
    QTimer m_timer;
    QElapsedTimer m_hurry;
};

} // namespace

EngineScanner::EngineScanner(QObject* parent) : QObject(parent), m_worker(new Worker(this))
{
    // The worker lives on its own thread: a lock on a slow disk must not stop the window.
    m_worker->moveToThread(&m_thread);
    // Deleted on its thread, where its timer was started.
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    m_thread.setObjectName(QStringLiteral("EngineScanner"));
    m_thread.start();
}

EngineScanner::~EngineScanner()
{
    m_thread.quit();
    m_thread.wait();
}

void EngineScanner::openProject(const QString& folder)
{
    auto* worker = static_cast<Worker*>(m_worker);
    QMetaObject::invokeMethod(
        worker, [worker, folder] { worker->openProject(folder); }, Qt::QueuedConnection);
}

void EngineScanner::forget(const QString& run)
{
    auto* worker = static_cast<Worker*>(m_worker);
    QMetaObject::invokeMethod(
        worker, [worker, run] { worker->forget(run); }, Qt::QueuedConnection);
}

void EngineScanner::expect()
{
    auto* worker = static_cast<Worker*>(m_worker);
    QMetaObject::invokeMethod(
        worker, [worker] { worker->expect(); }, Qt::QueuedConnection);
}

} // namespace cannery::ui

// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/projects/window_session.h"

#include "storage/runs/run_lock.h"
#include "ui/document/background.h"
#include "ui/document/experiment_file.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QStandardPaths>
#include <QUuid>

#include <optional>

namespace cannery::ui {
namespace {

/// A newer folder may belong to a window that has not locked it yet.
constexpr qint64 kGraceSeconds = 60;

QString stateFileIn(const QString& folder)
{
    return folder + QStringLiteral("/window.json");
}

std::optional<LostWindow> readState(const QString& folder)
{
    QFile file(stateFileIn(folder));
    if (!file.open(QIODevice::ReadOnly)) {
        return std::nullopt;
    }
    const QJsonObject json = QJsonDocument::fromJson(file.readAll()).object();
    LostWindow window;
    window.project = json.value(QStringLiteral("project")).toString();
    window.experimentFile = json.value(QStringLiteral("experiment_file")).toString();
    window.eventFolder = json.value(QStringLiteral("event_folder")).toBool();
    window.wasOpening = json.value(QStringLiteral("opening")).toBool();
    return window.project.isEmpty() ? std::nullopt : std::optional(window);
}

bool isOwned(const QString& folder)
{
    return storage::RunLock::owner(QFile::encodeName(folder).toStdString()).has_value();
}

/// The number of that window's edits in the journal next to its experiment.
int changesOf(const LostWindow& window)
{
    if (window.experimentFile.isEmpty()) {
        return 0;
    }
    ExperimentFile file(window.experimentFile);
    return file.read().result == ExperimentFile::Result::Failed ? 0
                                                                : file.orphanedJournal().changes;
}

/// The mark of this window; used by one worker thread.
class Mark
{
public:
    explicit Mark(QString windows)
        : m_windows(std::move(windows)),
          m_folder(m_windows + u'/' + QUuid::createUuid().toString(QUuid::WithoutBraces))
    {}

    const QString& windows() const { return m_windows; }
    const QString& folder() const { return m_folder; }

    void write(const LostWindow& window)
    {
        // A window that has opened nothing has nothing to recover, and leaves no mark.
        if (!m_lock) {
            QDir().mkpath(m_folder);
            auto lock = storage::RunLock::acquire(QFile::encodeName(m_folder).toStdString());
            if (!lock) {
                return; // without a mark, nothing can be offered after a crash
            }
            m_lock.emplace(std::move(*lock));
        }
        const QJsonObject json{{QStringLiteral("project"), window.project},
                               {QStringLiteral("experiment_file"), window.experimentFile},
                               {QStringLiteral("event_folder"), window.eventFolder},
                               {QStringLiteral("opening"), window.wasOpening}};
        QSaveFile file(stateFileIn(m_folder));
        if (file.open(QIODevice::WriteOnly)) {
            file.write(QJsonDocument(json).toJson());
            file.commit();
        }
    }

    void remove()
    {
        if (m_lock) {
            // The state first: a folder without it is nobody's lost window, even if the rest cannot
            // be removed.
            QFile::remove(stateFileIn(m_folder));
            QDir(m_folder).removeRecursively();
            m_lock.reset();
        }
    }

private:
    QString m_windows;
    QString m_folder;
    std::optional<storage::RunLock> m_lock;
};

QList<LostWindow> lostIn(const QString& windows, const QString& own)
{
    QList<LostWindow> lost;
    const QFileInfoList folders =
        QDir(windows).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Time);
    for (const QFileInfo& info : folders) {
        const QString folder = info.absoluteFilePath();
        if (folder == own || isOwned(folder)) {
            continue;
        }
        std::optional<LostWindow> window = readState(folder);
        if (window) {
            window->changes = changesOf(*window);
            lost << *window;
        } else if (info.lastModified().secsTo(QDateTime::currentDateTime()) > kGraceSeconds) {
            QDir(folder).removeRecursively();
        }
    }
    return lost;
}

void forgetIn(const QString& windows, const QString& project)
{
    const QFileInfoList folders = QDir(windows).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot);
    for (const QFileInfo& info : folders) {
        const std::optional<LostWindow> window = readState(info.absoluteFilePath());
        if (window && window->project == project && !isOwned(info.absoluteFilePath())) {
            QDir(info.absoluteFilePath()).removeRecursively();
        }
    }
}

} // namespace

class WindowSession::Private
{
public:
    explicit Private(const QString& folder) : m_mark(std::make_shared<Mark>(folder))
    {
        m_pool.setMaxThreadCount(1);
    }

    void write()
    {
        m_pool.start([mark = m_mark, open = m_open] { mark->write(open); });
    }

    std::shared_ptr<Mark> m_mark;
    LostWindow m_open;
    QList<LostWindow> m_lost;
    QThreadPool m_pool;
};

WindowSession::WindowSession(const QString& folder, QObject* parent)
    : QObject(parent),
      m_private(std::make_unique<Private>(
          folder.isEmpty() ? QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
                                 QStringLiteral("/cannery/windows")
                           : folder))
{}

WindowSession::~WindowSession()
{
    // Behind the writes that are still queued.
    m_private->m_pool.start([mark = m_private->m_mark] { mark->remove(); });
    m_private->m_pool.waitForDone();
}

void WindowSession::findLost()
{
    inBackground(
        m_private->m_pool, this,
        [mark = m_private->m_mark] { return lostIn(mark->windows(), mark->folder()); },
        [this](const QList<LostWindow>& lost) {
            m_private->m_lost = lost;
            Q_EMIT found();
        });
}

const QList<LostWindow>& WindowSession::lost() const
{
    return m_private->m_lost;
}

void WindowSession::forget(const QString& project)
{
    m_private->m_lost.removeIf([&](const LostWindow& window) { return window.project == project; });
    m_private->m_pool.start(
        [windows = m_private->m_mark->windows(), project] { forgetIn(windows, project); });
}

void WindowSession::noteOpening(const QString& project, const QString& experimentFile,
                                bool eventFolder)
{
    m_private->m_open = {};
    m_private->m_open.project = project;
    m_private->m_open.experimentFile = experimentFile;
    m_private->m_open.eventFolder = eventFolder;
    m_private->m_open.wasOpening = true;
    m_private->write();
}

void WindowSession::noteOpened()
{
    m_private->m_open.wasOpening = false;
    m_private->write();
}

void WindowSession::noteClosed()
{
    m_private->m_open = {};
    m_private->m_pool.start([mark = m_private->m_mark] { mark->remove(); });
}

} // namespace cannery::ui

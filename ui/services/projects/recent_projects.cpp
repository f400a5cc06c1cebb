// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/projects/recent_projects.h"

#include "ui/document/background.h"
#include "ui/services/projects/project_facts.h"
#include "ui/services/projects/settings.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace cannery::ui {
namespace {

const auto kKey = QStringLiteral("recents/projects");
const auto kFolder = QStringLiteral("folder");
const auto kExperimentFile = QStringLiteral("experiment_file");
const auto kName = QStringLiteral("name");
const auto kOpenedAt = QStringLiteral("opened_at");

QList<RecentProject> readList(const Settings& settings)
{
    QList<RecentProject> projects;
    const QJsonArray rows =
        QJsonDocument::fromJson(settings.value(kKey).toString().toUtf8()).array();
    for (const QJsonValue& row : rows) {
        RecentProject project;
        project.folder = row[kFolder].toString();
        project.experimentFile = row[kExperimentFile].toString();
        project.name = row[kName].toString();
        project.openedAt = QDateTime::fromString(row[kOpenedAt].toString(), Qt::ISODateWithMs);
        projects << project;
    }
    return projects;
}

} // namespace

class RecentProjects::Private
{
public:
    explicit Private(Settings& settings) : m_settings(&settings), m_projects(readList(settings))
    {
        // One folder after the other: some may be on a disk that is asleep.
        m_pool.setMaxThreadCount(1);
    }

    auto find(const QString& folder)
    {
        return std::find_if(m_projects.begin(), m_projects.end(),
                            [&](const RecentProject& row) { return row.folder == folder; });
    }
    void write();
    void take(const RecentProject& facts, RecentProjects* owner);
    void takeList(RecentProjects* owner);
    void read(const QList<RecentProject>& projects, RecentProjects* owner);

    Settings* m_settings;
    QList<RecentProject> m_projects;
    int m_reading = 0; ///< projects whose facts are being read
    bool m_again = false;
    bool m_isWriting = false;
    QThreadPool m_pool;
};

void RecentProjects::Private::write()
{
    QJsonArray rows;
    for (const RecentProject& project : std::as_const(m_projects)) {
        rows << QJsonObject{{kFolder, project.folder},
                            {kExperimentFile, project.experimentFile},
                            {kName, project.name},
                            // The settings report this change as they do another window's.
                            {kOpenedAt, project.openedAt.toString(Qt::ISODateWithMs)}};
    }
    m_isWriting = true;
    m_settings->setValue(kKey,
                         QString::fromUtf8(QJsonDocument(rows).toJson(QJsonDocument::Compact)));
    m_isWriting = false;
}

void RecentProjects::Private::take(const RecentProject& facts, RecentProjects* owner)
{
    const auto found = find(facts.folder);
    if (found != m_projects.end()) {
        // Only what was read: the list itself may have changed meanwhile.
        RecentProject merged = facts;
        merged.experimentFile = found->experimentFile;
        merged.name = found->name;
        merged.openedAt = found->openedAt;
        if (*found != merged) {
            *found = merged;
            Q_EMIT owner->changed();
        }
    }
    // Asked for while others were read.
    if (--m_reading == 0 && std::exchange(m_again, false)) {
        owner->refresh();
    }
}

void RecentProjects::Private::read(const QList<RecentProject>& projects, RecentProjects* owner)
{
    m_reading = static_cast<int>(projects.size());
    for (const RecentProject& project : projects) {
        inBackground(
            m_pool, owner, [project] { return withFacts(project); },
            [this, owner](const RecentProject& facts) { take(facts, owner); });
    }
}

/// Another window has opened something; keep what is known of the others.
void RecentProjects::Private::takeList(RecentProjects* owner)
{
    QList<RecentProject> list = readList(*m_settings);
    for (RecentProject& project : list) {
        const auto known = find(project.folder);
        if (known != m_projects.end()) {
            RecentProject merged = *known;
            merged.experimentFile = project.experimentFile;
            merged.name = project.name;
            merged.openedAt = project.openedAt;
            project = merged;
        }
    }
    m_projects = list;
    Q_EMIT owner->changed();
    owner->refresh();
}

RecentProjects::RecentProjects(Settings& settings, QObject* parent)
    : QObject(parent), m_private(std::make_unique<Private>(settings))
{
    connect(&settings, &Settings::changed, this, [this](const QString& key) {
        if (key == kKey && !m_private->m_isWriting) {
            m_private->takeList(this);
        }
    });
    refresh();
}

RecentProjects::~RecentProjects()
{
    // What has not been read is no longer needed.
    m_private->m_pool.clear();
    m_private->m_pool.waitForDone();
}

QList<RecentProject> RecentProjects::projects() const
{
    return m_private->m_projects;
}

void RecentProjects::noteOpened(const QString& folder, const QString& experimentFile,
                                const QString& name)
{
    RecentProject project;
    const auto known = m_private->find(folder);
    if (known != m_private->m_projects.end()) {
        project = *known;
        m_private->m_projects.erase(known);
    }
    project.folder = folder;
    project.experimentFile = experimentFile;
    project.name = name;
    project.openedAt = QDateTime::currentDateTime();
    project.exists = true;
    m_private->m_projects.prepend(project);
    if (m_private->m_projects.size() > kLimit) {
        m_private->m_projects.resize(kLimit);
    }
    m_private->write();
    Q_EMIT changed();
    refresh();
}

void RecentProjects::remove(const QString& folder)
{
    const auto found = m_private->find(folder);
    if (found != m_private->m_projects.end()) {
        m_private->m_projects.erase(found);
        m_private->write();
        Q_EMIT changed();
    }
}

void RecentProjects::relocate(const QString& folder, const QString& newFolder)
{
    const auto found = m_private->find(folder);
    if (found == m_private->m_projects.end()) {
        return;
    }
    found->folder = QDir(newFolder).absolutePath();
    found->experimentFile =
        QDir(newFolder).absoluteFilePath(QFileInfo(found->experimentFile).fileName());
    m_private->write();
    Q_EMIT changed();
    refresh();
}

void RecentProjects::refresh()
{
    if (m_private->m_reading > 0) {
        m_private->m_again = true;
    } else {
        m_private->read(m_private->m_projects, this);
    }
}

void RecentProjects::refreshLive()
{
    if (m_private->m_reading > 0) {
        return; // already being read
    }
    QList<RecentProject> live;
    for (const RecentProject& project : std::as_const(m_private->m_projects)) {
        if (!project.liveRun.isEmpty()) {
            live.append(project);
        }
    }
    m_private->read(live, this);
}

} // namespace cannery::ui

// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/projects/project_target.h"

#include "storage/runs/run_files.h"
#include "storage/runs/run_store.h"
#include "storage/tf/events/event_reader.h"
#include "ui/document/table_files.h"
#include "ui/services/runs/event_folders.h"

#include <QCoreApplication>
#include <QDir>
#include <QDirIterator>
#include <QFileInfo>

#include <algorithm>

namespace cannery::ui {
namespace {

/// transformed_examples/7/Split-train: more is no output of one component.
constexpr int kRecordDepth = 2;
constexpr int kMostRecordFolders = 50;
/// train/cats/: more is no folder of pictures in classes.
constexpr int kPictureDepth = 2;
/// A folder that was dropped by mistake, such as a home, is not searched through.
constexpr int kMostPictureFolders = 2000;

/// Also when running as root: a folder that nobody may write is meant to stay unchanged.
bool isReadOnlyFolder(const QString& folder)
{
    const QFileInfo info(folder);
    constexpr QFileDevice::Permissions kWriting =
        QFileDevice::WriteOwner | QFileDevice::WriteGroup | QFileDevice::WriteOther;
    return !info.isWritable() || !(info.permissions() & kWriting);
}

QString tr(const char* text)
{
    return QCoreApplication::translate("cannery::ui::ProjectSession", text);
}

QString named(std::string_view name)
{
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

ProjectTarget project(const QString& folder, const QString& experimentFile)
{
    ProjectTarget target;
    target.kind = ProjectTarget::Kind::Project;
    target.folder = folder;
    target.experimentFile = experimentFile;
    return target;
}

ProjectTarget eventFolder(const QString& folder)
{
    ProjectTarget target;
    target.kind = ProjectTarget::Kind::EventFolder;
    target.folder = folder;
    return target;
}

ProjectTarget nothing(const QString& error)
{
    ProjectTarget target;
    target.error = error;
    return target;
}

/// Inside "<project>/runs/<run>": that project.
QString projectOfRun(const QDir& folder)
{
    QDir up(folder);
    const bool isRun = folder.exists(named(storage::kRunInfoFile)) && up.cdUp() &&
                       up.dirName() == named(storage::kRunsFolder) && up.cdUp();
    return isRun ? up.absolutePath() : QString();
}

/// As TFX and TensorFlow Datasets name them; the engine looks at what is in them.
bool hasRecords(const QDir& folder)
{
    const QStringList files = folder.entryList(QDir::Files);
    const QStringList splits =
        folder.entryList({QStringLiteral("Split-*")}, QDir::Dirs | QDir::NoDotAndDotDot);
    return !splits.isEmpty() || files.contains(QStringLiteral("dataset_info.json")) ||
           std::any_of(files.begin(), files.end(), [](const QString& name) {
               return tableKindOf(name) == QLatin1String("tfrecord");
           });
}

/// In the folder, or below one of the folders in which TFX and TensorFlow Datasets put it.
bool hasRecordsBelow(const QDir& folder, int depth)
{
    if (hasRecords(folder)) {
        return true;
    }
    const QStringList below = folder.entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    return depth > 0 && below.size() <= kMostRecordFolders &&
           std::any_of(below.begin(), below.end(), [&](const QString& name) {
               return hasRecordsBelow(QDir(folder.absoluteFilePath(name)), depth - 1);
           });
}

/// As the engine reads folders of pictures, by their names.
bool hasPicturesBelow(const QDir& folder, int depth)
{
    static const QStringList kPictures{QStringLiteral("*.jpg"), QStringLiteral("*.jpeg"),
                                       QStringLiteral("*.jpe"), QStringLiteral("*.jfif"),
                                       QStringLiteral("*.png"), QStringLiteral("*.bmp")};
    if (QDirIterator(folder.path(), kPictures, QDir::Files).hasNext()) {
        return true;
    }
    const QStringList below = folder.entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    return depth > 0 && below.size() <= kMostPictureFolders &&
           std::any_of(below.begin(), below.end(), [&](const QString& name) {
               return hasPicturesBelow(QDir(folder.absoluteFilePath(name)), depth - 1);
           });
}

ProjectTarget table(const QString& path)
{
    ProjectTarget target;
    target.kind = ProjectTarget::Kind::Table;
    target.folder = path;
    return target;
}

ProjectTarget findInFolder(const QString& path)
{
    const QDir folder(path);
    // In this order, since a project may have event files and records in it as well.
    const QStringList experiments = experimentsIn(path);
    if (!experiments.isEmpty()) {
        return project(folder.absolutePath(), experiments.first());
    }
    if (folder.exists(named(storage::kRunStoreFile))) {
        return project(folder.absolutePath(), {});
    }
    const QString owner = projectOfRun(folder);
    if (!owner.isEmpty()) {
        return project(owner, experimentsIn(owner).value(0));
    }
    if (!eventFoldersOfRun(path).isEmpty() || !listEventRuns(path).isEmpty()) {
        return eventFolder(folder.absolutePath());
    }
    if (hasRecordsBelow(folder, kRecordDepth) || hasPicturesBelow(folder, kPictureDepth)) {
        return table(folder.absolutePath());
    }
    return nothing(
        tr("There is no experiment (*.cannery), event file, TFRecord file or picture in %1.")
            .arg(path));
}

ProjectTarget lookAt(const QString& path)
{
    const QFileInfo info(path);
    if (!info.exists()) {
        return nothing(tr("%1 does not exist.").arg(path));
    }
    if (info.isDir()) {
        return findInFolder(info.absoluteFilePath());
    }
    if (info.suffix() == QLatin1String("cannery")) {
        return project(info.absolutePath(), info.absoluteFilePath());
    }
    if (storage::isEventFile(info.fileName().toStdString())) {
        return eventFolder(info.absolutePath());
    }
    return table(info.absoluteFilePath());
}

} // namespace

QStringList experimentsIn(const QString& folder)
{
    QStringList files;
    // The one that was changed last comes first: it is the one to open.
    const QFileInfoList found =
        QDir(folder).entryInfoList({QStringLiteral("*.cannery")}, QDir::Files, QDir::Time);
    for (const QFileInfo& info : found) {
        files << info.absoluteFilePath();
    }
    return files;
}

QString freshExperimentFile(const QString& folder, const QString& name)
{
    const QDir place(folder);
    QString file = place.absoluteFilePath(name + QStringLiteral(".cannery"));
    for (int i = 2; QFileInfo::exists(file); ++i) {
        file = place.absoluteFilePath(QStringLiteral("%1-%2.cannery").arg(name).arg(i));
    }
    return file;
}

ProjectTarget findTarget(const QString& path)
{
    ProjectTarget target = lookAt(path);
    // By links one folder has several names, and only one window may have it.
    target.identity = QFileInfo(target.folder).canonicalFilePath();
    target.isReadOnly =
        target.kind == ProjectTarget::Kind::Project && isReadOnlyFolder(target.folder);
    return target;
}

ProjectTarget findExperiment(const QString& folder, const QString& experimentFile)
{
    ProjectTarget target = project(folder, experimentFile);
    target.identity = QFileInfo(folder).canonicalFilePath();
    target.isReadOnly = isReadOnlyFolder(folder);
    return target;
}

ProjectTarget eventFolderTarget(const QString& folder)
{
    ProjectTarget target = eventFolder(QDir(folder).absolutePath());
    target.identity = QFileInfo(folder).canonicalFilePath();
    return target;
}
} // namespace cannery::ui

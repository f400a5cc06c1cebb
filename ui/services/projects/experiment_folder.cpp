// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/projects/experiment_folder.h"

#include "storage/io/files.h"
#include "ui/document/background.h"
#include "ui/document/experiment_reading.h"
#include "ui/services/projects/project_target.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSaveFile>

#include <algorithm>

namespace cannery::ui {
namespace {

/// The names of older experiments are not read.
constexpr qsizetype kMostNamesRead = 200;
constexpr std::size_t kLongestNamed = std::size_t{16} << 20U;
/// Bytes; leaves room for ".cannery", and for the names of the journal and temporary files.
constexpr qsizetype kLongestFileName = 180;

QList<ExperimentEntry> readEntries(const QString& folder)
{
    QList<ExperimentEntry> entries;
    for (const QString& file : experimentsIn(folder)) {
        QString name;
        if (entries.size() < kMostNamesRead) {
            const Result<std::string> text =
                storage::readWholeFile(QFile::encodeName(file).toStdString(), kLongestNamed);
            name = text ? readExperiment(QByteArray::fromStdString(*text), file)->name : QString();
        }
        entries << ExperimentEntry{file,
                                   name.isEmpty() ? QFileInfo(file).completeBaseName() : name};
    }
    return entries;
}

} // namespace

ExperimentFolder::ExperimentFolder(QThreadPool& pool, QObject* parent)
    : QObject(parent), m_pool(&pool)
{}

void ExperimentFolder::setFolder(const QString& folder)
{
    // Nobody is to switch to an experiment of the former folder.
    if (folder != m_folder && !m_entries.isEmpty()) {
        m_entries.clear();
        Q_EMIT changed();
    }
    m_folder = folder;
    refresh();
}

void ExperimentFolder::refresh()
{
    if (m_folder.isEmpty()) {
        return;
    }
    inBackground(
        *m_pool, this, [folder = m_folder] { return readEntries(folder); },
        [this, folder = m_folder](const QList<ExperimentEntry>& entries) {
            if (folder == m_folder && entries != m_entries) {
                m_entries = entries;
                Q_EMIT changed();
            }
        });
}

QString ExperimentFolder::freshName(const QString& name) const
{
    static const QRegularExpression kNumber(QStringLiteral(" [0-9]{1,4}$"));
    const QString stem = QString(name).remove(kNumber);
    for (int i = 2;; ++i) {
        const QString fresh = QStringLiteral("%1 %2").arg(stem).arg(i);
        const bool isTaken =
            std::any_of(m_entries.begin(), m_entries.end(),
                        [&](const ExperimentEntry& entry) { return entry.name == fresh; });
        if (!isTaken) {
            return fresh;
        }
    }
}

MadeExperiment makeExperiment(const QString& folder, const QString& baseName,
                              const QByteArray& text)
{
    const QString made = freshExperimentFile(folder, baseName);
    const QString error = writeExperiment(made, text);
    return {error.isEmpty() ? made : QString(), error};
}

QString writeExperiment(const QString& file, const QByteArray& text)
{
    // A crash leaves the whole text or no file.
    QSaveFile written(file);
    const bool isWritten =
        written.open(QIODevice::WriteOnly) && written.write(text) >= 0 && written.commit();
    return isWritten ? QString() : ExperimentFolder::tr("%1 cannot be written.").arg(file);
}

TrashedExperiment moveToTrash(const QString& file, const QString& name)
{
    QFile moved(file);
    if (!moved.exists()) {
        return {file,
                {},
                name,
                ExperimentFolder::tr("%1 was already deleted or moved by another program.")
                    .arg(QFileInfo(file).fileName())};
    }
    if (!moved.moveToTrash()) {
        return {file,
                {},
                name,
                ExperimentFolder::tr("%1 cannot be moved to the trash: %2.")
                    .arg(QFileInfo(file).fileName(), moved.errorString())};
    }
    // moveToTrash() has changed fileName() to the place in the trash.
    return {file, moved.fileName(), name, {}};
}

QString restoreFromTrash(const TrashedExperiment& experiment)
{
    const QString name = QFileInfo(experiment.file).fileName();
    if (QFileInfo::exists(experiment.file)) {
        return ExperimentFolder::tr("There is a new %1; the deleted one stays in the trash.")
            .arg(name);
    }
    QFile trashed(experiment.inTrash);
    if (!trashed.rename(experiment.file)) {
        return ExperimentFolder::tr("%1 cannot be taken out of the trash: %2.")
            .arg(name, trashed.errorString());
    }
    // What the desktop remembers of a file in its trash stands beside it.
    const QFileInfo place(experiment.inTrash);
    QFile::remove(QDir(place.absolutePath() + QStringLiteral("/../info"))
                      .absoluteFilePath(place.fileName() + QStringLiteral(".trashinfo")));
    return {};
}

QString fileNameProblem(const QString& baseName)
{
    const auto isControl = [](QChar c) { return c.category() == QChar::Other_Control; };
    if (baseName.trimmed().isEmpty()) {
        return ExperimentFolder::tr("The file needs a name.");
    }
    if (baseName.contains(u'/') || std::any_of(baseName.begin(), baseName.end(), isControl)) {
        return ExperimentFolder::tr("A file name cannot contain “/” or a line break.");
    }
    if (baseName.startsWith(u'.')) {
        return ExperimentFolder::tr("A file whose name begins with a dot is hidden.");
    }
    if (QFile::encodeName(baseName).size() > kLongestFileName) {
        return ExperimentFolder::tr("The file name is too long.");
    }
    return {};
}

QString fileNameFor(const QString& name)
{
    QString file;
    for (const QChar c : name.toLower()) {
        const bool isPlain = c.isLetterOrNumber() || c.isMark() || c.isSurrogate() || c == u'_';
        if (isPlain) {
            file += c;
        } else if (!file.isEmpty() && !file.endsWith(u'-')) {
            file += u'-';
        }
    }
    while (file.endsWith(u'-') || QFile::encodeName(file).size() > kLongestFileName) {
        file.chop(1);
    }
    return file;
}

} // namespace cannery::ui

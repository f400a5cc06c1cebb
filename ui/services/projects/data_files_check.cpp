// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/projects/data_files_check.h"

#include "ui/document/experiment_document.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>

namespace cannery::ui {

namespace {

void addFiles(const ExperimentDocument& document, const char* field, QList<NamedDataFile>& files)
{
    if (const FieldNode* node = document.field(QLatin1String(field))) {
        for (const FieldNode* file : node->naming({FieldNames::File})) {
            files << NamedDataFile{file->text, file->path, file->line};
        }
    }
}

} // namespace

QList<NamedDataFile> dataFilesOf(const ExperimentDocument& document)
{
    QList<NamedDataFile> files;
    addFiles(document, "data.train", files);
    addFiles(document, "data.eval", files);
    return files;
}

QList<NamedDataFile> readFilesOf(const ExperimentDocument& document)
{
    QList<NamedDataFile> files = dataFilesOf(document);
    addFiles(document, "feature_column", files);
    return files;
}

QList<ProblemRow> missingDataFiles(const QList<NamedDataFile>& files, const QString& experiment)
{
    QList<ProblemRow> problems;
    const QDir folder = QFileInfo(experiment).absoluteDir();
    for (const NamedDataFile& file : files) {
        // The engine expands patterns, and what is below /dev/ need not be a file.
        const bool isPattern = file.path.contains(u'*') || file.path.contains(u'?') ||
                               file.path.contains(u'[') || file.path.startsWith(u"/dev/");
        const QString path = QDir::cleanPath(folder.absoluteFilePath(file.path));
        if (file.path.isEmpty() || isPattern || QFileInfo::exists(path)) {
            continue;
        }
        ProblemRow row;
        row.id = QStringLiteral("data.file_missing");
        row.file = experiment;
        row.line = file.line;
        row.column = file.line > 0 ? 1 : 0;
        row.path = file.field;
        row.sentence = QCoreApplication::translate(
                           "cannery::ui::ProjectSession",
                           "The data file %1 does not exist: restore it, or name another one.")
                           .arg(path);
        row.page = QStringLiteral("data");
        problems << row;
    }
    return problems;
}

QByteArray dataFilesState(const QList<NamedDataFile>& files, const QString& experiment)
{
    QByteArray state;
    const QDir folder = QFileInfo(experiment).absoluteDir();
    for (const NamedDataFile& file : files) {
        const QFileInfo info(folder.absoluteFilePath(file.path));
        state += QByteArray::number(info.exists() ? info.size() : -1) + ' ' +
                 QByteArray::number(info.lastModified().toMSecsSinceEpoch()) + '\n';
    }
    return state;
}

} // namespace cannery::ui

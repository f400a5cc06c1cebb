// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/runs/run_files.h"

#include "ui/document/experiment_reading.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QPointer>
#include <QThreadPool>

namespace cannery::ui {
namespace {

constexpr qint64 kLongestExperiment = 4 << 20;

RunFilesRead readFolder(const QString& folder)
{
    RunFilesRead read;
    const auto entries = QDir(folder).entryInfoList(QDir::AllEntries | QDir::NoDotAndDotDot,
                                                    QDir::DirsFirst | QDir::Name);
    for (const QFileInfo& entry : entries) {
        read.entries.append({entry.fileName(), entry.isDir() ? -1 : entry.size()});
    }
    QFile file(folder + QStringLiteral("/experiment.cannery"));
    const QFileInfo info(file);
    // Links in a run's folder are not followed, and only regular files have an end.
    if (!info.isSymLink() && info.isFile() && file.open(QFile::ReadOnly)) {
        const QByteArray text = file.read(kLongestExperiment);
        read.experiment = QString::fromUtf8(text);
        read.problems = readExperiment(text, file.fileName())->problems;
    }
    return read;
}

} // namespace

void readRunFiles(const QString& folder, QObject* receiver,
                  std::function<void(const RunFilesRead&)> done)
{
    QThreadPool::globalInstance()->start(
        [folder, guard = QPointer<QObject>(receiver), done = std::move(done)] {
            const RunFilesRead read = readFolder(folder);
            QMetaObject::invokeMethod(
                qApp,
                [guard, done, read] {
                    if (guard) {
                        done(read);
                    }
                },
                Qt::QueuedConnection);
        });
}

} // namespace cannery::ui

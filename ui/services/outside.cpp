// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/outside.h"

#include <QCoreApplication>
#include <QDesktopServices>
#include <QFileInfo>
#include <QPointer>
#include <QProcess>
#include <QStandardPaths>

#include <unistd.h>

namespace cannery::ui {
namespace {

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(Outside)
};

QString shown(const QUrl& what)
{
    return what.isLocalFile() ? what.toLocalFile() : what.toDisplayString();
}

bool isProgram(const QFileInfo& file)
{
    return file.isFile() &&
           (file.isExecutable() || file.suffix().compare("desktop", Qt::CaseInsensitive) == 0);
}

/// Why it is not even tried; empty if it is.
QString hindrance(const QUrl& what)
{
    if (!what.isLocalFile()) {
        return {};
    }
    // A project may come from someone else, and with it a program beside its table.
    const QFileInfo file(what.toLocalFile());
    if (!file.exists()) {
        return Words::tr("%1 no longer exists.").arg(shown(what));
    }
    return isProgram(file) ? Words::tr("%1 is a program, which is not started from here; open it "
                                       "with an editor of your choice.")
                                 .arg(shown(what))
                           : QString();
}

QString notOpened(const QUrl& what)
{
    return Words::tr("No program is set to open %1. Set one for this file type in the "
                     "desktop's settings (xdg-mime), or open it manually.")
        .arg(shown(what));
}

} // namespace

void openOutside(QObject* context, const QUrl& what, std::function<void(const QString&)> done)
{
    const QPointer<QObject> alive(context);
    const auto report = [alive, done = std::move(done)](const QString& problem) {
        if (alive) {
            done(problem);
        }
    };
    const QString program = QStandardPaths::findExecutable("xdg-open");
    QString problem = hindrance(what);
    // Without xdg-open, Qt asks the desktop in its own way.
    if (!problem.isEmpty() || program.isEmpty()) {
        if (problem.isEmpty() && !QDesktopServices::openUrl(what)) {
            problem = notOpened(what);
        }
        QMetaObject::invokeMethod(
            context, [report, problem] { report(problem); }, Qt::QueuedConnection);
        return;
    }
    // Without a parent and in a session of its own: it outlives this program.
    auto* process = new QProcess;
    process->setProgram(program);
    process->setArguments(
        {what.isLocalFile() ? what.toLocalFile() : QString::fromLatin1(what.toEncoded())});
    process->setStandardInputFile(QProcess::nullDevice());
    process->setStandardOutputFile(QProcess::nullDevice());
    process->setStandardErrorFile(QProcess::nullDevice());
    process->setChildProcessModifier([] { ::setsid(); });
    QObject::connect(process, &QProcess::finished, process,
                     [process, report, what](int code, QProcess::ExitStatus status) {
                         const bool ok = code == 0 && status == QProcess::NormalExit;
                         report(ok ? QString() : notOpened(what));
                         process->deleteLater();
                     });
    QObject::connect(process, &QProcess::errorOccurred, process,
                     [process, report, what](QProcess::ProcessError error) {
                         if (error == QProcess::FailedToStart) {
                             report(notOpened(what));
                             process->deleteLater();
                         }
                     });
    process->start();
}

void openOutside(QObject* context, const QString& path, std::function<void(const QString&)> done)
{
    openOutside(context, QUrl::fromLocalFile(path), std::move(done));
}

} // namespace cannery::ui

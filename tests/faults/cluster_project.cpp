// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/cluster_project.h"

#include "tests/support/patience.h"

#include <QFile>
#include <QTest>

namespace cannery::tests {

ClusterProject::ClusterProject()
{
    QFile experiment(CANNERY_SOURCE_DIR "/tests/faults/cluster.cannery");
    if (!experiment.open(QIODevice::ReadOnly)) {
        qFatal("%s: %s", qPrintable(experiment.fileName()), qPrintable(experiment.errorString()));
    }
    m_project.write("cluster.cannery", experiment.readAll());
}

QStringList ClusterProject::words(const QString& folder, qint64 steps)
{
    return {"cluster.cannery",
            "--model-dir",
            folder,
            "--threads",
            "1",
            "--quiet",
            "--set",
            QString("train_spec.max_steps=%1").arg(steps)};
}

std::unique_ptr<QProcess> ClusterProject::launch(int workers, const QString& folder, qint64 steps,
                                                 const QStringList& more) const
{
    auto launcher = std::make_unique<QProcess>();
    launcher->setWorkingDirectory(path({}));
    launcher->start(CANNERY_PROGRAM,
                    QStringList{"launch", "-n", QString::number(workers)} + words(folder, steps) +
                        more,
                    QIODevice::ReadOnly);
    launcher->waitForStarted();
    return launcher;
}

bool ClusterProject::waitForStep(const QString& folder, qint64 step) const
{
    return QTest::qWaitFor([&] { return newestStep(path(folder)) >= step; }, kPatience);
}

QByteArray ClusterProject::differenceFromAlone(const QString& folder, qint64 step, bool hasEnded)
{
    const auto resultOf = [&](const QString& name) {
        RunResult result = RunResult::of(path(name).toStdString(), static_cast<int>(step));
        if (!hasEnded) {
            result.evaluations.assign(1, {});
        } else if (!result.evaluations.empty()) { // others depend on when it was disturbed
            result.evaluations = {result.evaluations.back()};
        }
        return result;
    };
    auto known = m_alone.find(step);
    if (known == m_alone.end()) {
        const QString alone = QString("alone-%1").arg(step);
        const Ended ended = m_project.cannery(QStringList{"train"} + words(alone, step));
        if (ended.exitCode != 0) {
            return "one process fails: " + ended.describe();
        }
        known = m_alone.emplace(step, resultOf(alone)).first;
    }
    return resultOf(folder).differenceFrom(known->second);
}

int endOfLauncher(QProcess& launcher)
{
    const Ended ended = endOf(launcher, 3 * kPatience);
    if (ended.exitCode != 0) {
        qWarning("%s", ended.describe().constData());
    }
    return ended.timedOut ? -1 : ended.signal != 0 ? 128 + ended.signal : ended.exitCode;
}

} // namespace cannery::tests

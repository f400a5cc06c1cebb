// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QProcess>
#include <QString>
#include <QStringList>

#include <memory>
#include <sys/types.h>
#include <vector>

namespace cannery::tests {

/// A cluster on loopback whose tasks are started one by one, as in as many terminals: each with a
/// TF_CONFIG of its own. What is left is killed in the end.
class ClusterTasks
{
public:
    /// `workers`: with the chief. They run `cannery WORDS` in the folder.
    ClusterTasks(const QString& folder, int workers, const QStringList& words);
    ~ClusterTasks();
    ClusterTasks(const ClusterTasks&) = delete;
    ClusterTasks& operator=(const ClusterTasks&) = delete;

    /// A new process of this task, 0 being the chief, with more words and variables ("NAME=VALUE").
    /// Whoever had it before must have ended.
    void start(int rank, const QStringList& more = {}, const QStringList& variables = {});
    void startAll();
    void signal(int rank, int number) const;
    /// By SIGKILL; returns when it is gone.
    void kill(int rank);

    QProcess& process(int rank) { return *m_processes[static_cast<std::size_t>(rank)]; }
    /// Its exit code once it has ended: 128 + signal if one ended it, -1 if it does not end.
    int end(int rank);
    /// By rank.
    QList<int> endAll();
    /// Everything that it has printed so far to stderr, its earlier processes included.
    QString told(int rank);

    QString address(int rank) const;
    /// The variable's value for this task.
    QString tfConfig(int rank) const;

private:
    QString m_folder;
    QStringList m_words;
    std::vector<int> m_ports;
    std::vector<std::unique_ptr<QProcess>> m_processes;
    std::vector<QString> m_told;
};

/// The process of a task ("worker:1") that `cannery launch` has started; 0: none now.
pid_t launchedTask(qint64 launcher, const QString& task);

/// The step of the newest checkpoint in a model_dir; -1: none.
qint64 newestStep(const QString& modelDir);

} // namespace cannery::tests

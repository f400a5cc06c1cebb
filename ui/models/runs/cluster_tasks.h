// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QJsonArray>
#include <QList>
#include <QString>

namespace cannery::ui {

/// One process of a cluster, as TensorFlow names it.
struct ClusterTask
{
    enum class Type
    {
        Chief,
        Worker,
        Ps,
        Evaluator,
    };
    Type type = Type::Worker;
    int index = 0;   ///< among those of its type
    QString address; ///< "host:port"

    /// "worker:1".
    QString name() const;
    bool operator==(const ClusterTask&) const = default;
};

/// "chief", "worker", "ps" or "evaluator", as TF_CONFIG has it.
QString typeName(ClusterTask::Type type);

/// The tasks of a cluster: a chief, then workers, parameter servers and an evaluator, each type's
/// numbered from 0. They describe where an experiment trains, and are no part of it.
class ClusterTasks
{
public:
    /// Processes on this machine, the chief included, at loopback addresses.
    static ClusterTasks onThisMachine(int workers, int parameterServers);

    const QList<ClusterTask>& tasks() const { return m_tasks; }
    int count(ClusterTask::Type type) const;
    /// The processes that train: the chief and its workers.
    int workers() const;

    /// Why there can be no further task of a type, a sentence; empty if there can.
    QString hindranceToAdd(ClusterTask::Type type) const;
    /// Why a task cannot be removed, a sentence; empty if it can.
    QString hindranceToRemove(int place) const;
    /// At the next free port of the last task's host; returns its place.
    int add(ClusterTask::Type type);
    /// Not the chief and not the last parameter server. Later ones of its type move up.
    void remove(int place);
    void removeAll(ClusterTask::Type type);
    void setAddress(int place, const QString& address);
    /// Adds and removes workers until this many processes train, at least one.
    void setWorkers(int workers);

    /// The first thing wrong with the addresses, a sentence; empty if they are in order.
    QString problem() const;
    /// Whether all addresses are of this machine alone.
    bool isOnThisMachine() const;
    /// The value of TF_CONFIG for a task, JSON in one line.
    QString tfConfig(int place) const;

    QJsonArray toJson() const;
    /// Without a chief in it: no tasks.
    static ClusterTasks fromJson(const QJsonArray& json);

    bool isEmpty() const { return m_tasks.isEmpty(); }
    bool operator==(const ClusterTasks&) const = default;

private:
    QString freeAddress() const;

    QList<ClusterTask> m_tasks; ///< by type and index
};

/// Whether a strategy of the schema trains in several processes.
bool spansProcesses(const QString& strategy);
/// The tasks of a strategy that spans processes, before a person changes them; none for others.
ClusterTasks defaultTasks(const QString& strategy);
/// Tasks that were chosen for one strategy, as another can use them: with or without parameter
/// servers.
ClusterTasks fittedTasks(ClusterTasks tasks, const QString& strategy);

} // namespace cannery::ui

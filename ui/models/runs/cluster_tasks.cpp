// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/runs/cluster_tasks.h"

#include <QCoreApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QSet>

#include <algorithm>
#include <array>

namespace cannery::ui {
namespace {

using Type = ClusterTask::Type;

constexpr std::array kTypes{Type::Chief, Type::Worker, Type::Ps, Type::Evaluator};
const QString kParameterServer = QStringLiteral("parameter_server");
const QString kMultiWorker = QStringLiteral("multi_worker_mirrored");
const QString kLoopback = QStringLiteral("127.0.0.1");
/// As TensorFlow's guides use it.
constexpr int kFirstPort = 2222;
constexpr int kHighestPort = 65535;
constexpr int kMostTasks = 256; ///< of a cluster on one machine
constexpr int kWorkers = 2;

class ClusterWords
{
    Q_DECLARE_TR_FUNCTIONS(ClusterTasks)
};

/// Host and port; an empty host: not an address. `[::1]:2222` keeps its brackets.
std::pair<QString, int> partsOf(const QString& address)
{
    static const QRegularExpression kForm(
        QStringLiteral("^(\\[[0-9a-fA-F:.]+(?:%\\w+)?\\]|[A-Za-z0-9][A-Za-z0-9._-]{0,252}):"
                       "([0-9]{1,5})$"));
    const QRegularExpressionMatch match = kForm.match(address);
    const int port = match.captured(2).toInt();
    return match.hasMatch() && port >= 1 && port <= kHighestPort
               ? std::pair(match.captured(1), port)
               : std::pair(QString(), 0);
}

bool isLoopback(const QString& host)
{
    static const QRegularExpression kIpv4(QStringLiteral("^127(\\.[0-9]{1,3}){3}$"));
    return host == QLatin1String("localhost") || host == QLatin1String("[::1]") ||
           kIpv4.match(host).hasMatch();
}

} // namespace

QString typeName(ClusterTask::Type type)
{
    switch (type) {
    case Type::Chief:
        return QStringLiteral("chief");
    case Type::Worker:
        return QStringLiteral("worker");
    case Type::Ps:
        return QStringLiteral("ps");
    case Type::Evaluator:
        return QStringLiteral("evaluator");
    }
    return {};
}

QString ClusterTask::name() const
{
    return QStringLiteral("%1:%2").arg(typeName(type)).arg(index);
}

ClusterTasks ClusterTasks::onThisMachine(int workers, int parameterServers)
{
    ClusterTasks cluster;
    cluster.add(Type::Chief);
    cluster.setWorkers(workers);
    for (int i = 0; i < parameterServers; ++i) {
        cluster.add(Type::Ps);
    }
    return cluster;
}

int ClusterTasks::count(ClusterTask::Type type) const
{
    return static_cast<int>(
        std::count_if(m_tasks.begin(), m_tasks.end(),
                      [type](const ClusterTask& task) { return task.type == type; }));
}

int ClusterTasks::workers() const
{
    return count(Type::Chief) + count(Type::Worker);
}

QString ClusterTasks::hindranceToAdd(ClusterTask::Type type) const
{
    if (type == Type::Chief && count(type) > 0) {
        return ClusterWords::tr("A cluster has one chief.");
    }
    if (type == Type::Evaluator && count(type) > 0) {
        return ClusterWords::tr("A cluster has one evaluator at most.");
    }
    return m_tasks.size() >= kMostTasks
               ? ClusterWords::tr("A table has %1 tasks at most.").arg(kMostTasks)
               : QString();
}

QString ClusterTasks::hindranceToRemove(int place) const
{
    if (place < 0 || place >= m_tasks.size()) {
        return ClusterWords::tr("Choose a task in the table.");
    }
    const Type type = m_tasks.at(place).type;
    if (type == Type::Chief) {
        return ClusterWords::tr("Every cluster has a chief.");
    }
    // The strategy parameter_server is the only one whose cluster has such tasks.
    return type == Type::Ps && count(Type::Ps) == 1
               ? ClusterWords::tr("This strategy needs a parameter server.")
               : QString();
}

QString ClusterTasks::freeAddress() const
{
    // On the host of the last task, at the first port that is free there.
    QSet<QString> taken;
    for (const ClusterTask& task : m_tasks) {
        taken.insert(task.address);
    }
    const QString last = m_tasks.isEmpty() ? QString() : partsOf(m_tasks.last().address).first;
    const QString host = last.isEmpty() ? kLoopback : last;
    for (int port = kFirstPort; port <= kHighestPort; ++port) {
        const QString address = QStringLiteral("%1:%2").arg(host).arg(port);
        if (!taken.contains(address)) {
            return address;
        }
    }
    return {};
}

int ClusterTasks::add(ClusterTask::Type type)
{
    // Tasks stay sorted by type, chief first, and by index within it.
    const auto after = std::upper_bound(
        m_tasks.begin(), m_tasks.end(), type,
        [](ClusterTask::Type wanted, const ClusterTask& task) { return wanted < task.type; });
    const auto place = static_cast<int>(after - m_tasks.begin());
    m_tasks.insert(place, {.type = type, .index = count(type), .address = freeAddress()});
    return place;
}

void ClusterTasks::remove(int place)
{
    if (!hindranceToRemove(place).isEmpty()) {
        return;
    }
    const ClusterTask gone = m_tasks.at(place);
    m_tasks.removeAt(place);
    // TF_CONFIG addresses a task by its place in the list of its type: indices have no gaps.
    for (ClusterTask& task : m_tasks) {
        task.index -= task.type == gone.type && task.index > gone.index ? 1 : 0;
    }
}

void ClusterTasks::removeAll(ClusterTask::Type type)
{
    m_tasks.removeIf([type](const ClusterTask& task) { return task.type == type; });
}

void ClusterTasks::setAddress(int place, const QString& address)
{
    m_tasks[place].address = address;
}

void ClusterTasks::setWorkers(int workers)
{
    while (this->workers() < workers && hindranceToAdd(Type::Worker).isEmpty()) {
        add(Type::Worker);
    }
    while (this->workers() > std::max(1, workers)) {
        // The last worker: chief and workers are in front.
        remove(this->workers() - 1);
    }
}

QString ClusterTasks::problem() const
{
    QHash<QString, QString> owners;
    for (const ClusterTask& task : m_tasks) {
        if (partsOf(task.address).first.isEmpty()) {
            return ClusterWords::tr("The address of %1, \"%2\", is not of the form host:port.")
                .arg(task.name(), task.address);
        }
        if (const QString owner = owners.value(task.address); !owner.isEmpty()) {
            return ClusterWords::tr("%1 and %2 have the same address: give each a port of its own.")
                .arg(owner, task.name());
        }
        owners.insert(task.address, task.name());
    }
    return {};
}

bool ClusterTasks::isOnThisMachine() const
{
    return std::all_of(m_tasks.begin(), m_tasks.end(), [](const ClusterTask& task) {
        return isLoopback(partsOf(task.address).first);
    });
}

QString ClusterTasks::tfConfig(int place) const
{
    QJsonObject cluster;
    for (const ClusterTask::Type type : kTypes) {
        QJsonArray addresses;
        for (const ClusterTask& task : m_tasks) {
            if (task.type == type) {
                addresses.append(task.address);
            }
        }
        if (!addresses.isEmpty()) {
            cluster.insert(typeName(type), addresses);
        }
    }
    const ClusterTask& own = m_tasks.at(place);
    const QJsonObject config{
        {QStringLiteral("cluster"), cluster},
        {QStringLiteral("task"), QJsonObject{{QStringLiteral("type"), typeName(own.type)},
                                             {QStringLiteral("index"), own.index}}}};
    return QString::fromUtf8(QJsonDocument(config).toJson(QJsonDocument::Compact));
}

QJsonArray ClusterTasks::toJson() const
{
    QJsonArray json;
    for (const ClusterTask& task : m_tasks) {
        json.append(QJsonObject{{QStringLiteral("type"), typeName(task.type)},
                                {QStringLiteral("address"), task.address}});
    }
    return json;
}

ClusterTasks ClusterTasks::fromJson(const QJsonArray& json)
{
    ClusterTasks cluster;
    for (const QJsonValue& value : json) {
        const QString name = value[QStringLiteral("type")].toString();
        const auto type = std::find_if(kTypes.begin(), kTypes.end(),
                                       [&](Type known) { return typeName(known) == name; });
        // Unknown types and too many tasks are left out: the file may come from elsewhere.
        if (type != kTypes.end() && cluster.hindranceToAdd(*type).isEmpty()) {
            const int place = cluster.add(*type);
            cluster.setAddress(place, value[QStringLiteral("address")].toString());
        }
    }
    return cluster.count(Type::Chief) == 1 ? cluster : ClusterTasks();
}

bool spansProcesses(const QString& strategy)
{
    return strategy == kMultiWorker || strategy == kParameterServer;
}

ClusterTasks defaultTasks(const QString& strategy)
{
    return spansProcesses(strategy)
               ? ClusterTasks::onThisMachine(kWorkers, strategy == kParameterServer ? 1 : 0)
               : ClusterTasks();
}

ClusterTasks fittedTasks(ClusterTasks tasks, const QString& strategy)
{
    if (tasks.isEmpty() || !spansProcesses(strategy)) {
        return defaultTasks(strategy);
    }
    // What was entered for the other tasks stays.
    if (strategy != kParameterServer) {
        tasks.removeAll(Type::Ps);
    } else if (tasks.count(Type::Ps) == 0) {
        tasks.add(Type::Ps);
    }
    return tasks;
}

} // namespace cannery::ui

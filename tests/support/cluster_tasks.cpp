// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cluster_tasks.h"

#include "tests/support/patience.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>

#include <csignal>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace cannery::tests {

namespace {

/// Ports that are free now.
std::vector<int> portsThatAreFree(int count)
{
    std::vector<int> sockets;
    std::vector<int> ports;
    for (int i = 0; i < count; ++i) {
        const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof(address);
        auto* const generic = reinterpret_cast<sockaddr*>(&address);
        if (::bind(descriptor, generic, length) != 0 ||
            ::getsockname(descriptor, generic, &length) != 0) {
            qFatal("no free port");
        }
        sockets.push_back(descriptor);
        ports.push_back(ntohs(address.sin_port));
    }
    for (const int descriptor : sockets) {
        ::close(descriptor);
    }
    return ports;
}

QByteArray fileOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// "worker:1", by the TF_CONFIG among a process's variables.
QString taskOf(const QString& variables)
{
    constexpr const char* kName = "TF_CONFIG=";
    for (const QByteArray& variable : fileOf(variables).split('\0')) {
        if (variable.startsWith(kName)) {
            const QJsonObject config =
                QJsonDocument::fromJson(variable.mid(qstrlen(kName))).object();
            const QJsonObject task = config["task"].toObject();
            return QString("%1:%2").arg(task["type"].toString()).arg(task["index"].toInt());
        }
    }
    return {};
}

QString typeOf(int rank)
{
    return rank == 0 ? "chief" : "worker";
}

} // namespace

ClusterTasks::ClusterTasks(const QString& folder, int workers, const QStringList& words)
    : m_folder(folder), m_words(words), m_ports(portsThatAreFree(workers)),
      m_processes(static_cast<std::size_t>(workers)), m_told(static_cast<std::size_t>(workers))
{}

ClusterTasks::~ClusterTasks()
{
    for (const std::unique_ptr<QProcess>& process : m_processes) {
        if (process && process->state() != QProcess::NotRunning) {
            process->kill();
            process->waitForFinished();
        }
    }
}

QString ClusterTasks::address(int rank) const
{
    return QString("127.0.0.1:%1").arg(m_ports[static_cast<std::size_t>(rank)]);
}

QString ClusterTasks::tfConfig(int rank) const
{
    QStringList workers;
    for (int other = 1; other < static_cast<int>(m_ports.size()); ++other) {
        workers.append('"' + address(other) + '"');
    }
    return QString(R"({"cluster": {"chief": ["%1"], "worker": [%2]}, )"
                   R"("task": {"type": "%3", "index": %4}, "environment": "cloud"})")
        .arg(address(0), workers.join(", "), typeOf(rank))
        .arg(rank == 0 ? 0 : rank - 1);
}

void ClusterTasks::start(int rank, const QStringList& more, const QStringList& variables)
{
    std::unique_ptr<QProcess>& process = m_processes[static_cast<std::size_t>(rank)];
    if (process) {
        m_told[static_cast<std::size_t>(rank)] = told(rank);
    }
    process = std::make_unique<QProcess>();
    process->setWorkingDirectory(m_folder);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("TF_CONFIG", tfConfig(rank));
    for (const QString& variable : variables) {
        environment.insert(variable.section('=', 0, 0), variable.section('=', 1));
    }
    process->setProcessEnvironment(environment);
    process->start(CANNERY_PROGRAM, m_words + more, QIODevice::ReadOnly);
    process->waitForStarted();
}

void ClusterTasks::startAll()
{
    for (int rank = 0; rank < static_cast<int>(m_processes.size()); ++rank) {
        start(rank);
    }
}

void ClusterTasks::signal(int rank, int number) const
{
    const QProcess& process = *m_processes[static_cast<std::size_t>(rank)];
    if (process.processId() > 0) {
        ::kill(static_cast<pid_t>(process.processId()), number);
    }
}

void ClusterTasks::kill(int rank)
{
    process(rank).kill();
    process(rank).waitForFinished();
}

int ClusterTasks::end(int rank)
{
    QProcess& ended = process(rank);
    if (ended.state() != QProcess::NotRunning && !ended.waitForFinished(2 * kPatience)) {
        return -1;
    }
    return ended.exitStatus() == QProcess::NormalExit ? ended.exitCode() : 128 + ended.exitCode();
}

QList<int> ClusterTasks::endAll()
{
    QList<int> codes;
    for (int rank = 0; rank < static_cast<int>(m_processes.size()); ++rank) {
        codes.append(end(rank));
    }
    return codes;
}

QString ClusterTasks::told(int rank)
{
    QString& all = m_told[static_cast<std::size_t>(rank)];
    all += QString::fromUtf8(process(rank).readAllStandardError());
    return all;
}

pid_t launchedTask(qint64 launcher, const QString& task)
{
    const QString children = QString("/proc/%1/task/%1/children").arg(launcher);
    for (const QByteArray& child : fileOf(children).split(' ')) {
        if (taskOf("/proc/" + QString::fromUtf8(child.trimmed()) + "/environ") == task) {
            return static_cast<pid_t>(child.toInt());
        }
    }
    return 0;
}

qint64 newestStep(const QString& modelDir)
{
    const QByteArray state = fileOf(modelDir + "/checkpoint");
    const QByteArray line = state.left(state.indexOf('\n'));
    const qsizetype dash = line.lastIndexOf('-');
    return dash < 0 ? -1 : line.mid(dash + 1, line.size() - dash - 2).toLongLong();
}

} // namespace cannery::tests

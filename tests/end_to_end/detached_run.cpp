// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/detached_run.h"

#include "storage/runs/run_files.h"
#include "storage/runs/run_lock.h"
#include "storage/runs/run_store.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <csignal>

namespace cannery::tests {

namespace {

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// True for a running process, not for a zombie.
bool isAlive(pid_t process)
{
    const QByteArray status = contentOf(QString("/proc/%1/stat").arg(process));
    const qsizetype nameEnd = status.lastIndexOf(')');
    return nameEnd > 0 && status.mid(nameEnd + 2, 1) != "Z";
}

} // namespace

QStringList DetachedRun::words(qint64 maxSteps, const QStringList& more)
{
    return QStringList{"train",    "fixture.cannery",
                       "--detach", "--json",
                       "--set",    QString("train_spec.max_steps=%1").arg(maxSteps),
                       "--set",    "run_config.save_checkpoints_steps=500"} +
           more;
}

DetachedRun::DetachedRun(const ProjectFixture& project, const QStringList& words)
    : m_project(project), m_result(project.run(words))
{
    const QJsonObject answer = QJsonDocument::fromJson(m_result.out.toUtf8()).object();
    m_name = answer["run"].toString();
    m_folder = answer["folder"].toString();
    m_supervisor = static_cast<pid_t>(answer["supervisor_pid"].toInteger());
}

DetachedRun::~DetachedRun()
{
    if (m_supervisor > 0 && isAlive(m_supervisor)) {
        kill(m_supervisor, SIGKILL);
    }
    if (const auto process = engine()) {
        kill(*process, SIGKILL);
    }
    if (started() && !waitForEnd()) {
        qWarning("a training could not be ended");
    }
}

std::optional<reports::EngineStatus> DetachedRun::status() const
{
    auto client = control::ControlClient::connect(m_folder.toStdString());
    if (!client) {
        return std::nullopt;
    }
    auto status = client->status();
    return status ? std::optional(std::move(*status)) : std::nullopt;
}

std::optional<pid_t> DetachedRun::engine() const
{
    const auto owner = storage::RunLock::owner(m_folder.toStdString());
    return owner ? std::optional(static_cast<pid_t>(owner->processId)) : std::nullopt;
}

storage::RunStatus DetachedRun::record() const
{
    auto store = storage::RunStore::openReadOnly(m_project.path(".").toStdString());
    auto details = store ? store->show(m_name.toStdString())
                         : Result<storage::RunDetails>(tl::make_unexpected(store.error()));
    return details ? details->status : storage::RunStatus{};
}

QString DetachedRun::log() const
{
    return QString::fromUtf8(contentOf(m_folder + "/train.log"));
}

bool DetachedRun::waitForState(const QString& state) const
{
    return QTest::qWaitFor(
        [&] {
            const auto now = status();
            return now && QString::fromStdString(now->state()) == state;
        },
        kPatience);
}

bool DetachedRun::waitForStepAfter(qint64 step) const
{
    return QTest::qWaitFor(
        [&] {
            const auto now = status();
            return now && now->global_step() > step;
        },
        kPatience);
}

bool DetachedRun::waitForEnd() const
{
    return QTest::qWaitFor([&] { return !engine() && !isAlive(m_supervisor); }, kPatience);
}

qint64 DetachedRun::latestStep() const
{
    const QByteArray state = contentOf(m_folder + "/checkpoint");
    const QByteArray line = state.left(state.indexOf('\n'));
    const qsizetype dash = line.lastIndexOf('-');
    return dash < 0 ? -1 : line.mid(dash + 1, line.size() - dash - 2).toLongLong();
}

QByteArray DetachedRun::weights(qint64 step) const
{
    return contentOf(QString("%1/model.ckpt-%2.data-00000-of-00001").arg(m_folder).arg(step));
}

bool hasBitsOfUndisturbed(const ProjectFixture& project, const DetachedRun& run, qint64 step)
{
    QStringList words = DetachedRun::words(step, {"--model-dir", "whole", "--quiet"});
    words.removeAll("--detach");
    const ProgramResult whole = project.run(words);
    const QByteArray bits =
        project.read(QString("whole/model.ckpt-%1.data-00000-of-00001").arg(step));
    return whole.exitCode == 0 && bits.size() > 100 && bits == run.weights(step);
}

} // namespace cannery::tests

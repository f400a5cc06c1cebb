// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/control/control_client.h"
#include "storage/runs/run_record.h"
#include "tests/end_to_end/project_fixture.h"

#include <QString>

#include <functional>
#include <optional>
#include <sys/types.h>

namespace cannery::tests {

/// A training in the background, started by the command line; killed when the test ends.
class DetachedRun
{
public:
    /// Number of steps that is never reached.
    static constexpr qint64 kEndless = 1000000000;
    /// Timeout that is enough even for a slow machine.
    static constexpr int kPatience = 120000;

    /// Words for `cannery train fixture.cannery --detach …` with this many steps.
    static QStringList words(qint64 maxSteps, const QStringList& more = {});

    /// Runs a command with --detach; started() is false if it printed no run.
    DetachedRun(const ProjectFixture& project, const QStringList& words);
    ~DetachedRun();
    DetachedRun(const DetachedRun&) = delete;
    DetachedRun& operator=(const DetachedRun&) = delete;

    bool started() const { return !m_folder.isEmpty(); }
    const ProgramResult& result() const { return m_result; }
    QString name() const { return m_name; }
    QString folder() const { return m_folder; }
    pid_t supervisor() const { return m_supervisor; }

    /// The current engine's; nothing while there is none.
    std::optional<reports::EngineStatus> status() const;
    std::optional<pid_t> engine() const;
    /// According to the store.
    storage::RunStatus record() const;
    QString log() const;

    bool waitForState(const QString& state) const;
    bool waitForStepAfter(qint64 step) const;
    /// Waits until both engine and supervisor have ended.
    bool waitForEnd() const;

    /// Step of the newest checkpoint.
    qint64 latestStep() const;
    /// Bytes of a checkpoint's variables.
    QByteArray weights(qint64 step) const;

private:
    const ProjectFixture& m_project;
    ProgramResult m_result;
    QString m_name;
    QString m_folder;
    pid_t m_supervisor = 0;
};

/// True if an undisturbed training of this many steps gives the run's bits.
bool hasBitsOfUndisturbed(const ProjectFixture& project, const DetachedRun& run, qint64 step);

} // namespace cannery::tests

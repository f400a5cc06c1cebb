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

/// A training in the background, started by the command line; ended by force when the test is over.
class DetachedRun
{
public:
    /// Steps that never come to an end by themselves.
    static constexpr qint64 kEndless = 1000000000;
    /// How long a slow machine may take for anything.
    static constexpr int kPatience = 120000;

    /// Words for `cannery train fixture.cannery --detach …` of so many steps.
    static QStringList words(qint64 maxSteps, const QStringList& more = {});

    /// Runs a command with --detach; started() is false when it printed no run.
    DetachedRun(const ProjectFixture& project, const QStringList& words);
    ~DetachedRun();
    DetachedRun(const DetachedRun&) = delete;
    DetachedRun& operator=(const DetachedRun&) = delete;

    bool started() const { return !m_folder.isEmpty(); }
    const ProgramResult& result() const { return m_result; }
    QString name() const { return m_name; }
    QString folder() const { return m_folder; }
    pid_t supervisor() const { return m_supervisor; }

    /// Of the engine that trains now; nothing while there is none.
    std::optional<control::EngineStatus> status() const;
    std::optional<pid_t> engine() const;
    /// As the store tells it.
    storage::RunStatus record() const;
    QString log() const;

    bool waitForState(const QString& state) const;
    bool waitForStepAfter(qint64 step) const;
    /// Until neither engine nor supervisor are there.
    bool waitForEnd() const;

    /// Step of the newest checkpoint.
    qint64 latestStep() const;
    /// Bytes of the variables of a checkpoint.
    QByteArray weights(qint64 step) const;

private:
    const ProjectFixture& m_project;
    ProgramResult m_result;
    QString m_name;
    QString m_folder;
    pid_t m_supervisor = 0;
};

/// True when an undisturbed training of so many steps ends in the bits that the run has there.
bool hasBitsOfUndisturbed(const ProjectFixture& project, const DetachedRun& run, qint64 step);

} // namespace cannery::tests

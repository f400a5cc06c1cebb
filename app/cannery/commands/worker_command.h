// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/commands/train_command.h"

namespace cannery::app {

/// `cannery worker FILE`: `cannery train FILE` as a task of a cluster, whatever the task; refuses
/// to train alone.
class WorkerCommand final : public Command
{
public:
    void declare(OptionSet& options) override { m_train.declare(options); }
    ExitCode run(Console& console) override { return m_train.run(console); }

private:
    TrainCommand m_train{TrainCommand::Place::InACluster};
};

} // namespace cannery::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/command.h"
#include "app/cannery/training/training_launch.h"

namespace cannery::app {

/// `cannery train FILE`: trains, evaluates and exports an experiment as its specs say.
class TrainCommand final : public Command
{
public:
    enum class Place
    {
        Anywhere,
        InACluster,
    };

    explicit TrainCommand(Place place = Place::Anywhere) : m_place(place) {}

    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    /// As a task of a cluster if TF_CONFIG names one.
    Result<train::TrainReport> train(const Console& console, const TrainingWires& wires,
                                     train::TrainRequest& request) const;

    Place m_place;
    std::string m_file;
    std::optional<std::string> m_modelDir;
    std::optional<std::string> m_copy;
    std::vector<std::string> m_overrides;
    std::optional<std::int64_t> m_threads;
    std::optional<std::int64_t> m_seed;
    TrainingLaunchOptions m_launch;
    bool m_allowsCommands = false;
    bool m_isDryRun = false;
    bool m_quiet = false;
    bool m_json = false;
};

} // namespace cannery::app

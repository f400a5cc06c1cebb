// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/command.h"
#include "core/launch/cluster_supervisor.h"
#include "core/launch/local_cluster.h"
#include "core/spec/experiment.pb.h"

#include <string>
#include <vector>

namespace cannery::app {

/// `cannery launch -n N FILE`: trains an experiment with a whole cluster of processes on this host,
/// or describes it to a launcher that starts it on many.
class LaunchCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    Result<void> checkNumbers() const;
    /// --dry-run
    ExitCode describe(Console& console) const;
    /// On this machine, in a run's folder.
    ExitCode launch(Console& console, const std::string& folder,
                    const spec::Experiment& experiment) const;
    launch::ClusterEnd runCluster(Console& console, const launch::LocalCluster& cluster,
                                  launch::ClusterSupervision supervision) const;
    /// The chief's report, with the last evaluation and the exports of the evaluator, which come
    /// after the chief's end.
    std::string completed(const std::string& report, const std::string& folder) const;
    int workerCount() const;
    int serverCount() const;
    /// `train FILE …` of every task.
    std::vector<std::string> trainWords(const std::string& folder, int workers) const;

    std::string m_file;
    std::optional<std::int64_t> m_workers;
    std::optional<std::int64_t> m_fewest;
    std::optional<std::int64_t> m_most;
    std::optional<std::int64_t> m_parameterServers;
    bool m_hasEvaluator = false;
    std::optional<std::int64_t> m_restarts;
    std::optional<std::string> m_logDir;
    std::optional<std::string> m_modelDir;
    std::optional<std::string> m_copy;
    std::vector<std::string> m_overrides;
    bool m_allowsCommands = false;
    std::optional<std::int64_t> m_threads;
    std::optional<std::int64_t> m_seed;
    std::optional<std::string> m_platform; ///< of --dry-run
    std::optional<std::string> m_image;
    bool m_detach = false;
    bool m_quiet = false;
    bool m_json = false;
};

} // namespace cannery::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/launch/cluster_supervisor.h"
#include "storage/runs/run_record.h"

#include <optional>
#include <string>

namespace cannery::launch {

/// In a launcher in the background: reports to the starting command, through a pipe, that the chief
/// has described its run, or why there is none. Says one thing, and closes the pipe.
class ClusterAnnouncer final : public ClusterWatcher
{
public:
    /// `folder`: of the run, which may have been trained before.
    ClusterAnnouncer(int pipe, const std::string& folder);
    ~ClusterAnnouncer() override;
    ClusterAnnouncer(const ClusterAnnouncer&) = delete;
    ClusterAnnouncer& operator=(const ClusterAnnouncer&) = delete;

    void look() override;
    void failed(const std::string& errorJson) override;
    /// There was nothing to do, if nothing was said until now.
    void ended(ExitCode code);

private:
    void announceRun();
    void hangUp();

    int m_pipe;
    std::string m_folder;
    std::optional<storage::RunStatus> m_before;
};

} // namespace cannery::launch

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/coordinator/types.h"
#include "storage/io/file_system.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cannery::parameters {

/// A parameter server of a cluster: keeps its share of the variables, sends their values to the
/// tasks that train, and applies their gradients. The chief describes the model and fills it; after
/// a restart the server continues from its own snapshot, or is filled again. It needs neither data
/// nor the experiment.
///
/// No process may be forked after one was created.
class ParameterServer
{
public:
    struct Options
    {
        std::string address; ///< "host:port", as coordinator::Coordinator::Options has it
        /// Instead of the address's port; 0: chosen by the system.
        std::optional<int> port;
        int index = 0;                  ///< among the parameter servers
        std::vector<std::string> tasks; ///< that train, by rank, the chief first: "worker:0"
        std::string token;              ///< the job's secret
        std::string version;            ///< of the program
        int threads = 1;                ///< that apply gradients
        /// How long tasks wait for the chief.
        std::chrono::milliseconds longestWait = std::chrono::minutes(30);
        /// How long the server stays for tasks that have not heard of the end, and, when it is
        /// stopped, for the chief, which is perhaps stopped too and saves what it has here.
        std::chrono::milliseconds longestGoodbye = std::chrono::seconds(20);
        /// What happens, for the log. On a thread of the server, one call at a time.
        std::function<void(const coordinator::Note&)> onNote;
        const std::atomic<bool>* stop = nullptr; ///< ends it with a snapshot; may be null
        storage::FileSystem* system = &storage::realFileSystem();
    };

    /// Errors: "parameters.address_in_use", "parameters.cannot_listen", those of
    /// cluster::parseHostPort().
    static Result<std::unique_ptr<ParameterServer>> start(Options options);
    ~ParameterServer();
    ParameterServer(const ParameterServer&) = delete;
    ParameterServer& operator=(const ParameterServer&) = delete;

    /// Serves until the chief has ended the training; returns how. "base.interrupted" if it was
    /// stopped, "parameters.no_chief" if none has come.
    Result<coordinator::JobEnd> run();

    /// Where it listens on this host, "host:port".
    std::string localAddress() const;

private:
    class Private;
    explicit ParameterServer(std::unique_ptr<Private> parts);
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::parameters

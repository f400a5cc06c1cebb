// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/coordinator/types.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cannery::coordinator {

/// What the coordinator knows about a task.
struct MemberStatus
{
    std::string task;
    std::string host;       ///< empty if never seen
    bool isPresent = false; ///< connected, with a sign of life within the limit
    bool isWaiting = false; ///< asks for a new generation
    bool hasLeft = false;   ///< has finished its work
    int restarts = 0;       ///< processes of this task that replaced an earlier one
    StepTimes lastStep;
};

/// The control plane of a synchronous cluster: one server per job, in the chief's process, at the
/// address that the cluster's description (TF_CONFIG) gives the chief. It knows who belongs to the
/// job, forms generations, notices who is lost, also for another task only, and keeps the store
/// through which a generation's tasks find each other. Its own process takes part through a Member,
/// like every other.
///
/// A generation forms once every task has asked for one. It is broken as soon as a task's
/// connection ends, a task is silent for too long, is replaced by a restarted process, or asks for
/// another generation; the others are notified at once. After a restart of the chief the members
/// register again, and numbers continue from the highest that any of them has seen.
///
/// No process may be forked after one was created.
class Coordinator
{
public:
    struct Options
    {
        /// "host:port" of the chief, as the cluster's description has it. A loopback host
        /// ("localhost", "127.0.0.1") is reachable from this host only; with any other the server
        /// listens at all interfaces, as TensorFlow's does.
        std::string address;
        /// Instead of the address's port; chosen by the system if 0.
        std::optional<int> port;
        /// Names by rank, the chief's first; their number is the size of every generation.
        std::vector<std::string> tasks;
        /// Every member's version, digest and token must equal these, and the member of rank 0 must
        /// be this incarnation.
        MemberIdentity chief;
        HeartBeats heartBeats;
        /// How long tasks may wait for a generation while one is absent, before the job ends as
        /// failed.
        std::chrono::milliseconds longestWait = std::chrono::minutes(30);
        /// Time for members to receive the last news when the server ends.
        std::chrono::milliseconds longestGoodbye = std::chrono::seconds(2);
        /// What happens in the cluster, for the chief's log: tasks lost, replaced, slow or missing,
        /// generations formed. Called on a thread of the coordinator, one call at a time.
        std::function<void(const Note&)> onNote;
    };

    /// Errors: "coordinator.address_in_use" (by another chief of this job, by another job, or by
    /// another program), "coordinator.cannot_listen", those of cluster::parseHostPort().
    static Result<std::unique_ptr<Coordinator>> start(Options options);

    /// Members receive what was sent to them, then are disconnected. If the chief's member has not
    /// left, they wait for a new coordinator.
    ~Coordinator();
    Coordinator(const Coordinator&) = delete;
    Coordinator& operator=(const Coordinator&) = delete;

    /// Where the chief's own member connects: "host:port" on this host, with the port in use.
    std::string localAddress() const;

    /// By rank. Any thread.
    std::vector<MemberStatus> members() const;

private:
    class Private;
    explicit Coordinator(std::unique_ptr<Private> parts);
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::coordinator

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/gradient_exchange.h"
#include "core/plan/sharding.h"
#include "core/plan/staged_batch.h"
#include "kernels/accelerator/accelerator.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace cannery::plan {

/// Known before anything waits on an accelerator.
inline constexpr ErrorKind kProcessLost{"plan.process_lost",
                                        "Another process of this training is lost."};

/// What a process wants of the next steps, and then what all of them do.
struct StepAgreement
{
    std::int64_t steps = 0; ///< the fewest; 0: somebody has voted against them
    float votes = 0;        ///< against them, summed up
    bool measures = false;  ///< if one does; see DeviceStepKind
    bool traces = false;    ///< if one does; see StepTrace
};

/// The processes of a cluster whose accelerators, equally many in each, are one group: as one of
/// them sees the others. Gradients are summed by the group; all else that they must agree on goes
/// through the exchange, as doubles. All processes make the same calls in the same order, on one
/// thread each. Errors: of the exchange.
///
/// All processes prepare programs for the same steps and launch them alike: a launch is collective
/// for the graphs that were captured together, and so is whether it is of a graph
/// (https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/usage/cudagraph.html).
class DeviceProcesses
{
public:
    /// `own`: the accelerators of this process. Everything outlives this object.
    DeviceProcesses(GradientExchange& exchange, const Sharding& sharding,
                    std::span<kernels::Accelerator* const> own);
    ~DeviceProcesses();
    DeviceProcesses(const DeviceProcesses&) = delete;
    DeviceProcesses& operator=(const DeviceProcesses&) = delete;

    /// The accelerators of all processes become a group, once, whose id the first process has
    /// made. The others make one, too: who cannot does not let the rest wait. Errors: of the
    /// exchange, after which it may be called again; of makeId(); of kernels::Accelerator::join();
    /// "plan.process_lost".
    Result<void> meet(const std::function<Result<kernels::GroupId>()>& makeId);

    /// From what each wants. With steps to take begins a turn, in which accelerators may wait for
    /// those of other processes: if one of these is lost, the group is given up. Errors: also
    /// "plan.process_lost".
    Result<StepAgreement> agree(const StepAgreement& own);
    /// Whether it is so in all processes.
    Result<bool> isSoInAll(bool own);
    void endTurn() { m_isInTurn = false; }
    /// For each step the batches of the members of this process, none if they are not known yet;
    /// returns for each step those of all members, in order, none if a process does not know its
    /// own.
    Result<std::vector<std::vector<BatchShape>>>
    shareShapes(const std::vector<std::vector<BatchShape>>& steps);
    /// Sums over all members, in order, of numbers that each has for each step: [steps, members].
    Result<std::vector<double>> sumOfMembers(std::span<const double> own);
    /// After an error here: neither this process nor the others wait for each other any more.
    void giveUp();

private:
    bool isLostSoon() const;
    Result<void> gather(std::span<const double> own);
    std::span<const double> gatheredFrom(std::size_t process) const;

    GradientExchange& m_exchange;
    std::size_t m_processes;
    std::size_t m_rank;         ///< of this one
    kernels::GroupRank m_first; ///< of its accelerators
    std::vector<kernels::Accelerator*> m_own;
    std::vector<double> m_gathered; ///< by each process in order, equally much
    std::atomic<bool> m_isInTurn = false;
    std::atomic<bool> m_isLost = false; ///< another process, since meet()
};

} // namespace cannery::plan

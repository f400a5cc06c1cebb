// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/collectives/communicator.h"
#include "core/plan/gradient_exchange.h"
#include "core/strategies/pack_thread.h"
#include "core/strategies/sparse_exchange.h"
#include "core/strategies/sum_options.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace cannery::strategies {

/// What the processes of a group tell each other while they are connected: gradients, and the state
/// of the one that is furthest. One thread, except where another is named.
class GroupExchange : public plan::GradientExchange
{
public:
    GroupExchange(const SumOptions& sums, std::int64_t processes);
    ~GroupExchange() override;

    /// Through this, which belongs to the group's generation of this number.
    void connect(std::unique_ptr<collectives::Communicator> communicator, std::int64_t generation);
    void disconnect();
    /// Any thread: what waits for others fails, if the generation that is connected is not newer.
    void abort(std::int64_t generation);
    /// Any thread: whom a call waits for longer than this.
    std::optional<int> stuckWith(std::chrono::milliseconds longest) const;

    /// See WorkerGroup::share().
    Result<void> share(std::int64_t step, std::span<std::byte> state);
    Result<void> gather(std::span<double> all) override;
    plan::PackSizes packSizes() const override;
    void begin(std::span<float> pack, bool isLast) override;
    Result<void> finish(std::span<const plan::SparsePart> sparse) override;
    void whenLost(std::function<void()> lost) override;

    /// How long the last step waited for others, until finish() returned.
    double waitSeconds() const { return m_waitSeconds; }
    /// How long this thread has waited since the last call.
    double takeWaitSeconds();

private:
    Result<void> sumPack(std::span<float> pack);
    Result<void> sumAll(std::span<const plan::SparsePart> sparse);

    const SumOptions m_sums;
    const std::int64_t m_processes;
    SparseExchange m_sparse;
    std::unique_ptr<PackThread> m_thread; ///< made when a step has several packs
    std::span<float> m_lastPack;
    std::vector<std::span<std::byte>> m_gathered;              ///< by rank
    double m_waitSeconds = 0;                                  ///< for others, in the last step
    double m_gatherSeconds = 0;                                ///< of it in this one, so far
    mutable std::mutex m_mutex;                                ///< for all that follows
    std::function<void()> m_lost;                              ///< or empty
    std::unique_ptr<collectives::Communicator> m_communicator; ///< replaced by this thread only
    std::int64_t m_generation = 0;
};

} // namespace cannery::strategies

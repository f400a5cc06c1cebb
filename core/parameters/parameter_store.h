// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/parameters/store_tasks.h"
#include "core/parameters/trained_parts.h"

#include "core/parameters/parameters.pb.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace cannery::parameters {

/// What has become of a push.
struct PushOutcome
{
    enum class Kind
    {
        Applied,
        Waiting,  ///< for the other tasks of its round; see ParameterStore::outcomeOf
        Refused,  ///< all steps of the training have been made
        Lost,     ///< its batch is no longer this task's
        Replaced, ///< by another process of the task
        Misfit    ///< its gradients are not those of the other tasks in its round
    };
    Kind kind = Kind::Applied;
    std::int64_t step = 0; ///< the global step after it

    bool operator==(const PushOutcome&) const = default;
};

/// The share of one parameter server: parts of variables with their optimizer slots, the steps
/// that were made, and who made them. Every push is applied exactly once, however often it comes.
/// With sync parts a push waits for those of all other tasks, whose mean is then applied; who has
/// been here and is gone is not waited for. One call at a time; no clock, no files.
class ParameterStore
{
public:
    /// Errors: of makeOptimizer(), "parameters.setup" if the message makes no sense.
    static Result<std::unique_ptr<ParameterStore>> create(wire::Setup setup, int threads);

    /// Variables and slots.
    TrainedParts& parts() { return m_parts; }
    const TrainedParts& parts() const { return m_parts; }
    /// Who is here, and the batches that are computed.
    StoreTasks& tasks() { return *m_tasks; }
    const StoreTasks& tasks() const { return *m_tasks; }

    /// The message that would make this store again, without its contents and without pushes that
    /// wait, which come again.
    wire::Setup describe() const;
    /// Appends all rows that have changed since the last takeChanges() or
    /// TrainedParts::clearMarks(), see wire::Changes.
    wire::Changes takeChanges(std::vector<std::byte>& payload);
    /// Becomes what another store with the same parts was at its takeChanges(), if it is what that
    /// one was before. False: these are not of such a store; this one is of no use then.
    bool putChanges(const wire::Changes& changes, std::span<const std::byte> payload);
    /// Of the optimizers, with their counters.
    wire::State state() const;

    /// A process of a task is here, or has gone. A later one replaces an earlier one.
    void enter(int rank, std::uint64_t incarnation);
    void leave(int rank, std::uint64_t incarnation);

    /// Keeps the payload only if the push waits; it is empty then.
    PushOutcome push(int rank, std::uint64_t incarnation, wire::Push push,
                     std::vector<std::byte>& payload);
    /// Of a push that was Waiting.
    PushOutcome outcomeOf(int rank, std::uint64_t incarnation, std::int64_t sequence) const;
    /// Pushes wait for others.
    bool isInRound() const { return !m_waiting.empty(); }

    std::int64_t step() const { return m_step; }
    /// As it began, but with the leases of now.
    const wire::Setup& setup() const { return m_setup; }

private:
    ParameterStore(wire::Setup setup, int threads);
    bool waitsForOthers(const wire::Push& push) const;
    bool fitsRound(int rank, const wire::Push& push) const;
    bool isFull() const { return m_setup.has_max_steps() && m_step >= m_setup.max_steps(); }
    std::int64_t number(const wire::Push& push);
    void completeRound();
    void beginStep(std::int64_t step);

    wire::Setup m_setup; ///< as it began
    TrainedParts m_parts;
    std::optional<StoreTasks> m_tasks;     ///< nothing: it is being created
    std::map<int, Contribution> m_waiting; ///< by rank
    wire::State m_stateBefore;             ///< the step that the optimizers have begun
    std::int64_t m_step = 0;
    std::int64_t m_begunStep = -1; ///< by the optimizers
};

} // namespace cannery::parameters

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/optimizers/optimizer.h"
#include "core/parameters/stored_part.h"

#include "core/parameters/parameters.pb.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
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

    /// The memory of all parts in order, each followed by its slots: what a Setup's payload fills.
    std::vector<std::span<float>> contents();
    /// The message that would make this store again, without its contents and without pushes that
    /// wait, which come again.
    wire::Setup describe() const;

    /// For files: how much takeChanges() would append.
    std::uint64_t changedBytes() const;
    /// Appends all rows that have changed since the last takeChanges() or clearMarks(), see
    /// wire::Changes.
    wire::Changes takeChanges(std::vector<std::byte>& payload);
    void clearMarks();
    /// Becomes what another store with the same parts was at its takeChanges(), if it is what that
    /// one was before. False: these are not of such a store; this one is of no use then.
    bool putChanges(const wire::Changes& changes, std::span<const std::byte> payload);

    /// Of the optimizers, with their counters.
    wire::State state() const;

    std::span<const float> values(int part) const { return m_parts.at(index(part)).values(); }
    bool hasPart(int part) const { return m_partOf.contains(part); }
    std::int64_t cols(int part) const { return m_parts.at(index(part)).cols(); }

    struct Presence
    {
        bool wasSeen = false;
        int conversations = 0; ///< an old one may end after a new one has begun
        bool isGone() const { return wasSeen && conversations == 0; }
    };
    /// A process of a task is here, or has gone. A later one replaces an earlier one.
    void enter(int rank, std::uint64_t incarnation);
    void leave(int rank, std::uint64_t incarnation);
    /// Where a task's input continues.
    wire::Position positionOf(int rank) const;
    bool isHere(int rank) const { return presenceOf(rank).conversations > 0; }
    const Presence& presenceOf(int rank) const
    {
        return m_presence.at(static_cast<std::size_t>(rank));
    }
    std::uint64_t incarnationOf(int rank) const
    {
        return m_records.at(static_cast<std::size_t>(rank)).incarnation();
    }
    /// How many tasks besides this one are here, and have not come yet.
    int othersOf(int rank) const;
    int unseen() const;

    /// The bytes that a push's payload must have; nothing if the push makes no sense.
    std::optional<std::size_t> payloadSize(const wire::Push& push) const;
    /// Whether all rows of a payload of this size exist.
    bool hasItsRows(const wire::Push& push, std::span<const std::byte> payload) const;
    /// Keeps the payload only if the push waits; it is empty then.
    PushOutcome push(int rank, std::uint64_t incarnation, wire::Push push,
                     std::vector<std::byte>& payload);
    /// Of a push that was Waiting.
    PushOutcome outcomeOf(int rank, std::uint64_t incarnation, std::int64_t sequence) const;

    /// Pushes wait for others.
    bool isInRound() const { return !m_waiting.empty(); }

    /// Gives a task a batch, unless it has one: the first that was given back, or the next.
    wire::Leased lease(int rank);
    /// Takes it away from a task that will not compute it.
    void giveBack(int rank);
    wire::Leased leaseOf(int rank) const;

    /// Nobody is here yet: after a restart of the server.
    void forgetPresence();

    std::int64_t step() const { return m_step; }
    /// As it began, but with the leases of now.
    const wire::Setup& setup() const { return m_setup; }
    std::uint64_t session() const { return m_setup.session(); }
    /// Counts changes: of values, and of everything else that describe() says.
    std::int64_t changes() const { return m_changes; }

private:
    /// A gradient on its way into a part.
    struct Gradient
    {
        std::int64_t first = 0; ///< element of the part
        std::int64_t count = 0;
        std::span<const float> dense;
        kernels::SparseGradient sparse;
        std::vector<float> sum; ///< memory of `dense`, if it is one
        bool isSparse = false;
    };
    struct Contribution
    {
        wire::Push push;
        std::vector<std::byte> payload;
    };

    explicit ParameterStore(wire::Setup setup, int threads);
    Result<void> layOut();
    bool setScalars(std::size_t optimizer, const wire::Optimizer& message);
    void setRecords(const wire::Setup& setup);
    std::size_t index(int part) const { return m_partOf.at(part); }
    bool waitsForOthers(const wire::Push& push) const;
    bool fitsRound(int rank, const wire::Push& push) const;
    bool isFull() const { return m_setup.has_max_steps() && m_step >= m_setup.max_steps(); }
    std::int64_t number(const wire::Push& push);
    void record(int rank, const wire::Push& push, std::int64_t step);
    void completeRound();
    void beginStep(std::int64_t step);
    /// Applies the segments of one kind.
    void apply(const Contribution& contribution, bool sync);
    void applyMean(std::span<const Contribution* const> contributions);
    std::vector<Gradient> gradientsOf(const Contribution& contribution, bool sync,
                                      std::vector<std::size_t>& parts) const;
    std::vector<Gradient> sum(std::span<const Contribution* const> contributions,
                              std::vector<std::size_t>& parts);
    void apply(std::size_t part, const Gradient& gradient);
    void train(StoredPart& part, const Gradient& gradient);

    wire::Setup m_setup; ///< as it began
    kernels::ThreadPool m_pool;
    kernels::SparseScratch m_scratch;
    std::vector<StoredPart> m_parts;
    std::map<int, std::size_t> m_partOf; ///< by id
    std::vector<std::unique_ptr<optimizers::Optimizer>> m_optimizers;
    wire::State m_stateBefore;               ///< the step that the optimizers have begun
    std::vector<Presence> m_presence;        ///< by rank
    std::vector<wire::TaskRecord> m_records; ///< by rank
    std::map<int, Contribution> m_waiting;   ///< by rank
    std::int64_t m_step = 0;
    std::int64_t m_begunStep = -1; ///< by the optimizers
    std::int64_t m_changes = 0;
};

} // namespace cannery::parameters

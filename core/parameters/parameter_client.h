// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/coordinator/types.h"
#include "core/graph/lowered_model.h"
#include "core/plan/model.h"
#include "core/plan/parameter_exchange.h"
#include "core/spec/strategies.pb.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cannery::parameters {

/// Where a task's input continues: an epoch, and an offset in it.
struct Place
{
    std::int64_t epoch = 0;
    std::int64_t offset = 0;

    bool operator==(const Place&) const = default;
};

/// A task's view of its cluster's parameter servers, which have the variables of its model. The
/// chief fills them; every task fetches values and sends gradients. A lost server is waited for,
/// and what was sent to it is sent again: it is applied once. One thread.
class ParameterClient final : public plan::ParameterExchange
{
public:
    struct Options
    {
        std::vector<std::string> servers;     ///< "host:port", by index
        int tasks = 1;                        ///< that train, the chief included
        coordinator::MemberIdentity identity; ///< of this one; rank 0 is the chief
        spec::ParameterServerStrategy strategy;
        std::function<void(const coordinator::Note&)> onNote; ///< on the client's thread
        const std::atomic<bool>* stop = nullptr;              ///< ends waiting; may be null
        std::chrono::milliseconds longestWait = std::chrono::minutes(10); ///< for a lost server
        /// For servers that have not been there yet.
        std::chrono::milliseconds startWait = std::chrono::minutes(10);
        /// Says so, once, when a server does not answer for this long.
        std::chrono::milliseconds patience = std::chrono::seconds(5);
    };

    struct Attachment
    {
        const graph::LoweredModel& lowered;
        std::vector<plan::StateTensor> state; ///< of the model, valid as long as the client is used
        std::string experiment;               ///< and its data: the same text in every task
        std::string folder;                   ///< of the run, in the chief
        std::int64_t globalStep = 0;          ///< in the chief, like the next
        Place place;
        std::optional<std::int64_t> maxSteps;
        /// In the chief: tasks do not read shares of their own, but are given batches one at a
        /// time, so many from `place` on; unlimited: -1.
        std::optional<std::int64_t> leasedBatches;
        std::uint64_t seed = 0; ///< of the training
    };
    struct Lease
    {
        std::optional<std::int64_t> batch; ///< counted from place() on; none: ask again, or
        bool isOver = false;               ///< all batches have been applied
    };

    explicit ParameterClient(Options options);
    ~ParameterClient() override;

    int rank() const;
    int tasks() const;
    bool isChief() const { return rank() == 0; }
    /// Some parts of variables are trained in rounds of all tasks.
    bool waitsForOthers() const;
    void setNoteSink(std::function<void(const coordinator::Note&)> sink);

    /// Connects with all servers. The chief fills those that are empty; if it finds a training in
    /// progress, which it has lost, it joins that. Everybody then has the values of all variables.
    /// Errors: "base.interrupted", "parameters.unreachable", "coordinator.…" of a refusal.
    Result<void> attach(Attachment attachment);

    /// The highest global step known.
    std::int64_t globalStep() const;
    /// Where the input of this task continues: as of attach().
    Place place() const;
    /// Where it will be after the next push(); not with leases.
    void setPlace(Place place);

    /// The batch that the next push() is of. Whatever happens to this task, it is applied once, by
    /// this one or another. Nothing: the training has ended, or was told to.
    Result<std::optional<Lease>> lease();
    /// All batches before this one have been applied.
    std::int64_t firstOpenBatch() const;

    Result<bool> pull(std::span<const plan::ExchangedVariable> variables) override;
    Result<bool> push(std::span<const plan::ExchangedVariable> variables) override;
    /// Brings the whole state into the tensors of the attachment.
    Result<void> fetch();
    /// How many other tasks are training, and how many have not come yet; none if the training has
    /// ended.
    struct Others
    {
        int busy = 0;
        int unseen = 0;
    };
    Result<Others> others();

    /// All steps have been made.
    bool isFull() const;
    /// How the chief has ended the training, once it has.
    std::optional<coordinator::JobEnd> jobEnd() const;
    /// The last word of this task; the chief's ends the training for everybody.
    void leave(coordinator::Outcome outcome, const std::string& reason);

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::parameters

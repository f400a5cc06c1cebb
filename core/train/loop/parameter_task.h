// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/parameters/parameter_client.h"
#include "core/train/loop/leased_batches.h"
#include "core/train/loop/loop_end.h"
#include "core/train/loop/loop_place.h"

#include <functional>
#include <optional>
#include <utility>

namespace cannery::train {

/// The steps of a training loop whose variables are kept by parameter servers, which may also give
/// it its batches. One thread.
class ParameterTask
{
public:
    /// `leases`: the batches that are given, or nothing. All else outlives this.
    ParameterTask(parameters::ParameterClient& client, std::optional<LeasedBatches> leases,
                  LoopPlace& place, LoopEnd& end)
        : m_client(client), m_leases(leases), m_place(place), m_end(end)
    {}

    bool hasLeases() const { return m_leases.has_value(); }
    /// What a waiting loop does meanwhile: it obeys requests.
    using Meanwhile = std::function<Result<void>()>;
    /// With leases: moves the input to the batch that this task is given. False: all batches have
    /// been applied. After a request to end, none is given.
    Result<bool> takeLease(const Meanwhile& obey);
    /// Before a step, whose batch is taken: without leases, servers learn where this task goes on.
    void sendPlace();
    /// A step was applied: by now others may be, too.
    void takeGlobalStep() { m_place.globalStep = m_client.globalStep(); }
    /// A step was not applied: all have been made, the chief has ended the training, the batch was
    /// given to another task, or this process was told to stop, which the loop sees.
    Result<void> endStep();
    /// The chief's share of the rows has ended: it leads until the others' have, too.
    Result<void> awaitOthers(const Meanwhile& obey);

    /// Brings the state that the servers keep to the model.
    Result<void> bringState();
    /// Where a resumed training goes on.
    data::InputPosition position() const;

private:
    parameters::ParameterClient& m_client;
    std::optional<LeasedBatches> m_leases;
    LoopPlace& m_place;
    LoopEnd& m_end;
};

} // namespace cannery::train

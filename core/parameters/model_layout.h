// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/graph/lowered_model.h"
#include "core/optimizers/optimizer.h"
#include "core/parameters/placement.h"
#include "core/plan/model.h"
#include "core/spec/strategies.pb.h"

#include "core/parameters/parameters.pb.h"

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace cannery::parameters {

/// Where the variables of a model and the slots of its optimizers are: the same in every process.
class ModelLayout
{
public:
    /// Errors: of makeOptimizer(), "parameters.optimizer" (it needs more than a share of a variable
    /// and its gradient).
    static Result<ModelLayout> create(const graph::LoweredModel& lowered,
                                      const spec::ParameterServerStrategy& strategy, int servers);

    /// Ids of parts are indices; parts of a variable are consecutive.
    std::span<const Part> parts() const { return m_parts; }
    /// Those of a variable: [first, second).
    std::pair<std::size_t, std::size_t> partsOf(std::size_t variable) const
    {
        return m_partsOf[variable];
    }
    bool hasParts(int server) const;

    /// The description of a server's share, with the numbers of the state's optimizers.
    wire::Setup setup(int server, std::span<const plan::StateTensor> state) const;
    /// The memory of the state in the order of the share's contents.
    std::vector<std::span<std::byte>> contents(int server,
                                               std::span<const plan::StateTensor> state) const;
    /// Sets the numbers of the state's optimizers.
    void take(const wire::State& message, std::span<const plan::StateTensor> state) const;

private:
    struct PlacedOptimizer
    {
        graph::ScopedOptimizer description;
        std::vector<optimizers::SlotSpec> slots; ///< their names are literals
        std::vector<std::string> scalars; ///< their names in a checkpoint, and that of the counter
        std::string counter;
    };
    std::vector<std::string> tensorsOf(std::size_t variable) const;

    spec::ParameterServerStrategy m_strategy;
    std::vector<Part> m_parts;
    std::vector<std::pair<std::size_t, std::size_t>> m_partsOf; ///< by variable
    std::vector<std::string> m_names;                           ///< by variable, like the next
    std::vector<int> m_optimizerOf;                             ///< -1: none
    std::vector<bool> m_isLookedUp;
    std::vector<PlacedOptimizer> m_optimizers;
};

} // namespace cannery::parameters

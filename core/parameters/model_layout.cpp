// SPDX-License-Identifier: Apache-2.0
#include "core/parameters/model_layout.h"

#include "core/base/check.h"
#include "core/optimizers/optimizer_catalog.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

namespace cannery::parameters {

namespace {

constexpr ErrorKind kBeyondShares{
    "parameters.optimizer",
    "Parameter servers do not train with {}: change the optimizer, or use another strategy."};

std::span<std::byte> bytesOf(std::span<const plan::StateTensor> state, const std::string& name)
{
    const auto found = std::ranges::find(state, name, &plan::StateTensor::name);
    CANNERY_CHECK(found != state.end());
    return found->bytes;
}

template <typename T>
T numberOf(std::span<const plan::StateTensor> state, const std::string& name)
{
    T value{};
    std::memcpy(&value, bytesOf(state, name).data(), sizeof(T));
    return value;
}

/// What of an optimizer needs more than a share of a variable; null: nothing.
const char* beyondShares(const optimizers::Optimizer& optimizer)
{
    if (optimizer.needsWholeVariables()) {
        return "adafactor";
    }
    if (optimizer.averagesBecomeWeights()) {
        return "ema_momentum";
    }
    return optimizer.decaysWeights() ? "the weight decay of rules: keras" : nullptr;
}

template <typename T>
void setNumber(std::span<const plan::StateTensor> state, const std::string& name, T value)
{
    std::memcpy(bytesOf(state, name).data(), &value, sizeof(T));
}

} // namespace

Result<ModelLayout> ModelLayout::create(const graph::LoweredModel& lowered,
                                        const spec::ParameterServerStrategy& strategy, int servers)
{
    ModelLayout layout;
    layout.m_strategy = strategy;
    std::map<std::string, int> scopes;
    for (const graph::ScopedOptimizer& description : lowered.optimizers) {
        CANNERY_TRY_ASSIGN(const auto optimizer,
                           optimizers::makeOptimizer(description.optimizer, 0));
        scopes[description.scope] = static_cast<int>(layout.m_optimizers.size());
        PlacedOptimizer& placed = layout.m_optimizers.emplace_back();
        placed.description = description;
        placed.slots.assign(optimizer->slots().begin(), optimizer->slots().end());
        if (const char* reason = beyondShares(*optimizer)) {
            return fail(ErrorCode::Unimplemented, kBeyondShares, reason);
        }
        for (const optimizers::Scalar& scalar : optimizer->scalars()) {
            placed.scalars.push_back(
                optimizer->scalarName(description.checkpointPrefix, scalar.name));
        }
        placed.counter = optimizer->counterName(description.checkpointPrefix);
    }
    std::vector<Shape> shapes;
    for (const graph::Variable& variable : lowered.graph.variables) {
        const auto scope = scopes.find(variable.scope);
        shapes.push_back(variable.shape);
        layout.m_names.push_back(variable.name);
        layout.m_optimizerOf.push_back(variable.trainable && scope != scopes.end() ? scope->second
                                                                                   : -1);
        layout.m_isLookedUp.push_back(variable.gradient == graph::GradientKind::Sparse);
    }
    layout.m_parts = place(shapes,
                           {.maxPartitions = strategy.variable_partitioner().max_partitions(),
                            .minSliceSize = strategy.variable_partitioner().min_slice_size()},
                           servers);
    layout.m_partsOf.resize(shapes.size());
    for (std::size_t part = 0; part < layout.m_parts.size(); ++part) {
        auto& range = layout.m_partsOf[layout.m_parts[part].variable];
        range.first = range.second == 0 ? part : range.first;
        range.second = part + 1;
    }
    return layout;
}

bool ModelLayout::hasParts(int server) const
{
    return std::ranges::any_of(m_parts, [&](const Part& part) { return part.server == server; });
}

/// A variable and its slots.
std::vector<std::string> ModelLayout::tensorsOf(std::size_t variable) const
{
    std::vector<std::string> names{m_names[variable]};
    if (m_optimizerOf[variable] >= 0) {
        const PlacedOptimizer& optimizer =
            m_optimizers[static_cast<std::size_t>(m_optimizerOf[variable])];
        for (const optimizers::SlotSpec& slot : optimizer.slots) {
            names.push_back(
                slot.tensorName(optimizer.description.checkpointPrefix, m_names[variable]));
        }
    }
    return names;
}

wire::Setup ModelLayout::setup(int server, std::span<const plan::StateTensor> state) const
{
    wire::Setup setup;
    for (const PlacedOptimizer& placed : m_optimizers) {
        wire::Optimizer& optimizer = *setup.add_optimizer();
        optimizer.set_message(placed.description.optimizer.SerializeAsString());
        optimizer.set_owns_global_step(placed.description.ownsGlobalStep);
        for (const std::string& scalar : placed.scalars) {
            optimizer.add_scalar(numberOf<float>(state, scalar));
        }
        if (!placed.description.ownsGlobalStep) {
            optimizer.set_iterations(numberOf<std::int64_t>(state, placed.counter));
        }
    }
    for (std::size_t id = 0; id < m_parts.size(); ++id) {
        const Part& part = m_parts[id];
        if (part.server != server) {
            continue;
        }
        wire::Part& message = *setup.add_part();
        message.set_id(static_cast<int>(id));
        message.set_count(part.count);
        message.set_cols(part.cols);
        message.set_optimizer(m_optimizerOf[part.variable]);
        message.set_is_sync(
            (m_isLookedUp[part.variable] ? m_strategy.embedding() : m_strategy.dense()) ==
            spec::Consistency::sync);
    }
    setup.set_has_rounds(m_strategy.dense() == spec::Consistency::sync);
    setup.set_snapshot_secs(m_strategy.snapshot_secs());
    return setup;
}

std::vector<std::span<std::byte>>
ModelLayout::contents(int server, std::span<const plan::StateTensor> state) const
{
    std::vector<std::span<std::byte>> pieces;
    for (const Part& part : m_parts) {
        if (part.server != server) {
            continue;
        }
        for (const std::string& name : tensorsOf(part.variable)) {
            pieces.push_back(bytesOf(state, name)
                                 .subspan(static_cast<std::size_t>(part.first) * sizeof(float),
                                          static_cast<std::size_t>(part.count) * sizeof(float)));
        }
    }
    return pieces;
}

void ModelLayout::take(const wire::State& message, std::span<const plan::StateTensor> state) const
{
    for (std::size_t i = 0; i < m_optimizers.size(); ++i) {
        const wire::Optimizer& optimizer = message.optimizer(static_cast<int>(i));
        const PlacedOptimizer& placed = m_optimizers[i];
        for (std::size_t scalar = 0; scalar < placed.scalars.size(); ++scalar) {
            setNumber(state, placed.scalars[scalar], optimizer.scalar(static_cast<int>(scalar)));
        }
        if (!placed.description.ownsGlobalStep) {
            setNumber(state, placed.counter, optimizer.iterations());
        }
    }
}

} // namespace cannery::parameters

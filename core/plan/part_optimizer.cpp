// SPDX-License-Identifier: Apache-2.0
#include "core/plan/part_optimizer.h"

#include "core/base/catalog.h"
#include "core/optimizers/optimizer_catalog.h"
#include "kernels/device/row_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace cannery::plan {

namespace {

/// Updates of at least this many elements are split into blocks.
constexpr std::int64_t kLargeWork = 4 * kernels::kBlockElements;
/// Cost of an element of a scattered row, in elements of a dense gradient, and minimum cost of a
/// row: its weights and slots are separate locations in memory.
constexpr std::int64_t kSparseCost = 4;
constexpr std::int64_t kFewestElementsOfRow = 8;
constexpr std::int64_t kInCells = -1;

} // namespace

/// True for Adagrad and plain SGD only, where w -= 0 and n += 0 change nothing: every other rule
/// decays something, Keras's new SGD fills a slot, and Ftrl solves for the weight again. (An
/// Adagrad without epsilon could divide 0 by 0.)
bool zeroGradientChangesNothing(const spec::Optimizer& optimizer)
{
    if (optimizer.has_clipnorm() || optimizer.has_global_clipnorm() || optimizer.has_clipvalue()) {
        return false; // clipping needs whole gradients
    }
    if (optimizer.weight_decay() > 0) {
        return false; // whatever the gradient is
    }
    if (optimizer.has_sgd()) {
        return optimizer.sgd().momentum() == 0.0 &&
               optimizer.rules() == spec::OptimizerRules::estimator;
    }
    return optimizer.has_adagrad() && optimizer.adagrad().epsilon() > 0.0;
}

std::string inferenceTensor(const graph::LoweredModel& lowered, const graph::Variable& variable)
{
    const auto trains = [&](const graph::ScopedOptimizer& optimizer) {
        return variable.trainable && optimizer.scope == variable.scope &&
               optimizer.optimizer.moving_average_decay() > 0.0;
    };
    return std::ranges::any_of(lowered.optimizers, trains)
               ? fmt::format("{}/{}", variable.name, optimizers::kAverageSlot)
               : variable.name;
}

Result<std::unique_ptr<PartOptimizer>>
PartOptimizer::create(const graph::ScopedOptimizer& description, const graph::LayerGraph& graph,
                      Variables& variables, std::uint64_t seed)
{
    auto part = std::unique_ptr<PartOptimizer>(new PartOptimizer());
    part->m_description = description;
    CANNERY_TRY_ASSIGN(part->m_optimizer, optimizers::makeOptimizer(description.optimizer, seed));
    part->m_untouchedRowsStay = zeroGradientChangesNothing(description.optimizer);
    for (std::size_t index = 0; index < graph.variables.size(); ++index) {
        const auto id = static_cast<graph::VariableId>(index);
        const graph::Variable& variable = graph.variables[index];
        if (!variable.trainable || variable.scope != description.scope) {
            continue;
        }
        if (variable.constraint.kind_case() != spec::Constraint::KIND_NOT_SET) {
            part->m_constraints.push_back(
                {.index = part->m_ids.size(),
                 .constraint = WeightConstraint(variable.constraint, variable.shape)});
        }
        part->m_ids.push_back(id);
        part->m_values.push_back(variables.values(id));
        part->m_shapes.push_back(variable.shape);
        for (const optimizers::SlotSpec& slot : part->m_optimizer->slots()) {
            const std::optional<Shape> shape = slot.shapeFor(variable.shape);
            part->m_slotOffsets.push_back(part->m_values.back().contiguous()
                                              ? part->m_slots.add(shape ? shape->elementCount() : 0)
                                              : kInCells);
        }
    }
    CANNERY_TRY(part->findDecaying(graph));
    part->m_zeros = std::deque<FollowedZeros>(part->m_ids.size());
    part->m_slots.allocate();
    for (std::size_t index = 0; index < part->m_ids.size(); ++index) {
        for (std::size_t slot = 0; slot < part->m_optimizer->slots().size(); ++slot) {
            const kernels::MatrixView values = part->slot(index, slot);
            for (std::int64_t row = 0; row < values.rows; ++row) {
                std::ranges::fill_n(values.at(row), values.cols,
                                    part->m_optimizer->slots()[slot].initialValue);
            }
        }
    }
    part->startAverages();
    return part;
}

Result<void> PartOptimizer::findDecaying(const graph::LayerGraph& graph)
{
    std::int64_t largest = 0;
    for (std::size_t index = 0; index < m_ids.size(); ++index) {
        CANNERY_TRY_ASSIGN(const bool decays,
                           m_optimizer->decays(graph.variable(m_ids[index]).name));
        m_decays.push_back(decays);
        largest = std::max(largest, m_shapes[index].elementCount());
    }
    if (m_optimizer->needsWholeVariables()) {
        m_wholeGradient.resize(static_cast<std::size_t>(largest));
    }
    return {};
}

std::optional<Shape> PartOptimizer::slotShape(std::size_t index, std::size_t slot) const
{
    return m_optimizer->slots()[slot].shapeFor(m_shapes[index]);
}

kernels::MatrixView PartOptimizer::slot(std::size_t index, std::size_t slot)
{
    kernels::MatrixView values = m_values[index];
    const std::int64_t offset = m_slotOffsets[index * m_optimizer->slots().size() + slot];
    if (m_optimizer->slots()[slot].shape != optimizers::SlotShape::OfVariable) {
        const std::optional<Shape> shape = slotShape(index, slot);
        const std::int64_t count = shape ? shape->elementCount() : 0;
        return {m_slots.at(offset), 1, count, count};
    }
    values.data = offset == kInCells ? values.data + values.cols + slot : m_slots.at(offset);
    return values;
}

std::span<float> PartOptimizer::averages(std::size_t index)
{
    return slot(index, m_optimizer->slots().size() - 1).flat();
}

void PartOptimizer::startAverages()
{
    for (std::size_t index = 0; m_optimizer->keepsAverages() && index < m_ids.size(); ++index) {
        std::ranges::copy(m_values[index].flat(), averages(index).begin());
    }
}

void PartOptimizer::swapAverages()
{
    for (std::size_t index = 0; infersWithAverages() && index < m_ids.size(); ++index) {
        std::ranges::swap_ranges(m_values[index].flat(), averages(index));
    }
    forgetZeros();
}

void PartOptimizer::takeAverages()
{
    for (std::size_t index = 0; averagesBecomeWeights() && index < m_ids.size(); ++index) {
        std::ranges::copy(averages(index), m_values[index].flat().begin());
    }
    forgetZeros();
}

const char* PartOptimizer::onlyOnCpu(const graph::LayerGraph& graph) const
{
    const bool hasSparse = std::ranges::any_of(m_ids, [&](graph::VariableId id) {
        return graph.variable(id).gradient == graph::GradientKind::Sparse;
    });
    return m_optimizer->onlyOnCpu(hasSparse);
}

std::int64_t PartOptimizer::zerosOf(std::size_t index, kernels::ThreadPool& pool)
{
    return m_zeros[index].of(pool, m_values[index]);
}

void PartOptimizer::forgetZeros()
{
    for (FollowedZeros& zeros : m_zeros) {
        zeros.forget();
    }
}

PartOptimizer::Update PartOptimizer::updateOf(std::size_t index, std::int64_t firstRow,
                                              std::int64_t rowCount)
{
    Update update;
    update.index = index;
    update.weights = m_values[index].slice(firstRow, rowCount);
    const auto some = [=](const kernels::MatrixView& values) {
        const std::int64_t last = rowCount > 0 ? (rowCount - 1) * values.stride + values.cols : 0;
        return std::span(values.at(firstRow), static_cast<std::size_t>(last));
    };
    const std::size_t slots = m_optimizer->slots().size();
    if (m_optimizer->needsWholeVariables()) {
        return update; // stepWhole() has slots of its own shapes
    }
    if (slots > 0) {
        update.slots.first = some(slot(index, 0));
    }
    if (slots > 1) {
        update.slots.second = some(slot(index, 1));
    }
    if (slots > 2) {
        update.slots.third = some(slot(index, 2));
    }
    if (m_optimizer->keepsAverages()) {
        update.averages = some(slot(index, slots - 1));
    }
    return update;
}

std::string_view PartOptimizer::name() const
{
    const auto* row = findRow(optimizers::optimizerCatalog(), m_description.optimizer.kind_case());
    return row == nullptr ? std::string_view() : row->name;
}

void PartOptimizer::bind(const std::vector<VariableGradient*>& gradients)
{
    m_gradients = gradients;
    m_updates.clear();
    for (std::size_t index = 0; index < m_ids.size(); ++index) {
        addUpdates(index, *gradients[index]);
    }
    m_clipped.resize(m_ids.size());
    m_small.reserve(m_updates.size());
}

void PartOptimizer::addUpdates(std::size_t index, VariableGradient& gradient)
{
    const Segments& segments = gradient.applied();
    const auto isSparse = [](const layers::GradientSegment& segment) { return segment.sparse; };
    m_zeros[index].setFollowed(std::ranges::all_of(segments, isSparse));
    for (std::size_t begin = 0; begin < segments.size();) {
        const layers::GradientSegment& first = segments[begin];
        if (first.sparse) {
            m_updates.push_back(updateOf(index, first.firstRow, first.rowCount));
            m_updates.back().sparse = &first.rows;
            m_updates.back().segment = &first;
            ++begin;
            continue;
        }
        // Adjacent dense variables are contiguous in memory: one call for all of them.
        std::size_t end = begin;
        std::int64_t rows = 0;
        for (; end < segments.size() && !segments[end].sparse; ++end) {
            rows += segments[end].rowCount;
        }
        m_updates.push_back(updateOf(index, first.firstRow, rows));
        m_updates.back().segment = &first;
        m_updates.back().dense = {first.dense.data,
                                  static_cast<std::size_t>(rows * m_values[index].cols)};
        begin = end;
    }
}

void PartOptimizer::clip(kernels::ThreadPool& pool)
{
    for (std::size_t index = 0; index < m_gradients.size(); ++index) {
        m_clipped[index] = {.values = m_gradients[index]->values(),
                            .sliceSquares = m_gradients[index]->sliceSquares()};
    }
    m_optimizer->clipping().apply(pool, m_clipped);
}

void PartOptimizer::clipGradients(kernels::ThreadPool& pool)
{
    if (m_optimizer->clipping().any()) {
        clip(pool);
    }
}

void PartOptimizer::step(kernels::ThreadPool& pool, std::span<layers::Worker> workers,
                         std::int64_t globalStep)
{
    m_optimizer->beginStep(m_description.ownsGlobalStep ? globalStep : m_iterations);
    clipGradients(pool);
    if (m_optimizer->movesEveryRow() || m_optimizer->decaysWeights() ||
        m_optimizer->overwritesWeights()) {
        forgetZeros();
    }
    if (m_optimizer->needsWholeVariables()) {
        stepWhole(pool);
    } else {
        stepRows(pool, workers);
    }
    constrain();
    followWeights(pool);
    ++m_iterations;
}

void PartOptimizer::stepRows(kernels::ThreadPool& pool, std::span<layers::Worker> workers)
{
    // Large updates are split, small ones are distributed whole.
    m_small.clear();
    std::int64_t work = 0;
    for (const Update& update : m_updates) {
        if (elementsOf(update) >= kLargeWork) {
            apply(pool, update);
        } else {
            m_small.push_back(&update);
            work += workOf(update);
        }
    }
    if (m_small.size() > 1 && work >= kLargeWork / 2) {
        const auto one = [&](std::int64_t index, int worker) {
            apply(workers[static_cast<std::size_t>(worker)].pool,
                  *m_small[static_cast<std::size_t>(index)]);
        };
        m_blocks.parallelFor(pool, static_cast<std::int64_t>(m_small.size()), one);
    } else {
        for (const Update* update : m_small) {
            apply(pool, *update);
        }
    }
}

/// One variable after the other, each by all threads.
void PartOptimizer::stepWhole(kernels::ThreadPool& pool)
{
    for (std::size_t index = 0; index < m_ids.size(); ++index) {
        const std::span<float> weights = m_values[index].flat();
        const std::span<float> gradient = std::span(m_wholeGradient).first(weights.size());
        std::ranges::fill(gradient, 0.0F);
        m_gradients[index]->addTo(gradient);
        if (m_decays[index]) {
            m_optimizer->decay(pool, weights);
        }
        m_optimizer->applyWhole(
            pool, {.shape = m_shapes[index],
                   .weights = weights,
                   .slots = {slot(index, 0).flat(), slot(index, 1).flat(), slot(index, 2).flat()},
                   .gradient = gradient});
    }
}

/// After all updates and what changes weights besides.
void PartOptimizer::followWeights(kernels::ThreadPool& pool)
{
    for (std::size_t index = 0; m_optimizer->keepsAverages() && index < m_ids.size(); ++index) {
        m_optimizer->average(pool, m_values[index].flat(), averages(index));
    }
}

/// Whole variables, after all of their updates: a length may run through several of these.
void PartOptimizer::constrain()
{
    for (Constrained& variable : m_constraints) {
        variable.constraint.apply(m_values[variable.index].flat());
        m_zeros[variable.index].forget();
    }
}

optimizers::PlacedVariable PartOptimizer::placed(const kernels::AcceleratorProgram& program,
                                                 const Update& update) const
{
    optimizers::PlacedVariable variable{.weights = program.at(update.weights)};
    const std::size_t ofRule = m_optimizer->slots().size() - (m_optimizer->keepsAverages() ? 1 : 0);
    const std::array<std::span<float>, 3> slots{update.slots.first, update.slots.second,
                                                update.slots.third};
    for (std::size_t slot = 0; slot < std::min(ofRule, slots.size()); ++slot) {
        variable.slots[slot] = program.at(slots[slot].data());
    }
    if (update.sparse != nullptr) {
        variable.gradient.sparse = update.segment->placed;
    } else {
        variable.gradient.dense = {program.at(update.segment->dense.data), update.weights.rows,
                                   update.weights.cols, update.weights.cols};
    }
    if (m_optimizer->keepsAverages()) {
        variable.averages = program.at(update.averages.data());
    }
    return variable;
}

void PartOptimizer::place(kernels::AcceleratorProgram& program, bool leads)
{
    std::vector<optimizers::PlacedVariable> variables;
    for (const Update& update : m_updates) {
        variables.push_back(placed(program, update));
    }
    const auto iterations = [this](std::int64_t step) {
        const std::int64_t taken = m_iterations++;
        return m_description.ownsGlobalStep ? step : taken;
    };
    m_optimizer->placeStep(program, variables,
                           leads ? std::function<std::int64_t(std::int64_t)>(iterations) : nullptr);
}

/// Number of elements that an update touches.
std::int64_t PartOptimizer::elementsOf(const Update& update) const
{
    if (update.sparse == nullptr) {
        return static_cast<std::int64_t>(update.dense.size());
    }
    return (passesEveryRow() ? update.weights.rows : update.sparse->rowCount()) *
           update.weights.cols;
}

/// Its cost, in elements of a dense gradient.
std::int64_t PartOptimizer::workOf(const Update& update) const
{
    if (update.sparse == nullptr || passesEveryRow()) {
        return elementsOf(update);
    }
    return kSparseCost * update.sparse->rowCount() *
           std::max(update.weights.cols, kFewestElementsOfRow);
}

void PartOptimizer::apply(kernels::ThreadPool& pool, const Update& update)
{
    if (m_decays[update.index]) {
        m_optimizer->decay(pool, update.weights.flat());
    }
    if (update.sparse != nullptr) {
        m_optimizer->applySparse(pool, update.weights, update.slots, *update.sparse,
                                 m_zeros[update.index].count());
    } else {
        m_optimizer->applyDense(pool, update.weights.flat(), update.slots, update.dense);
    }
}

} // namespace cannery::plan

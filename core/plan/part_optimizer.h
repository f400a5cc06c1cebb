// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/graph/lowered_model.h"
#include "core/optimizers/optimizer.h"
#include "core/plan/gradients.h"
#include "core/plan/variables.h"
#include "core/plan/weights/weight_constraint.h"
#include "core/plan/zero_count.h"
#include "kernels/device/near_blocks.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::plan {

/// Whether this rule leaves a weight and its slots exactly unchanged where the gradient is zero.
bool zeroGradientChangesNothing(const spec::Optimizer& optimizer);

/// The name in a checkpoint of what a model infers with: the variable, or its moving averages.
std::string inferenceTensor(const graph::LoweredModel& lowered, const graph::Variable& variable);

/// The optimizer of one part of a model, with the slots of the variables it trains.
class PartOptimizer
{
public:
    /// Trains the trainable variables of the scope. Errors: those of optimizers::makeOptimizer.
    static Result<std::unique_ptr<PartOptimizer>> create(const graph::ScopedOptimizer& description,
                                                         const graph::LayerGraph& graph,
                                                         Variables& variables, std::uint64_t seed);

    /// Whether a zero gradient leaves a weight and its slots exactly unchanged, so rows that do not
    /// occur in a batch need not be touched. Clipping by norm needs the whole gradient.
    bool untouchedRowsStay() const { return m_untouchedRowsStay; }
    const std::vector<graph::VariableId>& variables() const { return m_ids; }
    /// The gradients of variables(), in that order; called whenever they are laid out again.
    void bind(const std::vector<VariableGradient*>& gradients);

    /// What step() does first, for gradients that are applied elsewhere.
    void clipGradients(kernels::ThreadPool& pool);
    /// One step with the bound gradients.
    void step(kernels::ThreadPool& pool, std::span<layers::Worker> workers,
              std::int64_t globalStep);

    /// What step() does, on an accelerator: over mirrors of variables, slots and gradients. Of the
    /// accelerators that take the same step, the first one `leads`: its program's step is written
    /// before those of the others, which then have the same numbers.
    void place(kernels::AcceleratorProgram& program, bool leads);
    /// Slots of all variables, with padding.
    std::span<float> slotMemory() { return m_slots.span(0, m_slots.size()); }

    const graph::ScopedOptimizer& description() const { return m_description; }
    /// As the schema calls it: "adam".
    std::string_view name() const;
    optimizers::Optimizer& optimizer() { return *m_optimizer; }
    /// A slot of variables()[index], laid out as the variable is, or of the shape slotShape().
    kernels::MatrixView slot(std::size_t index, std::size_t slot);
    /// Nothing: the variable has no such slot.
    std::optional<Shape> slotShape(std::size_t index, std::size_t slot) const;
    /// How many values of variables()[index] are 0.
    std::int64_t zerosOf(std::size_t index, kernels::ThreadPool& pool);
    /// See Model.
    void startAverages();
    void swapAverages();
    void takeAverages();
    bool infersWithAverages() const { return m_optimizer->infersWithAverages(); }
    bool averagesBecomeWeights() const { return m_optimizer->averagesBecomeWeights(); }
    /// What of the steps no accelerator does; null: nothing.
    const char* onlyOnCpu(const graph::LayerGraph& graph) const;
    /// The values may have been written from outside.
    void forgetZeros();
    /// Steps taken; only for an optimizer that does not own the global step.
    std::int64_t& iterations() { return m_iterations; }

private:
    /// One call of the optimizer: some rows of a variable with a gradient of one kind.
    struct Update
    {
        std::size_t index = 0; ///< of the variable
        kernels::MatrixView weights;
        kernels::OptimizerSlots slots;
        std::span<float> averages;    ///< empty: none are kept
        std::span<const float> dense; ///< or
        const kernels::SparseGradient* sparse = nullptr;
        const layers::GradientSegment* segment = nullptr; ///< the first
    };
    /// A variable that is held to something after each step.
    struct Constrained
    {
        std::size_t index = 0; ///< of the variable
        WeightConstraint constraint;
    };
    PartOptimizer() = default;
    void constrain();
    void addUpdates(std::size_t index, VariableGradient& gradient);
    Update updateOf(std::size_t index, std::int64_t firstRow, std::int64_t rowCount);
    /// The slot of the averages.
    std::span<float> averages(std::size_t index);
    /// Whether a step with a gradient of some rows reads or changes all of them.
    bool passesEveryRow() const
    {
        return m_optimizer->movesEveryRow() || m_optimizer->keepsAverages() ||
               m_optimizer->decaysWeights();
    }
    Result<void> findDecaying(const graph::LayerGraph& graph);
    void stepRows(kernels::ThreadPool& pool, std::span<layers::Worker> workers);
    void stepWhole(kernels::ThreadPool& pool);
    void followWeights(kernels::ThreadPool& pool);
    void clip(kernels::ThreadPool& pool);
    optimizers::PlacedVariable placed(const kernels::AcceleratorProgram& program,
                                      const Update& update) const;
    std::int64_t elementsOf(const Update& update) const;
    std::int64_t workOf(const Update& update) const;
    void apply(kernels::ThreadPool& pool, const Update& update);

    graph::ScopedOptimizer m_description;
    std::unique_ptr<optimizers::Optimizer> m_optimizer;
    bool m_untouchedRowsStay = false;
    std::vector<graph::VariableId> m_ids;
    std::vector<kernels::MatrixView> m_values;
    std::vector<Shape> m_shapes;
    std::vector<bool> m_decays;              ///< whether weights of the variable decay
    std::vector<float> m_wholeGradient;      ///< of an optimizer of whole variables, the largest
    std::vector<std::int64_t> m_slotOffsets; ///< variable-major; -1: the slot is in the cells
    FloatArena m_slots;
    std::int64_t m_iterations = 0;
    std::vector<VariableGradient*> m_gradients;
    std::vector<Update> m_updates;
    std::deque<FollowedZeros> m_zeros; ///< by variable
    std::vector<Constrained> m_constraints;
    std::vector<const Update*> m_small; ///< in a step: the updates of one thread
    kernels::NearBlocks m_blocks;       ///< those
    std::vector<optimizers::ClippedGradient> m_clipped;
};

} // namespace cannery::plan

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/optimizers/gradient_clipping.h"
#include "core/schedules/schedule.h"
#include "kernels/accelerator/program.h"
#include "kernels/ops/optimizer_step.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::optimizers {

/// A value per weight that an optimizer keeps for a variable.
struct SlotSpec
{
    std::string_view name; ///< last part of its name in a checkpoint
    float initialValue = 0.0F;
    bool isBesideVariable = false; ///< see tensorName()
    bool startsAsWeight = false;   ///< instead of initialValue

    /// `<prefix>/<variable>/<name>`, with a prefix such as "training/Adam"; `<variable>/<name>` if
    /// it is beside its variable.
    std::string tensorName(std::string_view prefix, std::string_view variable) const;
};

/// The slot of moving averages, and the last part of their names, as those of
/// tf.train.ExponentialMovingAverage.
inline constexpr std::string_view kAverageSlot = "ExponentialMovingAverage";

/// A float32 scalar stored in a checkpoint as `training/<class>/<name>`: a hyper-parameter, or
/// state. A restored checkpoint overwrites it, and the restored value is used, as in TensorFlow;
/// only `decay` is always the experiment's, there too (`_initial_decay` of Keras).
struct Scalar
{
    std::string_view name;
    float value = 0.0F;
};

/// Options common to all optimizers; read from spec::Optimizer.
struct OptimizerCommon
{
    float decay = 0.0F;                            ///< rate / (1 + decay * iterations)
    std::unique_ptr<schedules::Schedule> schedule; ///< the constant `learning_rate` if null
    GradientClipping clipping;
    std::optional<float> movingAverageDecay; ///< no averages if unset
};

/// A variable on an accelerator with its gradient in one step. Slots are in the order of
/// Optimizer::slots(); those of `averages` too, null if none are kept.
struct PlacedVariable
{
    kernels::MatrixView weights;
    std::array<float*, 3> slots{};
    kernels::GradientValues gradient;
    float* averages = nullptr;
};

/// An optimizer of tf.keras.optimizers.legacy (Keras 2.15) or tf.compat.v1.train: its rule, and its
/// slots and scalars by their names in a checkpoint. The memory of weights and slots belongs to the
/// caller. One step is
///
///     optimizer.beginStep(iterations);
///     optimizer.clipping().apply(pool, gradients);   // if clipping().any()
///     optimizer.applyDense(pool, weights, {first, second, third}, grad);   // for each variable
///     optimizer.average(pool, weights, averages);   // if keepsAverages()
///
/// Steps do not allocate. One controlling thread at a time.
class Optimizer
{
public:
    virtual ~Optimizer() = default;
    Optimizer(const Optimizer&) = delete;
    Optimizer& operator=(const Optimizer&) = delete;

    /// Keras's class: "Adam" in `training/Adam/learning_rate`.
    std::string_view className() const { return m_className; }
    /// At most three of the rule, then that of the moving averages if keepsAverages().
    /// applyDense() and applySparse() take the first three in this order as first, second, third.
    std::span<const SlotSpec> slots() const { return m_slots; }
    bool keepsAverages() const { return m_common.movingAverageDecay.has_value(); }
    /// Sorted by name. No `learning_rate` with a schedule; none at all in compat.v1.train. The
    /// counter `iter` is not included: it belongs to the code that counts steps.
    std::span<Scalar> scalars() { return m_scalars; }
    std::span<const Scalar> scalars() const { return m_scalars; }
    const GradientClipping& clipping() const { return m_common.clipping; }

    /// Prepares the step that is preceded by `iterations` steps.
    void beginStep(std::int64_t iterations);
    /// The rate of the current step, after schedule and decay.
    float learningRate() const { return m_learningRate; }

    /// Whether a gradient of some rows decays or changes all of them.
    bool movesEveryRow() const { return kernels::movesEveryRow(m_update); }

    void applyDense(kernels::ThreadPool& pool, std::span<float> weights,
                    const kernels::OptimizerSlots& slots, std::span<const float> grad) const
    {
        m_kernels->dense(pool, m_update, weights, placed(slots), grad);
    }
    /// `weights` is the whole table; the rule determines which rows change, and `zeros` is its
    /// count of zeros, see kernels::OptimizerStepKernels::sparse.
    void applySparse(kernels::ThreadPool& pool, kernels::MatrixView weights,
                     const kernels::OptimizerSlots& slots, const kernels::SparseGradient& grad,
                     kernels::ZeroCount* zeros = nullptr) const
    {
        m_kernels->sparse(pool, m_update, weights, placed(slots), grad, zeros);
    }

    /// After a step of these weights; `averages` is their last slot:
    /// average -= (average - weight)(1 - decay)
    void average(kernels::ThreadPool& pool, std::span<const float> weights,
                 std::span<float> averages) const
    {
        m_kernels->average(pool, weights, averages, 1.0F - *m_common.movingAverageDecay);
    }

    /// One step of all variables, clipping included, as operations of an accelerator. Before a
    /// step's launch its number is turned by `iterations` into that of the steps that precede it,
    /// for which beginStep() is called: each step is written once, in order. Null: another program
    /// has begun the step.
    void placeStep(kernels::AcceleratorProgram& program, std::span<const PlacedVariable> variables,
                   std::function<std::int64_t(std::int64_t step)> iterations);

protected:
    enum class Generation
    {
        V1, ///< of tf.compat.v1.train: slots are beside their variables, scalars are not saved
        Keras
    };
    Optimizer(std::string_view className, float learningRate, OptimizerCommon common,
              Generation generation = Generation::Keras);

    /// Keras treats an epsilon of 0 as unset, and uses its own default.
    static float orKerasEpsilon(double epsilon);
    void addSlot(std::string_view name, float initialValue = 0.0F);
    /// The rule's second slot, which these options do not use.
    void skipSecondSlot() { m_hasSecondSlot = false; }
    void addScalar(std::string_view name, float value);
    float scalar(std::string_view name) const;
    void setScalar(std::string_view name, float value);

    /// The rule of one step with its numbers. May change state scalars; called once per step.
    virtual kernels::OptimizerUpdate makeUpdate(float learningRate, std::int64_t iterations) = 0;

private:
    /// Slots in the order of slots() as the rule's first, second and third.
    template <typename Slot>
    std::array<Slot, 3> inRuleOrder(const std::array<Slot, 3>& slots) const
    {
        const auto own = [&](std::size_t place) {
            return place < m_ruleSlots ? slots[place] : Slot();
        };
        return m_hasSecondSlot ? std::array<Slot, 3>{own(0), own(1), own(2)}
                               : std::array<Slot, 3>{own(0), Slot(), own(1)};
    }
    kernels::OptimizerSlots placed(const kernels::OptimizerSlots& slots) const;
    void placeUpdate(kernels::AcceleratorProgram& program, const PlacedVariable& variable,
                     std::size_t rule, const kernels::StepData& update) const;

    std::string_view m_className;
    OptimizerCommon m_common;
    Generation m_generation;
    std::vector<SlotSpec> m_slots;
    std::size_t m_ruleSlots = 0; ///< without that of the averages
    bool m_hasSecondSlot = true; ///< of the rule's own slots
    std::vector<Scalar> m_scalars;
    float m_constantRate = 0.0F; ///< without schedule, where no scalar has it
    float m_learningRate = 0.0F;
    kernels::OptimizerUpdate m_update;
    const kernels::OptimizerStepKernels* m_kernels = nullptr;
};

} // namespace cannery::optimizers

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/pattern.h"
#include "core/base/result.h"
#include "core/base/shape.h"
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

/// Where the name of a slot in a checkpoint has its own part.
enum class SlotPlace
{
    BelowVariable,  ///< `<prefix>/<variable>/<name>`, with a prefix such as "training/Adam"
    BesideVariable, ///< `<variable>/<name>`
    BeforeVariable  ///< `<prefix>/<name>/<variable>`, with a prefix such as "Adam"
};

enum class SlotShape
{
    OfVariable,
    OfRows,   ///< without the last dimension
    OfColumns ///< without the second last
};

/// Values that an optimizer keeps for a variable: one per weight, unless `shape` says otherwise.
struct SlotSpec
{
    std::string_view name; ///< last part of its name in a checkpoint
    float initialValue = 0.0F;
    SlotPlace place = SlotPlace::BelowVariable;
    bool startsAsWeight = false; ///< instead of initialValue
    SlotShape shape = SlotShape::OfVariable;

    std::string tensorName(std::string_view prefix, std::string_view variable) const;
    /// Nothing: variables of this shape have no such slot.
    std::optional<Shape> shapeFor(const Shape& variable) const;
};

/// The slot of moving averages, and the last part of their names, as those of
/// tf.train.ExponentialMovingAverage.
inline constexpr std::string_view kAverageSlot = "ExponentialMovingAverage";
/// That of tf.keras.optimizers.
inline constexpr std::string_view kKerasAverageSlot = "average";

/// A float32 scalar stored in a checkpoint (Optimizer::scalarName()): a hyper-parameter, or state.
/// A restored checkpoint overwrites it, and the restored value is used, as in TensorFlow; only
/// `decay` is always the experiment's, there too (`_initial_decay` of Keras).
struct Scalar
{
    std::string_view name;
    float value = 0.0F;
};

/// The moving averages of `use_ema` in tf.keras.optimizers: they begin as the weights, which they
/// become every `overwriteEvery` steps.
struct WeightAverages
{
    float rate = 0.01F;              ///< 1 - ema_momentum
    std::int64_t overwriteEvery = 0; ///< 0: never; the end of the training is the caller's matter
};

/// Options common to all optimizers; read from spec::Optimizer.
struct OptimizerCommon
{
    float decay = 0.0F;                            ///< rate / (1 + decay * iterations)
    std::unique_ptr<schedules::Schedule> schedule; ///< the constant `learning_rate` if null
    GradientClipping clipping;
    std::optional<float> movingAverageDecay; ///< no averages if unset
    /// The rest is for the rules of tf.keras.optimizers alone.
    std::optional<WeightAverages> averages; ///< not with movingAverageDecay
    float weightDecay = 0.0F;               ///< weights -= weights weightDecay rate
    std::vector<Pattern> withoutDecay;      ///< found in the names of variables that do not decay
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

/// A variable with its slots for Optimizer::applyWhole(); in memory row after row.
struct WholeVariable
{
    const Shape& shape;
    std::span<float> weights;
    std::array<std::span<float>, 3> slots; ///< empty where shapeFor() gives nothing
    std::span<float> gradient;             ///< of all elements; the step may change it
};

/// An optimizer of tf.keras.optimizers, of tf.keras.optimizers.legacy (Keras 2.15) or of
/// tf.compat.v1.train: its rule, and its slots and scalars by their names in a checkpoint. The
/// memory of weights and slots belongs to the caller. One step is
///
///     optimizer.beginStep(iterations);
///     optimizer.clipping().apply(pool, gradients);   // if clipping().any()
///     optimizer.decay(pool, weights);   // for each variable, if decays(its name)
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
    /// The name of a scalar in a checkpoint, below the prefix of the optimizer's state; that of the
    /// counter of steps is counterName(). In tf.keras.optimizers the first optimizer of a model,
    /// whose prefix is its class, has `iteration` and `learning_rate` without a prefix.
    std::string scalarName(std::string_view prefix, std::string_view name) const;
    std::string counterName(std::string_view prefix) const;
    /// At most three of the rule, then that of the moving averages if keepsAverages().
    /// applyDense() and applySparse() take the first three in this order as first, second, third.
    std::span<const SlotSpec> slots() const { return m_slots; }
    bool keepsAverages() const
    {
        return m_common.movingAverageDecay.has_value() || m_common.averages.has_value();
    }
    /// Whether evaluations and exports use the averages instead of the weights.
    bool infersWithAverages() const { return m_common.movingAverageDecay.has_value(); }
    /// Whether the averages become the weights at the end of the training, and maybe before.
    bool averagesBecomeWeights() const { return m_common.averages.has_value(); }
    /// Sorted by name. No `learning_rate` with a schedule; none at all in compat.v1.train. The
    /// counter of steps is not included: it belongs to the code that counts them.
    std::span<Scalar> scalars() { return m_scalars; }
    std::span<const Scalar> scalars() const { return m_scalars; }
    const GradientClipping& clipping() const { return m_common.clipping; }

    /// Prepares the step that is preceded by `iterations` steps.
    void beginStep(std::int64_t iterations);
    /// The rate of the current step, after schedule and decay.
    float learningRate() const { return m_learningRate; }

    /// Whether a gradient of some rows decays or changes all of them; once a step has begun.
    bool movesEveryRow() const { return needsWholeVariables() || kernels::movesEveryRow(m_update); }
    /// Whether a step needs all of a variable and its gradient at once: applyWhole() then takes the
    /// place of applyDense() and applySparse().
    virtual bool needsWholeVariables() const { return false; }
    virtual void applyWhole(kernels::ThreadPool& pool, const WholeVariable& variable) const;

    /// Whether some weights decay, and whether those of this variable do.
    bool decaysWeights() const { return m_common.weightDecay > 0.0F; }
    Result<bool> decays(std::string_view variable) const;
    /// Before the rule, of all weights of a variable, whichever rows have a gradient.
    void decay(kernels::ThreadPool& pool, std::span<float> weights) const
    {
        m_kernels->decay(pool, weights, m_common.weightDecay, m_learningRate);
    }

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

    /// Whether this step ends with weights that are their averages.
    bool overwritesWeights() const { return m_overwrites; }
    /// After a step of these weights; `averages` is their last slot:
    /// average -= (average - weight)(1 - decay), and then weight = average if overwritesWeights().
    void average(kernels::ThreadPool& pool, std::span<float> weights,
                 std::span<float> averages) const;

    /// What of a step is not among the operations of an accelerator; null: nothing.
    const char* onlyOnCpu(bool hasSparseGradients);
    /// One step of all variables, clipping included, as operations of an accelerator. Before a
    /// step's launch its number is turned by `iterations` into that of the steps that precede it,
    /// for which beginStep() is called: each step is written once, in order. Null: another program
    /// has begun the step.
    void placeStep(kernels::AcceleratorProgram& program, std::span<const PlacedVariable> variables,
                   std::function<std::int64_t(std::int64_t step)> iterations);

protected:
    enum class Generation
    {
        V1,     ///< of tf.compat.v1.train: slots are beside their variables, scalars are not saved
        Legacy, ///< of tf.keras.optimizers.legacy
        Keras   ///< of tf.keras.optimizers: of the scalars only the rate and state are saved
    };
    Optimizer(std::string_view className, float learningRate, OptimizerCommon common,
              Generation generation = Generation::Legacy);

    /// Keras treats an epsilon of 0 as unset, and uses its own default.
    static float orKerasEpsilon(double epsilon);
    void addSlot(std::string_view name, float initialValue = 0.0F,
                 SlotShape shape = SlotShape::OfVariable);
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
    SlotPlace slotPlace() const;
    float averageRate() const
    {
        return m_common.averages ? m_common.averages->rate : 1.0F - *m_common.movingAverageDecay;
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
    bool m_overwrites = false;
    kernels::OptimizerUpdate m_update;
    const kernels::OptimizerStepKernels* m_kernels = nullptr;
};

} // namespace cannery::optimizers

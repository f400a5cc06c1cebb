// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/optimizers/gradient_clipping.h"
#include "core/schedules/schedule.h"
#include "kernels/ops/optimizer_step.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace cannery::optimizers {

/// A value per weight that an optimizer keeps beside a variable.
struct SlotSpec
{
    std::string_view name; ///< last part of `training/<class>/<variable>/<slot>`
    float initialValue = 0.0F;
};

/// A float32 scalar that a checkpoint holds as `training/<class>/<name>`: a hyper-parameter, or
/// state. A restored checkpoint overwrites it, and the restored value counts, as in TensorFlow.
struct Scalar
{
    std::string_view name;
    float value = 0.0F;
};

/// What every optimizer has in common; read from spec::Optimizer.
struct OptimizerCommon
{
    float decay = 0.0F;                            ///< rate / (1 + decay * iterations)
    std::unique_ptr<schedules::Schedule> schedule; ///< null: the constant `learning_rate`
    GradientClipping clipping;
};

/// One of tf.keras.optimizers.legacy (Keras 2.15): its rule, its slots and its scalars by their
/// names in a checkpoint. The memory of weights and slots belongs to the caller. One step is
///
///     optimizer.beginStep(iterations);
///     optimizer.clipping().apply(pool, gradients);   // when clipping().any()
///     optimizer.applyDense(pool, weights, {first, second, third}, grad);   // for each variable
///
/// Steps do not allocate. One thread of control at a time.
class Optimizer
{
public:
    virtual ~Optimizer() = default;
    Optimizer(const Optimizer&) = delete;
    Optimizer& operator=(const Optimizer&) = delete;

    /// Keras's class: "Adam" in `training/Adam/learning_rate`.
    std::string_view className() const { return m_className; }
    /// At most three. applyDense() and applySparse() take them in this order as first, second,
    /// third.
    std::span<const SlotSpec> slots() const { return m_slots; }
    /// Sorted by name. No `learning_rate` with a schedule. The counter `iter` is not among them: it
    /// belongs to who counts steps.
    std::span<Scalar> scalars() { return m_scalars; }
    std::span<const Scalar> scalars() const { return m_scalars; }
    const GradientClipping& clipping() const { return m_common.clipping; }

    /// Sets up the step that `iterations` steps came before.
    void beginStep(std::int64_t iterations);
    /// The rate of the step begun, after schedule and decay.
    float learningRate() const { return m_learningRate; }

    /// Whether a gradient of some rows decays or moves all of them.
    bool movesEveryRow() const { return kernels::movesEveryRow(m_update); }

    void applyDense(kernels::ThreadPool& pool, std::span<float> weights,
                    const kernels::OptimizerSlots& slots, std::span<const float> grad) const
    {
        m_kernels->dense(pool, m_update, weights, placed(slots), grad);
    }
    /// `weights` is the whole table; which rows move is the rule's affair, and `zeros` its count of
    /// zeros, see kernels::OptimizerStepKernels::sparse.
    void applySparse(kernels::ThreadPool& pool, kernels::MatrixView weights,
                     const kernels::OptimizerSlots& slots, const kernels::SparseGradient& grad,
                     kernels::ZeroCount* zeros = nullptr) const
    {
        m_kernels->sparse(pool, m_update, weights, placed(slots), grad, zeros);
    }

protected:
    Optimizer(std::string_view className, float learningRate, OptimizerCommon common);

    /// Keras takes an epsilon of 0 for none given, and puts its own in the place.
    static float orKerasEpsilon(double epsilon);
    void addSlot(std::string_view name, float initialValue = 0.0F);
    /// The rule has its second slot here, which these options do without.
    void skipSecondSlot() { m_hasSecondSlot = false; }
    void addScalar(std::string_view name, float value);
    float scalar(std::string_view name) const;
    void setScalar(std::string_view name, float value);

    /// The rule of one step with its numbers. May change state scalars; called once a step.
    virtual kernels::OptimizerUpdate makeUpdate(float learningRate, std::int64_t iterations) = 0;

private:
    kernels::OptimizerSlots placed(const kernels::OptimizerSlots& slots) const;

    std::string_view m_className;
    OptimizerCommon m_common;
    std::vector<SlotSpec> m_slots;
    bool m_hasSecondSlot = true; ///< of the rule's own slots
    std::vector<Scalar> m_scalars;
    float m_learningRate = 0.0F;
    kernels::OptimizerUpdate m_update;
    const kernels::OptimizerStepKernels* m_kernels = nullptr;
};

} // namespace cannery::optimizers

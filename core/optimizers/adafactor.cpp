// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/adafactor.h"

#include "core/spec/optimizers.pb.h"
#include "kernels/ops/factored_step.h"

#include <algorithm>
#include <cmath>

namespace cannery::optimizers {
namespace {

class Adafactor : public Optimizer
{
public:
    Adafactor(const spec::AdafactorOptimizer& message, OptimizerCommon common)
        : Optimizer("Adafactor", static_cast<float>(message.learning_rate()), std::move(common),
                    Generation::Keras),
          m_message(message)
    {
        addSlot("r", 0.0F, SlotShape::OfRows);
        addSlot("c", 0.0F, SlotShape::OfColumns);
        addSlot("v");
    }

    bool needsWholeVariables() const override { return true; }

    void applyWhole(kernels::ThreadPool& pool, const WholeVariable& variable) const override
    {
        kernels::FactoredVariable whole{.cols = static_cast<std::int64_t>(variable.weights.size()),
                                        .weights = variable.weights,
                                        .ofRows = variable.slots[0],
                                        .ofColumns = variable.slots[1],
                                        .squares = variable.slots[2],
                                        .gradient = variable.gradient};
        if (variable.shape.rank() >= 2) {
            whole.cols = variable.shape.dims.back();
            whole.rows = variable.shape.dims[variable.shape.dims.size() - 2];
            const std::int64_t matrix = whole.rows * whole.cols;
            whole.matrices = matrix == 0 ? 0 : variable.shape.elementCount() / matrix;
        }
        kernels::factoredStepKernels().step(pool, m_update, whole);
    }

private:
    /// The update of every single weight is none: applyWhole() does all.
    kernels::OptimizerUpdate makeUpdate(float learningRate, std::int64_t iterations) override
    {
        const auto step = static_cast<float>(iterations + 1);
        // With relative_step Keras takes this minimum once more, which changes nothing.
        m_update = {.rate = std::min(learningRate, 1.0F / std::sqrt(step)),
                    .share = 1.0F - std::pow(step, static_cast<float>(m_message.beta_2_decay())),
                    .epsilon1 = static_cast<float>(m_message.epsilon_1()),
                    .epsilon2 = static_cast<float>(m_message.epsilon_2()),
                    .clipThreshold = static_cast<float>(m_message.clip_threshold())};
        return {};
    }

    spec::AdafactorOptimizer m_message;
    kernels::FactoredUpdate m_update;
};

} // namespace

std::unique_ptr<Optimizer> makeAdafactor(const spec::Optimizer& message, OptimizerCommon common)
{
    return std::make_unique<Adafactor>(message.adafactor(), std::move(common));
}

} // namespace cannery::optimizers

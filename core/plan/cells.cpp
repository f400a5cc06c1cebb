// SPDX-License-Identifier: Apache-2.0
#include "core/plan/cells.h"

#include "core/optimizers/optimizer_catalog.h"
#include "core/plan/weights/penalties.h"

namespace cannery::plan {

namespace {

/// Penalties and constraints need whole columns of weights, without slots between them.
bool isLargeColumnOfZeros(const graph::Variable& variable)
{
    return variable.trainable && variable.gradient == graph::GradientKind::Sparse &&
           variable.shape.rank() == 2 && variable.shape.dims[1] == 1 &&
           variable.shape.dims[0] >= kFewestCells && variable.initializer.has_zeros() &&
           variable.pattern == graph::InitialPattern::None && !hasRules(variable) &&
           variable.initialCheckpoint.path.empty();
}

/// Whether others read variables and slots as tensors: an accelerator, other processes, an
/// estimator's own step.
bool isReadByOthers(const graph::LoweredModel& lowered, const ModelOptions& options)
{
    return !options.training || options.accelerator != nullptr || options.exchange != nullptr ||
           options.parameters != nullptr || lowered.makeStep || lowered.learner != nullptr;
}

} // namespace

Result<std::vector<std::int64_t>> cellSizes(const graph::LoweredModel& lowered,
                                            const ModelOptions& options)
{
    const std::vector<graph::Variable>& variables = lowered.graph.variables;
    std::vector<std::int64_t> sizes(variables.size());
    if (isReadByOthers(lowered, options)) {
        return sizes;
    }
    for (const graph::ScopedOptimizer& description : lowered.optimizers) {
        CANNERY_TRY_ASSIGN(const auto optimizer,
                           optimizers::makeOptimizer(description.optimizer, options.seed));
        optimizer->beginStep(0); // makes the rule
        if (optimizer->slots().empty() || optimizer->keepsAverages() ||
            optimizer->decaysWeights() || optimizer->movesEveryRow()) {
            continue;
        }
        for (std::size_t index = 0; index < variables.size(); ++index) {
            if (variables[index].scope == description.scope &&
                isLargeColumnOfZeros(variables[index])) {
                sizes[index] = 1 + static_cast<std::int64_t>(optimizer->slots().size());
            }
        }
    }
    return sizes;
}

} // namespace cannery::plan

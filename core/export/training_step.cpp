// SPDX-License-Identifier: Apache-2.0
#include "core/export/training_step.h"

#include "core/base/catalog.h"
#include "core/export/emitted_model.h"
#include "core/export/gradient_emission.h"
#include "core/optimizers/keras_emission.h"
#include "core/optimizers/optimizer_catalog.h"
#include "core/optimizers/optimizer_emission.h"
#include "core/schedules/schedule_catalog.h"
#include "core/spec/experiment.pb.h"
#include "storage/tf/graphs/float_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cannery::exporting {

using graph::ScopedOptimizer;
using storage::FloatNodes;
using storage::NodeRef;

namespace {

constexpr ErrorKind kUntrainable{
    "export.untrainable",
    "The training graph cannot be exported: {}. Export with --modes eval instead."};

tl::unexpected<Error> untrainable(const std::string& reason)
{
    return fail(ErrorCode::Unimplemented, kUntrainable, reason);
}

/// A token_embedding's table: see layers::GradientSegment.
bool isLookedUpByLayer(const graph::LayerGraph& layers, const graph::Variable& variable)
{
    return std::ranges::any_of(layers.nodes, [&](const graph::Node& node) {
        return node.layer.has_token_embedding() &&
               std::ranges::any_of(node.variables, [&](graph::VariableId id) {
                   return layers.variable(id).name == variable.name;
               });
    });
}

/// The steps of an optimizer or of the model, an int64 variable, made on first use, as two parts of
/// a model may share one.
const storage::GraphVariable& counter(storage::GraphDefBuilder& graph, const std::string& name)
{
    for (const auto& variable : graph.variables()) {
        if (variable->spec.name == name) {
            return *variable;
        }
    }
    return graph.variable(
        {.name = name, .dtype = DType::Int64, .shape = Shape{}, .trainable = false});
}

/// One part of a model with its optimizer.
class PartStep
{
public:
    PartStep(storage::GraphDefBuilder& graph, const ScopedOptimizer& part)
        : m_graph(graph), m_nodes(graph), m_part(part),
          m_row(*findRow(optimizers::optimizerCatalog(), part.optimizer.kind_case()))
    {}

    Result<void> emit(const graph::LayerGraph& layers,
                      const std::map<std::string, EmittedGradient>& gradients);
    /// After emit(): everything that the step does.
    const std::vector<NodeRef>& operations() const { return m_operations; }

private:
    void addScalars(const optimizers::Optimizer& optimizer, optimizers::EmittedStep& step);
    Result<NodeRef> learningRate(const optimizers::EmittedStep& step, const NodeRef& iterations);
    void clip(std::vector<EmittedGradient>& gradients);
    std::vector<EmittedGradient> clipped(const graph::LayerGraph& layers,
                                         std::span<const graph::Variable* const> variables,
                                         const std::map<std::string, EmittedGradient>& gradients);
    /// Of a whole tensor, as tf.norm: the square root of the sum of squares.
    NodeRef norm(const NodeRef& values)
    {
        return m_nodes.apply("Sqrt", {m_nodes.total(m_nodes.apply("Square", {values}))});
    }
    /// values limit / max(norm, limit)
    /// Without a branch: below the limit the quotient is 1.
    NodeRef bounded(const NodeRef& values, const NodeRef& norm, double limit)
    {
        const NodeRef most = m_nodes.number(static_cast<float>(limit));
        return m_nodes.divide(m_nodes.multiply(values, most), m_nodes.larger(norm, most));
    }

    storage::GraphDefBuilder& m_graph;
    FloatNodes m_nodes;
    const ScopedOptimizer& m_part;
    const optimizers::OptimizerRow& m_row;
    std::vector<NodeRef> m_operations;
};

void PartStep::addScalars(const optimizers::Optimizer& optimizer, optimizers::EmittedStep& step)
{
    for (const optimizers::Scalar& scalar : optimizer.scalars()) {
        const std::string name = optimizer.scalarName(m_part.checkpointPrefix, scalar.name);
        step.scalars.emplace(
            scalar.name, &m_graph.variable({.name = name, .shape = Shape{}, .trainable = false}));
    }
}

Result<NodeRef> PartStep::learningRate(const optimizers::EmittedStep& step,
                                       const NodeRef& iterations)
{
    const spec::Optimizer& optimizer = m_part.optimizer;
    // Whether a rule uses the decay is found by running it: the rate of step 1 differs from that of
    // step 0. A list of rules beside the rules could go out of date.
    CANNERY_TRY_ASSIGN(const auto made, optimizers::makeOptimizer(optimizer, 0));
    made->beginStep(0);
    const float first = made->learningRate();
    made->beginStep(1);
    // Keras's Nadam ignores the decay, and takes no schedule.
    const bool isDecayed = optimizer.decay() > 0 && (optimizer.has_learning_rate_schedule() ||
                                                     made->learningRate() != first);
    NodeRef rate;
    if (optimizer.has_learning_rate_schedule()) {
        rate = schedules::emitSchedule(optimizer.learning_rate_schedule(), m_nodes, iterations);
    } else if (const auto own = step.scalars.find("learning_rate"); own != step.scalars.end()) {
        // Optimizers of Keras save their hyperparameters as variables, which may be changed by
        // whoever loads the graph.
        rate = own->second->read;
    } else {
        rate = m_nodes.number(first); // of tf.compat.v1.train, which saves no rate
    }
    if (!isDecayed) {
        return rate;
    }
    // The experiment's, not the checkpoint's, as in Keras; compat.v1 saves none.
    const NodeRef decay = m_nodes.number(static_cast<float>(optimizer.decay()));
    return m_nodes.divide(rate,
                          m_nodes.add(m_nodes.number(1.0F), m_nodes.multiply(decay, iterations)));
}

/// See optimizers::GradientClipping.
void PartStep::clip(std::vector<EmittedGradient>& gradients)
{
    const spec::Optimizer& optimizer = m_part.optimizer;
    for (EmittedGradient& gradient : gradients) {
        if (optimizer.has_clipvalue()) {
            const auto limit = static_cast<float>(optimizer.clipvalue());
            gradient.values = m_nodes.larger(
                m_nodes.smaller(gradient.values, m_nodes.number(limit)), m_nodes.number(-limit));
        }
        if (optimizer.has_clipnorm()) {
            gradient.values = bounded(gradient.values, norm(gradient.values), optimizer.clipnorm());
        }
    }
    // The order of Keras: clipvalue and clipnorm per gradient, then the norm over all of them.
    if (!optimizer.has_global_clipnorm()) {
        return;
    }
    NodeRef squares = m_nodes.number(0.0F);
    for (const EmittedGradient& gradient : gradients) {
        squares = m_nodes.add(squares, m_nodes.total(m_nodes.apply("Square", {gradient.values})));
    }
    const NodeRef all = m_nodes.apply("Sqrt", {squares});
    for (EmittedGradient& gradient : gradients) {
        gradient.values = bounded(gradient.values, all, optimizer.global_clipnorm());
    }
}

/// Of all variables of the part, since global_clipnorm is over all of them.
std::vector<EmittedGradient>
PartStep::clipped(const graph::LayerGraph& layers,
                  std::span<const graph::Variable* const> variables,
                  const std::map<std::string, EmittedGradient>& gradients)
{
    std::vector<EmittedGradient> all;
    for (const graph::Variable* variable : variables) {
        const EmittedGradient& gradient = gradients.at(variable->name);
        // Columns look up each id of a step once, so only what layers look up is clipped in slices.
        all.push_back(isLookedUpByLayer(layers, *variable) ? gradient
                                                           : withoutDuplicates(m_nodes, gradient));
    }
    clip(all);
    for (std::size_t i = 0; i < variables.size(); ++i) {
        if (isLookedUpByLayer(layers, *variables[i])) {
            all[i] = withoutDuplicates(m_nodes, all[i]);
        }
    }
    return all;
}

Result<void> PartStep::emit(const graph::LayerGraph& layers,
                            const std::map<std::string, EmittedGradient>& gradients)
{
    // The rate does not matter here: only the slots and scalars of the rule are asked for.
    CANNERY_TRY_ASSIGN(const std::unique_ptr<optimizers::Optimizer> optimizer,
                       optimizers::makeOptimizer(m_part.optimizer, 0));
    const std::string stepName = m_part.ownsGlobalStep
                                     ? std::string(kGlobalStep)
                                     : optimizer->counterName(m_part.checkpointPrefix);
    const storage::GraphVariable& steps = counter(m_graph, stepName);
    // Keras counts in int64 and computes in float32.
    const NodeRef iterations = m_nodes.cast(steps.read, DType::Int64);
    optimizers::EmittedStep step{.graph = m_graph,
                                 .learningRate = {},
                                 .stepNumber = m_nodes.add(iterations, m_nodes.number(1.0F)),
                                 // Keras passes iterations + 1 to the bias correction of Adam and
                                 // its relatives.
                                 .scalars = {}};
    addScalars(*optimizer, step);
    CANNERY_TRY_ASSIGN(step.learningRate, learningRate(step, iterations));
    std::vector<const graph::Variable*> trained;
    for (const graph::Variable& variable : layers.variables) {
        if (variable.trainable && variable.scope == m_part.scope &&
            gradients.contains(variable.name)) {
            trained.push_back(&variable);
        }
    }
    const std::vector<EmittedGradient> used = clipped(layers, trained, gradients);
    for (std::size_t i = 0; i < trained.size(); ++i) {
        const graph::Variable& variable = *trained[i];
        optimizers::EmittedUpdate update{
            .variable = m_graph.variable({.name = variable.name, .shape = variable.shape}),
            .slots = {},
            .grad = used[i].values,
            .ids = used[i].ids};
        for (const optimizers::SlotSpec& slot : optimizer->slots()) {
            update.slots[std::string(slot.name)] =
                &m_graph.variable({.name = slot.tensorName(m_part.checkpointPrefix, variable.name),
                                   .shape = variable.shape,
                                   .trainable = false});
        }
        optimizers::UpdateEmitter emitter(step, update);
        if (m_part.optimizer.rules() == spec::OptimizerRules::keras) {
            CANNERY_TRY_ASSIGN(const bool decays, optimizer->decays(variable.name));
            m_operations.push_back(optimizers::emitKeras(m_part.optimizer, decays, emitter));
        } else {
            m_operations.push_back(m_row.emit(m_part.optimizer, emitter));
        }
    }
    // Counted after the updates, which read the number of steps already done: control inputs of the
    // assignment.
    if (!m_part.ownsGlobalStep && m_row.countsSteps) {
        m_operations.push_back(m_graph.add("AssignAddVariableOp", "AssignAddVariableOp",
                                           {steps.handle, m_graph.constant("one", std::int64_t{1})},
                                           {{"dtype", DType::Int64}}, m_operations));
    }
    return {};
}

/// What emit() relies on, checked before anything is emitted.
Result<void> checkOptimizer(const spec::Optimizer& optimizer)
{
    const optimizers::OptimizerRow* row =
        findRow(optimizers::optimizerCatalog(), optimizer.kind_case());
    const bool isKeras = optimizer.rules() == spec::OptimizerRules::keras;
    if (row == nullptr || (isKeras ? !optimizers::canEmitKeras(optimizer) : row->emit == nullptr)) {
        return untrainable(fmt::format("the optimizer {} has no operations of TensorFlow here",
                                       row == nullptr ? "of this model" : row->name));
    }
    if (optimizer.moving_average_decay() > 0) {
        return untrainable("the serving graph has the moving averages of the weights, and the "
                           "training graph would need the weights themselves");
    }
    if (optimizer.has_learning_rate_schedule() &&
        !schedules::canEmit(optimizer.learning_rate_schedule())) {
        return untrainable("the learning rate schedule has no operations of TensorFlow here");
    }
    return {};
}

} // namespace

Result<void> checkTrainable(const spec::Experiment& experiment, const graph::LoweredModel& lowered)
{
    // Trees, k-means and SDCA.
    if (lowered.learner != nullptr || lowered.makeStep) {
        return untrainable("the model is not trained along a gradient, but in steps of its own");
    }
    if (experiment.train_spec().class_weight_size() > 0) {
        return untrainable("TensorFlow's heads know no class_weight");
    }
    for (const graph::Variable& variable : lowered.graph.variables) {
        if (variable.constraint.kind_case() != spec::Constraint::KIND_NOT_SET) {
            return untrainable(fmt::format(
                "the constraint of {} has no operations of TensorFlow here", variable.name));
        }
    }
    for (const ScopedOptimizer& part : lowered.optimizers) {
        CANNERY_TRY(checkOptimizer(part.optimizer));
    }
    return {};
}

Result<NodeRef> emitTrainingStep(storage::GraphDefBuilder& graph, const TrainingStep& step)
{
    std::vector<NodeRef> operations = step.updates;
    {
        const auto scope = graph.enterScope("training_step");
        std::vector<GradientRoot> roots{{.output = step.logits, .grad = step.logitsGrad}};
        if (step.penalty) {
            roots.push_back({.output = *step.penalty, .grad = FloatNodes(graph).number(1.0F)});
        }
        CANNERY_TRY_ASSIGN(const auto gradients, emitGradients(graph, roots));
        for (const ScopedOptimizer& part : step.lowered.optimizers) {
            PartStep partStep(graph, part);
            CANNERY_TRY(partStep.emit(step.lowered.graph, gradients));
            operations.insert(operations.end(), partStep.operations().begin(),
                              partStep.operations().end());
        }
        // Counted once for all parts and after their updates, which are its control inputs; an
        // optimizer that owns the global step does not count it itself.
        const storage::GraphVariable& globalStep = counter(graph, std::string(kGlobalStep));
        operations.push_back(graph.add("AssignAddVariableOp", "AssignAddVariableOp",
                                       {globalStep.handle, graph.constant("one", std::int64_t{1})},
                                       {{"dtype", DType::Int64}}, operations));
    }
    const auto root = graph.enterExactly("");
    return graph.group("training/group_deps", operations);
}

} // namespace cannery::exporting

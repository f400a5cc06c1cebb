// SPDX-License-Identifier: Apache-2.0
#include "core/plan/model_size.h"

#include "core/base/byte_text.h"
#include "core/layers/recurrence/recurrent_options.h"
#include "core/optimizers/optimizer_catalog.h"
#include "core/plan/memory_limit.h"
#include "core/plan/network.h"
#include "core/plan/part_optimizer.h"
#include "core/plan/sharding.h"
#include "core/plan/weights/penalties.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>

namespace cannery::plan {

namespace {

constexpr ErrorKind kTooLarge{
    "plan.too_large",
    "This model needs {} of memory ({}), but {} leaves {}. Make it or its batches smaller, or "
    "raise the limit."};

constexpr double kFloatBytes = 4;
/// The batch of a step, and that of the next one, which is gathered meanwhile.
constexpr double kTrainingBatches = 2;
/// Row offset and id of a category; memory for the name of a class.
constexpr double kIdBytes = 12;
constexpr double kNameBytes = 48;
/// A head keeps labels, losses and probabilities besides the logits.
constexpr double kHeadCopies = 3;
/// What a recurrent layer keeps of each step, beside its output, to go back: its input and that
/// one's gradient, and the products with its kernels, outputs and states (core/layers/
/// recurrent_layer.h), which together are at most three times as wide as its kernel, or four times
/// with other functions than Keras's.
constexpr double kStepInputs = 2;
constexpr double kStepProducts = 3;
constexpr double kOtherStepProducts = 4;

/// Of the optimizer of a scope.
struct Trainer
{
    double slots = 0;
    bool untouchedRowsStay = false;
};

/// A step of its own keeps twice as much beside its variables: the weights of SDCA before they are
/// shrunk and the changes of a batch, or the sums of k-means in double.
constexpr double kOwnStepCopies = 2;

double elementsOf(const Shape& shape)
{
    double count = 1;
    for (const std::int64_t dim : shape.dims) {
        count *= static_cast<double>(dim);
    }
    return count;
}

bool isIndicator(const graph::Value& value)
{
    const auto isPart = [](const graph::Value::Part& part) {
        return part.kind == graph::ValueKind::Indicator;
    };
    return value.kind == graph::ValueKind::Indicator ||
           (value.kind == graph::ValueKind::Columns &&
            std::all_of(value.parts.begin(), value.parts.end(), isPart));
}

class Sizer
{
public:
    Sizer(const graph::LayerGraph& graph, std::map<std::string, Trainer> trainers,
          const ModelSizeOptions& options)
        : m_graph(graph), m_trainers(std::move(trainers)),
          m_batch(static_cast<double>(options.batchSize)),
          m_steps(static_cast<double>(options.steps.value_or(options.batchSize))),
          m_training(options.training)
    {
        for (const graph::Node& node : graph.nodes) {
            for (const graph::VariableId id : node.variables) {
                ++m_uses[id];
            }
        }
    }

    ModelSize size();

private:
    const Trainer* trainerOf(const graph::Variable& variable) const;
    void addGradients(const graph::Node& node);
    void addStepCopies(const graph::Node& node);
    double bytesOf(const graph::Value& value) const;

    const graph::LayerGraph& m_graph;
    std::map<std::string, Trainer> m_trainers;
    double m_batch;
    double m_steps;
    bool m_training;
    std::map<graph::VariableId, int> m_uses; ///< by nodes
    std::set<graph::VariableId> m_summed;    ///< counted already
    ModelSize m_size;
};

const Trainer* Sizer::trainerOf(const graph::Variable& variable) const
{
    const auto found = m_trainers.find(variable.scope);
    return m_training && variable.trainable && found != m_trainers.end() ? &found->second : nullptr;
}

/// A gradient is as large as its variable, unless only the rows that occur in a batch have one.
void Sizer::addGradients(const graph::Node& node)
{
    for (std::size_t index = 0; index < node.variables.size(); ++index) {
        const graph::Variable& variable = m_graph.variable(node.variables[index]);
        const Trainer* trainer = trainerOf(variable);
        if (trainer == nullptr) {
            continue;
        }
        // Several parts, and their sum.
        if (variable.gradient != graph::GradientKind::Sparse && m_uses[node.variables[index]] > 1 &&
            m_summed.insert(node.variables[index]).second) {
            m_size.gradients += elementsOf(variable.shape) * kFloatBytes;
        }
        const bool isFed = index < node.inputs.size();
        const bool isLookedUp = isFed && isIndicator(m_graph.value(node.inputs[index]));
        const double cols =
            variable.shape.rank() > 1 ? static_cast<double>(variable.shape.dims.back()) : 1;
        if (variable.gradient == graph::GradientKind::Sparse ||
            (isLookedUp && trainer->untouchedRowsStay)) {
            m_size.gradients += (m_batch + 1) * cols * kFloatBytes;
            // A penalty adds to every row.
            m_size.gradients +=
                isPenalized(variable) ? elementsOf(variable.shape) * kFloatBytes : 0;
        } else {
            m_size.gradients += elementsOf(variable.shape) * kFloatBytes;
        }
    }
}

bool isFloats(const graph::Value& value)
{
    return value.kind == graph::ValueKind::Dense || value.kind == graph::ValueKind::Sequence;
}

bool isSteps(const graph::Value& value)
{
    return value.isSequence || value.kind == graph::ValueKind::Sequence;
}

/// Of a batch; categories stay ids.
double Sizer::bytesOf(const graph::Value& value) const
{
    return (isSteps(value) ? m_steps : m_batch) *
           (isFloats(value) ? static_cast<double>(value.width) * kFloatBytes : kIdBytes);
}

bool isUsual(const spec::Layer& layer)
{
    return (layer.has_simple_rnn() && layers::recurrentOptionsOf(layer.simple_rnn()).isPlain()) ||
           (layer.has_lstm() && layers::recurrentOptionsOf(layer.lstm()).isPlain()) ||
           (layer.has_gru() && layers::recurrentOptionsOf(layer.gru()).isPlain());
}

/// Of a layer with variables that goes from step to step.
void Sizer::addStepCopies(const graph::Node& node)
{
    if (node.inputs.empty() || node.variables.empty()) {
        return;
    }
    const graph::Value& input = m_graph.value(node.inputs[0]);
    const spec::Layer& layer = node.layer;
    const bool isRecurrent =
        layer.has_simple_rnn() || layer.has_lstm() || layer.has_gru() || layer.has_bidirectional();
    const bool isSequence = input.kind == graph::ValueKind::Sequence;
    if (!isSequence && !isRecurrent) {
        return;
    }
    const double steps =
        isSequence ? m_steps : m_batch * static_cast<double>(graph::rowShape(input).front());
    const double products = !isRecurrent || isUsual(layer) ? kStepProducts : kOtherStepProducts;
    const Shape& kernel = m_graph.variable(node.variables[0]).shape;
    m_size.activations += steps * kFloatBytes * (layer.has_bidirectional() ? 2 : 1) *
                          (kStepInputs * static_cast<double>(kernel.dims.front()) +
                           products * static_cast<double>(kernel.dims.back()));
}

ModelSize Sizer::size()
{
    for (const graph::Variable& variable : m_graph.variables) {
        const Trainer* trainer = trainerOf(variable);
        m_size.state += elementsOf(variable.shape) * kFloatBytes *
                        (1 + (trainer == nullptr ? 0 : trainer->slots));
        if (variable.regularizer.has_orthogonal()) { // WeightPenalty's copies, in double
            m_size.state += 4 * elementsOf(variable.shape) * kFloatBytes;
        }
    }
    for (const graph::Input& input : m_graph.inputs) {
        const double batches = m_training ? kTrainingBatches : 1;
        m_size.activations += batches * bytesOf(m_graph.value(input.value));
    }
    for (const graph::Node& node : m_graph.nodes) {
        addGradients(node);
        addStepCopies(node);
        const graph::Value& output = m_graph.value(node.output);
        if (isFloats(output)) {
            m_size.activations += bytesOf(output) * (m_training ? 2 : 1);
        }
    }
    if (m_graph.logits < 0) {
        return m_size; // missing arguments are reported when the head is made
    }
    const auto classes = static_cast<double>(m_graph.value(m_graph.logits).width);
    m_size.activations += kHeadCopies * m_batch * classes * kFloatBytes;
    m_size.names = classes * kNameBytes;
    return m_size;
}

} // namespace

Result<ModelSize> sizeOf(const graph::LoweredModel& lowered, const ModelSizeOptions& options)
{
    std::map<std::string, Trainer> trainers;
    for (const graph::ScopedOptimizer& part : lowered.optimizers) {
        CANNERY_TRY_ASSIGN(const auto optimizer, optimizers::makeOptimizer(part.optimizer, 0));
        trainers[part.scope] = {.slots = static_cast<double>(optimizer->slots().size()),
                                .untouchedRowsStay = zeroGradientChangesNothing(part.optimizer)};
    }
    ModelSize size = Sizer(lowered.graph, std::move(trainers), options).size();
    if (lowered.makeStep && options.training) {
        size.gradients += kOwnStepCopies * size.state;
    }
    if (options.training && options.shards > 1) {
        // Each lane has buffers of its own, and keeps a sum aside for each level of its tree.
        CANNERY_TRY_ASSIGN(const bool looksAcross, looksAcrossShards(lowered.graph));
        const std::int64_t each =
            looksAcross && options.isAcross ? 1 : shardsPerLane(options.shards, options.threads);
        const auto lanes = static_cast<double>((options.shards + each - 1) / each);
        size.gradients *= lanes * std::bit_width(static_cast<std::uint64_t>(each));
        size.activations *= lanes;
    }
    return size;
}

std::string partsText(const ModelSize& size)
{
    return fmt::format("{} of weights and optimizer slots, {} of gradients and {} for a batch",
                       byteText(size.state), byteText(size.gradients),
                       byteText(size.activations + size.names));
}

Result<void> checkFits(const graph::LoweredModel& lowered, const ModelSizeOptions& options)
{
    CANNERY_TRY_ASSIGN(const ModelSize size, sizeOf(lowered, options));
    CANNERY_TRY_ASSIGN(const MemoryLimit limit, memoryLimit());
    if (size.total() > limit.bytes) {
        return fail(ErrorCode::ResourceExhausted, kTooLarge, byteText(size.total()),
                    partsText(size), limit.source, byteText(limit.bytes));
    }
    return {};
}

} // namespace cannery::plan

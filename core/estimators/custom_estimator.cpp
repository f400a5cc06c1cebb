// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/custom_estimator.h"

#include "core/estimators/model_assembly.h"
#include "core/heads/head_catalog.h"
#include "core/layers/inputs/columns_layer.h"
#include "core/layers/masks/mask_flow.h"
#include "core/spec/message_access.h"
#include "core/spec/networks/network_blocks.h"
#include "core/spec/networks/network_layout.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace cannery::estimators {

namespace {

constexpr ErrorKind kLogitsWidth{
    "estimators.logits_width",
    "{}, '{}', gives rows of shape {}, but the head needs {} logits: let the network end with "
    "dense {{ units: {} }}."};

constexpr ErrorKind kLogitsOfSteps{
    "estimators.logits_of_steps",
    "{}, '{}', gives a row for each step of a sequence, but the head needs one for all "
    "of them: remove return_sequences from the recurrent layer before it."};

constexpr std::string_view kScope = "network";

class NetworkLowering
{
public:
    NetworkLowering(LoweringContext& context, const spec::CustomEstimator& estimator,
                    std::string member)
        : m_context(context), m_estimator(estimator), m_member(std::move(member)),
          m_network(spec::unfold(estimator.graph())), m_masks(context.builder)
    {}

    /// `logits`: how many the head takes. Errors: see lowerCustomEstimator().
    Result<graph::ValueId> lower(std::int64_t logits)
    {
        if (std::optional<Error> misfit =
                spec::outputMisfit(m_estimator.graph(), m_estimator.head())) {
            return tl::make_unexpected(*std::move(misfit));
        }
        if (!m_network.problems.empty()) {
            spec::UnfoldingProblem& problem = m_network.problems.front();
            return tl::make_unexpected(std::move(problem.error).at(placeOf(problem.path)));
        }
        m_values.assign(m_network.layers.size(), -1);
        findReaders();
        findActivations();
        for (const int layer : m_network.order) {
            CANNERY_TRY_ASSIGN(m_values[at(layer)], placed(lowerLayer(layer), layer));
        }
        std::vector<graph::ValueId> outputs;
        for (std::size_t i = 0; i < m_network.outputs.size(); ++i) {
            const graph::ValueId value = outputValue(i);
            CANNERY_TRY_ASSIGN(const std::int64_t width, widthOf(i, logits));
            CANNERY_TRY(checkOutput(m_network.outputs[i], value, width));
            outputs.push_back(value);
        }
        return outputs.size() == 1 ? outputs.front() : sideBySide(std::move(outputs));
    }

    /// What the heads take over from the network, one for each output.
    const std::vector<heads::OutputActivation>& activations() const { return m_activations; }

private:
    static std::size_t at(int layer) { return static_cast<std::size_t>(layer); }
    const spec::UnfoldedLayer& unfolded(int index) const { return m_network.layers[at(index)]; }
    const spec::NetworkLayer& layerAt(int index) const { return *unfolded(index).layer; }
    const std::string& nameOf(int index) const { return unfolded(index).name; }

    std::string pathOf(int layer) const { return placeOf(unfolded(layer).path); }

    /// Of a path below the graph.
    std::string placeOf(const spec::SpecPath& below) const
    {
        return spec::SpecPath{}
            .child("estimator")
            .child(m_member)
            .child("graph")
            .joined(below)
            .toString();
    }

    Result<graph::ValueId> placed(Result<graph::ValueId> value, int layer) const
    {
        if (!value) {
            return tl::make_unexpected(std::move(value).error().at(pathOf(layer)));
        }
        return value;
    }

    /// The head of an output: the only one, or one of a multi_head.
    const spec::Head& headOf(std::size_t output) const
    {
        const spec::Head& head = m_estimator.head();
        return head.has_multi_head() && m_estimator.graph().outputs_size() > 0
                   ? head.multi_head().heads(static_cast<int>(output))
                   : head;
    }

    Result<std::int64_t> widthOf(std::size_t output, std::int64_t logits) const
    {
        if (m_network.outputs.size() == 1) {
            return logits;
        }
        CANNERY_TRY_ASSIGN(const std::unique_ptr<heads::Head> head,
                           heads::makeHead(headOf(output)));
        return head->logitsWidth();
    }

    Result<void> checkOutput(int layer, graph::ValueId id, std::int64_t logits) const
    {
        const std::string_view place =
            m_estimator.graph().outputs_size() > 0 ? "The output" : "The last layer";
        const graph::Value& value = m_context.builder.graph().value(id);
        if (value.kind == graph::ValueKind::Sequence) {
            return tl::make_unexpected(
                error(ErrorCode::InvalidArgument, kLogitsOfSteps, place, nameOf(layer))
                    .at(pathOf(layer)));
        }
        if (value.width != logits || graph::rowShape(value).size() != 1) {
            return tl::make_unexpected(error(ErrorCode::InvalidArgument, kLogitsWidth, place,
                                             nameOf(layer), graph::shapeText(value), logits, logits)
                                           .at(pathOf(layer)));
        }
        return {};
    }

    /// The columns of a multi_head's logits.
    Result<graph::ValueId> sideBySide(std::vector<graph::ValueId> outputs)
    {
        std::string name = "logits";
        while (std::ranges::find(m_network.layers, name, &spec::UnfoldedLayer::name) !=
               m_network.layers.end()) {
            name += "_1";
        }
        spec::Layer concatenate;
        concatenate.mutable_concatenate();
        return m_context.builder.addNode(name, std::move(concatenate), std::move(outputs));
    }

    /// Columns reach a dense layer or the steps of a sequence without being copied side by side,
    /// if that one alone reads them.
    void findReaders()
    {
        std::vector<int> readers(m_network.layers.size(), 0);
        m_columnsStay.assign(m_network.layers.size(), true);
        m_isNeeded.assign(m_network.layers.size(), false);
        for (const int layer : m_network.order) {
            for (const int input : unfolded(layer).inputs) {
                const bool takesColumns =
                    layerAt(layer).has_dense() || layerAt(layer).has_sequence_input();
                m_columnsStay[at(input)] = ++readers[at(input)] == 1 && takesColumns &&
                                           !layerAt(input).has_activity_regularizer();
                m_isNeeded[at(input)] = true;
            }
        }
        for (const int output : m_network.outputs) {
            m_columnsStay[at(output)] = false;
        }
    }

    /// The activation that ends a layer of one vector per row.
    heads::OutputActivation lastActivation(int index) const
    {
        const spec::NetworkLayer& layer = layerAt(index);
        const auto function = layer.has_dense()        ? layer.dense().activation()
                              : layer.has_activation() ? layer.activation().function()
                                                       : spec::Activation::linear;
        if (function == spec::Activation::sigmoid) {
            return heads::OutputActivation::Sigmoid;
        }
        // With a mask, or over other dimensions than the last, it is no plain softmax of a row.
        const bool isSoftmax = layer.has_softmax() && layer.softmax().axis_size() == 0 &&
                               unfolded(index).inputs.size() == 1;
        return isSoftmax ? heads::OutputActivation::Softmax : heads::OutputActivation::None;
    }

    void findActivations()
    {
        m_isSplit.assign(m_network.layers.size(), false);
        m_before.assign(m_network.layers.size(), -1);
        for (std::size_t i = 0; i < m_network.outputs.size(); ++i) {
            const int layer = m_network.outputs[i];
            // A penalty on the activation's values needs them where they are.
            const bool isTaken = heads::goesBehindActivation(headOf(i)) &&
                                 !layerAt(layer).has_activity_regularizer();
            m_activations.push_back(isTaken ? lastActivation(layer)
                                            : heads::OutputActivation::None);
            const bool isSplit = m_activations.back() != heads::OutputActivation::None;
            m_isSplit[at(layer)] = m_isSplit[at(layer)] || isSplit;
            // Another head may take the same layer as it is.
            m_isNeeded[at(layer)] = m_isNeeded[at(layer)] || !isSplit;
        }
    }

    graph::ValueId outputValue(std::size_t output) const
    {
        const std::size_t layer = at(m_network.outputs[output]);
        return m_activations[output] == heads::OutputActivation::None ? m_values[layer]
                                                                      : m_before[layer];
    }

    /// A layer whose activation a head takes over: the value before it, and the one behind it where
    /// something reads that.
    Result<graph::ValueId> lowerSplit(int index)
    {
        const spec::NetworkLayer& layer = layerAt(index);
        const std::string& name = nameOf(index);
        if (!layer.has_dense()) {
            m_before[at(index)] = readBy(index).front();
            return m_isNeeded[at(index)] ? m_context.builder.addNode(
                                               name, spec::layerOf(unfolded(index)), readBy(index))
                                         : Result<graph::ValueId>(m_before[at(index)]);
        }
        spec::Layer linear = spec::layerOf(unfolded(index));
        linear.mutable_dense()->set_activation(spec::Activation::linear);
        CANNERY_TRY_ASSIGN(
            m_before[at(index)],
            m_context.builder.addNode(name, std::move(linear), readBy(index), optionsOf(index)));
        if (!m_isNeeded[at(index)]) {
            return m_before[at(index)];
        }
        spec::Layer activation;
        activation.mutable_activation()->set_function(layer.dense().activation());
        return m_context.builder.addNode(name + "/activation", std::move(activation),
                                         {m_before[at(index)]});
    }

    Result<graph::ValueId> lowerLayer(int index)
    {
        const spec::NetworkLayer& layer = layerAt(index);
        const std::string& name = nameOf(index);
        if (layer.has_input_layer()) {
            return lowerInput(layer, index, name);
        }
        if (layer.has_sequence_input()) {
            return lowerSequenceInput(layer, index, name);
        }
        if (m_isSplit[at(index)]) {
            CANNERY_TRY_ASSIGN(const graph::ValueId value, lowerSplit(index));
            addActivationSummary(m_context, name, value);
            return value;
        }
        CANNERY_TRY_ASSIGN(const graph::ValueId value,
                           m_masks.addNode(nodeNameOf(index), spec::layerOf(unfolded(index)),
                                           readBy(index), optionsOf(index)));
        // Summaries are of rows; steps of sequences have none in TensorFlow's estimators either.
        if (m_context.builder.graph().value(value).kind != graph::ValueKind::Sequence) {
            addActivationSummary(m_context, name, value);
        }
        return value;
    }

    /// A recurrent layer's cell has a scope of its own in Keras: "lstm/lstm_cell/kernel".
    std::string nodeNameOf(int index) const
    {
        const spec::NetworkLayer& layer = layerAt(index);
        return hasCell(layer) ? fmt::format("{}/{}_cell", nameOf(index), kindOf(layer))
                              : nameOf(index);
    }

    /// There are nodes of masks and penalties between those of layers.
    std::size_t nodeCalled(const std::string& name) const
    {
        const std::vector<graph::Node>& nodes = m_context.builder.graph().nodes;
        const auto found = std::find_if(nodes.rbegin(), nodes.rend(),
                                        [&](const graph::Node& node) { return node.name == name; });
        return static_cast<std::size_t>(nodes.rend() - found) - 1;
    }

    layers::NodeOptions optionsOf(int index) const
    {
        layers::NodeOptions options{.scope = std::string(kScope), .outputName = nameOf(index)};
        if (const int owner = unfolded(index).sharesWeightsWith; owner >= 0) {
            options.sharesWith = nodeCalled(nodeNameOf(owner));
        }
        return options;
    }

    static bool hasCell(const spec::NetworkLayer& layer)
    {
        return layer.has_simple_rnn() || layer.has_lstm() || layer.has_gru();
    }

    static const std::string& kindOf(const spec::NetworkLayer& layer)
    {
        return spec::memberField(layer)->name();
    }

    /// The values of the layers that this one names.
    std::vector<graph::ValueId> readBy(int index) const
    {
        std::vector<graph::ValueId> inputs;
        for (const int input : unfolded(index).inputs) {
            inputs.push_back(m_values[at(input)]);
        }
        return inputs;
    }

    template <typename Columns>
    Result<std::vector<graph::ValueId>> valuesOf(const Columns& own, const Columns& all,
                                                 const std::string& name)
    {
        const Columns& columns = own.empty() ? all : own;
        return lowerColumns(
            m_context, {columns.begin(), columns.end()},
            {.variables = std::string(kScope), .node = name, .categoriesStay = false});
    }

    /// Its columns, then the layer that it reads at every step.
    Result<graph::ValueId> lowerSequenceInput(const spec::NetworkLayer& layer, int index,
                                              const std::string& name)
    {
        CANNERY_TRY_ASSIGN(std::vector<graph::ValueId> inputs,
                           valuesOf(layer.sequence_input().feature_columns(),
                                    m_estimator.sequence_feature_columns(), name));
        const std::vector<graph::ValueId> context = readBy(index);
        inputs.insert(inputs.end(), context.begin(), context.end());
        CANNERY_TRY_ASSIGN(
            const graph::ValueId value,
            m_context.builder.addNode(name, spec::layerOf(unfolded(index)), std::move(inputs)));
        // That of TensorFlow's recurrent estimators.
        m_context.builder.addSummary({.tag = name + "/sequence_length",
                                      .kind = graph::SummaryKind::StepCounts,
                                      .value = value});
        return value;
    }

    Result<graph::ValueId> lowerInput(const spec::NetworkLayer& layer, int index,
                                      const std::string& name)
    {
        CANNERY_TRY_ASSIGN(
            std::vector<graph::ValueId> inputs,
            valuesOf(layer.input_layer().feature_columns(), m_estimator.feature_columns(), name));
        spec::Layer message = spec::layerOf(unfolded(index));
        message.clear_activity_regularizer(); // of the numbers, not of the columns
        CANNERY_TRY_ASSIGN(const graph::ValueId value,
                           m_context.builder.addNode(name, std::move(message), std::move(inputs)));
        if (m_columnsStay[at(index)]) {
            return value;
        }
        CANNERY_TRY_ASSIGN(const graph::ValueId numbers,
                           m_context.builder.addNode(name + "/values", layers::columnsLayer(),
                                                     {value}, {.outputName = name}));
        return layer.has_activity_regularizer()
                   ? m_context.builder.penalizeActivity(name, numbers, layer.activity_regularizer(),
                                                        name)
                   : numbers;
    }

    LoweringContext& m_context;
    const spec::CustomEstimator& m_estimator;
    const std::string m_member; ///< the estimator's field of the experiment
    spec::UnfoldedNetwork m_network;
    layers::MaskFlow m_masks;
    std::vector<graph::ValueId> m_values; ///< by layer
    std::vector<bool> m_columnsStay;      ///< by layer
    std::vector<bool> m_isNeeded;         ///< by layer: something takes the value as it is
    std::vector<bool> m_isSplit; ///< by layer: a head takes the value before its activation
    std::vector<graph::ValueId> m_before; ///< by layer, of one that is split: that value
    std::vector<heads::OutputActivation> m_activations; ///< by output
};

} // namespace

Result<graph::LoweredModel> lowerCustomEstimator(const LoweringRequest& request)
{
    const spec::CustomEstimator& estimator = request.experiment.estimator().custom_estimator();
    const std::string& member = spec::memberField(request.experiment.estimator())->name();
    std::vector<heads::OutputActivation> activations;
    CANNERY_TRY_ASSIGN(graph::LoweredModel model,
                       assemble(request, {{std::string(kScope), estimator.optimizer()}},
                                [&](LoweringContext& context, std::int64_t logits) {
                                    NetworkLowering network(context, estimator, member);
                                    Result<graph::ValueId> value = network.lower(logits);
                                    activations = network.activations();
                                    return value;
                                }));
    const bool areTaken = std::ranges::any_of(activations, [](heads::OutputActivation activation) {
        return activation != heads::OutputActivation::None;
    });
    if (areTaken) {
        model.makeHead = [head = model.head, activations] {
            // Its message has been checked: assemble() made a head of it.
            return std::move(heads::makeHead(head, activations)).value();
        };
    }
    return model;
}

} // namespace cannery::estimators

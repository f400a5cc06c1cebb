// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/custom_estimator.h"

#include "core/estimators/model_assembly.h"
#include "core/layers/inputs/columns_layer.h"
#include "core/layers/masks/mask_flow.h"
#include "core/spec/message_access.h"
#include "core/spec/network_layout.h"

#include <algorithm>

namespace cannery::estimators {

namespace {

constexpr ErrorKind kLogitsWidth{
    "estimators.logits_width",
    "The last layer, '{}', gives rows of shape {}, but the head needs {} logits: let the network "
    "end with dense {{ units: {} }}."};

constexpr ErrorKind kLogitsOfSteps{
    "estimators.logits_of_steps",
    "The last layer, '{}', gives a row for each step of a sequence, but the head needs one for all "
    "of them: remove return_sequences from the recurrent layer before it."};

constexpr std::string_view kScope = "network";

class NetworkLowering
{
public:
    NetworkLowering(LoweringContext& context, const spec::CustomEstimator& estimator)
        : m_context(context), m_estimator(estimator), m_layout(spec::layoutOf(estimator.graph())),
          m_masks(context.builder)
    {}

    Result<graph::ValueId> lower(std::int64_t logits)
    {
        if (!m_layout.problems.empty()) {
            return tl::make_unexpected(m_layout.problems.front().error);
        }
        m_values.assign(m_layout.names.size(), -1);
        findWhereColumnsStay();
        for (const int layer : m_layout.order) {
            CANNERY_TRY_ASSIGN(m_values[at(layer)], placed(lowerLayer(layer), layer));
        }
        const graph::ValueId last = m_values.back();
        const graph::Value& value = m_context.builder.graph().value(last);
        if (value.kind == graph::ValueKind::Sequence) {
            return placed(fail(ErrorCode::InvalidArgument, kLogitsOfSteps, m_layout.names.back()),
                          static_cast<int>(m_values.size()) - 1);
        }
        if (value.width != logits || graph::rowShape(value).size() != 1) {
            return tl::make_unexpected(error(ErrorCode::InvalidArgument, kLogitsWidth,
                                             m_layout.names.back(), graph::shapeText(value), logits,
                                             logits)
                                           .at(pathOf(static_cast<int>(m_values.size()) - 1)));
        }
        return last;
    }

private:
    static std::size_t at(int layer) { return static_cast<std::size_t>(layer); }
    const spec::NetworkLayer& layerAt(int index) const { return m_estimator.graph().layer(index); }

    static std::string pathOf(int layer)
    {
        return fmt::format("estimator.custom_estimator.graph.layer[{}]", layer);
    }

    Result<graph::ValueId> placed(Result<graph::ValueId> value, int layer) const
    {
        if (!value) {
            return tl::make_unexpected(std::move(value).error().at(pathOf(layer)));
        }
        return value;
    }

    /// Columns reach a dense layer or the steps of a sequence without being copied side by side,
    /// if that one alone reads them.
    void findWhereColumnsStay()
    {
        std::vector<int> readers(m_layout.names.size(), 0);
        m_columnsStay.assign(m_layout.names.size(), true);
        for (const int layer : m_layout.order) {
            for (const int input : m_layout.inputs[at(layer)]) {
                const bool takesColumns =
                    layerAt(layer).has_dense() || layerAt(layer).has_sequence_input();
                m_columnsStay[at(input)] = ++readers[at(input)] == 1 && takesColumns;
            }
        }
    }

    Result<graph::ValueId> lowerLayer(int index)
    {
        const spec::NetworkLayer& layer = layerAt(index);
        const std::string& name = m_layout.names[at(index)];
        if (layer.has_input_layer()) {
            return lowerInput(layer, index, name);
        }
        if (layer.has_sequence_input()) {
            return lowerSequenceInput(layer, index, name);
        }
        // A recurrent layer's cell has a scope of its own in Keras: "lstm/lstm_cell/kernel".
        const std::string node =
            hasCell(layer) ? fmt::format("{}/{}_cell", name, kindOf(layer)) : name;
        CANNERY_TRY_ASSIGN(const graph::ValueId value,
                           m_masks.addNode(node, spec::layerOf(layer), readBy(index),
                                           {.scope = std::string(kScope), .outputName = name}));
        // Summaries are of rows; steps of sequences have none in TensorFlow's estimators either.
        if (m_context.builder.graph().value(value).kind != graph::ValueKind::Sequence) {
            addActivationSummary(m_context, name, value);
        }
        return value;
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
        for (const int input : m_layout.inputs[at(index)]) {
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
            m_context.builder.addNode(name, spec::layerOf(layer), std::move(inputs)));
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
        CANNERY_TRY_ASSIGN(
            const graph::ValueId value,
            m_context.builder.addNode(name, spec::layerOf(layer), std::move(inputs)));
        if (m_columnsStay[at(index)]) {
            return value;
        }
        return m_context.builder.addNode(name + "/values", layers::columnsLayer(), {value},
                                         {.outputName = name});
    }

    LoweringContext& m_context;
    const spec::CustomEstimator& m_estimator;
    const spec::NetworkLayout m_layout;
    layers::MaskFlow m_masks;
    std::vector<graph::ValueId> m_values; ///< by layer
    std::vector<bool> m_columnsStay;      ///< by layer
};

} // namespace

Result<graph::LoweredModel> lowerCustomEstimator(const LoweringRequest& request)
{
    const spec::CustomEstimator& estimator = request.experiment.estimator().custom_estimator();
    return assemble(request, {{std::string(kScope), estimator.optimizer()}},
                    [&](LoweringContext& context, std::int64_t logits) {
                        return NetworkLowering(context, estimator).lower(logits);
                    });
}

} // namespace cannery::estimators

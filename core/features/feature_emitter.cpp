// SPDX-License-Identifier: Apache-2.0
#include "core/features/feature_emitter.h"

#include "core/features/column_builder.h"
#include "core/features/feature_column.h"
#include "core/features/feature_encoder.h"
#include "core/features/feature_graph.h"
#include "core/features/label_emitter.h"
#include "core/features/numeric_column.h"
#include "core/features/raw_plan.h"
#include "core/features/receiver_emitter.h"
#include "core/spec/experiment.pb.h"
#include "storage/tf/graphs/graph_def_builder.h"

#include <algorithm>
#include <span>

namespace cannery::features {

namespace {

constexpr ErrorKind kLabelName{
    "features.label_key",
    "The feature '{}' has the name of the label's input in a graph for training or evaluation. "
    "Rename the feature, or export the serving graph only."};

Result<void> emitReceiver(const FeatureEncoder& encoder, std::span<const ColumnPointer> weights,
                          const EmitOptions& options, FeatureGraph& features, EmittedFeatures& out)
{
    std::vector<RawUse> uses;
    for (const ColumnPointer& column : encoder.columns()) {
        column->addUses(uses);
    }
    for (const ColumnPointer& column : weights) {
        column->addUses(uses);
    }
    CANNERY_TRY_ASSIGN(const auto plans,
                       planRawFeatures(encoder.experiment(), uses, options.dtypes));
    if (options.receiver == Receiver::Parsing) {
        return emitParsingReceiver(plans, features, out);
    }
    const RawSchema schema(encoder.experiment(), options.dtypes);
    std::map<std::string, RawFeature> unused;
    for (const std::string& name : options.rawFeatures) {
        if (plans.count(name) == 0) {
            unused.emplace(name, schema.feature(name));
        }
    }
    return emitRawReceiver(plans, unused, options, features, out);
}

/// Before the features: a model without any has the label for its only input.
Result<void> addLabels(const FeatureEncoder& encoder, const EmitOptions& options,
                       FeatureGraph& features, EmittedFeatures& out)
{
    CANNERY_TRY_ASSIGN(EmittedLabels labels,
                       emitLabels(features.graph(), encoder.experiment(), options.dtypes));
    out.receiver = std::move(labels.inputs);
    out.labels = labels.values;
    return {};
}

/// Whether every input has a name of its own.
/// A feature called "label" would share TensorFlow's key of the label.
Result<void> checkNames(const std::vector<ReceiverTensor>& receiver)
{
    for (auto input = receiver.begin(); input != receiver.end(); ++input) {
        if (std::ranges::find(input + 1, receiver.end(), input->key, &ReceiverTensor::key) !=
            receiver.end()) {
            return fail(ErrorCode::InvalidArgument, kLabelName, input->key);
        }
    }
    return {};
}

Result<storage::NodeRef> emitWeights(std::span<const ColumnPointer> columns, FeatureGraph& features)
{
    std::vector<storage::NodeRef> parts;
    for (const ColumnPointer& column : columns) {
        CANNERY_TRY_ASSIGN(const storage::EmittedValue value, features.column(*column));
        // Columns in the order of the heads, as the encoder writes weights.
        parts.emplace_back(value.dense);
    }
    if (parts.size() <= 1) {
        return parts.empty() ? storage::NodeRef() : parts.front();
    }
    storage::GraphDefBuilder& graph = features.graph();
    const auto count = static_cast<std::int64_t>(parts.size());
    parts.push_back(graph.constant("weights/axis", std::int32_t{1}));
    return graph.add("ConcatV2", "weights/concat", parts,
                     {{"N", count}, {"T", DType::Float32}, {"Tidx", DType::Int32}});
}

Result<storage::EmittedValue> emitSlot(const FeatureColumn& column, const EmitOptions& options,
                                       FeatureGraph& features)
{
    // Trees read raw numbers; every other column is emitted as it is encoded.
    const auto* numeric =
        options.rawNumbers ? dynamic_cast<const NumericColumn*>(&column) : nullptr;
    if (numeric == nullptr) {
        return features.column(column);
    }
    const auto exactly = features.graph().enterExactly("features");
    const auto scope = features.graph().enterScope(scopeName(column.info().tensorflowName));
    CANNERY_TRY_ASSIGN(const storage::NodeRef numbers, numeric->emitRaw(features));
    storage::EmittedValue value;
    value.dense = numbers.input();
    return value;
}

} // namespace

std::set<std::string> numberFeatures(const FeatureEncoder& encoder)
{
    std::vector<RawUse> uses;
    for (const ColumnPointer& column : encoder.columns()) {
        column->addUses(uses);
    }
    std::set<std::string> names;
    for (const RawUse& use : uses) {
        if (use.role == RawRole::Number) {
            names.insert(use.feature);
        }
    }
    return names;
}

Result<EmittedFeatures> emitFeatures(storage::GraphDefBuilder& graph, const FeatureEncoder& encoder,
                                     const EmitOptions& options)
{
    // TensorFlow's receivers have their placeholders at the top of the graph.
    const auto root = graph.enterExactly("");
    EmittedFeatures result;
    FeatureGraph features(graph);
    std::span<const ColumnPointer> weights;
    if (options.withLabels) {
        weights = encoder.weightColumns();
        CANNERY_TRY(addLabels(encoder, options, features, result));
    }
    CANNERY_TRY(emitReceiver(encoder, weights, options, features, result));
    for (const auto& column : encoder.columns()) {
        CANNERY_TRY_ASSIGN(storage::EmittedValue value, emitSlot(*column, options, features));
        result.slots.push_back(std::move(value));
    }
    if (options.withLabels) {
        CANNERY_TRY_ASSIGN(result.weights, emitWeights(weights, features));
        CANNERY_TRY(checkNames(result.receiver));
    }
    return result;
}

} // namespace cannery::features

// SPDX-License-Identifier: Apache-2.0
#include "core/export/saved_model_exporter.h"

#include "core/export/served_experiment.h"
#include "core/export/tree_emission.h"
#include "core/export/warmup_rows.h"
#include "core/heads/head_catalog.h"
#include "core/heads/signature.h"
#include "core/heads/step_predictions.h"
#include "core/layers/graph_emitter.h"
#include "core/layers/lookup.h"
#include "core/spec/experiment.pb.h"
#include "storage/tf/graph_def_builder.h"
#include "storage/tf/saved_model.h"
#include "storage/tf/saved_model_reader.h"
#include "storage/tf/saved_model_writer.h"
#include "storage/tf/warmup_requests.h"

#include <algorithm>
#include <iterator>

namespace cannery::exporting {

namespace {

constexpr ErrorKind kValueMissing{
    "export.value_missing",
    "The model's variable '{}' has no value in the checkpoint; it belongs to another experiment."};

constexpr std::string_view kGlobalStep = "global_step";

struct EmittedModel
{
    features::EmittedFeatures features;
    std::vector<heads::Signature> signatures;
};

/// The receiver with the types of raw features as frozen by the run.
features::EmitOptions withFrozenTypes(features::EmitOptions receiver,
                                      const spec::Experiment& experiment)
{
    for (const spec::Column& column : experiment.data().column()) {
        if (column.dtype() != spec::DataType::inferred) {
            receiver.dtypes.try_emplace(column.name(), static_cast<DType>(column.dtype()));
        }
    }
    return receiver;
}

Result<EmittedModel> emitModel(storage::GraphDefBuilder& graph,
                               const features::FeatureEncoder& encoder,
                               const graph::LoweredModel& lowered,
                               const features::EmitOptions& receiver,
                               std::span<const storage::NamedTensor> tensors)
{
    graph.variable({.name = std::string(kGlobalStep),
                    .dtype = DType::Int64,
                    .shape = Shape{},
                    .trainable = false,
                    .aggregation = storage::VariableAggregation::OnlyFirstReplica});
    CANNERY_TRY_ASSIGN(
        features::EmittedFeatures emitted,
        features::emitFeatures(graph, encoder, withFrozenTypes(receiver, encoder.experiment())));
    CANNERY_TRY_ASSIGN(const std::unique_ptr<heads::Head> head, heads::makeHead(lowered));
    if (lowered.learner != nullptr) {
        CANNERY_TRY_ASSIGN(const storage::NodeRef logits,
                           emitTrees(graph, {.learner = *lowered.learner,
                                             .outputs = head->logitsWidth(),
                                             .tensors = tensors,
                                             .slots = emitted.slots,
                                             .batchSize = emitted.batchSize}));
        std::vector<heads::Signature> signatures = head->emit(graph, logits);
        return EmittedModel{.features = std::move(emitted), .signatures = std::move(signatures)};
    }
    CANNERY_TRY_ASSIGN(const storage::EmittedValue logits,
                       layers::emitGraph(graph, lowered.graph, emitted.slots, emitted.batchSize));
    const storage::NodeRef values = layers::nodeRef(logits.dense);
    std::vector<heads::Signature> signatures = head->emit(graph, values);
    if (!logits.stepCounts.empty()) {
        heads::emitStepPredictions(graph,
                                   {.logits = values, .counts = layers::nodeRef(logits.stepCounts)},
                                   lowered.sequenceMask, signatures);
    }
    return EmittedModel{.features = std::move(emitted), .signatures = std::move(signatures)};
}

storage::TensorInfo infoOf(const features::ReceiverTensor& tensor)
{
    return {.name = tensor.tensor.tensor(), .dtype = tensor.dtype, .shape = tensor.shape};
}

/// Classifications and regressions need a single string tensor; otherwise TensorFlow omits them.
bool takesExamples(const std::vector<features::ReceiverTensor>& receiver)
{
    return receiver.size() == 1 && receiver.front().dtype == DType::String;
}

std::map<std::string, storage::Signature> signaturesOf(const EmittedModel& model)
{
    std::map<std::string, storage::Signature> result;
    for (const heads::Signature& signature : model.signatures) {
        storage::Signature made{.methodName = std::string(heads::methodName(signature.kind))};
        const std::string_view key = heads::inputKey(signature.kind);
        if (!key.empty() && !takesExamples(model.features.receiver)) {
            continue;
        }
        for (const features::ReceiverTensor& tensor : model.features.receiver) {
            made.inputs[key.empty() ? tensor.key : std::string(key)] = infoOf(tensor);
        }
        for (const heads::SignatureOutput& output : signature.outputs) {
            made.outputs[output.key] = {
                .name = output.tensor.tensor(), .dtype = output.dtype, .shape = output.shape};
        }
        result[signature.name] = std::move(made);
    }
    return result;
}

/// The values of the graph's variables, and the state of a learner, which no graph can hold.
Result<std::vector<storage::NamedTensor>> valuesOf(const storage::GraphDefBuilder& graph,
                                                   std::span<const storage::NamedTensor> tensors,
                                                   const storage::HostTensor& globalStep,
                                                   bool isLearner)
{
    std::vector<storage::NamedTensor> values;
    for (const auto& variable : graph.variables()) {
        const std::string& name = variable->spec.name;
        if (name == kGlobalStep) {
            values.push_back({name, globalStep});
            continue;
        }
        const auto found =
            std::find_if(tensors.begin(), tensors.end(),
                         [&](const storage::NamedTensor& tensor) { return tensor.name == name; });
        if (found == tensors.end()) {
            return fail(ErrorCode::NotFound, kValueMissing, name);
        }
        values.push_back(*found);
    }
    const auto isNew = [&](const storage::NamedTensor& tensor) {
        return std::ranges::none_of(
            values, [&](const storage::NamedTensor& other) { return other.name == tensor.name; });
    };
    if (isLearner) {
        std::ranges::copy_if(tensors, std::back_inserter(values), isNew);
    }
    return values;
}

} // namespace

Result<std::string> exportSavedModel(const ExportRequest& request, const std::string& base)
{
    storage::GraphDefBuilder graph;
    CANNERY_TRY_ASSIGN(const EmittedModel model, emitModel(graph, request.encoder, request.lowered,
                                                           request.receiver, request.tensors));
    const storage::HostTensor globalStep = storage::HostTensor::scalar(request.globalStep);
    CANNERY_TRY_ASSIGN(
        const std::vector<storage::NamedTensor> values,
        valuesOf(graph, request.tensors, globalStep, request.lowered.learner != nullptr));
    const storage::MetaGraph metaGraph = storage::makeMetaGraph(graph, signaturesOf(model));
    storage::SavedModelOptions options{
        .timestamp = request.version, .assetsExtra = request.assetsExtra, .asText = request.asText};
    options.extraContents[kServedExperimentFile] =
        servedExperiment(request.encoder.experiment(), request.folder, metaGraph.assets);
    if (!request.warmupRows.empty()) {
        CANNERY_TRY_ASSIGN(
            const std::vector<storage::WarmupRequest> requests,
            warmupRequests(metaGraph, request.warmupRows, request.receiver.receiver));
        options.extraContents[std::string(storage::kWarmupRequestsFile)] =
            storage::warmupRequestsFile(requests);
    }
    CANNERY_TRY_ASSIGN(std::string folder,
                       storage::writeSavedModel(base, metaGraph, values, options));
    CANNERY_TRY(storage::checkSavedModel(folder));
    return folder;
}

Result<InferenceGraph> inferenceGraph(const features::FeatureEncoder& encoder,
                                      const graph::LoweredModel& lowered,
                                      const features::EmitOptions& receiver)
{
    storage::GraphDefBuilder graph;
    CANNERY_TRY(emitModel(graph, encoder, lowered, receiver, {}));
    return InferenceGraph{.serialized = graph.serialized(), .text = graph.text()};
}

} // namespace cannery::exporting

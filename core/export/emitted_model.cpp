// SPDX-License-Identifier: Apache-2.0
#include "core/export/emitted_model.h"

#include "core/export/tree_emission.h"
#include "core/heads/head_catalog.h"
#include "core/heads/step_predictions.h"
#include "core/spec/experiment.pb.h"

namespace cannery::exporting {

namespace {

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

Result<layers::EmittedLayers> emitLogits(storage::GraphDefBuilder& graph, const ModelToEmit& model,
                                         const EmittedModel& emitted)
{
    if (model.lowered.learner == nullptr) {
        return layers::emitGraph(graph, model.lowered.graph, emitted.features.slots,
                                 emitted.features.batchSize, model.mode);
    }
    CANNERY_TRY_ASSIGN(storage::NodeRef logits,
                       emitTrees(graph, {.source = {.learner = *model.lowered.learner,
                                                    .encoder = model.encoder,
                                                    .outputs = emitted.head->logitsWidth(),
                                                    .tensors = model.tensors},
                                         .slots = emitted.features.slots,
                                         .batchSize = emitted.features.batchSize}));
    return layers::EmittedLayers{.logits = std::move(logits)};
}

} // namespace

Result<EmittedModel> emitModel(storage::GraphDefBuilder& graph, const ModelToEmit& model)
{
    // A worker in TensorFlow that holds several replicas must count each step once.
    graph.variable({.name = std::string(kGlobalStep),
                    .dtype = DType::Int64,
                    .shape = Shape{},
                    .trainable = false,
                    .aggregation = storage::VariableAggregation::OnlyFirstReplica});
    EmittedModel emitted;
    features::EmitOptions options = withFrozenTypes(model.receiver, model.encoder.experiment());
    // Trees compare places in the order of raw numbers (features::emitPlaces), so they need them as
    // they came, before any normalizer.
    options.rawNumbers = model.lowered.learner != nullptr;
    CANNERY_TRY_ASSIGN(emitted.features, features::emitFeatures(graph, model.encoder, options));
    CANNERY_TRY_ASSIGN(emitted.head, heads::makeHead(model.lowered));
    CANNERY_TRY_ASSIGN(emitted.layers, emitLogits(graph, model, emitted));
    emitted.signatures = emitted.head->emit(graph, emitted.layers.logits);
    if (emitted.layers.stepCounts) {
        heads::emitStepPredictions(
            graph, {.logits = emitted.layers.logits, .counts = *emitted.layers.stepCounts},
            model.lowered.sequenceMask, emitted.signatures);
    }
    return emitted;
}

storage::TensorInfo infoOf(const features::ReceiverTensor& tensor)
{
    return {.name = tensor.tensor.tensor(), .dtype = tensor.dtype, .shape = tensor.shape};
}

storage::TensorInfo infoOf(const heads::SignatureOutput& output)
{
    return {.name = output.tensor.tensor(), .dtype = output.dtype, .shape = output.shape};
}

} // namespace cannery::exporting

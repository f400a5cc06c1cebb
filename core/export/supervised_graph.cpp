// SPDX-License-Identifier: Apache-2.0
#include "core/export/supervised_graph.h"

#include "core/export/emitted_model.h"
#include "core/export/export_modes.h"
#include "core/export/penalty_emission.h"
#include "core/export/training_step.h"
#include "core/heads/supervised_head.h"
#include "storage/tf/graphs/float_nodes.h"

#include <fmt/format.h>

#include <algorithm>

namespace cannery::exporting {

namespace {

constexpr ErrorKind kNoSupervisedHead{
    "export.no_supervised_head",
    "The model's head has no graph for training or evaluation. Export the serving graph only."};

constexpr ErrorKind kStepsUnsupervised{
    "export.unsupervised_steps",
    "A model that predicts every step (return_sequences) has no graph for training or evaluation. "
    "Export the serving graph only."};

constexpr const char* kTrainingMethod = "tensorflow/supervised/training";
constexpr const char* kEvaluationMethod = "tensorflow/supervised/eval";
constexpr const char* kPredictions = "predictions";

/// A model with its labels and its loss.
struct SupervisedModel
{
    EmittedModel model;
    heads::SupervisedNodes nodes;
    std::optional<storage::NodeRef> penalty; ///< part of the loss
};

Result<SupervisedModel> emitSupervised(storage::GraphDefBuilder& graph,
                                       const ExportRequest& request, layers::EmitMode mode)
{
    // Heads of TensorFlow's that predict steps exist for serving only; a metric would need the
    // mask.
    if (!request.lowered.sequenceMask.empty()) {
        return fail(ErrorCode::Unimplemented, kStepsUnsupervised);
    }
    // TensorFlow's receivers for training and evaluation are raw: every feature and the labels,
    // whatever the serving receiver leaves out.
    features::EmitOptions receiver = request.receiver;
    receiver.receiver = features::Receiver::Raw;
    receiver.rawFeatures.clear();
    receiver.withLabels = true;
    SupervisedModel result;
    CANNERY_TRY_ASSIGN(result.model, emitModel(graph, {.encoder = request.encoder,
                                                       .lowered = request.lowered,
                                                       .receiver = std::move(receiver),
                                                       .tensors = request.tensors,
                                                       .mode = mode}));
    const auto* head = dynamic_cast<const heads::SupervisedHead*>(result.model.head.get());
    if (head == nullptr) {
        return fail(ErrorCode::Unimplemented, kNoSupervisedHead);
    }
    const heads::SupervisedInputs inputs{.logits = result.model.layers.logits,
                                         .labels = result.model.features.labels,
                                         .weights = result.model.features.weights};
    // Metrics are part of evaluation graphs only, as in TensorFlow's supervised exports.
    result.nodes = head->emitSupervised(graph, inputs, mode == layers::EmitMode::Inference);
    result.penalty = emitPenalty(graph, request.lowered.graph, result.model.layers,
                                 result.model.features.batchSize);
    if (result.penalty) {
        result.nodes.loss = storage::FloatNodes(graph).add(result.nodes.loss, *result.penalty);
    }
    return result;
}

/// With TensorFlow's prefix, unless it begins the key.
std::string predictionKey(const std::string& key)
{
    return key.starts_with(kPredictions) ? key : fmt::format("{}/{}", kPredictions, key);
}

storage::TensorInfo floatInfo(const storage::NodeRef& node, const Shape& shape)
{
    return {.name = node.tensor(), .dtype = DType::Float32, .shape = shape};
}

storage::Signature signatureOf(const SupervisedModel& supervised, const char* method)
{
    storage::Signature signature{.methodName = method};
    for (const features::ReceiverTensor& input : supervised.model.features.receiver) {
        signature.inputs[input.key] = infoOf(input);
    }
    for (const heads::Signature& predicted : supervised.model.signatures) {
        // Classify and regress repeat what predict has.
        if (predicted.kind != heads::SignatureKind::Predict) {
            continue;
        }
        for (const heads::SignatureOutput& output : predicted.outputs) {
            signature.outputs[predictionKey(output.key)] = infoOf(output);
        }
    }
    signature.outputs["loss"] = floatInfo(supervised.nodes.loss, {});
    for (const heads::MetricNodes& metric : supervised.nodes.metrics) {
        const std::string key = "metrics/" + metric.name;
        signature.outputs[key + "/value"] = floatInfo(metric.value, {});
        // An update in TensorFlow returns an operation as a tensor without elements.
        signature.outputs[key + "/update_op"] = floatInfo(metric.update, Shape{0});
    }
    return signature;
}

SupervisedGraph finished(storage::GraphDefBuilder& graph, const SupervisedModel& supervised,
                         const char* tag, const char* method, storage::NodeRef trainOp = {})
{
    SupervisedGraph result;
    for (const auto& variable : graph.variables()) {
        result.variables.push_back(variable->spec);
    }
    result.metaGraph = storage::makeMetaGraph(graph, {{tag, signatureOf(supervised, method)}},
                                              {.tags = {tag},
                                               .localVariables = supervised.nodes.localVariables,
                                               .trainOp = std::move(trainOp)});
    return result;
}

} // namespace

Result<SupervisedGraph> evaluationGraph(const ExportRequest& request)
{
    storage::GraphDefBuilder graph;
    CANNERY_TRY_ASSIGN(const SupervisedModel supervised,
                       emitSupervised(graph, request, layers::EmitMode::Inference));
    return finished(graph, supervised, kEvaluationTag, kEvaluationMethod);
}

Result<SupervisedGraph> trainingGraph(const ExportRequest& request)
{
    CANNERY_TRY(checkTrainable(request.encoder.experiment(), request.lowered));
    storage::GraphDefBuilder graph;
    CANNERY_TRY_ASSIGN(const SupervisedModel supervised,
                       emitSupervised(graph, request, layers::EmitMode::Training));
    CANNERY_TRY_ASSIGN(storage::NodeRef trainOp,
                       emitTrainingStep(graph, {.lowered = request.lowered,
                                                .logits = supervised.model.layers.logits,
                                                .logitsGrad = supervised.nodes.logitsGrad,
                                                .penalty = supervised.penalty,
                                                .updates = supervised.model.layers.updates}));
    return finished(graph, supervised, kTrainingTag, kTrainingMethod, std::move(trainOp));
}

} // namespace cannery::exporting

// SPDX-License-Identifier: Apache-2.0
#include "core/export/saved_model_exporter.h"

#include "core/export/emitted_model.h"
#include "core/export/served_experiment.h"
#include "core/export/supervised_graph.h"
#include "core/export/warmup_rows.h"
#include "core/heads/signature.h"
#include "storage/tf/graphs/graph_def_builder.h"
#include "storage/tf/graphs/saved_model.h"
#include "storage/tf/graphs/saved_model_reader.h"
#include "storage/tf/graphs/saved_model_writer.h"
#include "storage/tf/graphs/warmup_requests.h"

#include <algorithm>
#include <iterator>

namespace cannery::exporting {

namespace {

constexpr ErrorKind kValueMissing{
    "export.value_missing",
    "The model's variable '{}' has no value in the checkpoint; it belongs to another experiment."};

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
        // TensorFlow's own rule for classify and regress: a single input of serialized tf.Example.
        // With a raw receiver the export still has predict.
        if (!key.empty() && !takesExamples(model.features.receiver)) {
            continue;
        }
        for (const features::ReceiverTensor& tensor : model.features.receiver) {
            made.inputs[key.empty() ? tensor.key : std::string(key)] = infoOf(tensor);
        }
        for (const heads::SignatureOutput& output : signature.outputs) {
            made.outputs[output.key] = infoOf(output);
        }
        result[signature.name] = std::move(made);
    }
    return result;
}

/// The MetaGraphs of an export, and every variable of any.
struct MetaGraphs
{
    std::vector<storage::MetaGraph> graphs; ///< the serving graph last, as TensorFlow writes them
    std::map<std::string, storage::VariableSpec> variables;

    void addVariables(const std::vector<storage::VariableSpec>& added)
    {
        for (const storage::VariableSpec& variable : added) {
            variables.emplace(variable.name, variable);
        }
    }
};

/// Training, evaluation, serving: the order in which export_all_saved_models adds them.
Result<MetaGraphs> metaGraphsOf(const ExportRequest& request)
{
    MetaGraphs result;
    const auto add = [&](Result<SupervisedGraph> made) -> Result<void> {
        CANNERY_TRY_ASSIGN(SupervisedGraph graph, std::move(made));
        result.addVariables(graph.variables);
        result.graphs.push_back(std::move(graph.metaGraph));
        return {};
    };
    if (request.modes == ExportModes::All) {
        CANNERY_TRY(add(trainingGraph(request)));
    }
    if (request.modes != ExportModes::Serving) {
        CANNERY_TRY(add(evaluationGraph(request)));
    }
    storage::GraphDefBuilder graph;
    CANNERY_TRY_ASSIGN(const EmittedModel model, emitModel(graph, {.encoder = request.encoder,
                                                                   .lowered = request.lowered,
                                                                   .receiver = request.receiver,
                                                                   .tensors = request.tensors}));
    for (const auto& variable : graph.variables()) {
        result.addVariables({variable->spec});
    }
    result.graphs.push_back(storage::makeMetaGraph(graph, signaturesOf(model)));
    return result;
}

/// The values of the graphs' variables, and the state of a learner, which no graph can hold.
Result<std::vector<storage::NamedTensor>> valuesOf(const MetaGraphs& metaGraphs,
                                                   std::span<const storage::NamedTensor> tensors,
                                                   const storage::HostTensor& globalStep,
                                                   bool isLearner)
{
    // The global step is not a tensor of the model, but every checkpoint holds it.
    std::vector<storage::NamedTensor> values;
    for (const auto& [name, spec] : metaGraphs.variables) {
        if (name == kGlobalStep) {
            values.push_back({name, globalStep});
            continue;
        }
        const auto found = std::ranges::find(tensors, name, &storage::NamedTensor::name);
        if (found == tensors.end()) {
            return fail(ErrorCode::NotFound, kValueMissing, name);
        }
        values.push_back(*found);
    }
    // Readers of the folder, as our own verification and warm start, find the trees there.
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
    CANNERY_TRY_ASSIGN(const MetaGraphs metaGraphs, metaGraphsOf(request));
    const storage::HostTensor globalStep = storage::HostTensor::scalar(request.globalStep);
    CANNERY_TRY_ASSIGN(
        const std::vector<storage::NamedTensor> values,
        valuesOf(metaGraphs, request.tensors, globalStep, request.lowered.learner != nullptr));
    storage::SavedModelOptions options{.timestamp = request.version,
                                       .assetsExtra = request.assetsExtra,
                                       .asText = request.asText,
                                       .check = storage::checkSavedModel};
    // Before the folder is written, as it is part of what is published by one rename.
    options.extraContents[kServedExperimentFile] = servedExperiment(
        request.encoder.experiment(), request.folder, metaGraphs.graphs.back().assets);
    if (!request.warmupRows.empty()) {
        CANNERY_TRY_ASSIGN(const std::vector<storage::WarmupRequest> requests,
                           warmupRequests(metaGraphs.graphs.back(), request.warmupRows,
                                          request.receiver.receiver,
                                          features::numberFeatures(request.encoder)));
        options.extraContents[std::string(storage::kWarmupRequestsFile)] =
            storage::warmupRequestsFile(requests);
    }
    return storage::writeSavedModel(base, metaGraphs.graphs, values, options);
}

Result<std::string> inferenceGraph(const features::FeatureEncoder& encoder,
                                   const graph::LoweredModel& lowered,
                                   const features::EmitOptions& receiver)
{
    storage::GraphDefBuilder graph;
    CANNERY_TRY(emitModel(
        graph, {.encoder = encoder, .lowered = lowered, .receiver = receiver, .tensors = {}}));
    return graph.serialized();
}

} // namespace cannery::exporting

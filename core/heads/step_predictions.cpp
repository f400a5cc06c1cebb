// SPDX-License-Identifier: Apache-2.0
#include "core/heads/step_predictions.h"

#include "core/heads/head_emission.h"
#include "storage/tf/graphs/graph_def_builder.h"

#include <utility>

namespace cannery::heads {

namespace {

using storage::NodeRef;

/// Whether each step of the padded logits is one of its row: bool [batch, steps].
NodeRef emitMask(storage::GraphDefBuilder& graph, const EmittedSteps& steps)
{
    const auto scope = graph.enterScope("sequence_mask");
    const NodeRef zero = graph.constant("zero", std::int32_t{0});
    const NodeRef one = graph.constant("one", std::int32_t{1});
    const NodeRef shape = graph.add("Shape", "shape", {steps.logits},
                                    {{"T", DType::Float32}, {"out_type", DType::Int32}});
    const NodeRef total =
        graph.add("GatherV2", "total", {shape, one, zero},
                  {{"Tparams", DType::Int32}, {"Tindices", DType::Int32}, {"Taxis", DType::Int32}});
    const NodeRef places =
        graph.add("Range", "range", {zero, total, one}, {{"Tidx", DType::Int32}});
    const NodeRef counts = graph.add("Cast", "counts", {steps.counts},
                                     {{"SrcT", DType::Int64}, {"DstT", DType::Int32}});
    const NodeRef ofRows = graph.add("ExpandDims", "counts_of_rows", {counts, one},
                                     {{"T", DType::Int32}, {"Tdim", DType::Int32}});
    return graph.add("Less", "mask", {places, ofRows}, {{"T", DType::Int32}});
}

} // namespace

void groupBySteps(std::span<const std::int64_t> stepOffsets, const std::string& mask,
                  std::vector<Prediction>& predictions)
{
    for (Prediction& prediction : predictions) {
        if (!prediction.isConstant) {
            // Names of the classes are the same at every step, so they are not grouped.
            prediction.stepOffsets.assign(stepOffsets.begin(), stepOffsets.end());
        }
    }
    Prediction& isStep = predictions.emplace_back();
    isStep.key = mask;
    isStep.dtype = DType::Bool;
    isStep.integers.assign(static_cast<std::size_t>(stepOffsets.back()), 1);
    isStep.stepOffsets.assign(stepOffsets.begin(), stepOffsets.end());
}

void emitStepPredictions(storage::GraphDefBuilder& graph, const EmittedSteps& steps,
                         const std::string& mask, std::vector<Signature>& signatures)
{
    const NodeRef isStep = emitMask(graph, steps);
    for (Signature& signature : signatures) {
        for (SignatureOutput& output : signature.outputs) {
            if (!output.isConstant) {
                // The outputs of steps have one dimension more.
                output.shape.dims.insert(output.shape.dims.begin(), -1);
            }
        }
        if (signature.kind == SignatureKind::Predict) {
            // The order of outputs is by key, so the new one is sorted in.
            signature.outputs.push_back(
                {.key = mask, .tensor = isStep, .dtype = DType::Bool, .shape = {-1, -1}});
            signature = predictSignature(std::move(signature.outputs));
        }
    }
}

} // namespace cannery::heads
